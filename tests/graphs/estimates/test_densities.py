"""Edges, density and degrees of the original graph: vectors, exact expectations, errors that are never 0 in noise."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.densities import (
    degree_estimates,
    density,
    edge_count,
    squared_degrees,
    two_edge_sums,
    unperturbed_edges,
)
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness
from support.small_graphs import KITE, MU, expected


def seen_graph(n_edges, n):
    u, v = np.triu_indices(n, 1)
    return Graph.from_edges(u[:n_edges], v[:n_edges], n)


def likeliest(pairs, mu, seen):
    """The numbers of edges under which the number seen is likeliest; there may be two."""

    def likelihood(edges):
        return sum(
            math.comb(edges, kept) * (1 - mu) ** kept * mu ** (edges - kept)
            * math.comb(pairs - edges, seen - kept) * mu ** (seen - kept) * (1 - mu) ** (pairs - edges - seen + kept)
            for kept in range(max(0, seen - pairs + edges), min(edges, seen) + 1)
        )  # fmt: skip

    chances = [likelihood(edges) for edges in range(pairs + 1)]
    return [edges for edges, chance in enumerate(chances) if chance == max(chances)]


def test_edges_with_their_interval():
    """Vector B-1; the interval of Eq. 4.16 (B-2) is four times too wide."""
    told = edge_count(seen_graph(102_897, 1000), 0.01)
    assert told.value == pytest.approx(99_900, abs=1e-6)
    assert told.stderr == pytest.approx(71.756173, abs=1e-6)
    assert (told.low, told.high) == (pytest.approx(99_759.360, abs=1e-3), pytest.approx(100_040.640, abs=1e-3))
    printed = math.sqrt(499_500 * (1 / (16 * 0.49**2) - (99_900 / 499_500 - 0.5) ** 2))
    assert printed == pytest.approx(291.665816, abs=1e-6)
    assert printed / told.stderr == pytest.approx(4.06, abs=0.01)
    share = density(seen_graph(102_897, 1000), 0.01)
    assert (share.value, share.stderr) == (pytest.approx(0.2), pytest.approx(71.756173 / 499_500, rel=1e-6))


def test_the_moment_estimate_is_not_the_likeliest():
    """Vector B-3. At one edge seen, none and one are exactly as likely."""
    assert unperturbed_edges(1, 10, MU) == 0
    found = [likeliest(10, MU, seen) for seen in range(11)]
    assert found == [[0], [0, 1], [2], [3], [4], [5], [6], [7], [8], [9, 10], [10]]


def test_degree_of_a_vertex():
    """Vector B-18."""
    star = Graph.from_edges(np.zeros(60, np.int64), np.arange(1, 61), 10_000)
    told = degree_estimates(star, 0.001)
    assert told.values[0] == pytest.approx(50.101202, abs=1e-6)
    assert told.stderr == pytest.approx(3.166872, abs=1e-6)
    assert len(told) == 10_000


def test_squared_degrees_over_all_flips():
    def read(seen):
        edges, wedges, _ = two_edge_sums(seen, MU)
        return (2 * wedges + 2 * edges,)

    means, spread = expected(KITE, MU, read)
    assert (means[0], spread[0][0]) == (18, Fraction(12_051, 256))
    told = squared_degrees(KITE, MU)
    assert told.value == float(read(KITE)[0])
    edges, _, around = two_edge_sums(KITE, MU)
    v = pair_variance(MU)
    assert told.stderr**2 == pytest.approx(float(v * (4 * around.squares + 16 * edges * 2 + 24) + 48 * v**2))


@pytest.mark.parametrize("n", [5, 30])
def test_no_error_of_squared_degrees_is_ever_0_in_noise(n):
    """What the error needs of the original is estimated, and must not go below 0 where the noise hides it."""
    empty, random = Graph.from_edges([], [], n), Randomness(2)
    for i in range(60):
        assert squared_degrees(flip_pairs(empty, 0.4, random.spawn(str(i))), 0.4).stderr > 0
