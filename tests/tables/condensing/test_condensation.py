"""Condensation by every grouping, repeated by its seed, and what it refuses."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import ParameterError
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.statistics import GroupStatistics
from support.condensed_tables import QUASI, one_group, stays


@pytest.mark.parametrize(
    "method",
    [
        sf.Hilbert(show="condensed"), sf.Hilbert(show="condensed", fast=True), sf.Mondrian(show="condensed"),
        sf.TopDown(show="condensed"), sf.IDistance(show="condensed"), sf.Ordered(show="condensed"),
        sf.Condensation(), sf.Condensation("Mondrian", alpha=2.5), sf.Condensation(alpha=0.2, keep_means=True),
        sf.Condensation({"name": "Hilbert", "fast": True}, noise=0.1, keep_means=True),
    ],
    ids=repr,
)  # fmt: skip
def test_every_grouping_can_be_condensed(method):
    table = stays(150)
    release = sf.publish(table, method, sf.KAnonymity(5), seed=3)
    assert release.verdict.holds
    assert release.verdict.found[0].startswith("smallest group ")
    assert release.data.columns == [*QUASI, "diagnosis", "cost"]
    assert release.forms == dict.fromkeys(QUASI, "substitute")
    shown = release.data.frame
    assert [shown[name].dtype for name in QUASI] == [table.frame[name].dtype for name in QUASI]
    assert shown["age"].drop_nulls().is_between(0, 105).all()
    assert sf.verify(release, table).holds
    behind = table.frame["age"].gather(release.owner.files["synthetic"]["record"])
    assert shown["age"].to_list() != behind.to_list()


def drawn_by(method, table):
    with steps(4) as progress:
        return method.run(table, sf.KAnonymity(5), Randomness(4), progress)


def test_a_seed_repeats_the_draw_and_show_is_the_plain_method():
    table = stays(120)
    first, second = (sf.publish(table, sf.Hilbert(show="condensed"), sf.KAnonymity(5), seed=4) for _ in range(2))
    assert first.data.frame.equals(second.data.frame)
    plain, same = (drawn_by(method, table) for method in (sf.Hilbert(show="condensed"), sf.Condensation()))
    assert plain.frame.equals(same.frame)
    assert not first.data.frame.equals(sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=5).data.frame)


def test_rows_without_a_needed_value_are_withheld():
    table = stays(300, missing={"age": "withhold"})
    n = table.frame["age"].null_count()
    assert n
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=1)
    assert release.public["withheld_rows"] == n
    assert len(release.data) == 300 - n
    assert release.verdict.holds
    assert sf.measure(release)["withheld_rows"] == n


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: sf.Condensation(alpha=0), "alpha must be a number above 0"),
        (lambda: sf.Condensation(alpha=True), "alpha must be"),
        (lambda: sf.Condensation(noise=-1), "noise must be a share"),
        (lambda: sf.Condensation(keep_means=1), "keep_means must be true or false"),
        (lambda: sf.Condensation("Nobody"), "no method is called"),
        (lambda: method_from_dict({"name": "Condensation", "show": "means"}), "no parameter 'show'"),
        (lambda: sf.Condensation(sf.Condensation()), "grouping must be a method that forms groups"),
        (lambda: sf.Condensation(sf.AdditiveNoise(scale=0.1)), "grouping must be a method that forms groups"),
        (lambda: sf.Hilbert(show="condense"), "did you mean 'condensed'"),
        (lambda: sf.publish(stays(50), sf.Condensation()), "needs a promise"),
        (lambda: sf.publish(stays(50), sf.Hilbert(show="condensed"), sf.AccuracyBound(0.3)), "show ranges"),
        (lambda: sf.publish(stays(50), sf.Condensation(), sf.MatchRank(5)), r"KAnonymity\(5\)"),
        (lambda: sf.publish(stays(50), sf.Condensation(), sf.PPrivate("uniform")), "condensed groups keep k-anonymity"),
    ],
)
def test_what_makes_no_sense_is_refused(make, said):
    with pytest.raises(ParameterError, match=said):
        make()


def test_a_method_is_plain_data_and_back():
    method = sf.Condensation("Mondrian", alpha=2, noise=0.1)
    given = method.to_dict()
    assert given["grouping"]["name"] == "Mondrian"
    assert "show" not in given
    assert method_from_dict(given) == method
    assert isinstance(one_group(np.zeros((2, 1))), GroupStatistics)
