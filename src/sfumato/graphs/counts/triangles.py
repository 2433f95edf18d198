"""Triangles, squares and triads of a sparse graph, without looking at triples one by one.

Triangles by the forward algorithm (Schank & Wagner, WEA 2005) and squares as Chiba & Nishizeki (SIAM J. Comput. 14,
1985): vertices ranked by degree, so that work grows with edges times the square root of edges at most.
"""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.kernels import kernel

__all__ = [
    "Triads",
    "count_squares",
    "count_triangles",
    "forward_edges",
    "n_wedges",
    "shared_neighbours",
    "squares_work",
    "triads",
    "triangles_per_edge",
]


class Triads(NamedTuple):
    """How many triples of vertices hold three edges, two, one and none."""

    triangles: int
    wedges: int
    """Two edges exactly: X of the thesis."""
    edges: int
    """One edge and a vertex apart: I of the thesis."""
    empty: int

    @property
    def connected_triples(self) -> int:
        """The number of paths of two edges; a triangle holds three of them."""
        return self.wedges + 3 * self.triangles

    @property
    def transitivity(self) -> float:
        """The share of paths of two edges whose ends meet; 0 where there are none."""
        return 3 * self.triangles / self.connected_triples if self.connected_triples else 0.0


def count_triangles(graph: Graph) -> int:
    """How many triangles a graph has."""
    return int(_triangles(*forward_edges(graph.indptr, graph.indices)))


def triangles_per_edge(graph: Graph) -> NDArray[np.int64]:
    """How many neighbours the two ends of each edge share, in the order of `graph.edges`."""
    order = _edge_numbers(graph.indptr, graph.indices)
    indptr, indices, edge = _forward_edges(graph.indptr, graph.indices, order)
    return _triangles_of_edges(indptr, indices, edge)


def count_squares(graph: Graph) -> int:
    """How many cycles of four vertices a graph has, with chords or without."""
    return int(_squares(*_ranked_rows(graph.indptr, graph.indices)))


def squares_work(graph: Graph) -> int:
    """How many steps counting squares takes, at most."""
    u, v = graph.edges
    return int(np.minimum(graph.degrees[u], graph.degrees[v]).sum())


def shared_neighbours(graph: Graph, source: NDArray[Any], target: NDArray[Any]) -> NDArray[np.int64]:
    """How many neighbours each pair of vertices shares."""
    return _shared_neighbours(graph.indptr, graph.indices, np.asarray(source, np.int64), np.asarray(target, np.int64))


def n_wedges(graph: Graph) -> int:
    """The number of paths of two edges, closed to a triangle or not."""
    degrees = graph.degrees
    return int((degrees * (degrees - 1) // 2).sum())


def triads(graph: Graph, triangles: int | None = None) -> Triads:
    """Triples of vertices by how many edges they hold: triangles are counted, the others follow from degrees."""
    n, h = graph.n_vertices, graph.n_edges
    t = count_triangles(graph) if triangles is None else triangles
    x = n_wedges(graph) - 3 * t
    i = h * (n - 2) - 2 * x - 3 * t
    return Triads(t, x, i, comb(n, 3) - t - x - i)


@kernel
def _ranks(indptr: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Vertices in rising order of degree, and the place of each."""
    n = indptr.shape[0] - 1
    place = np.zeros(n + 1, dtype=np.int64)
    for v in range(n):
        place[indptr[v + 1] - indptr[v] + 1] += 1
    for d in range(n):
        place[d + 1] += place[d]
    order, rank = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    for v in range(n):
        d = indptr[v + 1] - indptr[v]
        order[place[d]], rank[v] = v, place[d]
        place[d] += 1
    return order, rank


@kernel
def forward_edges(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The neighbours of higher rank of each vertex; vertices are numbered by their rank."""
    n = indptr.shape[0] - 1
    order, rank = _ranks(indptr)
    starts, ahead = np.zeros(n + 1, dtype=np.int64), np.empty(indices.shape[0] // 2, dtype=np.int32)
    at = 0
    for r in range(n):
        v = order[r]
        for e in range(indptr[v], indptr[v + 1]):
            other = rank[indices[e]]
            if other > r:
                ahead[at] = other
                at += 1
        starts[r + 1] = at
    return starts, ahead


@kernel
def _triangles(starts: NDArray[np.int64], ahead: NDArray[np.int32]) -> int:
    """The number of triangles; neighbours of a vertex are marked by bits, few enough to stay in the cache."""
    n, found = starts.shape[0] - 1, 0
    one, six, low = np.uint64(1), np.uint64(6), np.uint64(63)
    mark = np.zeros(n // 64 + 1, dtype=np.uint64)
    for u in range(n):
        if starts[u + 1] - starts[u] < 2:
            continue
        for e in range(starts[u], starts[u + 1]):
            v = np.uint64(ahead[e])
            mark[v >> six] |= one << (v & low)
        for e in range(starts[u], starts[u + 1]):
            for f in range(starts[ahead[e]], starts[ahead[e] + 1]):
                w = np.uint64(ahead[f])
                found += int((mark[w >> six] >> (w & low)) & one)
        for e in range(starts[u], starts[u + 1]):
            mark[np.uint64(ahead[e]) >> six] = 0
    return found


@kernel
def _edge_numbers(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> NDArray[np.int64]:
    """The number of the edge at every place of the rows: a row lists its smaller neighbours first, in order."""
    number, met, at = np.empty(indices.shape[0], dtype=np.int64), indptr[:-1].copy(), 0
    for v in range(indptr.shape[0] - 1):
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if u > v:
                number[e] = at
                number[met[u]] = at
                met[u] += 1
                at += 1
    return number


@kernel
def _forward_edges(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], number: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """As `forward_edges`, with the number of each edge beside it."""
    n, m = indptr.shape[0] - 1, indices.shape[0] // 2
    order, rank = _ranks(indptr)
    starts, ahead, edge = np.zeros(n + 1, dtype=np.int64), np.empty(m, dtype=np.int32), np.empty(m, dtype=np.int64)
    at = 0
    for r in range(n):
        v = order[r]
        for e in range(indptr[v], indptr[v + 1]):
            other = rank[indices[e]]
            if other > r:
                ahead[at], edge[at] = other, number[e]
                at += 1
        starts[r + 1] = at
    return starts, ahead, edge


@kernel
def _triangles_of_edges(
    starts: NDArray[np.int64], ahead: NDArray[np.int32], edge: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many triangles each edge is in, by the number of the edge."""
    n = starts.shape[0] - 1
    found, mark = np.zeros(ahead.shape[0], dtype=np.int64), np.full(n, -1, dtype=np.int64)
    for u in range(n):
        if starts[u + 1] - starts[u] < 2:
            continue
        for e in range(starts[u], starts[u + 1]):
            mark[ahead[e]] = e
        for e in range(starts[u], starts[u + 1]):
            v = ahead[e]
            for f in range(starts[v], starts[v + 1]):
                third = mark[ahead[f]]
                if third >= starts[u]:  # marked for u, not for a vertex before it
                    found[edge[e]] += 1
                    found[edge[f]] += 1
                    found[edge[third]] += 1
    return found


@kernel
def _ranked_rows(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The same graph with vertices numbered by their rank, rows rising."""
    n = indptr.shape[0] - 1
    order, rank = _ranks(indptr)
    starts, rows = np.zeros(n + 1, dtype=np.int64), np.empty(indices.shape[0], dtype=np.int32)
    for r in range(n):
        starts[r + 1] = starts[r] + indptr[order[r] + 1] - indptr[order[r]]
    place = starts[:-1].copy()
    for r in range(n):
        v = order[r]
        for e in range(indptr[v], indptr[v + 1]):
            other = rank[indices[e]]
            rows[place[other]] = r
            place[other] += 1
    return starts, rows


@kernel
def _squares(starts: NDArray[np.int64], rows: NDArray[np.int32]) -> int:
    """The number of squares: each is met at its vertex of highest rank, as two paths to the vertex across."""
    n, found = starts.shape[0] - 1, 0
    paths = np.zeros(n, dtype=np.int64)
    for v in range(n):
        for e in range(starts[v], starts[v + 1]):
            u = rows[e]
            if u >= v:
                break
            for f in range(starts[u], starts[u + 1]):
                w = rows[f]
                if w >= v:
                    break
                found += paths[w]
                paths[w] += 1
        for e in range(starts[v], starts[v + 1]):
            u = rows[e]
            if u >= v:
                break
            for f in range(starts[u], starts[u + 1]):
                w = rows[f]
                if w >= v:
                    break
                paths[w] = 0
    return found


@kernel
def _shared_neighbours(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.int64]:
    """How many neighbours each pair of vertices shares, by merging their rising rows."""
    found = np.zeros(source.shape[0], dtype=np.int64)
    for t in range(source.shape[0]):
        e, f = indptr[source[t]], indptr[target[t]]
        end, stop = indptr[source[t] + 1], indptr[target[t] + 1]
        while e < end and f < stop:
            if indices[e] == indices[f]:
                found[t] += 1
                e += 1
                f += 1
            elif indices[e] < indices[f]:
                e += 1
            else:
                f += 1
    return found
