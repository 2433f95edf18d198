"""Vertex refinement: colours of vertices by their neighbours, the neighbours of those, and so on.

Hay, Miklau, Jensen, Towsley & Weis, "Resisting structural re-identification in anonymized social networks", PVLDB 1(1),
2008. H_1 is the degree, H_2 the degrees of the neighbours, H_{i+1} the H_i of the neighbours, as multisets. Each
determines the one before it, so that colours become ever finer, as in colour refinement.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.kernels import kernel
from sfumato.ground.validate import whole

__all__ = ["vertex_colours"]


def vertex_colours(graphs: Sequence[Graph], depth: int) -> list[NDArray[np.int64]]:
    """A colour (a number) for each vertex of each graph: two vertices, of one graph or two, share it if H_depth agrees.

    Multisets are compared as they are, never by a hash. O(edges x log vertices) for each step.
    """
    whole("depth", depth, least=1)
    sizes = [len(graph) for graph in graphs]
    shifts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    degrees = np.concatenate([graph.degrees for graph in graphs])
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    indices = np.concatenate(
        [graph.indices.astype(np.int64) + shift for graph, shift in zip(graphs, shifts[:-1], strict=True)]
    )
    values, colours = np.unique(degrees, return_inverse=True)
    colours, n_colours = colours.astype(np.int64), len(values)
    for _ in range(depth - 1):
        colours, n_found = _refine_colours(indptr, indices, colours, n_colours)
        if n_found == n_colours:
            break
        n_colours = n_found
    return [colours[shift : shift + size] for shift, size in zip(shifts[:-1], sizes, strict=True)]


@kernel
def _refine_colours(
    indptr: NDArray[np.int64], indices: NDArray[np.int64], colours: NDArray[np.int64], n_colours: int
) -> tuple[NDArray[np.int64], int]:
    """One step of refinement: split each colour by the colours of neighbours; the new colours and their number."""
    n = colours.shape[0]
    starts = np.zeros(n_colours + 1, dtype=np.int64)
    for v in range(n):
        starts[colours[v] + 1] += 1
    for c in range(n_colours):
        starts[c + 1] += starts[c]
    order, place = np.empty(n, dtype=np.int64), starts[:-1].copy()
    for v in range(n):
        order[place[colours[v]]] = v
        place[colours[v]] += 1
    rows, place = np.empty(indices.shape[0], dtype=np.int64), indptr[:-1].copy()
    for t in range(n):  # by rising colour, so that every row rises
        for e in range(indptr[order[t]], indptr[order[t] + 1]):
            rows[place[indices[e]]] = colours[order[t]]
            place[indices[e]] += 1
    finer, n_finer, spare = np.empty(n, dtype=np.int64), 0, np.empty(n, dtype=np.int64)
    for c in range(n_colours):
        _sort_rows(order[starts[c] : starts[c + 1]], spare, indptr, rows)
        for t in range(starts[c], starts[c + 1]):
            if t == starts[c] or _compare(rows, indptr, order[t - 1], order[t]) != 0:
                n_finer += 1
            finer[order[t]] = n_finer - 1
    return finer, n_finer


@kernel
def _compare(rows: NDArray[np.int64], indptr: NDArray[np.int64], u: int, v: int) -> int:
    """-1 or 1 as the row of u or that of v comes first, 0 where they are equal; both have the same length."""
    for t in range(indptr[u + 1] - indptr[u]):
        left, right = rows[indptr[u] + t], rows[indptr[v] + t]
        if left != right:
            return -1 if left < right else 1
    return 0


@kernel
def _sort_rows(
    order: NDArray[np.int64], spare: NDArray[np.int64], indptr: NDArray[np.int64], rows: NDArray[np.int64]
) -> None:
    """Sort vertices by their rows, in place: merge sort, so that every row is read O(log) times."""
    n, width = order.shape[0], 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            a, b = low, middle
            for t in range(low, high):
                if b >= high or (a < middle and _compare(rows, indptr, order[a], order[b]) <= 0):
                    spare[t] = order[a]
                    a += 1
                else:
                    spare[t] = order[b]
                    b += 1
        order[:] = spare[:n]
        width *= 2
