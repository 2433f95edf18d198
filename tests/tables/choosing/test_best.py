"""Best: its release is that of a method which makes it alone, to the byte, and loses no more than any it tried."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job

PROMISES = [
    sf.KAnonymity(5), sf.KAnonymity(4) & sf.LDiversity(3), sf.LDiversity(2, kind="distinct"),
    sf.KAnonymity(3) & sf.TCloseness(0.5),
]  # fmt: skip


@pytest.mark.parametrize("promise", PROMISES, ids=repr)
def test_the_recorded_method_makes_the_same_release_alone(promise):
    table = hospital(150)
    release = sf.publish(table, sf.Best(within=20), promise, seed=3)
    won = release.owner.tried[0]
    assert release.verdict.holds
    assert release.method == won.method.public_parameters()
    alone = sf.publish(table, won.method, promise, seed=3)
    assert alone.data.frame.equals(release.data.frame)
    assert (alone.owner.rows == release.owner.rows).all()
    assert alone.public == release.public
    assert won.loss == pytest.approx(sf.measure(release, table, n_queries=0)["gcp"])


@pytest.mark.parametrize("show", ["means", "permutation", "condensed"])
def test_whatever_groups_show_it_can_be_repeated(show):
    release = sf.publish(hospital(120), sf.Best(within=20, show=show), sf.LDiversity(3), seed=1)
    alone = sf.publish(hospital(120), release.owner.tried[0].method, sf.LDiversity(3), seed=1)
    assert alone.data.frame.equals(release.data.frame)
    assert release.method["show"] == show


def test_the_seed_that_the_owner_keeps_repeats_a_run_without_one():
    table = hospital(120)
    release = sf.publish(table, promise=sf.KAnonymity(5))
    alone = sf.publish(table, release.owner.tried[0].method, sf.KAnonymity(5), seed=release.owner.seed)
    assert alone.data.frame.equals(release.data.frame)


def test_on_uneven_columns_with_far_codes_it_does_not_choose_mondrian():
    rng = np.random.default_rng(1)
    far = np.where(rng.random(600) < 0.02, 10.0**9, rng.exponential(1.0, 600).round(2))
    frame = pl.DataFrame({"far": far, "near": rng.integers(0, 5, 600), "id": rng.integers(0, 10**12, 600)})
    table = sf.Table(frame, sf.Schema(quasi=["far", "near", "id"]))
    release = sf.publish(table, sf.Best(within=20, methods=["Mondrian", "LocalRecoding", "Ordered"]), sf.KAnonymity(5))
    assert release.method["name"] != "Mondrian"
    assert sf.publish(table, promise=sf.KAnonymity(5)).method["name"] != "Mondrian"


def test_what_was_tried_is_the_owners_alone(tmp_path):
    release = sf.publish(hospital(120), sf.Best(within=20), sf.KAnonymity(5), seed=1)
    release.save(tmp_path / "out")
    kept = (tmp_path / "owner" / "out" / "owner.json").read_text()
    assert '"tried"' in kept
    assert '"Ordered(polish=' in kept
    told = (tmp_path / "out" / "release.json").read_text() + (tmp_path / "out" / "report.html").read_text()
    assert "tried" not in told
    assert sf.verify(sf.load_release(tmp_path / "out")).holds


def test_a_promise_that_no_table_keeps_is_refused_as_by_any_method():
    with pytest.raises(InfeasibleError, match="k=200"):
        sf.publish(hospital(100), sf.Best(), sf.KAnonymity(200))
    with pytest.raises(ParameterError, match="Best needs a promise"):
        sf.publish(hospital(100), sf.Best())
    with pytest.raises(ParameterError, match="Best keeps no bound on the loss"):
        sf.publish(hospital(100), sf.Best(), sf.AccuracyBound(0.3))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"within": 0}, "within must be a number of seconds above 0"),
        ({"within": "long"}, "within must be"),
        ({"methods": "Ordered"}, "methods must be a list of names"),
        ({"methods": ["Best"]}, "methods that form groups"),
        ({"methods": ["PRAM"]}, "methods that form groups"),
        ({"methods": [3]}, "methods that form groups"),
        ({"show": "levels"}, "show must be"),
    ],
)
def test_bad_parameters_get_a_sentence(given, said):
    with pytest.raises(ParameterError, match=said):
        sf.Best(**given)


def test_it_forms_groups_for_whoever_asks():
    table = hospital(100)
    prepared = sf.Best().prepare(table, sf.KAnonymity(5))
    groups = sf.Best(within=20).groups(Job(prepared.quasi, prepared.sensitive, sf.KAnonymity(5), Randomness(1)))
    assert sorted(groups.order) == list(range(100))
    assert groups.sizes.min() >= 5
