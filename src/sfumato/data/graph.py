"""Social graphs: undirected, without loops and without parallel edges, as sparse rows.

The neighbours of vertex v are `indices[indptr[v]:indptr[v + 1]]`, rising. Memory goes with vertices and edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.values import text
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.optional import load_optional

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Graph"]


class Graph(SaysWhatItTakes):
    """Vertices 0 to n - 1, with names or without, and edges between them. Read a file with `read_graph`.

    The neighbours of vertex v are `indices[indptr[v]:indptr[v + 1]]`.

    >>> import sfumato as sf
    >>> sf.Graph.from_edges([0, 1], [1, 2]).n_edges
    2
    """

    data_kind: ClassVar[str] = "graph"
    """What kind of data it is, in a word."""

    def __init__(self, indptr: NDArray[Any], indices: NDArray[Any], names: Sequence[str] | None = None) -> None:
        """From sparse rows that hold every edge in both directions, the neighbours of a vertex rising."""
        self.indptr: NDArray[np.int64] = np.ascontiguousarray(indptr, dtype=np.int64)
        self.indices: NDArray[np.int32] = np.ascontiguousarray(indices, dtype=np.int32)
        self.names: tuple[str, ...] | None = None if names is None else tuple(names)
        """What the vertices are called, or None."""
        self._check()

    def _check(self) -> None:
        indptr, indices, n = self.indptr, self.indices, self.n_vertices
        if indptr[0] != 0 or indptr[-1] != len(indices) or (np.diff(indptr) < 0).any():
            raise DataError("the starts of rows must rise from 0 to the number of neighbours listed")
        if len(indices) and not 0 <= indices.min() <= indices.max() < n:
            raise DataError(f"a vertex is numbered {int(indices.max())}, and there are {n:,} vertices")
        if not _is_simple(indptr, indices):
            raise DataError("rows must list neighbours in rising order, in both directions, without loops")
        if self.names is not None and len(self.names) != n:
            raise DataError(f"there are {len(self.names):,} names for {n:,} vertices; give each vertex one")
        if self.names is not None and len(set(self.names)) < n:
            raise DataError("two vertices have the same name; give every vertex a name of its own")

    # -- constructors ------------------------------------------------------------------------------------------------
    @classmethod
    def from_rows(cls, indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> Graph:
        """From sparse rows that are known to be well formed: they are not checked again."""
        graph = cls.__new__(cls)
        graph.indptr, graph.indices, graph.names = indptr, indices, None
        return graph

    @classmethod
    def from_edges(
        cls,
        source: NDArray[Any] | Sequence[int],
        target: NDArray[Any] | Sequence[int],
        n_vertices: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Graph:
        """From the ends of every edge, by number; loops are left out, and an edge that is there twice counts once.

        >>> Graph.from_edges([0, 1, 1], [1, 0, 2]).n_edges
        2
        """
        u, v = np.asarray(source, dtype=np.int64), np.asarray(target, dtype=np.int64)
        if u.shape != v.shape or u.ndim != 1:
            raise DataError(f"edges have two ends each, and there are {u.size:,} of one and {v.size:,} of the other")
        least = int(max(u.max(initial=-1), v.max(initial=-1))) + 1
        n = max(least, len(names) if names is not None else 0) if n_vertices is None else int(n_vertices)
        if n < least or (len(u) and min(u.min(), v.min()) < 0):
            raise DataError(f"an edge ends at vertex {least - 1}, and vertices are 0 to {n - 1}")
        if n > 2**31 - 1:
            raise DataError(f"there are {n:,} vertices, and {2**31 - 1:,} are the most")
        return cls(*_rows(*_distinct_edges(u, v, n), n), names)

    @classmethod
    def from_scipy(cls, matrix: Any, names: Sequence[str] | None = None) -> Graph:
        """From a square sparse matrix; whatever is not 0, in either direction, is an edge."""
        from scipy.sparse import coo_array

        cells = coo_array(matrix)
        if cells.shape[0] != cells.shape[1]:
            raise DataError(f"a graph is a square matrix, and this one has {cells.shape[0]} rows and {cells.shape[1]}")
        there = cells.data != 0
        return cls.from_edges(cells.row[there], cells.col[there], cells.shape[0], names)

    @classmethod
    def from_networkx(cls, graph: Any) -> Graph:
        """From a networkx graph of any kind; directions, weights and parallel edges are dropped."""
        nodes = list(graph.nodes)
        number = {node: i for i, node in enumerate(nodes)}
        ends = [(number[a], number[b]) for a, b in graph.edges()]
        pairs = np.array(ends, dtype=np.int64).reshape(-1, 2)
        return cls.from_edges(pairs[:, 0], pairs[:, 1], len(nodes), [text(node) for node in nodes])

    @classmethod
    def from_igraph(cls, graph: Any) -> Graph:
        """From an igraph graph of any kind; its vertices' `name` is kept."""
        pairs = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        names = [text(name) for name in graph.vs["name"]] if "name" in graph.vs.attributes() else None
        return cls.from_edges(pairs[:, 0], pairs[:, 1], graph.vcount(), names)

    # -- what it holds -----------------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return self.n_vertices

    @property
    def n_vertices(self) -> int:
        """How many vertices there are."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """How many edges there are."""
        return len(self.indices) // 2

    @property
    def n_pairs(self) -> int:
        """How many pairs of vertices there are: every one is an edge or is not."""
        return self.n_vertices * (self.n_vertices - 1) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """How many neighbours each vertex has."""
        return np.diff(self.indptr)

    @property
    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The smaller and the larger end of every edge, in order."""
        source = np.repeat(np.arange(self.n_vertices), self.degrees)
        upper = self.indices > source
        return source[upper], self.indices[upper].astype(np.int64)

    def neighbours(self, vertex: int) -> NDArray[np.int32]:
        """The neighbours of a vertex."""
        if not 0 <= vertex < self.n_vertices:
            raise ParameterError(f"vertices are 0 to {self.n_vertices - 1}, got {vertex}")
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    def has_edges(self, source: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether each pair of vertices is an edge. O(log degree) for each."""
        return _has_edges(self.indptr, self.indices, np.asarray(source, np.int64), np.asarray(target, np.int64))

    def subgraph(self, vertices: NDArray[Any]) -> Graph:
        """The graph of these vertices, numbered as they stand here."""
        keep = np.asarray(vertices, dtype=np.int64)
        number = np.full(self.n_vertices, -1, dtype=np.int64)
        number[keep] = np.arange(len(keep))
        if (number >= 0).sum() != len(keep):
            raise ParameterError("a vertex of the subgraph is named twice; name it once")
        u, v = (number[end] for end in self.edges)
        inside = (u >= 0) & (v >= 0)
        names = None if self.names is None else [self.names[i] for i in keep]
        return Graph.from_edges(u[inside], v[inside], len(keep), names)

    def renumbered(self, number: NDArray[Any]) -> Graph:
        """The same graph with vertex v called `number[v]`, without names."""
        to = np.asarray(number, dtype=np.int64)
        u, v = self.edges
        return Graph.from_edges(to[u], to[v], self.n_vertices)

    @property
    def frame(self) -> pl.DataFrame:
        """One row for each edge: `source` and `target`, by name where vertices have one."""
        u, v = self.edges
        if self.names is None:
            return pl.DataFrame({"source": u, "target": v})
        names = pl.Series("name", self.names, dtype=pl.String)
        return pl.DataFrame({"source": names.gather(u), "target": names.gather(v)})

    def to_scipy(self) -> csr_array:
        """As a sparse symmetric matrix of 0 and 1."""
        from scipy.sparse import csr_array

        ones = np.ones(len(self.indices), dtype=np.int8)
        return csr_array(
            (ones, self.indices.copy(), self.indptr.copy()), shape=(self.n_vertices, self.n_vertices)
        )  # fmt: skip

    def to_networkx(self) -> Any:
        """As a networkx graph, vertices by name where they have one; networkx must be installed."""
        networkx = load_optional("networkx", to="a graph of networkx")
        graph = networkx.Graph()
        graph.add_nodes_from(self.names if self.names is not None else range(self.n_vertices))
        graph.add_edges_from(self.frame.iter_rows())
        return graph

    def to_igraph(self) -> Any:
        """As an igraph graph with the vertices' `name` where they have one; igraph must be installed."""
        igraph = load_optional("igraph", to="a graph of igraph")
        graph = igraph.Graph(n=self.n_vertices, edges=np.stack(self.edges, axis=1).tolist())
        if self.names is not None:
            graph.vs["name"] = list(self.names)
        return graph

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        same = np.array_equal(self.indptr, other.indptr) and np.array_equal(self.indices, other.indices)
        return same and self.names == other.names

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Graph({self.n_vertices:,} vertices, {self.n_edges:,} edges)"


@kernel
def _distinct_edges(
    source: NDArray[np.int64], target: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Every edge once, without loops, smaller end first, in order: sorted by counting one end, then the other."""
    size, n_kept = source.shape[0], 0
    low, high = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    place = np.zeros(n + 1, dtype=np.int64)
    for e in range(size):
        if source[e] != target[e]:
            place[max(source[e], target[e]) + 1] += 1
            n_kept += 1
    for v in range(n):
        place[v + 1] += place[v]
    for e in range(size):
        if source[e] != target[e]:
            larger = max(source[e], target[e])
            low[place[larger]], high[place[larger]] = min(source[e], target[e]), larger
            place[larger] += 1
    place[:] = 0
    for e in range(n_kept):
        place[low[e] + 1] += 1
    for v in range(n):
        place[v + 1] += place[v]
    first, second = np.empty(n_kept, dtype=np.int32), np.empty(n_kept, dtype=np.int32)
    for e in range(n_kept):
        first[place[low[e]]], second[place[low[e]]] = low[e], high[e]
        place[low[e]] += 1
    n_once = 0
    for e in range(n_kept):
        if e == 0 or first[e] != first[n_once - 1] or second[e] != second[n_once - 1]:
            first[n_once], second[n_once] = first[e], second[e]
            n_once += 1
    return first[:n_once], second[:n_once]


@kernel
def _rows(source: NDArray[np.int32], target: NDArray[np.int32], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows of a graph from its edges, each once, smaller end first, in order."""
    indptr = np.zeros(n + 1, dtype=np.int64)
    for e in range(source.shape[0]):
        indptr[source[e] + 1] += 1
        indptr[target[e] + 1] += 1
    for v in range(n):
        indptr[v + 1] += indptr[v]
    place, indices = indptr[:-1].copy(), np.empty(2 * source.shape[0], dtype=np.int32)
    for e in range(source.shape[0]):
        indices[place[target[e]]] = source[e]
        place[target[e]] += 1
    for e in range(source.shape[0]):
        indices[place[source[e]]] = target[e]
        place[source[e]] += 1
    return indptr, indices


@kernel
def _is_simple(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> bool:
    """Whether rows rise, have no loops, and hold every edge twice."""
    n = indptr.shape[0] - 1
    met = indptr[:-1].copy()
    for v in range(n):
        for e in range(indptr[v], indptr[v + 1]):
            if indices[e] == v or (e > indptr[v] and indices[e - 1] >= indices[e]):
                return False
            if indices[e] > v:  # its row must list v next
                u = indices[e]
                if met[u] == indptr[u + 1] or indices[met[u]] != v:
                    return False
                met[u] += 1
    for v in range(n):  # noqa: SIM110  kernels take loops
        if met[v] < indptr[v + 1] and indices[met[v]] < v:
            return False
    return True


@kernel
def _has_edges(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], source: NDArray[np.int64], target: NDArray[np.int64]
) -> NDArray[np.bool_]:
    found = np.zeros(source.shape[0], dtype=np.bool_)
    for t in range(source.shape[0]):
        u, v = source[t], target[t]
        if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
            u, v = v, u
        low, high = indptr[u], indptr[u + 1]
        while low < high:
            middle = (low + high) // 2
            if indices[middle] < v:
                low = middle + 1
            else:
                high = middle
        found[t] = low < indptr[u + 1] and indices[low] == v
    return found
