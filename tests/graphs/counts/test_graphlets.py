"""Counts of patterns, exact and sampled, against brute force."""

import numpy as np
import pytest

from sfumato.graphs.counts.graphlets import cliques_work, count_cliques, count_graphlets, sample_graphlets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, random_graph, slow_graphlets


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [2, 3, 4])
def test_counts_are_those_of_brute_force(seed, size):
    graph = random_graph(seed % 12 + 1, (0.2, 0.5, 0.8)[seed % 3], seed)
    assert count_graphlets(graph, size) == slow_graphlets(graph, size)


def test_counts_of_many_vertices_stay_exact():
    n = 300_000
    counts = count_graphlets(graph_of([(0, 1)], n), 4)
    assert counts["edge and two vertices"] == (n - 2) * (n - 3) // 2
    assert sum(counts.values()) == n * (n - 1) * (n - 2) * (n - 3) // 24
    assert counts["four vertices"] > 2**63


def test_sampled_counts_come_near():
    graph = random_graph(120, 0.25, 1)
    exact = count_graphlets(graph, 4)
    scores = []
    for seed in range(40):
        sampled = sample_graphlets(graph, Randomness(seed), draws=400)
        assert sum(sampled.counts.values()) == pytest.approx(sum(exact.values()))
        scores.append([(sampled.counts[name] - exact[name]) / sampled.stderr[name] for name in ("4-clique", "4-cycle")])
    scores = np.array(scores)
    assert np.all(np.abs(scores.mean(axis=0)) < 4 / np.sqrt(40))
    assert np.all((scores.std(axis=0) > 0.7) & (scores.std(axis=0) < 1.3))


def test_what_is_cheap_is_counted():
    graph = random_graph(60, 0.2, 2)
    exact = count_graphlets(graph, 4)
    sampled = sample_graphlets(graph, Randomness(1), limit=10**9)
    assert sampled.counts == exact
    assert set(sampled.stderr.values()) == {0.0}
    assert count_cliques(graph) == exact["4-clique"] <= cliques_work(graph)


def test_nothing_to_sample():
    for graph in (graph_of([], 6), graph_of([(0, 1), (1, 2)], 6)):
        sampled = sample_graphlets(graph, Randomness(1), draws=10)
        assert sampled.counts == count_graphlets(graph, 4)
    with pytest.raises(ParameterError, match="draws"):
        sample_graphlets(graph_of([], 6), Randomness(1), draws=1)
