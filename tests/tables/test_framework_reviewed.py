"""Faults that a review of the framework found, each with the table that showed it."""

import itertools
import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job

AGES, VALUES = [10, 11, 12, 13, 40, 41, 42, 43], "aaabbcbc"


def people(values, ages=AGES):
    return sf.Table(pl.DataFrame({"age": ages, "s": list(values)}), sf.Schema(quasi=["age"], sensitive=["s"]))


def groups_of(values, seed, **given):
    table = people(values)
    coded = encode(table, ["age"]), encode(table, ["s"])
    groups = sf.Hilbert(show="permutation", **given).groups(Job(*coded, sf.LDiversity(2), Randomness(seed)))
    members = (groups.order[a:b] for a, b in itertools.pairwise(groups.starts))
    return frozenset(frozenset(part.tolist()) for part in members)


@pytest.mark.parametrize(("l", "copies"), [(1100, 3), (3000, 5)])
def test_l_in_the_thousands(l, copies):
    """Exactly eligible, more values than the fall-back step compares, the frequent one last on the line."""
    n = copies * l
    values = [f"v{i}" for i in range(n - copies)] + ["often"] * copies
    table = sf.Table(pl.DataFrame({"q": range(n), "s": values}), sf.Schema(quasi=["q"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(l), seed=1)
    assert release.verdict.reached == {f"LDiversity({l:g})": float(l)}


def test_a_bound_on_a_table_whose_values_all_differ():
    n = 20_000
    table = sf.Table(pl.DataFrame({"q": range(n), "s": range(n)}), sf.Schema(quasi=["q"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.05), seed=1)
    assert release.verdict.reached["AccuracyBound(max_ncp=0.05)"] == pytest.approx(1000, rel=0.05)


def test_groups_by_the_printed_heuristic_betray_values():
    """Why two tables are dealt: most ways to give the values of a group to its records do not lead to these groups."""
    seen = groups_of(VALUES, 1, dealt=False)
    assert len(worlds_left(seen, dealt=False)) == 2


def worlds(groups):
    """Every way to give the values of each group to its records."""
    pairs = [sorted(group) for group in groups]
    for swaps in itertools.product((False, True), repeat=len(pairs)):
        world = list(VALUES)
        for (one, other), swap in zip(pairs, swaps, strict=True):
            if swap:
                world[one], world[other] = world[other], world[one]
        yield "".join(world)


def worlds_left(groups, **given):
    return {world for world in worlds(groups) if groups_of(world, 1, **given) == groups}


@pytest.mark.slow
def test_dealt_groups_betray_nothing():
    """Over many draws each way to give the values of a group to its records leads to it equally often."""
    draws = 400
    seen = groups_of(VALUES, 1)
    assert all(len({VALUES[i] for i in group}) == 2 for group in seen)
    how_often = {
        world: Counter(groups_of(world, seed) for seed in range(draws))[seen] / draws for world in set(worlds(seen))
    }
    assert len(how_often) > 8
    shares = np.array(list(how_often.values()))
    spread = np.sqrt(shares.mean() * (1 - shares.mean()) / draws)
    assert shares.min() > 0
    assert np.abs(shares - shares.mean()).max() < 4 * spread


def test_stretches_follow_the_line_and_keep_the_promise():
    n = 600
    values = ["a" if i < 100 else "bcdefgh"[i % 7] for i in range(n)]
    table = sf.Table(pl.DataFrame({"x": range(n), "s": values}), sf.Schema(quasi=["x"], sensitive=["s"]))
    for method in (sf.Hilbert(dealt=True), sf.Ordered(dealt=True), sf.IDistance(dealt=True, centres=8)):
        for promise in (sf.LDiversity(4), sf.LDiversity(3, kind="entropy"), sf.TCloseness(0.4)):
            assert sf.publish(table, method, promise, seed=1).verdict.holds
    tail = sf.publish(table, sf.Hilbert(dealt=True), sf.LDiversity(4), seed=1).owner
    assert tail is not None
    coded = encode(table, ["x"]), encode(table, ["s"])
    groups = sf.Hilbert(dealt=True).groups(Job(*coded, sf.LDiversity(4), Randomness(3)))
    far = [np.ptp(groups.order[a:b]) for a, b in itertools.pairwise(groups.starts) if groups.order[a] > 450]
    assert max(far) <= 4 * 4 * 2  # past the uniform stretch groups stay inside a cell or two
    assert groups_of(VALUES, 1) != groups_of(VALUES, 2) or groups_of(VALUES, 1) != groups_of(VALUES, 3)


def test_dealt_groups_are_not_solved_exactly():
    with pytest.raises(ParameterError, match="say dealt=False"):
        sf.Hilbert(solve="optimal", show="permutation")
    with pytest.raises(ParameterError, match="dealt must be true, false or left out"):
        sf.Hilbert(dealt="yes")


@pytest.mark.parametrize("method", [sf.Hilbert(dealt=True), sf.Ordered(dealt=True)])
def test_a_bound_is_not_met_by_dealt_groups(method):
    """Else the certificate would call groups dealt that were formed by looking at values."""
    with pytest.raises(ParameterError, match="leave dealt out"):
        sf.publish(people(VALUES), method, sf.AccuracyBound(0.9))
    assert sf.publish(people(VALUES), method, sf.LDiversity(2), seed=1).method["dealt"] is True
    assert sf.publish(people(VALUES), sf.Ordered(), sf.LDiversity(2), seed=1).method["dealt"] is False


@pytest.mark.parametrize("show", ["means", "permutation"])
def test_a_bound_on_the_loss_is_shown_by_ranges(show):
    with pytest.raises(ParameterError, match="show ranges"):
        sf.publish(people(VALUES), sf.Hilbert(show=show), sf.AccuracyBound(0.5))


def test_two_tables_keep_no_bound():
    release = sf.publish(people(VALUES), sf.Hilbert(show="permutation"), sf.LDiversity(2), seed=1)
    for bound in (sf.AccuracyBound(1.0), sf.AccuracyBound(1.0, maximise="k")):
        assert not sf.verify(release, promise=bound).holds


@pytest.mark.parametrize("method", [sf.Hilbert(), sf.Ordered(), sf.IDistance(), sf.Mondrian(), sf.TopDown()])
def test_a_column_that_is_left_without_values(method):
    frame = pl.DataFrame({"c": ["u", "v", *[None] * 38], "x": [None, None, *range(38)], "y": range(40)})
    schema = sf.Schema(quasi=["c", "x", "y"], kinds={"c": "category"}, missing={"x": "withhold"})
    with pytest.raises(DataError, match="'c' has no value at all in the rows that are published"):
        sf.publish(sf.Table(frame, schema), method, sf.KAnonymity(4))


@pytest.mark.parametrize("most", [1.0, 0.5])
def test_a_bound_beside_another_promise(most):
    table = sf.Table(
        pl.DataFrame({"q": range(20), "s": ["a", "b"] * 10}), sf.Schema(quasi=["q"], sensitive=["s"])
    )  # fmt: skip
    promise = sf.AccuracyBound(most) & sf.KAnonymity(5)
    release = sf.publish(table, sf.Hilbert(), promise, seed=1)
    assert release.verdict.holds
    assert release.verdict.reached["KAnonymity(k=5)"] >= 5


def test_k_above_l_joins_diverse_groups():
    n = 6000
    table = sf.Table(
        pl.DataFrame({"q": range(n), "s": [i % 3 for i in range(n)]}), sf.Schema(quasi=["q"], sensitive=["s"])
    )  # fmt: skip
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(3) & sf.KAnonymity(6), seed=1)
    assert sf.measure(release, n_queries=0)["n_classes"] == 1000


def test_roles_that_were_changed_in_the_certificate(tmp_path):
    """A column that no longer counts as a quasi-identifier is one that the promise no longer speaks of."""
    table = people(VALUES)
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1).save(tmp_path / "out", report=False)
    path = tmp_path / "out" / "release.json"
    certificate = json.loads(path.read_text())
    certificate["public"]["schema"]["columns"]["age"]["role"] = "plain"
    path.write_text(json.dumps(certificate))
    verdict = sf.verify(sf.load_release(tmp_path / "out"), table)
    assert not verdict.holds
    assert "column 'age' is quasi in the original, and plain in the release" in verdict.broken
