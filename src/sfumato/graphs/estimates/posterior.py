"""Graphs that may have been the original one, drawn at random given the perturbed one.

An edge between two vertices is likelier where they share more neighbours. Pairs are put in strata by the number of
neighbours they share after the flips; the density of the original graph in a stratum is that seen, with the flips taken
back; and each pair is an edge with the probability that follows. Pairs that share none are reached by geometric skips,
the others neighbour by neighbour, so that pairs are never all looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import shared_neighbours
from sfumato.graphs.flip_rate import Number, checked_mu
from sfumato.graphs.flips import draw_flips, pair_ends
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = ["PosteriorGraphs"]

_LEAST = 50
"""The least number of pairs in a stratum."""


@dataclass(frozen=True)
class Strata:
    """Pairs of the perturbed graph by the neighbours they share."""

    of: NDArray[np.int64]
    """The stratum for each number of shared neighbours; more than the last counts as the last."""
    pairs: NDArray[np.int64]
    """How many pairs each stratum has."""
    edges: NDArray[np.int64]
    """How many of them are published edges."""


class PosteriorGraphs:
    """The distribution of the original graph given the perturbed one; `draw` draws from it."""

    def __init__(self, graph: Graph, mu: Number) -> None:
        """Count the strata of the perturbed graph, once for all draws."""
        self._graph, self._mu = graph, float(checked_mu(mu))
        self.strata = _strata(graph)
        seen = self.strata.edges / np.maximum(self.strata.pairs, 1)
        self.density = np.clip((seen - self._mu) / (1 - 2 * self._mu), 0.0, 1.0)
        """The density of the original graph in each stratum."""
        rho, mu = self.density, self._mu
        with np.errstate(invalid="ignore"):
            self.kept = np.nan_to_num(rho * (1 - mu) / (rho * (1 - mu) + (1 - rho) * mu), nan=0.0)
            self.added = np.nan_to_num(rho * mu / (rho * mu + (1 - rho) * (1 - mu)), nan=1.0)
        if mu == 0:
            self.kept, self.added = np.ones_like(rho), np.zeros_like(rho)

    def draw(self, random: Randomness) -> Graph:
        """Draw one graph that may have been the original."""
        graph, apart = self._graph, self.strata.pairs - self.strata.edges
        expected = float((apart * self.added).sum())
        skips = random.exponential(int(expected + 10 * math.sqrt(expected)) + 64 + 2 * len(apart))
        with np.errstate(divide="ignore"):
            rates = -np.log1p(-self.added)
        low, high = _draw_edges(
            graph.indptr, graph.indices, self.strata.of, self.kept, rates, random.uniform(graph.n_edges), skips
        )
        pairs = draw_flips(graph.n_pairs, min(float(self.added[0]), 1 - 2.0**-50), random)
        u, v = pair_ends(pairs)
        alone = ~graph.has_edges(u, v)
        u, v = u[alone], v[alone]
        alone = shared_neighbours(graph, u, v) == 0
        return Graph.from_edges(np.append(low, u[alone]), np.append(high, v[alone]), graph.n_vertices)


def _strata(graph: Graph) -> Strata:
    """Pairs by shared neighbours, numbers of few pairs joined into one stratum."""
    pairs, edges = _count_by_shared_neighbours(graph.indptr, graph.indices, int(graph.degrees.max(initial=0)))
    pairs[0] = graph.n_pairs - int(pairs[1:].sum())
    of, at, held = np.zeros(len(pairs), dtype=np.int64), 0, 0
    for c in range(len(pairs)):
        of[c], held = at, held + int(pairs[c])
        if held >= _LEAST:
            at, held = at + 1, 0
    last = max(at - 1, 0) if held < _LEAST else at  # what is left over goes with the stratum before
    of = np.minimum(of, last)
    return Strata(
        of,
        np.bincount(of, weights=pairs, minlength=last + 1).astype(np.int64),
        np.bincount(of, weights=edges, minlength=last + 1).astype(np.int64),
    )


@kernel
def _count_shared_neighbours(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], i: int, shared: NDArray[np.int32], met: NDArray[np.int32]
) -> int:
    """How many neighbours i shares with each vertex after it, into `shared`; those that share one, into `met`."""
    n_met = 0
    for e in range(indptr[i], indptr[i + 1]):
        k = indices[e]
        for f in range(indptr[k + 1] - 1, indptr[k] - 1, -1):
            j = indices[f]
            if j <= i:
                break
            if shared[j] == 0:
                met[n_met] = j
                n_met += 1
            shared[j] += 1
    return n_met


@kernel
def _count_by_shared_neighbours(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By the number of shared neighbours: pairs that share at least one, and edges."""
    n = indptr.shape[0] - 1
    pairs, edges = np.zeros(most + 1, dtype=np.int64), np.zeros(most + 1, dtype=np.int64)
    shared, met = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for i in range(n):
        n_met = _count_shared_neighbours(indptr, indices, i, shared, met)
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] > i:
                edges[shared[indices[e]]] += 1
        for t in range(n_met):
            pairs[shared[met[t]]] += 1
            shared[met[t]] = 0
    return pairs, edges


@kernel
def _draw_edges(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], of: NDArray[np.int64], kept: NDArray[np.float64],
    rates: NDArray[np.float64], uniform: NDArray[np.float64], skips: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """The ends of edges that are kept, and of edges added among pairs that share a neighbour.

    Edges are added by geometric skips over the pairs of each stratum.
    """
    n, at_edge, at_skip, size = indptr.shape[0] - 1, 0, 0, 0
    low = np.empty(uniform.shape[0] + skips.shape[0], dtype=np.int64)
    high = np.empty_like(low)
    shared, met = np.zeros(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    left = np.empty(rates.shape[0])
    for s in range(rates.shape[0]):
        left[s] = np.floor(skips[at_skip] / rates[s]) if rates[s] > 0 else np.inf
        at_skip += 1
    for i in range(n):
        n_met = _count_shared_neighbours(indptr, indices, i, shared, met)
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if j > i:
                if uniform[at_edge] < kept[of[shared[j]]]:
                    low[size], high[size] = i, j
                    size += 1
                at_edge += 1
                shared[j] = 0  # an edge is not also a pair without one
        for t in range(n_met):
            j = met[t]
            if shared[j]:
                s = of[shared[j]]
                if left[s] >= 1:
                    left[s] -= 1
                elif at_skip < skips.shape[0]:
                    low[size], high[size] = i, j
                    size += 1
                    left[s] = np.floor(skips[at_skip] / rates[s])
                    at_skip += 1
                shared[j] = 0
    return low[:size], high[:size]
