"""How often each pattern on up to four vertices occurs in the original graph, with errors.

Counts of the perturbed graph are taken back through the transition of patterns. Patterns on two and three vertices have
errors in closed form; those on four by the bootstrap, on graphs that may have been the original one.
"""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import numpy as np
from scipy.special import stdtrit

from sfumato.data.graph import Graph
from sfumato.graphs.counts.graphlets import cliques_work, count_graphlets, sample_graphlets
from sfumato.graphs.counts.patterns import pattern_names, unperturbed_counts
from sfumato.graphs.counts.triangles import squares_work
from sfumato.graphs.estimates.densities import edge_count, two_edge_sums
from sfumato.graphs.estimates.estimate import LEVEL, Estimate, normal_estimate
from sfumato.graphs.estimates.posterior import PosteriorGraphs
from sfumato.graphs.estimates.transitivity import TriadEstimates, estimate_triads
from sfumato.graphs.flip_rate import Number, exact_mu, pair_variance
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

__all__ = ["LIMIT", "estimate_graphlets", "triple_patterns"]

LIMIT = 300_000_000
"""Steps of counting above which squares and cliques are sampled."""
_CLOSED = "counts taken back through the transition of patterns, error in closed form"


def estimate_graphlets(
    graph: Graph,
    mu: Number,
    size: int,
    *,
    random: Randomness | None = None,
    repeats: int = 10,
    limit: int = LIMIT,
) -> dict[str, Estimate]:
    """How many sets of 2, 3 or 4 vertices hold each pattern, and no edge more, in the original graph.

    For four vertices the error is by `repeats` bootstraps, or left out with 0; counting is exact up to `limit` steps.
    """
    pattern_names(size)
    if size == 2:
        return _pair_patterns(graph, mu)
    if size == 3:
        return triple_patterns(graph, mu, estimate_triads(graph, mu))
    if repeats < 0 or repeats == 1:
        raise ParameterError(f"repeats must be 0 or at least 2, got {repeats}")
    return _four_patterns(graph, exact_mu(mu), random or Randomness(), repeats, limit)


def _pair_patterns(graph: Graph, mu: Number) -> dict[str, Estimate]:
    """Pairs that are edges, and pairs that are none."""
    edges, pairs = edge_count(graph, mu), graph.n_pairs
    variance = float(pairs * pair_variance(exact_mu(mu)))
    value = edges.value or 0.0
    return {
        name: normal_estimate(name, count, variance, _CLOSED, least=0, most=pairs)
        for name, count in (("edge", value), ("two vertices", pairs - value))
    }


def triple_patterns(graph: Graph, mu: Number, found: TriadEstimates) -> dict[str, Estimate]:
    """Patterns on three vertices, from triangles T, connected triples W and edges h.

    Wedges are W - 3 T, one edge h (N - 2) - 2 W + 3 T, none C(N, 3) - h (N - 2) + W - T.
    """
    mu = exact_mu(mu)
    n, v, apart = graph.n_vertices, pair_variance(mu), max(graph.n_vertices - 2, 0)
    edges, connected, _ = two_edge_sums(graph, mu)
    with_t, with_w = v * max(connected, Fraction(0)), v * 2 * max(edges, Fraction(0)) * apart
    covariance = [
        [found.var_triangles, found.covariance, with_t],
        [found.covariance, found.var_connected, with_w],
        [with_t, with_w, graph.n_pairs * v],
    ]
    ways = {
        "triangle": (0, (1, 0, 0)),
        "wedge": (0, (-3, 1, 0)),
        "edge and vertex": (0, (3, -2, apart)),
        "three vertices": (comb(n, 3), (-1, 1, -apart)),
    }
    parts = (found.triangles, found.connected_triples, edges)
    return {
        name: normal_estimate(
            name,
            start + sum(w * x for w, x in zip(weights, parts, strict=True)),
            sum(a * b * covariance[i][j] for i, a in enumerate(weights) for j, b in enumerate(weights)),
            _CLOSED, least=0, most=comb(n, 3),
        )
        for name, (start, weights) in ways.items()
    }  # fmt: skip


def _four_patterns(graph: Graph, mu: Fraction, random: Randomness, repeats: int, limit: int) -> dict[str, Estimate]:
    """Patterns on four vertices, with errors by the bootstrap."""
    seen, sampled = _counts(graph, random.spawn("counts"), limit)
    values = unperturbed_counts(seen, 4, mu)
    errors = np.zeros((repeats, len(values)))
    graphs = PosteriorGraphs(graph, mu) if repeats and mu else None
    for repeat in range(repeats if graphs is not None else 0):
        stream = random.spawn(f"repeat {repeat}")
        truth = graphs.draw(stream)  # type: ignore[union-attr]
        again = unperturbed_counts(_counts(flip_pairs(truth, float(mu), stream), stream, limit)[0], 4, mu)
        held = _counts(truth, stream, limit)[0]
        errors[repeat] = [float(again[name] - held[name]) for name in pattern_names(4)]
    method = "counts taken back through the transition of patterns"
    note = "squares or cliques were sampled" if sampled else ""
    if mu and not repeats:
        return {name: _without_error(name, float(value), graph, method, note) for name, value in values.items()}
    reach = float(stdtrit(repeats, (1 + LEVEL) / 2)) if repeats else 0.0
    found = {}
    for i, (name, value) in enumerate(values.items()):
        spread = math.sqrt(float((errors[:, i] ** 2).mean())) if repeats else 0.0
        found[name] = Estimate(
            name=name, value=float(value), stderr=spread, low=float(value) - reach * spread,
            high=float(value) + reach * spread, method=f"{method}; error by the bootstrap", note=note,
            least=0, most=comb(graph.n_vertices, 4),
        )  # fmt: skip
    return found


def _without_error(name: str, value: float, graph: Graph, method: str, note: str) -> Estimate:
    """An estimate without an error, as none was asked for."""
    said = "; ".join(part for part in (note, "no error was asked for") if part)
    most = comb(graph.n_vertices, 4)
    return Estimate(
        name=name, value=value, stderr=None, low=None, high=None, method=method, note=said, least=0, most=most
    )


def _counts(graph: Graph, random: Randomness, limit: int) -> tuple[dict[str, Fraction], bool]:
    """Patterns on four vertices as fractions, and whether any was sampled."""
    if squares_work(graph) <= limit and cliques_work(graph) <= limit:
        return {name: Fraction(count) for name, count in count_graphlets(graph, 4).items()}, False
    counts = sample_graphlets(graph, random, limit=limit).counts
    return {name: Fraction(count) for name, count in counts.items()}, True
