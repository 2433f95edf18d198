"""Looking for planted accounts along their path, with degrees in intervals and a few errors allowed.

A walk here is a path of published vertices, one for each account: what the walk-based attack (Backstrom, Dwork &
Kleinberg, WWW 2007) and the interval-walk attack (Xue's thesis, s. 4.4) look for.

The search is the thesis's algorithm 3, corrected: depth first from every vertex; a vertex that is on the path already
is no candidate, the first one is checked like the others, and errors add up along the path. Which of the vertices
chosen so far a vertex is joined to is kept as a word of bits, so that all edges of a candidate are checked at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.kernels import kernel

__all__ = ["Walks", "find_walks"]

_MOST_FOUND = 1000
_STEPS = 200_000_000


@dataclass(frozen=True, eq=False)
class Walks:
    """Paths that pass every check, and how they differ from what was planted."""

    paths: NDArray[np.int32]
    """One row for each, a published vertex for every account."""
    errors: NDArray[np.int64]
    """How many pairs along each are joined and should not be, or the other way round."""
    complete: bool
    """Whether the search went to its end."""
    steps: int
    """How many candidates were looked at."""


def find_walks(
    graph: Graph,
    inside: NDArray[np.bool_],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    errors: int = 0,
    *,
    most: int = _MOST_FOUND,
    steps: int = _STEPS,
) -> Walks:
    """Paths of vertices with degrees from `low` to `high`, joined as `inside` says in all but at most `errors` pairs.

    At most 64 accounts. The search ends early when `most` paths are found, or `steps` candidates were looked at.
    """
    k = len(inside)
    bits = np.uint64(1) << np.arange(k, dtype=np.uint64)
    wanted = np.array([bits[:i][inside[i, :i]].sum(dtype=np.uint64) for i in range(k)], dtype=np.uint64)
    paths, off, complete, done = _search(
        graph.indptr,
        graph.indices,
        wanted,
        np.asarray(low, np.int64),
        np.asarray(high, np.int64),
        errors,
        max(most, 1),
        steps,
    )
    return Walks(paths, off, complete, done)


@kernel
def _search(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    wanted: NDArray[np.uint64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    most_errors: int,
    most_found: int,
    most_steps: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64], bool, int]:
    """The paths, their errors, whether the search is complete, and its steps; `wanted` are bits of earlier vertices."""
    n, k = indptr.shape[0] - 1, wanted.shape[0]
    joined = np.zeros(n, dtype=np.uint64)  # bit j: joined to the j-th vertex of the path
    on_path = np.zeros(n, dtype=np.bool_)
    path, errors = np.empty(k, dtype=np.int32), np.zeros(k + 1, dtype=np.int64)
    at = np.zeros(k, dtype=np.int64)  # the next neighbour to try from each depth
    paths, off = np.empty((most_found, k), dtype=np.int32), np.empty(most_found, dtype=np.int64)
    n_found, steps = 0, 0
    for root in range(n):
        depth, node = 0, root
        while depth >= 0:
            # try `node` as the vertex at `depth`
            steps += 1
            degree = indptr[node + 1] - indptr[node]
            taken = False
            if low[depth] <= degree <= high[depth] and not on_path[node]:
                wrong = errors[depth] + _ones(joined[node] ^ wanted[depth])
                if wrong <= most_errors:
                    path[depth] = node
                    if depth == k - 1:
                        paths[n_found], off[n_found] = path, wrong
                        n_found += 1
                        if n_found == most_found:
                            return paths, off, False, steps
                    else:
                        taken = True
                        bit = np.uint64(1) << np.uint64(depth)
                        on_path[node] = True
                        for e in range(indptr[node], indptr[node + 1]):
                            joined[indices[e]] |= bit
                        errors[depth + 1] = wrong
                        at[depth] = indptr[node]
                        depth += 1
            if steps >= most_steps:
                return paths[:n_found], off[:n_found], False, steps
            if not taken and depth == 0:
                break
            # the next neighbour of the vertex above that is left to try
            while depth > 0 and at[depth - 1] == indptr[path[depth - 1] + 1]:
                depth -= 1
                bit = np.uint64(1) << np.uint64(depth)
                for e in range(indptr[path[depth]], indptr[path[depth] + 1]):
                    joined[indices[e]] &= ~bit
                on_path[path[depth]] = False
            if depth == 0:
                break
            node = indices[at[depth - 1]]
            at[depth - 1] += 1
    return paths[:n_found], off[:n_found], True, steps


@kernel
def _ones(word: np.uint64) -> int:
    """How many bits are set."""
    count = 0
    while word:
        word &= word - np.uint64(1)
        count += 1
    return count
