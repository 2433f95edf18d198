"""How often each pattern on up to four vertices occurs, connected or not.

Exact counts by the formulas of ESCAPE (Pinar, Seshadhri & Vishal, WWW 2017) and PGD (Ahmed et al., ICDM 2015): patterns
are first counted as parts, from degrees, triangles of each edge, squares and cliques, and then without their chords.
Only squares and cliques can take long; they are sampled instead where the work would pass a limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.counts.patterns import induced_counts, pattern_names
from sfumato.graphs.counts.triangles import (
    count_squares,
    count_triangles,
    forward_edges,
    n_wedges,
    shared_neighbours,
    squares_work,
    triangles_per_edge,
)
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["Sampled", "cliques_work", "count_cliques", "count_graphlets", "sample_graphlets"]


@dataclass(frozen=True)
class Sampled:
    """Counts of patterns of which some were sampled, with the standard error of the sampling."""

    counts: dict[str, float]
    stderr: dict[str, float]


def count_graphlets(graph: Graph, size: int) -> dict[str, int]:
    """How many sets of 2, 3 or 4 vertices hold each pattern, and no edge more; exactly."""
    if size == 4:
        found = _four_parts(graph, triangles_per_edge(graph), count_squares(graph), count_cliques(graph))
    else:
        found = _small_parts(graph, size)
    return {name: int(count) for name, count in induced_counts(found, size).items()}


def _small_parts(graph: Graph, size: int) -> list[float]:
    """How often each pattern on two or three vertices occurs as a part, in the order of `pattern_names`."""
    n, h = graph.n_vertices, graph.n_edges
    pattern_names(size)
    if size == 2:
        return [h, comb(n, 2)]
    return [count_triangles(graph), n_wedges(graph), h * max(n - 2, 0), comb(n, 3)]


def _four_parts(graph: Graph, shared: NDArray[np.int64], squares: float, cliques: float) -> list[float]:
    """How often each pattern on four vertices occurs as a part, in the order of `names(4)`."""
    n, h, d = graph.n_vertices, graph.n_edges, graph.degrees
    u, v = graph.edges
    triangles, wedges, rest = int(shared.sum()) // 3, n_wedges(graph), max(n - 3, 0)
    # A vertex lies in half as many triangles as its edges do, and each has d - 2 edges to hang on.
    paws = int((shared * (d[u] + d[v] - 4)).sum()) // 2
    claws = sum(comb(degree, 3) * times for degree, times in enumerate(np.bincount(d).tolist()))
    paths = int(((d[u] - 1) * (d[v] - 1)).sum()) - 3 * triangles
    return [
        cliques, _diamonds(shared), squares, paws, claws, paths,
        triangles * rest, wedges * rest, comb(h, 2) - wedges, h * comb(max(n - 2, 0), 2), comb(n, 4),
    ]  # fmt: skip


def _diamonds(shared: NDArray[np.int64]) -> int:
    """How many pairs of triangles share an edge, from the triangles of each edge."""
    return int((shared * (shared - 1) // 2).sum())


def count_cliques(graph: Graph) -> int:
    """How many sets of four vertices are joined by all six edges."""
    return int(_cliques(*forward_edges(graph.indptr, graph.indices)))


def cliques_work(graph: Graph) -> int:
    """How many steps counting cliques takes, roughly: for each triangle, the neighbours ahead of one vertex."""
    return int(_cliques_work(*forward_edges(graph.indptr, graph.indices)))


def sample_graphlets(graph: Graph, random: Randomness, *, draws: int = 100_000, limit: int = 0) -> Sampled:
    """Patterns on four vertices, with squares and cliques sampled where counting takes more than `limit` steps.

    Squares: the neighbours that the ends of a random path of two edges share. Cliques: random pairs of triangles on
    one edge, and whether they close. Both are unbiased.
    """
    whole("draws", draws, least=2)
    shared = triangles_per_edge(graph)
    if squares_work(graph) <= limit:
        n_squares, error_squares = float(count_squares(graph)), 0.0
    else:
        n_squares, error_squares = _sampled_squares(graph, random.spawn("squares"), draws)
    if cliques_work(graph) <= limit:
        n_cliques, error_cliques = float(count_cliques(graph)), 0.0
    else:
        n_cliques, error_cliques = _sampled_cliques(graph, shared, random.spawn("cliques"), draws)
    counts = {name: float(x) for name, x in induced_counts(_four_parts(graph, shared, n_squares, n_cliques), 4).items()}
    by_square, by_clique = _influence("4-cycle"), _influence("4-clique")
    stderr = {
        name: math.hypot(by_square[name] * error_squares, by_clique[name] * error_cliques) for name in pattern_names(4)
    }  # fmt: skip
    return Sampled(counts, stderr)


def _influence(part: str) -> dict[str, float]:
    """By how much the count of each pattern changes when `part` is found once more."""
    moved = induced_counts([float(name == part) for name in pattern_names(4)], 4)
    return {name: float(x) for name, x in moved.items()}


def _sampled_squares(graph: Graph, random: Randomness, draws: int) -> tuple[float, float]:
    """The number of squares by random paths of two edges, and its standard error."""
    wedges = n_wedges(graph)
    if not wedges:
        return 0.0, 0.0
    d = graph.degrees
    cumulative = np.cumsum(d * (d - 1) // 2)
    middle = np.searchsorted(cumulative, random.integers(wedges, size=draws), side="right")
    first = _random_below(d[middle], random)
    second = _random_below(d[middle] - 1, random)
    second += second >= first
    starts = graph.indptr[middle]
    ends = graph.indices[starts + first], graph.indices[starts + second]
    others = shared_neighbours(graph, *ends) - 1
    return _scaled_mean(others, wedges / 4)


def _sampled_cliques(graph: Graph, shared: NDArray[np.int64], random: Randomness, draws: int) -> tuple[float, float]:
    """The number of cliques by random pairs of triangles on an edge, and its standard error."""
    diamonds = _diamonds(shared)
    if not diamonds:
        return 0.0, 0.0
    cumulative = np.cumsum(shared * (shared - 1) // 2)
    edge = np.searchsorted(cumulative, random.integers(diamonds, size=draws), side="right")
    first = _random_below(shared[edge], random)
    second = _random_below(shared[edge] - 1, random)
    second += second >= first
    u, v = graph.edges
    a, b = _nth_shared_neighbours(graph.indptr, graph.indices, u[edge], v[edge], first, second)
    return _scaled_mean(graph.has_edges(a, b).astype(np.int64), diamonds / 6)


def _random_below(high: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """A random whole number below each of `high`; nearly uniform, off by less than one in 2^30."""
    return np.minimum((random.uniform(len(high)) * high).astype(np.int64), high - 1)


def _scaled_mean(values: NDArray[np.int64], factor: float) -> tuple[float, float]:
    """The mean of draws times a factor, and its standard error; where all draws are 0, as if one were 1."""
    mean, spread = float(values.mean()), float(values.std(ddof=1))
    if spread == 0 and mean == 0:
        spread = 1 / math.sqrt(len(values))
    return factor * mean, factor * spread / math.sqrt(len(values))


@kernel
def _cliques(starts: NDArray[np.int64], ahead: NDArray[np.int32]) -> int:
    """Each clique once, from its vertex of lowest rank: edges among the neighbours that two vertices share ahead."""
    n, found = starts.shape[0] - 1, 0
    mark, second = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    third = np.empty(n, dtype=np.int32)
    for u in range(n):
        if starts[u + 1] - starts[u] < 3:
            continue
        for e in range(starts[u], starts[u + 1]):
            mark[ahead[e]] = u
        for e in range(starts[u], starts[u + 1]):
            v, many = ahead[e], 0
            for f in range(starts[v], starts[v + 1]):
                if mark[ahead[f]] == u:
                    third[many] = ahead[f]
                    many += 1
            if many < 2:
                continue
            for t in range(many):
                second[third[t]] = e
            for t in range(many):
                w = third[t]
                for f in range(starts[w], starts[w + 1]):
                    found += second[ahead[f]] == e
    return found


@kernel
def _cliques_work(starts: NDArray[np.int64], ahead: NDArray[np.int32]) -> int:
    n, work = starts.shape[0] - 1, 0
    mark = np.full(n, -1, dtype=np.int32)
    for u in range(n):
        for e in range(starts[u], starts[u + 1]):
            mark[ahead[e]] = u
        for e in range(starts[u], starts[u + 1]):
            v = ahead[e]
            for f in range(starts[v], starts[v + 1]):
                w = ahead[f]
                if mark[w] == u:
                    work += starts[w + 1] - starts[w]
    return work


@kernel
def _nth_shared_neighbours(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], source: NDArray[np.int64], target: NDArray[np.int64],
    first: NDArray[np.int64], second: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """For each pair of vertices, the neighbours number `first` and `second` of those that both share."""
    a, b = np.empty(source.shape[0], dtype=np.int64), np.empty(source.shape[0], dtype=np.int64)
    for t in range(source.shape[0]):
        e, f, met = indptr[source[t]], indptr[target[t]], 0
        end, stop = indptr[source[t] + 1], indptr[target[t] + 1]
        while e < end and f < stop:
            if indices[e] == indices[f]:
                if met == first[t]:
                    a[t] = indices[e]
                if met == second[t]:
                    b[t] = indices[e]
                met += 1
                e += 1
                f += 1
            elif indices[e] < indices[f]:
                e += 1
            else:
                f += 1
    return a, b
