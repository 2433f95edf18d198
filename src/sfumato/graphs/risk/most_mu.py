"""`most_mu`: the largest mu at which an estimate is still good enough, by formulas for the error of each.

Errors of estimates are closed forms in what the original graph is like, which its owner knows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from sfumato.data.given import given_graph
from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import triads
from sfumato.graphs.estimates.densities import AroundPairs, squared_degrees_variance, two_edge_sums
from sfumato.graphs.estimates.estimate import Z95
from sfumato.graphs.estimates.transitivity import SharedSums, shared_sums, transitivity_variance, triad_variances
from sfumato.graphs.flip_rate import Number, exact_mu, pair_variance
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.validate import finite, one_of, told

__all__ = ["ESTIMATES", "EstimateErrors", "estimate_errors", "most_mu"]

ESTIMATES = ("edges", "squared_degrees", "triangles", "triples", "transitivity")
_MOST = 0.4999


@dataclass(frozen=True, eq=False)
class EstimateErrors:
    """The errors that estimates from perturbed copies of one graph will have, for any mu."""

    n_vertices: int
    n_pairs: int
    edges: Fraction
    triangles: int
    connected_triples: Fraction
    shared: SharedSums
    around: AroundPairs

    @property
    def values(self) -> Mapping[str, float]:
        """The true numbers."""
        w = self.connected_triples
        return {
            "edges": float(self.edges), "squared_degrees": float(2 * w + 2 * self.edges),
            "triangles": float(self.triangles), "triples": float(w),
            "transitivity": float(3 * self.triangles / w) if w else math.nan,
        }  # fmt: skip

    def stderr(self, mu: Number) -> Mapping[str, float]:
        """The standard error of each estimate."""
        n, v = self.n_vertices, pair_variance(exact_mu(mu))
        spread = triad_variances(n, self.edges, self.shared, self.around.squares, v)
        w = self.connected_triples
        closed = transitivity_variance(Fraction(self.triangles), w, spread) if w else math.nan
        variances = (
            self.n_pairs * v, squared_degrees_variance(n, self.around, v), spread.triangles, spread.connected_triples,
            closed,
        )  # fmt: skip
        return dict(zip(ESTIMATES, (math.sqrt(each) for each in variances), strict=True))

    def reach(self, mu: Number) -> Mapping[str, float]:
        """Half the width of each 95% interval, over the true number; infinite where that is 0."""
        values, errors = self.values, self.stderr(mu)
        return {name: Z95 * errors[name] / abs(values[name]) if values[name] else math.inf for name in ESTIMATES}


def estimate_errors(graph: Graph) -> EstimateErrors:
    """Count what the errors of estimates depend on in the original graph."""
    seen, none = triads(graph), Fraction(0)
    edges, connected, around = two_edge_sums(graph, none)
    return EstimateErrors(
        len(graph), graph.n_pairs, edges, seen.triangles, connected, shared_sums(graph, seen, none), around
    )  # fmt: skip


@says_what_it_takes
def most_mu(graph: Graph, estimate: str, error: float, *, errors: EstimateErrors | None = None) -> float:
    """The largest mu at which the 95% interval of an estimate is within `error` of the true number, either way.

    `estimate` is edges, squared_degrees, triangles, triples or transitivity; an `error` of 0.1 is 10% either way.

    `graph` is the one to be published, and `errors` is what was counted of it already.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> 0 < sf.most_mu(graph, "edges", 0.5) < 0.5
    True
    """
    one_of("estimate", estimate, ESTIMATES)
    finite("error", error, asked="a share > 0 of the true number, such as 0.1", above=0)
    given_graph(graph, f"most_mu takes a Graph, got {told(graph)}; read one with read_graph")
    known = errors or estimate_errors(graph)
    if not known.values[estimate] > 0:
        raise InfeasibleError(f"the graph has no {estimate}, so that no error is a share of it; choose another")
    low, high = -40.0, math.log(_MOST)
    if known.reach(_MOST)[estimate] <= error:
        return _MOST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if known.reach(math.exp(middle))[estimate] <= error else (low, middle)
    return math.exp(low)
