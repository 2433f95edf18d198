"""How degrees are seen through flips at two rates, one at a time and all together."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.graphs.estimates.degree_distribution import seen_shares
from sfumato.graphs.estimates.degree_law import degree_law, law_of_degree
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import degree_kernel, graph_of, random_graph

RATES = [(0.2, 0.05), (0.05, 0.6), (0.0, 0.1), (0.3, 0.0), (1.0, 0.01), (0.1, 1.0), (1.0, 1.0), (0.0, 0.0)]


def whole(first, row, n):
    every = np.zeros(n)
    every[first : first + len(row)] = row
    return every


@pytest.mark.parametrize(("lost", "came"), RATES)
@pytest.mark.parametrize(("n", "degree"), [(1, 0), (12, 0), (12, 5), (12, 11), (400, 60)])
def test_edges_stay_and_edges_come(n, degree, lost, came):
    stay = binom.pmf(np.arange(degree + 1), degree, 1 - lost)
    come = binom.pmf(np.arange(n - degree), n - 1 - degree, came)
    first, row = law_of_degree(n, FlipRates(lost, came), degree)
    assert whole(first, row, n) == pytest.approx(np.convolve(stay, come), abs=1e-13)


def test_every_flip_of_a_small_graph():
    """The degree of each vertex over all graphs that two rates can make of four vertices."""
    there, pairs, lost, came = {(0, 1), (0, 2), (1, 2)}, list(combinations(range(4), 2)), 0.3, 0.1
    found = np.zeros((4, 4))
    for mask in range(1 << len(pairs)):
        chance, degrees = 1.0, np.zeros(4, dtype=int)
        for bit, pair in enumerate(pairs):
            flipped, rate = mask >> bit & 1, lost if pair in there else came
            chance *= rate if flipped else 1 - rate
            if (pair in there) != bool(flipped):
                degrees[list(pair)] += 1
        found[np.arange(4), degrees] += chance
    law = degree_law(4, FlipRates(lost, came), 3)
    for vertex, degree in enumerate((2, 2, 2, 0)):
        assert whole(*law.row(degree), 4) == pytest.approx(found[vertex], abs=1e-12)


@pytest.mark.parametrize("rates", [0.01, FlipRates(0.2, 0.003), FlipRates(1.0, 0.02)])
def test_one_degree_and_all_are_one_law(rates):
    n = 700
    law = degree_law(n, rates, 90)
    for degree in range(91):
        assert whole(*law.row(degree), n) == pytest.approx(whole(*law_of_degree(n, rates, degree), n), abs=1e-12)


def test_one_rate_is_both():
    first, row = law_of_degree(300, FlipRates(0.02, 0.02), 40)
    assert law_of_degree(300, 0.02, 40)[0] == first
    assert law_of_degree(300, 0.02, 40)[1].tolist() == row.tolist()
    assert degree_kernel(300, 40, 0.02) == pytest.approx(whole(first, row, 300), abs=0)


def test_far_tails_are_there():
    """Not only what is likely: an attacker who asks for a far degree gets its probability, not 0."""
    first, row = law_of_degree(10_000, 1e-3, 50)
    stay, come = binom.pmf(np.arange(51), 50, 0.999), binom.pmf(np.arange(120), 9949, 1e-3)
    expected = np.convolve(stay, come)[110]
    assert 1e-27 < expected < 1e-9
    assert row[110 - first] == pytest.approx(expected, rel=1e-9)


def test_published_degrees_smoothed():
    graph = random_graph(300, 0.08, 1)
    counted = np.bincount(graph.degrees) / 300
    assert seen_shares(graph, FlipRates(0.0, 0.0)).tolist() == counted.tolist()
    assert seen_shares(graph, FlipRates(0.7, 0.5)).tolist() == counted.tolist()
    expected = np.zeros(300)
    for degree, share in enumerate(counted):
        expected += share * whole(*law_of_degree(300, 0.02, degree), 300)
    seen = flip_pairs(graph, 0.02, Randomness(3))
    smooth, rough = seen_shares(seen, FlipRates(0.02, 0.02)), np.bincount(seen.degrees) / 300
    aim = expected[: len(smooth)]
    assert smooth.sum() == pytest.approx(1, abs=0.02)
    assert np.abs(smooth - aim).sum() < 0.75 * np.abs(rough - aim).sum()
    assert (smooth[seen.degrees] > 0).all()


@pytest.mark.parametrize("rates", [FlipRates(0.3, 0.001), FlipRates(0.98, 0.01), FlipRates(0.001, 0.4)])
def test_published_degrees_are_all_possible(rates):
    graph = graph_of([(0, i) for i in range(1, 30)] + [(31, 32)], 50)
    assert (seen_shares(graph, rates)[graph.degrees] > 0).all()
    assert seen_shares(graph_of([], 1), rates).tolist() == [1]


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="0 to 9, got 10"):
        law_of_degree(10, 0.1, 10)
    with pytest.raises(ParameterError, match="0 to 9, got -1"):
        degree_law(10, 0.1, -1)
    with pytest.raises(ParameterError, match="rates must be numbers from 0 to 1"):
        degree_law(10, FlipRates(1.2, 0.1), 3)
    with pytest.raises(ParameterError, match="mu must be a number from 0"):
        law_of_degree(10, 0.5, 3)
