"""Edges, density and degrees of the original graph, from the perturbed one.

Thesis, s. 4.3.1 and 4.3.2. The spread is that of the flips alone: the graph is what it is, so `Var(h_hat) = M v` for M
pairs, whatever the number of edges (Eq. 4.16 of the thesis takes the graph itself as drawn at random).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.estimate import Estimate, normal_estimate
from sfumato.graphs.flip_rate import Number, checked_mu, exact_mu, pair_variance

__all__ = [
    "AroundPairs",
    "DegreeEstimates",
    "degree_estimates",
    "density",
    "edge_count",
    "squared_degrees",
    "squared_degrees_variance",
    "two_edge_sums",
    "unperturbed_edges",
]  # fmt: skip


def unperturbed_edges(edges: float, pairs: int, mu: Number) -> Fraction:
    """An unbiased estimate of the edges among `pairs` pairs before the flips, from those after."""
    rate = exact_mu(mu)
    return (Fraction(edges) - pairs * rate) / (1 - 2 * rate)


def edge_count(graph: Graph, mu: Number) -> Estimate:
    """How many edges the original graph has."""
    mu, pairs = exact_mu(mu), graph.n_pairs
    value, variance = unperturbed_edges(graph.n_edges, pairs, mu), pairs * pair_variance(mu)
    return normal_estimate("edges", value, variance, "flips taken back on average", least=0, most=pairs)


def density(graph: Graph, mu: Number) -> Estimate:
    """The share of pairs that are edges of the original graph."""
    mu, pairs = exact_mu(mu), max(graph.n_pairs, 1)
    value, variance = unperturbed_edges(graph.n_edges, graph.n_pairs, mu) / pairs, pair_variance(mu) / pairs
    return normal_estimate("density", value, variance, "flips taken back on average", least=0, most=1)


@dataclass(frozen=True, kw_only=True)
class DegreeEstimates:
    """The degree of each vertex in the original graph. A histogram of these is far too wide: it holds the noise too."""

    values: NDArray[np.float64]
    """Unbiased for each vertex, so that many are negative where there is much noise."""
    stderr: float
    """The same for every vertex."""
    method: str = "flips taken back on average, vertex by vertex"

    def __len__(self) -> int:
        return len(self.values)


def degree_estimates(graph: Graph, mu: Number) -> DegreeEstimates:
    """The degree of each vertex in the original graph, with its spread."""
    rate, others = float(checked_mu(mu)), max(graph.n_vertices - 1, 0)
    values = (graph.degrees.astype(np.float64) - others * rate) / (1 - 2 * rate)
    return DegreeEstimates(values=values, stderr=math.sqrt(others * pair_variance(rate)))


def squared_degrees(graph: Graph, mu: Number) -> Estimate:
    """The sum of squared degrees of the original graph: 2 W + 2 h, with W its paths of two edges."""
    mu, n = exact_mu(mu), graph.n_vertices
    edges, wedges, around = two_edge_sums(graph, mu)
    kept = AroundPairs(max(around.total, Fraction(0)), max(around.squares, Fraction(0)))
    variance = squared_degrees_variance(n, kept, pair_variance(mu))
    value = 2 * wedges + 2 * edges
    return normal_estimate("squared_degrees", value, variance, "flips taken back on average", least=0)


def squared_degrees_variance(n: int, around: AroundPairs, v: Fraction) -> Fraction:
    """The variance of the estimated sum of squared degrees, where every Z has the variance `v`."""
    return v * (4 * around.squares + 8 * around.total + 4 * comb(n, 2)) + 12 * v**2 * comb(n, 3)


@dataclass(frozen=True)
class AroundPairs:
    """The sum over all pairs of w, the number of edges at either end besides the pair's own, and that of w squared."""

    total: Fraction
    squares: Fraction


def two_edge_sums(graph: Graph, mu: Fraction) -> tuple[Fraction, Fraction, AroundPairs]:
    """Unbiased for the original graph: edges, paths of two edges, and the sums of w = d_i + d_j - 2 a_ij over pairs.

    All from degrees: the sum of w is 2 h (N - 2), and that of its squares as seen is (N - 6) S + 4 h^2 + 4 h, with S
    the sum of squared degrees.
    """
    n, pairs, h, v = graph.n_vertices, graph.n_pairs, graph.n_edges, pair_variance(mu)
    squares = sum_of_squares(graph.degrees)
    keep, apart = 1 - 2 * mu, max(n - 2, 0)
    edges = unperturbed_edges(h, pairs, mu)
    seen_total, seen_squares = 2 * h * apart, (n - 6) * squares + 4 * h * h + 4 * h
    shift = 2 * apart * mu  # w of the perturbed graph is shifted by this on average, and shrunk
    hat_squares = (seen_squares - 2 * shift * seen_total + pairs * shift**2) / keep**2
    wedges = (Fraction(squares - 2 * h, 2) - mu * 2 * h * apart + 3 * comb(n, 3) * mu**2) / keep**2
    unbiased = hat_squares - 2 * v * apart * pairs
    return edges, wedges, AroundPairs(2 * edges * apart, unbiased)


def sum_of_squares(degrees: NDArray[np.int64]) -> int:
    """The sum of squared degrees, exactly."""
    degree, times = np.unique(degrees, return_counts=True)
    return sum(int(d) ** 2 * int(t) for d, t in zip(degree.tolist(), times.tolist(), strict=True))
