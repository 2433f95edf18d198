"""Distances, graphs that may have been the original one, and any metric followed back to no noise."""

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
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.estimates.posterior import PosteriorGraphs
from sfumato.graphs.estimates.simex import estimate_metrics, posterior_mean, simex
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from small_graphs import graph_of, matrix, random_graph, rings_of_friends


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


def edges(graph):
    return graph.n_edges


def test_strata_count_all_pairs_by_the_neighbours_they_share():
    graph = rings_of_friends(120, 8, 1)
    strata, a = PosteriorGraphs(graph, 0.01).strata, matrix(graph)
    upper = np.triu_indices(120, 1)
    shared, there = (a @ a)[upper], a[upper]
    stratum = strata.of[shared]
    assert strata.pairs.tolist() == np.bincount(stratum).tolist()
    assert strata.edges.tolist() == np.bincount(stratum, weights=there).tolist()
    assert strata.pairs.min() >= 50
    assert np.all(np.diff(strata.of) >= 0)


@pytest.mark.parametrize("mu", [0.05, 0.25])
def test_pairs_are_drawn_with_the_probability_of_their_stratum(mu):
    """Over many draws, pairs of each stratum, edges seen or not, are edges as often as they should be."""
    graph, times = flip_pairs(rings_of_friends(70, 20, 1), mu, Randomness(1)), 400
    graphs, a = PosteriorGraphs(graph, mu), matrix(graph)
    upper = np.triu_indices(70, 1)
    stratum, there = graphs.strata.of[(a @ a)[upper]], a[upper] > 0
    often = np.zeros(len(there))
    for seed in range(times):
        often += matrix(graphs.draw(Randomness(seed)))[upper]
    chance = np.where(there, graphs.kept[stratum], graphs.added[stratum])
    for s in range(len(graphs.kept)):
        for seen in (True, False):
            chosen = (stratum == s) & (there == seen)
            tries = chosen.sum() * times
            p = chance[chosen][0] if tries else 0
            assert abs(often[chosen].sum() - tries * p) <= 4.5 * np.sqrt(tries * p * (1 - p)) + 1e-9
    spread = (often - times * chance)[chance > 0] ** 2 / (times * chance * (1 - chance))[chance > 0]
    assert spread.mean() == pytest.approx(1, abs=0.15)


def test_chances_follow_bayes():
    graphs = PosteriorGraphs(flip_pairs(rings_of_friends(90, 6, 1), 0.02, Randomness(2)), 0.02)
    rho, mu = graphs.density, 0.02
    seen = graphs.strata.edges / graphs.strata.pairs
    assert rho == pytest.approx(np.clip((seen - mu) / (1 - 2 * mu), 0, 1))
    assert graphs.kept == pytest.approx(rho * (1 - mu) / (rho * (1 - mu) + (1 - rho) * mu))
    assert graphs.added == pytest.approx(rho * mu / (rho * mu + (1 - rho) * (1 - mu)))
    assert graphs.kept * seen + graphs.added * (1 - seen) == pytest.approx(rho, abs=0.03)


def test_without_flips_the_original_is_certain():
    graph = rings_of_friends(60, 6, 1)
    graphs = PosteriorGraphs(graph, 0)
    assert graphs.draw(Randomness(1)) == graph
    told = estimate_metrics(graph, 0, measure_of(["average_path_length"]), ["average_path_length"], Randomness(1))
    both = told["average_path_length"]
    assert both.simex.value == both.seen
    assert both.posterior.value == pytest.approx(both.seen, rel=1e-14)
    assert both.simex.stderr == 0
    assert both.agrees


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_tiny_and_full_graphs_can_be_drawn(n):
    for graph in (graph_of([], n), random_graph(n, 1.0, 1)):
        assert PosteriorGraphs(graph, 0.1).draw(Randomness(1)).n_vertices == n


def test_simex_follows_a_straight_line_back():
    """The number of edges is linear in the noise, so its mean is found."""
    graph, mu = random_graph(60, 0.1, 1), 0.05
    found = [
        simex(flip_pairs(graph, mu, Randomness(s)), mu, measure_of([edges]), Randomness(-s), draws=3)[0]
        for s in range(60)
    ]
    assert np.mean(found) == pytest.approx(graph.n_edges, abs=4 * np.std(found) / np.sqrt(60))


def test_simex_of_the_logarithm():
    """A number that decays with the noise is found on the log scale."""
    graph, mu, seen = random_graph(30, 0.2, 1), 0.1, []

    def decays(each):
        seen.append(each.n_edges)
        return np.array([np.exp(-each.n_edges / 50), -1.0])

    back = simex(graph, mu, decays, Randomness(1), draws=2, log=True)
    assert len(seen) == 9
    noise = [mu + f * mu - 2 * mu * f * mu for f in (0, 0.5, 1, 1.5, 2)]
    values = [np.exp(-np.array(part) / 50).mean() for part in (seen[:1], seen[1:3], seen[3:5], seen[5:7], seen[7:])]
    assert seen[0] == graph.n_edges
    assert back[0] == pytest.approx(np.exp(np.polyfit(noise, np.log(values), 2)[-1]), rel=1e-9)
    assert back[1] == pytest.approx(-1)


def test_path_length_is_read_better_than_seen():
    graph, mu = rings_of_friends(300, 6, 5), 0.002
    truth, measure = average_path_length(graph), measure_of(["average_path_length"])
    errors = []
    for seed in range(5):
        seen = flip_pairs(graph, mu, Randomness(seed))
        errors.append(
            [
                measure(seen)[0] - truth,
                simex(seen, mu, measure, Randomness(-seed), draws=3, log=True)[0] - truth,
                posterior_mean(PosteriorGraphs(seen, mu), measure, Randomness(-seed), draws=3)[0] - truth,
            ]
        )
    plain, followed, drawn = np.sqrt((np.array(errors) ** 2).mean(axis=0))
    assert plain > 0.5
    assert followed < 0.6 * plain
    assert drawn < 0.3 * plain


def test_both_ways_are_told_and_a_difference_is_flagged():
    graph = rings_of_friends(200, 6, 5)
    seen = flip_pairs(graph, 0.01, Randomness(1))
    told = estimate_graph(seen, 0.01, metrics=("average_path_length", hub), random=Randomness(2), repeats=3)
    far, near = told["average_path_length"], told["hub"]
    assert not far.agrees
    assert far.apart > 0.05
    assert "differ by more than 5%" in far.simex.note
    assert far.simex.low < far.simex.value < far.simex.high
    assert near.name == "hub"


def hub(graph):
    return int(graph.degrees.max())


def test_errors_can_be_left_out():
    graph = random_graph(40, 0.1, 1)
    told = estimate_metrics(graph, 0.01, measure_of([edges]), ["edges"], Randomness(1), repeats=0)["edges"]
    assert told.simex.stderr is None
    assert told.agrees
    assert told.simex.note == ""
    for wrong in ({"repeats": 1}, {"draws": 0}):
        with pytest.raises(ParameterError, match="must be"):
            estimate_metrics(graph, 0.01, measure_of([edges]), ["edges"], Randomness(1), **wrong)


def test_a_metric_that_is_not_finite_is_left_unsaid():
    graph = random_graph(30, 0.1, 1)
    measure = measure_of([endless])
    told = estimate_metrics(graph, 0.01, measure, ["endless"], Randomness(1), repeats=0)["endless"]
    assert told.simex.value is None
    assert "not finite" in told.simex.note


def endless(graph):
    return float("inf") if graph.n_edges % 2 else 1.0
