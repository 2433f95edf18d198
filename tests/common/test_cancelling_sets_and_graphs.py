"""Every method for sets of items and for graphs says how far it is, and ends where it is called off."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import sfumato as sf
from recorded_releases import friends, purchases
from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.orders.gray_tsp import _SEGMENTS, polish_segments
from sfumato.contracts.method import known_methods
from sfumato.graphs.flips import draw_flips
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from support.watched_runs import run_watched


def labelled():
    """Baskets that carry labels."""
    return purchases(labels=True)


def above():
    """A hierarchy of the items."""
    return sf.Hierarchy.from_paths([[f"i{i}", f"g{i // 3}", "*"] for i in range(9)])


K, L = sf.KAnonymity(4), sf.LDiversity(3)

RUNS = {
    "Apriori": (purchases, sf.Apriori(), sf.KMAnonymity(3, 2)),
    "CAHD": (labelled, sf.CAHD(), L),
    "Grouped": (purchases, sf.Grouped(), K),
    "Nonreciprocal": (purchases, sf.Nonreciprocal(), K),
    "AddDelete": (friends, sf.AddDelete(edges=12), None),
    "EdgePerturbation": (friends, sf.EdgePerturbation(mu=0.02), None),
    "KDegree": (friends, sf.KDegree(k=4), None),
    "Relabelling": (friends, sf.Relabelling(), None),
    "SpectralSwitching": (friends, sf.SpectralSwitching(edges=6, tolerance=0.1), None),
}
"""A small run of each: data, the method, the promise."""

ALSO = {
    "Apriori with a hierarchy": (purchases, sf.Apriori(hierarchy=above()), sf.KMAnonymity(4, 2)),
    "Apriori, sets of three": (purchases, sf.Apriori(), sf.KMAnonymity(3, 3)),
    "Grouped by labels": (labelled, sf.Grouped(), L),
    "Grouped, dealt": (labelled, sf.Grouped(order="gray", dealt=True), L),
    "Grouped, withheld": (purchases, sf.Grouped(order="gray-tsp", show="withheld"), K),
    "Nonreciprocal by labels": (labelled, sf.Nonreciprocal(order="gray"), sf.LDiversity(2)),
    "Nonreciprocal by frequent labels": (labelled, sf.Nonreciprocal(), L),
}

QUICK = {"Relabelling"}
"""Far below a second for a million edges: steps alone."""

EVERY = {**RUNS, **ALSO}


def run(name, watch=None):
    return run_watched(*EVERY[name], watch)


def test_every_method_for_sets_and_graphs_is_here():
    registered = known_methods().items()
    own = {name for name, cls in registered if cls.takes is not sf.Table and cls.__module__.startswith("sfumato.")}
    assert own == set(RUNS)


@pytest.mark.parametrize("name", EVERY)
def test_cancelled_at_the_first_step(name):
    told, cancelled = run(name, lambda progress, n: progress.cancel())
    assert cancelled
    assert len(told) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_shares_rise_and_each_is_a_place_to_stop(name):
    told, cancelled = run(name)
    assert not cancelled
    assert name in QUICK or len(told) > len({step for step, _ in told}), "no share beside the steps"
    assert all(a <= b for (_, a), (_, b) in itertools.pairwise(told))
    assert all(0.0 <= done <= 1.0 for _, done in told)
    for stop in range(1, len(told) + 1):
        seen, cancelled = run(name, lambda progress, n, at=stop: progress.cancel() if n == at else None)
        assert cancelled
        assert seen == told[:stop]


@pytest.mark.parametrize("name", EVERY)
def test_a_run_that_is_watched_publishes_the_same(name):
    make, method, promise = EVERY[name]
    plain, seen = (
        method.run(make(), method.promise_for(promise), Randomness(1), Progress(4, shown=False, watch=watch))
        for watch in (None, lambda step, done: None)
    )
    assert plain.frame.equals(seen.frame)
    assert np.array_equal(plain.rows, seen.rows)


def shares_of(name):
    """How often each step of a run told a share."""
    told, _ = run(name)
    return {step: sum(each == step for each, _ in told) - 1 for step, _ in told}


def test_the_long_steps_are_told_of_in_parts():
    assert shares_of("Grouped")["laying records in a row"] > 24  # the orders that near records are found by, and sweeps
    assert shares_of("Nonreciprocal")["drawing assignments"] == 4  # rounds
    assert shares_of("Nonreciprocal by labels")["laying records on a ring"] > 0  # sweeps over the ring
    assert shares_of("Grouped by labels")["forming groups"] > 3  # sweeps over the ring, and its cuts
    sizes = [shares_of(each)["counting sets of items"] for each in ("Apriori", "Apriori, sets of three")]
    assert sizes[1] > sizes[0] > 0


def test_segments_are_shortened_a_few_at_a_time(monkeypatch):
    rng = np.random.default_rng(3)
    n = 10 * _SEGMENTS
    baskets = sf.Baskets.from_lists([[f"i{x}" for x in np.unique(rng.integers(0, 30, 5))] for _ in range(n)])
    start, told = gray_order(baskets, frequency_ranks(baskets)), []
    found = polish_segments(baskets, start, 4, 5, told.append)
    assert len(told) > 2
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert np.array_equal(np.sort(found), np.arange(n))
    monkeypatch.setattr("sfumato.baskets.orders.gray_tsp._SEGMENTS", n)
    assert np.array_equal(found, polish_segments(baskets, start, 4, 5))


def test_flips_are_told_of_batch_by_batch(monkeypatch):
    whole = draw_flips(5000, 0.1, Randomness(3))
    monkeypatch.setattr("sfumato.graphs.flips._BATCH", 64)
    told = []
    assert np.array_equal(draw_flips(5000, 0.1, Randomness(3), told.append), whole)
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == 1.0
