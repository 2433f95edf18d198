"""Distances in a graph: average path length, effective diameter and efficiency, from a sample of sources.

The diameter itself is an extreme that one flipped pair can change; it is replaced by the distance within which 90% of
connected pairs lie, and the mean of 1/distance over all pairs. Searches go breadth first from 64 sources at once, one
bit for each (Then et al., "The more the merrier", PVLDB 8(4), 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = [
    "METRICS",
    "Metric",
    "average_path_length",
    "distance_counts",
    "effective_diameter",
    "global_efficiency",
    "measure_of",
    "metric_names",
    "path_sources",
]

Metric: TypeAlias = Callable[[Graph], float]
"""A function that measures any number of a graph."""


def path_sources(graph: Graph, random: Randomness, most: int = 256) -> NDArray[np.int64]:
    """The vertices to search from: all of them, or `most` at random."""
    if most < 1:
        raise ParameterError(f"at least 1 source is needed, got {most}")
    n = graph.n_vertices
    return np.arange(n) if n <= most else np.sort(random.permutation(n)[:most])


def distance_counts(graph: Graph, sources: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """How many pairs of a source and another vertex lie at each distance (0 holds none); all sources by default."""
    starts = np.arange(graph.n_vertices) if sources is None else np.asarray(sources, dtype=np.int64)
    totals = np.zeros(1, dtype=np.int64)
    for first in range(0, len(starts), 64):
        counts = _distance_levels(graph.indptr, graph.indices, starts[first : first + 64])
        longer, shorter = (counts, totals) if len(counts) > len(totals) else (totals, counts)
        totals = longer.copy()
        totals[: len(shorter)] += shorter
    return totals


def average_path_length(graph: Graph, sources: NDArray[np.int64] | None = None) -> float:
    """The mean distance of connected pairs."""
    return _average(distance_counts(graph, sources), graph.n_vertices, _number(graph, sources))


def effective_diameter(graph: Graph, sources: NDArray[np.int64] | None = None) -> float:
    """The distance, between whole numbers by interpolation, within which 90% of connected pairs lie."""
    return _diameter(distance_counts(graph, sources), graph.n_vertices, _number(graph, sources))


def global_efficiency(graph: Graph, sources: NDArray[np.int64] | None = None) -> float:
    """The mean of 1/distance over all pairs; pairs that are not connected count 0."""
    return _efficiency(distance_counts(graph, sources), graph.n_vertices, _number(graph, sources))


def _number(graph: Graph, sources: NDArray[np.int64] | None) -> int:
    """How many sources are searched from."""
    return graph.n_vertices if sources is None else len(sources)


def _average(counts: NDArray[np.int64], _n: int, _sources: int) -> float:
    reached = int(counts.sum())
    return float((np.arange(len(counts)) * counts).sum() / reached) if reached else 0.0


def _diameter(counts: NDArray[np.int64], _n: int, _sources: int) -> float:
    within = np.cumsum(counts) / max(int(counts.sum()), 1)
    if within[-1] == 0:
        return 0.0
    at = int(np.searchsorted(within, 0.9))
    return float(at - 1 + (0.9 - within[at - 1]) / (within[at] - within[at - 1]))


def _efficiency(counts: NDArray[np.int64], n: int, sources: int) -> float:
    pairs = sources * (n - 1)
    return float((counts[1:] / np.arange(1, len(counts))).sum() / pairs) if pairs > 0 else 0.0


_Path: TypeAlias = Callable[[NDArray[np.int64], int, int], float]
METRICS: dict[str, _Path] = {
    "average_path_length": _average,
    "effective_diameter": _diameter,
    "global_efficiency": _efficiency,
}


def metric_names(metrics: Iterable[str | Metric]) -> list[str]:
    """The names of metrics: as given, or those of the functions; unknown and repeated names are refused."""
    names = []
    for metric in metrics:
        if isinstance(metric, str) and metric not in METRICS:
            raise ParameterError(f"there is no metric {metric!r}{suggest(metric, METRICS)}; or give a function")
        name = metric if isinstance(metric, str) else getattr(metric, "__name__", type(metric).__name__)
        if name in names:
            raise ParameterError(f"two metrics are called {name!r}; give each function a name of its own")
        names.append(name)
    return names


def measure_of(
    metrics: Sequence[str | Metric], sources: NDArray[np.int64] | None = None
) -> Callable[[Graph], NDArray[np.float64]]:
    """One function that measures all of these metrics of a graph; those of distances share one search."""
    metric_names(metrics)
    searching = any(isinstance(metric, str) for metric in metrics)

    def measure(graph: Graph) -> NDArray[np.float64]:
        counts = distance_counts(graph, sources) if searching else np.zeros(1, dtype=np.int64)
        of_paths = (graph.n_vertices, _number(graph, sources))
        values = [METRICS[each](counts, *of_paths) if isinstance(each, str) else each(graph) for each in metrics]
        return np.asarray(values, dtype=np.float64)

    return measure


@kernel
def _bits(word: np.uint64) -> int:
    """How many bits are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def _distance_levels(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], sources: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Vertices reached at each distance from up to 64 sources, added up."""
    n = indptr.shape[0] - 1
    seen, now, then = np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64), np.zeros(n, dtype=np.uint64)
    here, there = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    n_here = 0
    for s in range(sources.shape[0]):
        if now[sources[s]] == 0:
            here[n_here] = sources[s]
            n_here += 1
        now[sources[s]] |= np.uint64(1) << np.uint64(s)
        seen[sources[s]] |= np.uint64(1) << np.uint64(s)
    counts, level = np.zeros(64, dtype=np.int64), 0
    while n_here:
        level += 1
        if level == counts.shape[0]:
            grown = np.zeros(2 * level, dtype=np.int64)
            grown[:level] = counts
            counts = grown
        n_there = 0
        for t in range(n_here):
            v = here[t]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                fresh = now[v] & ~seen[u]
                if fresh:
                    if then[u] == 0:
                        there[n_there] = u
                        n_there += 1
                    then[u] |= fresh
        for t in range(n_here):
            now[here[t]] = 0
        for t in range(n_there):
            u = there[t]
            counts[level] += _bits(then[u])
            seen[u] |= then[u]
            now[u] = then[u]
            then[u] = 0
        here, there, n_here = there, here, n_there
    return counts[: max(level, 1)]
