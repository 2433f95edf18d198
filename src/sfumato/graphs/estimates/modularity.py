"""Modularity of a given partition in the original graph.

Thesis, s. 4.3.4, with pairs inside a community counted as z (z - 1)/2 and links between two communities shared by both.
The partition must have been fixed without looking at the perturbed graph, or it fits the noise as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.estimate import Estimate, normal_estimate
from sfumato.graphs.flip_rate import Number, checked_mu, pair_variance
from sfumato.ground.errors import DataError

__all__ = ["Communities", "communities", "modularity"]

_METHOD = "flips taken back by communities, error by the delta method"


@dataclass(frozen=True, kw_only=True)
class Communities:
    """Communities of a graph: their vertices, the edges inside, and the degrees of their vertices added up."""

    sizes: NDArray[np.float64]
    inside: NDArray[np.float64]
    degrees: NDArray[np.float64]

    @property
    def edges(self) -> float:
        """Edges of the whole graph."""
        return float(self.degrees.sum()) / 2

    @property
    def modularity(self) -> float:
        """The share of edges inside, less what the degrees alone would give; 0 without edges."""
        m = self.edges
        return float(self.inside.sum() / m - ((self.degrees / (2 * m)) ** 2).sum()) if m else 0.0


def communities(graph: Graph, partition: Sequence[Any] | NDArray[Any]) -> Communities:
    """Count a graph by communities: `partition` names the community of each vertex."""
    labels = np.asarray(partition)
    if labels.ndim != 1 or len(labels) != graph.n_vertices:
        raise DataError(f"partition must name a community for each of {graph.n_vertices:,} vertices, got {labels.size}")
    _, code = np.unique(labels, return_inverse=True)
    n = int(code.max(initial=-1)) + 1
    u, v = graph.edges
    same = code[u] == code[v]
    return Communities(
        sizes=np.bincount(code, minlength=n).astype(np.float64),
        inside=np.bincount(code[u[same]], minlength=n).astype(np.float64),
        degrees=np.bincount(code, weights=graph.degrees, minlength=n).astype(np.float64),
    )


def unperturbed_communities(seen: Communities, mu: float) -> Communities:
    """Unbiased estimates of the edges and degrees of the same communities before the flips."""
    z, n, keep = seen.sizes, seen.sizes.sum(), 1 - 2 * mu
    return Communities(
        sizes=z,
        inside=(seen.inside - z * (z - 1) / 2 * mu) / keep,
        degrees=(seen.degrees - z * (n - 1) * mu) / keep,
    )


def modularity_variance(found: Communities, mu: float) -> float:
    """The variance of estimated modularity around these communities."""
    z, m = found.sizes, found.edges
    a, f = found.degrees / (2 * m), found.inside.sum() / m
    level = 2 * (a**2).sum() - f
    inside = (z * (z - 1) / 2 * (1 + level - 2 * a) ** 2).sum()
    # over pairs of communities, z_i z_j (level - a_i - a_j)^2: all ordered pairs, less each with itself, halved
    s0, s1, s2 = z.sum(), (z * a).sum(), (z * a**2).sum()
    ordered = level**2 * s0**2 - 4 * level * s0 * s1 + 2 * s0 * s2 + 2 * s1**2
    between = (ordered - (z**2 * (level - 2 * a) ** 2).sum()) / 2
    return float(pair_variance(mu)) * float(inside + between) / m**2


def modularity_bias(found: Communities, mu: float) -> float:
    """The bias of estimated modularity, to second order: by how much it is too large on average."""
    z, k, m = found.sizes, found.degrees, found.edges
    n, f, pairs = z.sum(), found.inside.sum() / m, z.sum() * (z.sum() - 1) / 2
    of_inside = f * pairs - (z * (z - 1) / 2).sum()
    of_degrees = z * (n + z - 2) / 4 - k * z * (n - 1) / m + 3 * k**2 * pairs / (4 * m**2)
    return float(pair_variance(mu)) * float(of_inside - of_degrees.sum()) / m**2


def modularity(
    graph: Graph, partition: Sequence[Any] | NDArray[Any], mu: Number, *, corrected: bool = True
) -> Estimate:
    """The modularity of a partition in the original graph; `corrected` takes out the bias of a ratio."""
    rate = float(checked_mu(mu))
    found = unperturbed_communities(communities(graph, partition), rate)
    if found.edges <= 0:
        note = "the noise hides all edges; nothing can be said" if rate else "a graph without edges has none"
        return Estimate(
            name="modularity", value=None, stderr=None, low=None, high=None, method=_METHOD, note=note, most=1
        )
    value = found.modularity - (modularity_bias(found, rate) if corrected else 0.0)
    note = "the partition must not have been chosen on this graph"
    return normal_estimate(
        "modularity", value, modularity_variance(found, rate), _METHOD, note=note, least=-0.5, most=1
    )
