"""L-diversity of what is published: rings, their check, the cheapest graph and the printed walk, against enumeration."""

from itertools import combinations, permutations

import numpy as np
import pytest
from benchmarks.baselines.flow import MAX_ARCS, all_arcs, cheapest_graph, graph_cost, neighbour_arcs, split
from benchmarks.baselines.greedy_walk import broken_records, greedy_walk

from sfumato.baskets.label_check import check_labels, distinct_labels, published_labels
from sfumato.baskets.orders.gray import gray_order
from sfumato.baskets.rings.diverse_ring import (
    DiverseRing,
    closer,
    diverse_assignments,
    diverse_ring,
    ring_cost,
    row_deal,
)
from sfumato.baskets.rings.ring import cyclic_shifts
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, PromiseBrokenError
from sfumato.ground.randomness import Randomness

BITS = ["1100", "0110", "1101", "0111", "1110", "1011"]
EXAMPLE = Baskets.from_scipy(np.array([[int(bit) for bit in row] for row in BITS]))
C, M, B = 0, 1, 2
LABELS = np.array([C, C, M, B, B, M])
TSP = np.array([2, 4, 3, 1, 5, 6]) - 1


def windows_distinct(labels, window):
    n = len(labels)
    return all(len({labels[(i + s) % n] for s in range(window)}) == window for i in range(n))


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


def matchings(n, l):
    """All perfect matchings of the ring in which position i stands for i to i + l - 1."""
    found, own, used = [], [0] * n, [False] * n

    def go(i):
        if i == n:
            found.append(tuple(own))
            return
        for s in range(l):
            j = (i + s) % n
            if not used[j]:
                used[j], own[i] = True, j
                go(i + 1)
                used[j] = False

    go(0)
    return found


def baskets_of(rng, n, m=12, density=0.3):
    return Baskets.from_scipy((rng.random((n, m)) < density).astype(int))


def eligible(rng, n, l, m):
    while True:
        labels = rng.integers(0, m, n)
        if np.bincount(labels).max() <= n // l:
            return labels


# -- rings -------------------------------------------------------------------------------------------------------------
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


# -- soundness on published labels -------------------------------------------------------------------------------------
def test_few_assignments_of_a_ring_keep_it_diverse():
    """Six of the 20 matchings of the example's ring, and two of its 12 splits whichever of the three is drawn."""
    ring, candidates = LABELS[TSP], cyclic_shifts(6, 3)
    assert ring.tolist() == [C, B, M, C, B, M]
    found = matchings(6, 3)
    good = {own for own in found if (distinct_labels(ring, candidates, np.array(own)) == 3).all()}
    assert (len(found), len(good)) == (20, 6)
    splits = [trio for trio in combinations(found, 3) if all(len(set(slots)) == 3 for slots in zip(*trio, strict=True))]
    assert (len(splits), sum(good.issuperset(trio) for trio in splits)) == (12, 2)


def test_an_assignment_that_is_not_diverse():
    pairs = {2: 2, 4: 3, 3: 1, 1: 5, 5: 6, 6: 4}
    own = np.array([pairs[i] - 1 for i in range(1, 7)])
    assert published_labels(LABELS, own)[TSP].tolist() == [C, M, B, M, C, B]
    place = np.argsort(TSP)
    candidates = np.stack([TSP[(place + s) % 6] for s in range(3)])
    found = distinct_labels(LABELS, candidates, own)
    assert (candidates[:, 3] + 1).tolist() == [4, 3, 1]
    assert found[3] == 2  # the slots of r4 carry M, B and M


@pytest.mark.parametrize(
    ("labels", "l", "n_all", "n_good"),
    [(np.arange(10) % 5, 3, 125, 125), (np.arange(12) % 3, 3, 324, 6), (np.arange(9) % 3, 2, 2, 2)],
)
def test_all_matchings_of_wide_windows_are_diverse(labels, l, n_all, n_good):
    found = matchings(len(labels), l)
    good = [(distinct_labels(labels, cyclic_shifts(len(labels), l), np.array(own)) == l).all() for own in found]
    assert (len(found), sum(good)) == (n_all, n_good)


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


def test_the_check_counts_published_labels():
    rng = np.random.default_rng(6)
    for _ in range(50):
        n, l = int(rng.integers(1, 12)), int(rng.integers(1, 5))
        labels, own = rng.integers(0, 4, n), rng.permutation(n)
        candidates = rng.integers(0, n, (l, n))
        owner = {int(slot): i for i, slot in enumerate(own)}
        expected = [len({labels[owner[int(slot)]] for slot in candidates[:, i]}) for i in range(n)]
        assert distinct_labels(labels, candidates, own).tolist() == expected
    rows = cyclic_shifts(4, 2)
    with pytest.raises(
        PromiseBrokenError, match="2 of 4 records have candidates with fewer than l=2 labels; the worst has 1"
    ):
        check_labels(np.array([0, 0, 1, 1]), rows, 0, 2)
    check_labels(np.array([0, 1, 0, 1]), rows, 1, 2)
    with pytest.raises(ParameterError, match="2 is none of them"):
        check_labels(np.array([0, 1, 0, 1]), rows, 2, 2)
    with pytest.raises(DataError, match="a slot of its own"):
        distinct_labels(np.arange(4), rows, np.array([0, 0, 1, 2]))
    with pytest.raises(DataError, match="not one of the 4"):
        distinct_labels(np.arange(4), rows + 1, np.arange(4))
    with pytest.raises(DataError, match="for each of the 5"):
        distinct_labels(np.arange(5), rows, np.arange(5))


# -- swaps -------------------------------------------------------------------------------------------------------------
def hamming(baskets):
    dense = baskets.to_scipy().toarray().astype(int)
    return np.abs(dense[:, None] - dense[None]).sum(axis=2)


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
        after = closer(baskets, labels, ring, reach=int(rng.integers(1, 20)))
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
        ring = closer(baskets, labels, diverse_ring(labels, np.arange(12), 3), sweeps=100, reach=12)
        cost = ring_cost(baskets, ring)
        for i, j in combinations(range(12), 2):
            order = ring.order.copy()
            order[[i, j]] = order[[j, i]]
            if windows_distinct(labels[order].tolist(), ring.window):
                assert ring_cost(baskets, DiverseRing(order, 3, ring.window)) >= cost


# -- the cheapest graph ------------------------------------------------------------------------------------------------
def test_the_cheapest_graphs_of_the_example():
    costs = [
        graph_cost(EXAMPLE, cheapest_graph(EXAMPLE, labels, l, all_arcs(6)))
        for labels, l in [(None, 3), (LABELS, 3), (None, 2)]
    ]
    assert costs == [16, 20, 8]


def test_graphs_are_regular_diverse_and_split_into_assignments():
    rng = np.random.default_rng(9)
    for seed in range(15):
        l = int(rng.integers(1, 4))
        n = int(rng.integers(4 * l, 30))
        labels, baskets = eligible(rng, n, l, 3 * l), baskets_of(rng, n)
        order = gray_order(baskets)
        ring = diverse_ring(labels, order, l)
        graph = cheapest_graph(baskets, labels, l, all_arcs(n))
        near = cheapest_graph(baskets, labels, l, neighbour_arcs(order, labels, 2, ring=ring.order, l=l))
        for found in (graph, near):
            assert (np.bincount(found.ravel(), minlength=n) == l).all()
            assert all(len(set(labels[row])) == l for row in found.tolist())
            rows = split(found, Randomness(seed))
            assert (np.sort(rows, axis=1) == np.arange(n)).all()
            assert (np.sort(rows, axis=0) == np.sort(found.T, axis=0)).all()
        assert hamming(baskets)[np.arange(n)[:, None], graph].sum() == graph_cost(baskets, graph)
        assert graph_cost(baskets, graph) <= graph_cost(baskets, near) <= ring_cost(baskets, ring)


def test_the_cheapest_graph_against_all():
    rng = np.random.default_rng(10)
    for _ in range(5):
        labels, baskets = eligible(rng, 5, 2, 4), baskets_of(rng, 5, 6)
        apart, everyone = hamming(baskets), list(permutations(range(5)))
        best = min(
            sum(apart[i, a[i]] + apart[i, b[i]] for i in range(5))
            for a, b in combinations(everyone, 2)
            if all(labels[x] != labels[y] for x, y in zip(a, b, strict=True))
        )
        assert graph_cost(baskets, cheapest_graph(baskets, labels, 2, all_arcs(5))) == best


def test_each_edge_of_a_split_graph_is_as_likely():
    graph = cheapest_graph(EXAMPLE, LABELS, 3, all_arcs(6))
    random, times, seen = Randomness(2), np.zeros((6, 6)), set()
    for _ in range(900):
        rows = split(graph, random)
        seen.add(frozenset(map(tuple, rows.tolist())))
        times[np.arange(6), rows[int(random.integers(3, size=1)[0])]] += 1
    assert len(seen) > 1
    assert times[np.arange(6)[:, None], graph] / 900 == pytest.approx(np.full((6, 3), 1 / 3), abs=0.07)


def test_graphs_that_cannot_be():
    with pytest.raises(InfeasibleError, match="gives each record 3 candidates; give more arcs"):
        cheapest_graph(EXAMPLE, LABELS, 3, neighbour_arcs(np.arange(6), None, 1))
    with pytest.raises(ParameterError, match="use a ring"):
        cheapest_graph(EXAMPLE, None, 1, np.zeros((MAX_ARCS + 1, 2), dtype=np.int64))
    with pytest.raises(ParameterError, match="l must be"):
        cheapest_graph(EXAMPLE, None, 0, all_arcs(6))
    with pytest.raises(ParameterError, match="width"):
        neighbour_arcs(np.arange(6), None, -1)
    with pytest.raises(ParameterError, match="equally often"):
        split(np.array([[0, 1], [0, 1], [0, 2]]), Randomness(1))


def test_arcs_of_neighbours():
    arcs = neighbour_arcs(np.array([3, 1, 0, 2]), None, 1)
    assert [arcs[arcs[:, 0] == i, 1].tolist() for i in (1, 3)] == [[0, 1, 3], [1, 2, 3]]
    labels = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    arcs = neighbour_arcs(np.arange(8), labels, 2)
    assert set(arcs[arcs[:, 0] == 3, 1].tolist()) == {1, 2, 3, 4, 5, 6}
    arcs = neighbour_arcs(np.arange(8), None, 0, ring=np.arange(8)[::-1], l=3)
    assert arcs[arcs[:, 0] == 3, 1].tolist() == [1, 2, 3]


# -- the printed walk --------------------------------------------------------------------------------------------------
def test_the_printed_walk_is_not_diverse_where_it_matters():
    rng = np.random.default_rng(11)
    dead, broken, done = 0, np.zeros(3), 0
    for seed in range(60):
        labels, baskets = eligible(rng, 12, 3, 4), baskets_of(rng, 12)
        order = gray_order(baskets)
        walk = greedy_walk(baskets, labels, order, 3, Randomness(seed), attempts=1)
        dead += walk.dead_ends
        assert windows_distinct(labels[diverse_ring(labels, order, 3).order].tolist(), 3)
        if len(walk.rows) == 3:
            done += 1
            assert (np.sort(walk.rows, axis=1) == np.arange(12)).all()
            assert all(len(set(labels[slots])) == 3 for slots in walk.rows.T)  # the labels it looks at
            assert walk.rows[0].tolist() == list(range(12))
            broken += broken_records(labels, walk)
            cheapest = graph_cost(baskets, cheapest_graph(baskets, labels, 3, all_arcs(12)))
            assert cheapest <= graph_cost(baskets, walk.rows.T)
    assert done + dead == 60
    assert 5 <= dead <= 25
    assert broken[0] == 0
    assert (broken[1:] / (12 * done) > 0.35).all()


def test_another_attempt_after_a_dead_end():
    rng = np.random.default_rng(12)
    tries = [
        greedy_walk(baskets_of(rng, 12), eligible(rng, 12, 3, 4), rng.permutation(12), 3, Randomness(seed))
        for seed in range(60)
    ]
    assert {(walk.dead_ends == 4) == (len(walk.rows) < 3) for walk in tries} == {True}
    assert {walk.dead_ends for walk in tries if len(walk.rows) == 3} > {0, 1}
    with pytest.raises(ParameterError, match="l and attempts"):
        greedy_walk(EXAMPLE, LABELS, TSP, 0, Randomness(1))


def test_the_printed_walk_by_hand():
    """Records 0 to 3 in a row, labels 0 1 0 1, l=2: each takes the nearer neighbour that carries the other label."""
    baskets = Baskets.from_lists([["a"], ["a", "b"], ["d", "e"], ["d"]])
    walk = greedy_walk(baskets, np.array([0, 1, 0, 1]), np.arange(4), 2, Randomness(3))
    assert walk.rows.tolist() == [[0, 1, 2, 3], [1, 0, 3, 2]]
    assert broken_records(np.array([0, 1, 0, 1]), walk).tolist() == [0, 0]
