"""Graphs that may have been the original one: strata, chances and draws."""

import numpy as np
import pytest

from sfumato.graphs.counts.metrics import (
    measure_of,
)
from sfumato.graphs.estimates.posterior import PosteriorGraphs
from sfumato.graphs.estimates.simex import estimate_metrics
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, matrix, random_graph, rings_of_friends


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
