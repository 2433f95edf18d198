"""Distances and the metrics made of them, against one search after another."""

from collections import deque

import numpy as np
import pytest

from sfumato.graphs.counts.metrics import (
    METRICS,
    average_path_length,
    distance_counts,
    effective_diameter,
    global_efficiency,
    measure_of,
    metric_names,
    path_sources,
)
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import edges, graph_of, random_graph, rings_of_friends


def slow_distances(graph, sources):
    counts = {}
    for source in sources:
        at, queue = {source: 0}, deque([source])
        while queue:
            v = queue.popleft()
            for u in graph.neighbours(v).tolist():
                if u not in at:
                    at[u] = at[v] + 1
                    queue.append(u)
        for distance in at.values():
            counts[distance] = counts.get(distance, 0) + bool(distance)
    return counts


@pytest.mark.parametrize(
    "graph", [random_graph(150, 0.02, 1), rings_of_friends(130, 4, 2), graph_of([(i, i + 1) for i in range(199)], 200)]
)
def test_distances_are_those_of_one_search_after_another(graph):
    counts = distance_counts(graph)
    slow = slow_distances(graph, range(graph.n_vertices))
    assert {d: int(c) for d, c in enumerate(counts) if c} == {d: c for d, c in slow.items() if c}
    chosen = np.array([3, 0, 77])
    slow = slow_distances(graph, chosen.tolist())
    assert {d: int(c) for d, c in enumerate(distance_counts(graph, chosen)) if c} == {
        d: c for d, c in slow.items() if c
    }


def test_metrics_of_a_path():
    path = graph_of([(0, 1), (1, 2), (2, 3)], 5)
    assert average_path_length(path) == pytest.approx(20 / 12)
    assert global_efficiency(path) == pytest.approx((6 + 4 / 2 + 2 / 3) / 20)
    assert effective_diameter(path) == pytest.approx(2 + (0.9 - 10 / 12) / (1 - 10 / 12))
    for empty in (graph_of([], 4), graph_of([], 0)):
        assert average_path_length(empty) == effective_diameter(empty) == global_efficiency(empty) == 0


def test_sources_are_all_vertices_or_a_sample():
    graph = random_graph(50, 0.1, 1)
    assert path_sources(graph, Randomness(1)).tolist() == list(range(50))
    some = path_sources(graph, Randomness(1), 20)
    assert len(set(some.tolist())) == 20
    with pytest.raises(ParameterError, match="at least 1 source"):
        path_sources(graph, Randomness(1), 0)


def test_metrics_are_named_or_given():
    assert metric_names(["average_path_length", edges]) == ["average_path_length", "edges"]
    with pytest.raises(ParameterError, match="did you mean 'average_path_length'"):
        metric_names(["average_path_lenght"])
    with pytest.raises(ParameterError, match="two metrics are called 'edges'"):
        metric_names([edges, edges])
    graph = random_graph(30, 0.2, 1)
    values = measure_of([edges, *METRICS])(graph)
    assert values.tolist() == [
        graph.n_edges, average_path_length(graph), effective_diameter(graph), global_efficiency(graph),
    ]  # fmt: skip
