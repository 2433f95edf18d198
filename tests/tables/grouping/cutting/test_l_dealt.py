"""Groups that are dealt betray nothing of who has which value, and follow the line."""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job
from support.dealt_tables import VALUES, people


def groups_of(values, seed, **given):
    table = people(values)
    coded = encode(table, ["age"]), encode(table, ["s"])
    groups = sf.Hilbert(show="permutation", **given).groups(Job(*coded, sf.LDiversity(2), Randomness(seed)))
    members = (groups.order[a:b] for a, b in itertools.pairwise(groups.starts))
    return frozenset(frozenset(part.tolist()) for part in members)


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
