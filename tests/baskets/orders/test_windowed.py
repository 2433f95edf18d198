"""Windowed sums and the steps that lower them, against plain sums on small rings."""

from itertools import permutations

import numpy as np
import pytest

from sfumato.baskets.orders import windowed
from sfumato.baskets.orders.order import Gray, GrayTSP, Windowed
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.data.baskets import Baskets
from sfumato.data.reading_baskets import read_baskets
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import pack
from support.small_baskets import EXAMPLE, baskets_of_kinds, dense_baskets


def plain_sum(dense, order, k):
    n = len(order)
    return sum(int((dense[order[t]] != dense[order[(t + s) % n]]).sum()) for s in range(1, k) for t in range(n))


def test_sums_of_the_example():
    gray = Gray(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    assert (gray + 1).tolist() == [2, 4, 1, 3, 5, 6]
    tsp, best = np.array([2, 4, 3, 1, 5, 6]) - 1, np.array([1, 3, 6, 4, 2, 5]) - 1
    assert [windowed_sum(EXAMPLE, order, 2) for order in (np.arange(6), gray, tsp, best)] == [14, 12, 10, 8]
    assert min(windowed_sum(EXAMPLE, np.array(order), 2) for order in permutations(range(6))) == 8
    assert [windowed_sum(EXAMPLE, order, 3) for order in (tsp, gray, best)] == [24, 22, 22]


def test_the_best_rings_of_the_example():
    for k in (2, 3):
        best = min(windowed_sum(EXAMPLE, np.array(order), k) for order in permutations(range(6)))
        found = Windowed(by_frequency=False).order(EXAMPLE, k, Randomness(1))
        assert windowed_sum(EXAMPLE, found, k) == best


def test_windowed_orders_are_never_worse_than_gray_ones():
    for seed in range(40):
        n = 5 + seed
        baskets = baskets_of_kinds(seed, n, 4 + seed % 9)
        for k in (2, 3, 5, n - 1, n):
            gray = Gray().order(baskets, k, Randomness(seed))
            for how in (Windowed(), Windowed(neighbours=1), Windowed(sweeps=0)):
                assert windowed_sum(baskets, how.order(baskets, k, Randomness(seed)), k) <= windowed_sum(
                    baskets, gray, k
                )


def test_windowed_below_gray_tsp_below_gray():
    baskets = baskets_of_kinds(8, 1_200, 90)
    gray, tsp = Gray().order(baskets, 8, Randomness(1)), GrayTSP().order(baskets, 8, Randomness(1))
    assert windowed_sum(baskets, tsp, 2) < windowed_sum(baskets, gray, 2)
    for k in (4, 8):
        ours = Windowed().order(baskets, k, Randomness(1))
        assert windowed_sum(baskets, ours, k) < 0.9 * windowed_sum(baskets, tsp, k) < windowed_sum(baskets, gray, k)


def rings(n_rings):
    rng = np.random.default_rng(11)
    for _ in range(n_rings):
        n = int(rng.integers(4, 16))
        k = int(rng.integers(2, n))
        dense = (rng.random((n, 6)) < 0.5).astype(int)
        yield rng, n, k, dense, pack(Baskets.from_scipy(dense)), rng.permutation(n)


def unknown(n):
    return np.full((n, 4), -1, dtype=np.int64)


def test_what_a_move_gains_is_what_the_sum_falls_by():
    for _, n, k, dense, records, path in rings(40):
        left, right, known = np.empty(k - 1, dtype=np.int64), np.empty(k - 1, dtype=np.int64), unknown(n)
        before = plain_sum(dense, path, k)
        assert windowed._windowed_sum(records, path, k - 1) == before
        for p in range(n):
            now = windowed._insertion_cost(records, path, p, 0, windowed._NO_LIMIT, unknown(n), left, right)
            for gap in range(n - 1):
                there = windowed._insertion_cost(records, path, p, gap, windowed._NO_LIMIT, known, left, right)
                moved, place = path.copy(), np.argsort(path)
                windowed._move(moved, place, p, gap)
                rest = np.roll(path, -p)[1:]
                ring = np.insert(rest, gap, path[p]).tolist()
                turn = moved.tolist().index(ring[0])
                assert np.roll(moved, -turn).tolist() == ring
                assert place.tolist() == np.argsort(moved).tolist()
                assert now - there == before - plain_sum(dense, moved, k)
                for most in (there - 2, there, there + 1):
                    short = windowed._insertion_cost(records, path, p, gap, most, known, left, right)
                    assert short == there if there < most else short >= most


def test_what_a_reversal_gains_is_what_the_sum_falls_by():
    for _, n, k, dense, records, path in rings(40):
        sides, known = np.empty((4, k - 1), dtype=np.int64), unknown(n)
        before = plain_sum(dense, path, k)
        for p in range(n):
            for size in range(2, n - 1):
                turned, place = path.copy(), np.argsort(path)
                windowed._reverse(turned, place, p, size)
                rolled = np.roll(path, -p)
                assert np.roll(turned, -p).tolist() == [*rolled[:size][::-1], *rolled[size:]]
                assert place.tolist() == np.argsort(turned).tolist()
                fall = before - plain_sum(dense, turned, k)
                for first in (0, 1):
                    arguments = records, path, k - 1, p, size, first
                    assert windowed._reversal_gain(*arguments, -(10**9), known, sides) == fall
                    for least in (fall - 1, fall, fall + 1):
                        found = windowed._reversal_gain(*arguments, least, known, sides)
                        assert found == fall if fall > least else found <= least


def test_what_a_sweep_says_it_gained_it_gained():
    """Sums that are kept between steps are forgotten where a step changed them."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 120))
        k = int(rng.integers(2, min(n, 12)))
        baskets = baskets_of_kinds(seed, n, 10)
        dense, records, path = baskets.to_scipy().toarray(), pack(baskets), rng.permutation(n)
        near = np.array([rng.permutation(np.delete(np.arange(n), x))[:3] for x in range(n)], dtype=np.int32)
        by = [np.argsort((dense[x] != dense[near[x]]).sum(axis=1), kind="stable") for x in range(n)]
        near = np.array([row[order] for row, order in zip(near, by, strict=True)])
        active = np.ones(n, dtype=np.bool_)
        for _ in range(3):
            before = plain_sum(dense, path, k)
            gained = windowed._sweep(records, path, k - 1, near, active)
            assert sorted(path.tolist()) == list(range(n))
            assert before - plain_sum(dense, path, k) == gained >= 0


def vote_error(baskets, order, k):
    """How many bits differ from the vote of their window, over all windows of k in a row."""
    dense = baskets.to_scipy().toarray()[order]
    yes = sum(np.roll(dense.astype(np.int64), s, axis=0) for s in range(k))
    return int(np.minimum(yes, k - yes).sum())


@pytest.mark.data
@pytest.mark.parametrize("k", [5, 10, 20])
def test_ours_below_gray_tsp_below_gray_on_real_records(data_folder, k):
    baskets = read_baskets(data_folder / "transactions" / "chess.dat.gz")
    found = [how.order(baskets, k, Randomness(1)) for how in (Windowed(), GrayTSP(), Gray())]
    ours, tsp, gray = (vote_error(baskets, order, k) for order in found)
    assert ours < 0.85 * tsp < 0.85 * gray
    ours, tsp, _ = (windowed_sum(baskets, order, k) for order in found)
    assert ours < 0.8 * tsp


@pytest.mark.parametrize("seed", range(6))
def test_with_fewer_lags_the_order_is_still_no_worse(seed, monkeypatch):
    baskets = dense_baskets(seed, 90, 12, 0.4)
    start = Gray().order(baskets, 30, Randomness(seed))
    whole = windowed_sum(baskets, Windowed().order(baskets, 30, Randomness(seed)), 30)
    for lags in (1, 4, 15):
        monkeypatch.setattr(windowed, "_MOST_LAGS", lags)
        order = Windowed().order(baskets, 30, Randomness(seed))
        assert sorted(order.tolist()) == list(range(90))
        assert windowed_sum(baskets, order, 30) <= windowed_sum(baskets, start, 30)
    assert windowed_sum(baskets, order, 30) <= 1.05 * whole


def test_no_step_looks_at_more_lags_than_that(monkeypatch):
    asked = []
    sweep = windowed._sweep

    def watched(records, path, lags, near, active):
        asked.append(lags)
        return sweep(records, path, lags, near, active)

    monkeypatch.setattr(windowed, "_sweep", watched)
    baskets = dense_baskets(1, 400, 10, 0.4)
    Windowed().order(baskets, 300, Randomness(1))
    Windowed().order(baskets, 5, Randomness(1))
    assert max(asked) == windowed._MOST_LAGS
    assert min(asked) == 4
