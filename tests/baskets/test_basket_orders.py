"""Orders of records, against the thesis' example and against plain sums on small rings."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from sfumato.baskets.orders import windowed
from sfumato.baskets.orders.choices import Gray, GrayTSP, Windowed
from sfumato.baskets.orders.gray_tsp import shorten_segments
from sfumato.baskets.orders.neighbours import chains, near_records
from sfumato.baskets.orders.segments import segment_starts
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.data.baskets import Baskets
from sfumato.data.reading_baskets import read_baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets import bits
from sfumato.published.baskets.bits import distances, pack

BITS = ["1100", "0110", "1101", "0111", "1110", "1011"]
EXAMPLE = Baskets.from_scipy(np.array([[int(bit) for bit in row] for row in BITS]))
ORDERS = [
    Gray(), Gray(by_frequency=False), GrayTSP(), GrayTSP(least=4, most=6), Windowed(),
    Windowed(neighbours=3, sweeps=2, by_frequency=False),
]  # fmt: skip


def made(seed, n, m, share=0.3):
    rng = np.random.default_rng(seed)
    kinds = rng.random((max(2, n // 8), m)) < share
    dense = kinds[rng.integers(len(kinds), size=n)] ^ (rng.random((n, m)) < 0.08)
    return Baskets.from_scipy(dense.astype(int))


def plain_sum(dense, order, k):
    n = len(order)
    return sum(int((dense[order[t]] != dense[order[(t + s) % n]]).sum()) for s in range(1, k) for t in range(n))


def path_sum(order):
    return sum(a != b for i, j in pairwise(order) for a, b in zip(BITS[i], BITS[j], strict=True))


# -- distances -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("m", "share", "words"), [(1, 0.5, 1), (64, 0.5, 1), (65, 0.9, 2), (300, 0.3, 5), (512, 0.01, 8), (20_000, 2e-4, 8)])  # fmt: skip
def test_distances_by_bits_and_by_lists(m, share, words, monkeypatch):
    rng = np.random.default_rng(m)
    dense = (rng.random((60, m)) < share).astype(np.int8)
    dense[0], dense[1] = 0, dense[1] if m == 20_000 else 1
    baskets = Baskets.from_scipy(dense)
    records = pack(baskets)
    assert records[0].shape == (60, words)
    assert records[3] == (m < 20_000)
    first, second = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(60)))
    expected = (dense[first] != dense[second]).sum(axis=1)
    assert distances(records, first, second).tolist() == expected.tolist()
    order = rng.permutation(60)
    assert (
        distances(pack(baskets, order), first, second).tolist()
        == distances(pack(baskets), order[first], order[second]).tolist()
    )
    monkeypatch.setattr(bits, "_ROOM", 0)
    monkeypatch.setattr(bits, "_SHARED", 1)
    lists = pack(baskets)
    assert lists[0].shape == (60, 1)
    assert lists[3] == (m <= 64)
    assert distances(lists, first, second).tolist() == expected.tolist()


# -- segments ------------------------------------------------------------------------------------------------------
def cheapest_cuts(gaps, n, least, most):
    """The least cost of all ways to cut; None if there is none."""
    if n == 0:
        return 0
    ends = [(size, cheapest_cuts(gaps, n - size, least, most)) for size in range(least, min(most, n) + 1)]
    costs = [rest + (gaps[n - size - 1] if size < n else 0) for size, rest in ends if rest is not None]
    return min(costs, default=None)


def test_segments_of_the_vector():
    gaps = np.array([2, 1, 3, 1, 2, 1])
    starts = segment_starts(gaps, 2, 3)
    assert np.diff(starts).tolist() == [2, 2, 3]
    assert gaps[starts[1:-1] - 1].sum() == 2


def test_segments_are_the_cheapest():
    rng = np.random.default_rng(4)
    for _ in range(300):
        n, least = int(rng.integers(1, 15)), int(rng.integers(1, 5))
        most = least + int(rng.integers(0, 3))
        gaps = rng.integers(0, 6, size=n - 1)
        starts = segment_starts(gaps, least, most)
        sizes = np.diff(starts)
        assert starts[0] == 0
        assert starts[-1] == n
        cost = gaps[starts[1:-1] - 1].sum()
        best = cheapest_cuts(gaps, n, least, most)
        if best is not None:
            assert sizes.min() >= least
            assert sizes.max() <= most
            assert cost == best
        elif n < least:
            assert sizes.tolist() == [n]
        else:
            assert sizes.min() >= least
            assert cost == cheapest_cuts(gaps, n, least, 2 * least - 1)


@pytest.mark.parametrize("n", [1, 99, 100, 151, 199])
def test_lengths_that_cannot_be_cut(n):
    sizes = np.diff(segment_starts(np.ones(n - 1, dtype=np.int64), 100, 150))
    assert sizes.sum() == n
    assert len(sizes) == 1
    assert np.diff(segment_starts(np.ones(349, dtype=np.int64), 300, 349)).tolist() == [350]


# -- the example ---------------------------------------------------------------------------------------------------
def test_sums_of_the_example():
    gray = Gray(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    assert (gray + 1).tolist() == [2, 4, 1, 3, 5, 6]
    tsp, best = np.array([2, 4, 3, 1, 5, 6]) - 1, np.array([1, 3, 6, 4, 2, 5]) - 1
    assert [windowed_sum(EXAMPLE, order, 2) for order in (np.arange(6), gray, tsp, best)] == [14, 12, 10, 8]
    assert min(windowed_sum(EXAMPLE, np.array(order), 2) for order in permutations(range(6))) == 8
    assert [windowed_sum(EXAMPLE, order, 3) for order in (tsp, gray, best)] == [24, 22, 22]


def test_the_best_path_of_the_example():
    gray = Gray(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    paths = [(1, *middle, 5) for middle in permutations((0, 2, 3, 4))]
    best = min(map(path_sum, paths))
    assert best == 7
    found = GrayTSP(by_frequency=False).order(EXAMPLE, 3, Randomness(1))
    assert path_sum(found) == best
    assert (found[0], found[-1]) == (gray[0], gray[-1])
    listed = {(2, 4, 3, 1, 5, 6), (2, 4, 5, 1, 3, 6), (2, 5, 1, 3, 4, 6)}
    assert {tuple(i + 1 for i in path) for path in paths if path_sum(path) == 7} == listed


def test_the_best_rings_of_the_example():
    for k in (2, 3):
        best = min(windowed_sum(EXAMPLE, np.array(order), k) for order in permutations(range(6)))
        found = Windowed(by_frequency=False).order(EXAMPLE, k, Randomness(1))
        assert windowed_sum(EXAMPLE, found, k) == best


# -- all orders ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("how", ORDERS, ids=str)
def test_orders_are_permutations(how):
    for seed, (n, m) in enumerate([(0, 3), (1, 1), (2, 5), (3, 4), (4, 4), (7, 3), (30, 12), (200, 70), (400, 30)]):
        baskets = made(seed, n, m) if n else Baskets(np.zeros(1), np.zeros(0), ["a"])
        for k in (1, 2, 3, 7, 30):
            order = how.order(baskets, k, Randomness(seed))
            assert sorted(order.tolist()) == list(range(n))
            assert how.order(baskets, k, Randomness(seed)).tolist() == order.tolist()


@pytest.mark.parametrize("how", ORDERS, ids=str)
def test_records_all_alike_or_empty(how):
    for rows in ([[1, 2]] * 40, [[]] * 39 + [[1]], [[i] for i in range(40)]):
        assert sorted(how.order(Baskets.from_lists(rows), 5, Randomness(1)).tolist()) == list(range(40))


def test_windowed_orders_are_never_worse_than_gray_ones():
    for seed in range(40):
        n = 5 + seed
        baskets = made(seed, n, 4 + seed % 9)
        for k in (2, 3, 5, n - 1, n):
            gray = Gray().order(baskets, k, Randomness(seed))
            for how in (Windowed(), Windowed(neighbours=1), Windowed(sweeps=0)):
                assert windowed_sum(baskets, how.order(baskets, k, Randomness(seed)), k) <= windowed_sum(
                    baskets, gray, k
                )


def test_windowed_below_gray_tsp_below_gray():
    baskets = made(8, 1_200, 90)
    gray, tsp = Gray().order(baskets, 8, Randomness(1)), GrayTSP().order(baskets, 8, Randomness(1))
    assert windowed_sum(baskets, tsp, 2) < windowed_sum(baskets, gray, 2)
    for k in (4, 8):
        ours = Windowed().order(baskets, k, Randomness(1))
        assert windowed_sum(baskets, ours, k) < 0.9 * windowed_sum(baskets, tsp, k) < windowed_sum(baskets, gray, k)


def test_bad_orders_are_refused():
    with pytest.raises(ParameterError, match="segments need 1 <= least <= most records, got least=9 and most=8"):
        GrayTSP(least=9, most=8)
    with pytest.raises(ParameterError, match="neighbours must be a whole number >= 1, got 0"):
        Windowed(neighbours=0)
    with pytest.raises(ParameterError, match="sweeps must be a whole number >= 0, got -1"):
        Windowed(sweeps=-1)
    with pytest.raises(ParameterError, match="got least=0, most=3"):
        segment_starts(np.ones(4, dtype=np.int64), 0, 3)


def test_segments_keep_their_ends_and_grow_shorter():
    for seed in range(20):
        baskets = made(seed, 60 + seed, 20)
        start = np.random.default_rng(seed).permutation(len(baskets))
        records, at = pack(baskets, start), np.arange(len(baskets))
        starts = segment_starts(distances(records, at[:-1], at[1:]), 8, 12)
        found = shorten_segments(baskets, start, 8, 12)
        for low, high in pairwise(starts.tolist()):
            assert found[low] == start[low]
            assert found[high - 1] == start[high - 1]
            own, old = found[low:high], start[low:high]
            assert sorted(own.tolist()) == sorted(old.tolist())
            new = distances(pack(baskets), own[:-1], own[1:]).sum()
            assert new <= distances(pack(baskets), old[:-1], old[1:]).sum()
            for i in range(1, high - low - 1):  # no reversal and no move of one record helps
                for j in range(1, high - low - 1):
                    turned = np.concatenate(
                        [own[: min(i, j)], own[min(i, j) : max(i, j) + 1][::-1], own[max(i, j) + 1 :]]
                    )
                    moved = np.insert(np.delete(own, i), j, own[i])
                    for other in (turned, moved):
                        assert new <= distances(pack(baskets), other[:-1], other[1:]).sum()


# -- steps of the windowed order -----------------------------------------------------------------------------------
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
            now = windowed._insertion(records, path, p, 0, windowed._NO_LIMIT, unknown(n), left, right)
            for gap in range(n - 1):
                there = windowed._insertion(records, path, p, gap, windowed._NO_LIMIT, known, left, right)
                moved, place = path.copy(), np.argsort(path)
                windowed._move(moved, place, p, gap)
                rest = np.roll(path, -p)[1:]
                ring = np.insert(rest, gap, path[p]).tolist()
                turn = moved.tolist().index(ring[0])
                assert np.roll(moved, -turn).tolist() == ring
                assert place.tolist() == np.argsort(moved).tolist()
                assert now - there == before - plain_sum(dense, moved, k)
                for most in (there - 2, there, there + 1):
                    short = windowed._insertion(records, path, p, gap, most, known, left, right)
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
                    assert windowed._reversal(*arguments, -(10**9), known, sides) == fall
                    for least in (fall - 1, fall, fall + 1):
                        found = windowed._reversal(*arguments, least, known, sides)
                        assert found == fall if fall > least else found <= least


def test_what_a_sweep_says_it_gained_it_gained():
    """Sums that are kept between steps are forgotten where a step changed them."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 120))
        k = int(rng.integers(2, min(n, 12)))
        baskets = made(seed, n, 10)
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


# -- near records --------------------------------------------------------------------------------------------------
def test_near_records_are_others_and_the_nearest_first():
    baskets = made(3, 300, 40)
    baskets = baskets.rows(Gray().order(baskets, 2, Randomness(1)))
    dense, records = baskets.to_scipy().toarray(), pack(baskets)
    near = near_records(records, 40, 6, Randomness(2))
    apart = (dense[:, None, :] != dense[None, :, :]).sum(axis=2)
    assert (near >= 0).all()
    for x in range(300):
        assert x not in near[x]
        assert len(set(near[x].tolist())) == 6
        assert (np.diff(apart[x, near[x]]) >= 0).all()
    np.fill_diagonal(apart, 99)
    exact = np.sort(apart, axis=1)[:, :6].sum()
    assert exact <= apart[np.arange(300)[:, None], near].sum() < 1.15 * exact


def test_near_records_of_few_kinds():
    baskets = Baskets.from_lists([[1]] * 4 + [[1, 2]] * 3 + [[3]])
    near = near_records(pack(baskets), 3, 5, Randomness(1))
    kinds = [0] * 4 + [1] * 3 + [2]
    expected = [[0, 1, 2]] * 4 + [[1, 0, 2]] * 3 + [[0, 1]]  # an equal one, if there is one, and then by distance
    for x in range(8):
        listed = [y for y in near[x].tolist() if y >= 0]
        assert x not in listed
        assert [kinds[y] for y in listed] == expected[x]


def test_chains_are_orders_of_near_records():
    baskets = made(5, 300, 40)
    baskets = baskets.rows(Gray().order(baskets, 2, Randomness(1)))
    records = pack(baskets)
    path = chains(records, near_records(records, 40, 6, Randomness(2)))
    assert sorted(path.tolist()) == list(range(300))
    assert windowed_sum(baskets, path, 2) < 0.9 * windowed_sum(baskets, np.arange(300), 2)
    nothing = np.full((5, 2), -1, dtype=np.int32)
    assert chains(records, nothing).tolist() == [0, 1, 2, 3, 4]
    linked = np.array([[3, -1], [4, -1], [-1, -1], [0, -1], [0, 1]], dtype=np.int32)
    assert chains(records, linked).tolist() == [1, 4, 0, 3, 2]


# -- real data -----------------------------------------------------------------------------------------------------
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
