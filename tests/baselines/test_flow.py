"""The cheapest graph of candidates: cost, regularity and splits, against enumeration."""

from itertools import combinations, permutations

import numpy as np
import pytest
from benchmarks.baselines.flow import MAX_ARCS, all_arcs, cheapest_graph, graph_cost, neighbour_arcs, split

from sfumato.baskets.orders.gray import gray_order
from sfumato.baskets.rings.diverse_ring import (
    diverse_ring,
    ring_cost,
)
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from support.labelled_rings import LABELS, baskets_of, eligible, hamming
from support.small_baskets import EXAMPLE


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
