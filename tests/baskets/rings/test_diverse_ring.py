"""Rings on which labels differ: found where there is one, drawn from evenly, made closer by swaps."""

from itertools import combinations

import numpy as np
import pytest

from sfumato.baskets.rings.diverse_ring import (
    DiverseRing,
    diverse_assignments,
    diverse_ring,
    polish_ring,
    ring_cost,
    row_deal,
)
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from support.labelled_rings import baskets_of, check_labels, eligible, hamming, windows_distinct
from support.small_baskets import EXAMPLE, TSP


def histograms(n, most):
    if n == 0:
        yield ()
    for f in range(min(n, most), 0, -1):
        for rest in histograms(n - f, f):
            yield (f, *rest)


def ring_exists(counts, window):
    """By trying everything."""
    n, left, ring = sum(counts), list(counts), []

    def go():
        if len(ring) == n:
            return windows_distinct(ring, window)
        for q in range(len(left)):
            if left[q] and q not in ring[len(ring) - window + 1 :][: window - 1] * (window > 1):
                left[q] -= 1
                ring.append(q)
                if go():
                    return True
                ring.pop()
                left[q] += 1
        return False

    return window <= n and go()


def test_the_row_deal():
    labels = np.array([ord(c) for c in "AAABBCCD"])
    assert "".join(map(chr, labels[row_deal(labels, 2)])) == "ABACACBD"
    for n in range(1, 15):
        for counts in histograms(n, n):
            labels = np.repeat(np.arange(len(counts)), counts)
            for window in range(1, n // counts[0] + 1):
                assert windows_distinct(labels[row_deal(labels, window)].tolist(), window)


def test_a_ring_is_found_if_and_only_if_there_is_one():
    rng = np.random.default_rng(0)
    for n in range(1, 9):
        for counts in histograms(n, n):
            labels = rng.permutation(np.repeat(np.arange(len(counts)), counts))
            for l in range(1, n + 1):
                exists = ring_exists(counts, l)
                assert exists == (counts[0] <= n // l)
                for window in (l, 2 * l - 1):
                    if exists and counts[0] <= n // window:
                        ring = diverse_ring(labels, rng.permutation(n), l, window=window)
                        assert sorted(ring.order.tolist()) == list(range(n))
                        assert windows_distinct(labels[ring.order].tolist(), window)
                        assert (ring.l, ring.window) == (l, window)
                    else:
                        with pytest.raises(InfeasibleError):
                            diverse_ring(labels, np.arange(n), l, window=window)


def test_rings_of_more_records_and_any_order():
    rng = np.random.default_rng(1)
    for n in (12, 13, 15):
        for counts in histograms(n, n // 2):
            for labels in (
                np.repeat(np.arange(len(counts)), counts),
                rng.permutation(np.repeat(np.arange(len(counts)), counts)),
            ):
                for l in range(2, n // counts[0] + 1):
                    ring = diverse_ring(labels, rng.permutation(n), l)
                    assert ring.window == (2 * l - 1 if counts[0] <= n // (2 * l - 1) else l)
                    assert windows_distinct(labels[ring.order].tolist(), ring.window)
    for window in (3, 5):
        labels = rng.permutation(np.repeat(np.arange(400), 50))
        labels[rng.choice(20_000, 3_900, replace=False)] = 400
        order = diverse_ring(labels, np.arange(20_000), 3, window=window).order
        shown = labels[order]
        assert all((shown != np.roll(shown, s)).all() for s in range(1, window))


def test_records_stay_near_those_they_were_near():
    labels, order = np.arange(60) % 5, np.random.default_rng(2).permutation(60)
    labels[order] = np.arange(60) % 5
    assert diverse_ring(labels, order, 3).order.tolist() == order.tolist()  # its windows were distinct already
    labels = np.random.default_rng(3).integers(0, 60, 5_000)
    moved = np.abs(diverse_ring(labels, np.arange(5_000), 4).order - np.arange(5_000))
    assert np.minimum(moved, 5_000 - moved).mean() < 5
    crowd = np.arange(100, 201)
    crowd[48:53] = 0
    lies = np.flatnonzero(crowd[diverse_ring(crowd, np.arange(101), 4, window=4).order] == 0)
    assert lies.mean() == pytest.approx(50, abs=3)  # a crowd of one label gives way to both sides
    assert set(np.diff(lies)) <= {4, 5}


def test_labels_that_are_too_frequent():
    labels = np.repeat(np.arange(4), [40, 20, 20, 20])
    with pytest.raises(
        InfeasibleError, match=r"^label 'x' is carried by 40 of 100 records, more than 1 in 3; the best is l=2$"
    ):
        diverse_ring(labels, np.arange(100), 3, names=["x", "y", "z", "u"])
    assert diverse_ring(labels, np.arange(100), 2).window == 2
    with pytest.raises(
        InfeasibleError, match="label 0 is carried by 40 of 100 records, more than 1 in 3; the best is l=1"
    ):
        diverse_ring(labels, np.arange(100), 2, window=3)
    for wrong, message in [
        ({"l": 0}, "l must be"), ({"window": 4}, "the window must be l=2 or 2l-1=3, got 4"),
        ({"order": np.zeros(100, dtype=int)}, "each of the 100 records once"), ({"order": np.arange(99)}, "once"),
        ({"labels": labels[:0], "order": labels[:0]}, "no records"),
    ]:  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            diverse_ring(**{"labels": labels, "order": np.arange(100), "l": 2} | wrong)


def test_whatever_is_drawn_is_diverse():
    rng = np.random.default_rng(5)
    kinds = set()
    for seed in range(150):
        l = int(rng.integers(1, 5))
        n = int(rng.integers(3 * l, 30))
        labels = eligible(rng, n, l, int(rng.integers(2 * l, 4 * l)))
        ring = diverse_ring(labels, rng.permutation(n), l)
        kinds.add(ring.window == l)
        rows = diverse_assignments(ring, Randomness(seed))
        assert sorted(map(tuple, np.sort((rows - np.arange(n)) % n, axis=0).T.tolist())) == [tuple(range(l))] * n
        for drawn in range(l):
            check_labels(labels[ring.order], rows, drawn, l)
    assert kinds == {True, False}


@pytest.mark.parametrize("window", [3, 5])
def test_each_edge_is_as_likely_to_be_the_true_one(window):
    ring = diverse_ring(np.arange(10) % 5, np.arange(10), 3, window=window)
    random, times, seen = Randomness(1), np.zeros((10, 3)), set()
    for _ in range(3_000):
        rows = diverse_assignments(ring, random)
        own = rows[int(random.integers(3, size=1)[0])]
        seen.add(tuple(own.tolist()))
        times[np.arange(10), (own - np.arange(10)) % 10] += 1
    assert times / 3_000 == pytest.approx(np.full((10, 3), 1 / 3), abs=0.045)
    assert len(seen) == 3 if window == 3 else len(seen) > 50


def test_the_cost_of_rings():
    gray, best = np.array([2, 4, 1, 3, 5, 6]) - 1, np.array([1, 3, 6, 4, 2, 5]) - 1
    assert [ring_cost(EXAMPLE, DiverseRing(order, 3, 3)) for order in (TSP, gray, best)] == [24, 22, 22]


def test_swaps_lower_the_cost_and_keep_windows():
    rng = np.random.default_rng(7)
    for _ in range(120):
        l = int(rng.integers(1, 5))
        n = int(rng.integers(l, 60))
        labels, baskets = eligible(rng, n, l, 6 * l), baskets_of(rng, n)
        ring = diverse_ring(labels, rng.permutation(n), l)
        after = polish_ring(baskets, labels, ring, reach=int(rng.integers(1, 20)))
        assert sorted(after.order.tolist()) == list(range(n))
        assert windows_distinct(labels[after.order].tolist(), ring.window)
        apart = hamming(baskets)
        costs = [
            sum(apart[r.order[i], r.order[(i + s) % n]] for i in range(n) for s in range(1, l)) for r in (ring, after)
        ]
        assert costs == [ring_cost(baskets, ring), ring_cost(baskets, after)]
        assert costs[1] <= costs[0]


def test_no_swap_is_left_that_gains():
    rng = np.random.default_rng(8)
    for _ in range(20):
        labels, baskets = eligible(rng, 12, 3, 6), baskets_of(rng, 12)
        ring = polish_ring(baskets, labels, diverse_ring(labels, np.arange(12), 3), sweeps=100, reach=12)
        cost = ring_cost(baskets, ring)
        for i, j in combinations(range(12), 2):
            order = ring.order.copy()
            order[[i, j]] = order[[j, i]]
            if windows_distinct(labels[order].tolist(), ring.window):
                assert ring_cost(baskets, DiverseRing(order, 3, ring.window)) >= cost
