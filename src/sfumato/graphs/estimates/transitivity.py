"""Triangles, connected triples and transitivity of the original graph, with closed-form error bars.

Thesis, s. 4.3.3. Of the original graph, N are the vertices, h the edges, T the triangles, X the triples with just two
edges and W = X + 3 T the connected triples, so that `transitivity = 3 T/W`. Of a pair, Z = (A - mu)/(1 - 2 mu) is the
unbiased estimate of whether it was an edge, where A is 1 if it is one after the flips and else 0; v is the variance of
Z (`pair_variance` in `flip_rate.py`). T and W are estimated by sums of products of Z over triples, and the errors
follow by Hoeffding's decomposition of products of independent Z: with c_ij the neighbours that i and j share in the
original graph and w_ij the edges at either end besides their own,

    Var(T) = v sum c^2 + v^2 h (N - 2) + v^3 C(N, 3)
    Var(W) = v sum w^2 + 3 v^2 C(N, 3)
    Cov    = v sum c w + v^2 h (N - 2)

Sums run over all pairs. None is looked at: sum c^2 is four times the squares plus the paths of two edges, sum c w
follows from degrees and triangles, sum w^2 from degrees.

Called by `menu.py` and `graphlets.py`, and by `risk/most_mu.py`, which uses the variances before anything is published;
the same rule for T and X, by matrices of patterns, also stands in `counts/patterns.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import Triads, count_squares, n_wedges, triads
from sfumato.graphs.estimates.densities import two_edge_sums
from sfumato.graphs.estimates.estimate import Z95, Estimate, normal_estimate
from sfumato.graphs.flip_rate import Number, exact_mu, pair_variance

__all__ = [
    "SharedSums", "TriadEstimates", "TriadVariances", "estimate_triads", "shared_sums", "transitivity",
    "transitivity_variance", "triad_variances",
]  # fmt: skip

_METHOD = "flips taken back on average, error in closed form"


@dataclass(frozen=True, kw_only=True)
class TriadEstimates:
    """Unbiased estimates of triangles (T) and connected triples (W) of the original graph, as exact fractions."""

    triangles: Fraction
    connected_triples: Fraction
    var_triangles: Fraction
    var_connected: Fraction
    covariance: Fraction
    n_vertices: int

    @property
    def wedges(self) -> Fraction:
        """Triples with two edges exactly: X."""
        return self.connected_triples - 3 * self.triangles

    @property
    def triangle_estimate(self) -> Estimate:
        """How many triangles there are."""
        most = comb(self.n_vertices, 3)
        return normal_estimate("triangles", self.triangles, self.var_triangles, _METHOD, least=0, most=most)

    @property
    def triple_estimate(self) -> Estimate:
        """How many connected triples there are: paths of two edges, three of them in a triangle."""
        most = 3 * comb(self.n_vertices, 3)
        return normal_estimate("triples", self.connected_triples, self.var_connected, _METHOD, least=0, most=most)


def estimate_triads(graph: Graph, mu: Number, *, seen: Triads | None = None) -> TriadEstimates:
    """Triangles and connected triples of the original graph, with variances and covariance.

    The sums over the original graph in the variances are estimated without bias as well, and set to 0 if negative.
    """
    mu = exact_mu(mu)
    n, pairs, v = graph.n_vertices, graph.n_pairs, pair_variance(mu)
    apart = max(n - 2, 0)
    seen = triads(graph) if seen is None else seen
    edges, connected, around = two_edge_sums(graph, mu)
    shared = shared_sums(graph, seen, mu) if mu else _no_noise
    c_squares = max(shared.squares - 2 * v * edges * apart - v**2 * pairs * apart, Fraction(0))
    w_squares = max(around.squares, Fraction(0))
    c_times_w = shared.with_around - 2 * v * edges * apart
    spread = triad_variances(n, max(edges, Fraction(0)), SharedSums(c_squares, c_times_w), w_squares, v)
    return TriadEstimates(
        triangles=unperturbed_triangles(seen, mu), connected_triples=connected, var_triangles=spread.triangles,
        var_connected=spread.connected_triples, covariance=spread.covariance, n_vertices=n,
    )  # fmt: skip


class TriadVariances(NamedTuple):
    """The variances of estimated triangles and connected triples, and their covariance."""

    triangles: Fraction
    connected_triples: Fraction
    covariance: Fraction


def triad_variances(
    n: int, edges: Fraction, shared: SharedSums, around_squares: Fraction, v: Fraction
) -> TriadVariances:
    """The closed forms at the head of this file, where every Z has the variance `v`."""
    apart, triples = max(n - 2, 0), comb(n, 3)
    return TriadVariances(
        v * shared.squares + v**2 * edges * apart + v**3 * triples,
        v * around_squares + 3 * v**2 * triples,
        v * shared.with_around + v**2 * edges * apart,
    )


def transitivity_variance(triangles: Fraction, connected: Fraction, spread: TriadVariances) -> Fraction:
    """The variance of 3 T / W by the delta method."""
    ratio = triangles / connected
    varied = spread.triangles - 2 * ratio * spread.covariance + ratio**2 * spread.connected_triples
    return 9 * varied / connected**2


def unperturbed_triangles(seen: Triads, mu: Fraction) -> Fraction:
    """An unbiased estimate of the triangles before the flips, from the triads after."""
    q = 1 - mu
    t, x, i, d = seen
    return (q**3 * t - q**2 * mu * x + q * mu**2 * i - mu**3 * d) / (1 - 2 * mu) ** 3


@dataclass(frozen=True)
class SharedSums:
    """The sum of c^2 and that of c w, over all pairs."""

    squares: Fraction
    with_around: Fraction


_no_noise = SharedSums(Fraction(0), Fraction(0))  # without flips the errors are 0 whatever the sums


def shared_sums(graph: Graph, seen: Triads, mu: Fraction) -> SharedSums:
    """The sums of c^2 and c w with the flips taken back on average, from the perturbed graph.

    They are still biased by the variance of Z; with mu=0 they are the sums of the graph itself.
    """
    n, pairs, h = graph.n_vertices, graph.n_pairs, graph.n_edges
    apart, keep, degrees = max(n - 2, 0), 1 - 2 * mu, graph.degrees
    wedges = n_wedges(graph)
    c_squares = 4 * count_squares(graph) + wedges
    beside = np.zeros(n, dtype=np.int64)  # the degrees of each vertex's neighbours, added up
    filled = degrees > 0
    if filled.any():
        beside[filled] = np.add.reduceat(degrees[graph.indices], graph.indptr[:-1][filled])
    c_times_w = int(((degrees - 1) * beside).sum()) - 6 * seen.triangles
    degree_squares = 2 * wedges + 2 * h
    w_total, w_squares = 2 * h * apart, (n - 6) * degree_squares + 4 * h * h + 4 * h
    level = mu**2 * apart
    hat_squares = (
        c_squares + mu**2 * w_squares + pairs * level**2
        - 2 * mu * c_times_w + 2 * level * wedges - 2 * mu * level * w_total
    )  # fmt: skip
    shift = 2 * apart * mu
    hat_product = (
        c_times_w - mu * w_squares + level * w_total - shift * (wedges - mu * w_total + level * pairs)
    )  # fmt: skip
    return SharedSums(hat_squares / keep**4, hat_product / keep**3)


def transitivity(estimates: TriadEstimates, *, corrected: bool = True) -> Estimate:
    """The share of connected triples that are closed, by the delta method.

    A ratio of unbiased estimates is biased; `corrected` takes the bias out to second order.
    """
    t, w = estimates.triangles, estimates.connected_triples
    name, method = "transitivity", "ratio of triangles and triples, error by the delta method"
    if w <= 0:
        note = "the noise hides all connected triples; nothing can be said"
        return Estimate(
            name=name, value=None, stderr=None, low=None, high=None, method=method, note=note, least=0, most=1
        )
    var_w, cov, ratio = estimates.var_connected, estimates.covariance, t / w
    variance = transitivity_variance(t, w, TriadVariances(estimates.var_triangles, var_w, cov))
    value = 3 * (ratio - (ratio * var_w - cov) / w**2) if corrected else 3 * ratio
    rough = Z95 * math.sqrt(float(var_w)) > 0.5 * float(w)
    if rough:
        note = "connected triples are barely above the noise, so that no interval can be told"
        return Estimate(
            name=name, value=float(value), stderr=None, low=None, high=None, method=method, note=note, least=0, most=1
        )
    return normal_estimate(name, value, variance, method, least=0, most=1)
