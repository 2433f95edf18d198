"""Triangles, squares and triples, against dense matrices and brute force."""

from itertools import combinations

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import (
    Triads,
    count_squares,
    count_triangles,
    n_wedges,
    shared_neighbours,
    squares_work,
    triads,
    triangles_per_edge,
)
from support.small_graphs import graph_of, matrix, random_graph, rings_of_friends, slow_graphlets

GRAPHS = [random_graph(n, density, seed) for seed, (n, density) in enumerate([(30, 0.2), (25, 0.7), (40, 0.05)])]
GRAPHS += [rings_of_friends(50, 6, 1), graph_of([], 5), graph_of([], 0), graph_of(combinations(range(9), 2), 9)]


@pytest.mark.parametrize("graph", GRAPHS)
def test_triangles_and_squares_are_those_of_the_matrix(graph):
    a = matrix(graph)
    squared = a @ a
    assert count_triangles(graph) == np.trace(squared @ a) // 6
    u, v = graph.edges
    assert triangles_per_edge(graph).tolist() == squared[u, v].tolist()
    paths = squared[np.triu_indices(len(a), 1)]
    assert count_squares(graph) == (paths * (paths - 1) // 2).sum() // 2
    assert n_wedges(graph) == paths.sum()
    rows, columns = np.triu_indices(len(a), 1)
    assert shared_neighbours(graph, rows, columns).tolist() == paths.tolist()


def test_triples_are_counted_from_degrees():
    """Vector B-12."""
    assert triads(graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 5)) == Triads(1, 2, 5, 2)
    assert triads(graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 5)).transitivity == 3 / 5


@pytest.mark.parametrize("graph", GRAPHS[:3])
def test_triples_are_those_of_brute_force(graph):
    found = triads(graph)
    assert found == Triads(*slow_graphlets(graph, 3).values())
    assert found.connected_triples == n_wedges(graph)


def test_a_complete_graph_is_transitive_and_an_empty_one_is_not():
    """Vector B-19."""
    assert triads(graph_of(combinations(range(5), 2), 5)).transitivity == 1
    assert triads(graph_of([], 4)).transitivity == 0
    assert triads(graph_of([], 1)) == (0, 0, 0, 0)


def test_triples_pass_what_64_bits_hold():
    n = 4_000_000
    found = triads(Graph.from_edges([0, 1], [1, 2], n))
    assert found.empty == n * (n - 1) * (n - 2) // 6 - 1 - found.edges
    assert found.edges == 2 * (n - 2) - 2
    assert found.empty > 2**63


def test_a_hub_costs_little():
    n = 20_000
    star = Graph.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n), n)
    assert (count_triangles(star), count_squares(star), squares_work(star)) == (0, 0, n - 1)


def test_triangles_are_those_of_igraph():
    pytest.importorskip("igraph")
    graph = rings_of_friends(2000, 10, 3)
    assert triads(graph).transitivity == pytest.approx(graph.to_igraph().transitivity_undirected(), rel=1e-12)
