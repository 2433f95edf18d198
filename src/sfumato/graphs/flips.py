"""Flipping pairs of vertices: which ones flip, and the graph with them turned from edge to none or back.

Pairs that flip are reached by geometric skips over all pairs, so that the work grows with edges and flips and not with
the number of pairs.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import checked_mu
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness

__all__ = ["draw_flips", "flip_pairs", "pair_ends", "toggle_pairs"]

_BATCH = 1 << 22
_MOST_EDGES = 200_000_000


def flip_pairs(graph: Graph, mu: float, random: Randomness, share: Share = tell_nobody) -> Graph:
    """The graph with every pair flipped with probability `mu`, vertices as they were, without names.

    O(edges + flips) in expectation.
    """
    expected = graph.n_edges + checked_mu(mu) * graph.n_pairs
    if expected > _MOST_EDGES:
        fits = max(_MOST_EDGES / 2 - graph.n_edges, 0) / max(graph.n_pairs, 1)
        raise ParameterError(
            f"mu={mu:g} of {graph.n_vertices:,} vertices makes about {expected:,.0f} edges, and {_MOST_EDGES:,} are "
            f"the most; choose a smaller mu, such as {fits:.1g}"
        )
    return toggle_pairs(graph, draw_flips(graph.n_pairs, mu, random, portion(share, 0.0, 0.5)))


def toggle_pairs(graph: Graph, pairs: NDArray[np.int64]) -> Graph:
    """The graph with these pairs, numbered as by `pair_ends` and rising, turned from edge to none or back."""
    return Graph.from_rows(*_toggle(graph.indptr, graph.indices, pairs))


def draw_flips(n_pairs: int, mu: float, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
    """Which of the pairs 0 to n - 1 flip, rising: each with probability `mu`, independently."""
    if mu == 0 or n_pairs == 0:
        return np.empty(0, dtype=np.int64)
    rate, at, parts = -math.log1p(-mu), -1, []
    while True:
        left = mu * (n_pairs - 1 - at)
        words = random.words(min(int(left + 4 * math.sqrt(left)) + 16, _BATCH))
        pairs, done = _skips(words, rate, at, n_pairs)
        parts.append(pairs)
        if done:
            share(1.0)
            return np.concatenate(parts)
        at = int(pairs[-1])
        share(at / n_pairs)


@kernel
def _skips(words: NDArray[np.uint64], rate: float, at: int, n_pairs: int) -> tuple[NDArray[np.int64], bool]:
    """The next flips after pair `at`, one for each random word, and whether the pairs came to their end.

    Exponential numbers of mean 1, divided by the rate and rounded down, are geometric. A word counts units of 2^-64,
    so that a skip of 0 has probability mu to 2^-64, however small mu is.
    """
    flips = np.empty(words.shape[0], dtype=np.int64)
    for t in range(words.shape[0]):
        share = min(np.float64(words[t]) * 2.0**-64, 1.0 - 2.0**-53)
        skip = np.floor(-np.log1p(-share) / rate)
        if skip >= np.float64(n_pairs - at):
            return flips[:t], True
        at += int(skip) + 1
        if at >= n_pairs:
            return flips[:t], True
        flips[t] = at
    return flips, False


@kernel
def _row(pair: int) -> int:
    """The larger end j of a pair: j (j - 1) / 2 <= pair < j (j + 1) / 2, exactly for up to 2^31 vertices."""
    j = int(np.sqrt(2.0 * pair))  # never above j: rounding is far below one half
    while j * (j + 1) // 2 <= pair:
        j += 1
    return j


@kernel
def pair_ends(pairs: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The smaller and the larger end of pairs by number: pair j (j - 1) / 2 + i joins i and j, for i < j."""
    low, high = np.empty_like(pairs), np.empty_like(pairs)
    for t in range(pairs.shape[0]):
        j = _row(pairs[t])
        low[t], high[t] = pairs[t] - j * (j - 1) // 2, j
    return low, high


@kernel
def _toggle(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], pairs: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The rows of the graph with the listed pairs toggled: both are rising lists, merged row by row."""
    n, n_listed = indptr.shape[0] - 1, pairs.shape[0]
    low, high = pair_ends(pairs)
    up_to, place = np.zeros(n + 1, dtype=np.int64), np.empty(n, dtype=np.int64)
    for t in range(n_listed):  # the larger ends of each vertex, in order, for pairs rise by their larger end
        up_to[low[t] + 1] += 1
    for v in range(n):
        place[v] = up_to[v]
        up_to[v + 1] += up_to[v]
    above = np.empty(n_listed, dtype=np.int32)
    for t in range(n_listed):
        above[place[low[t]]] = high[t]
        place[low[t]] += 1
    starts = np.zeros(n + 1, dtype=np.int64)
    rows = np.empty(indices.shape[0] + 2 * n_listed, dtype=np.int32)
    filled, t = 0, 0
    for v in range(n):
        e, a = indptr[v], up_to[v]
        while True:
            listed = n
            if t < n_listed and high[t] == v:
                listed = low[t]
            elif a < up_to[v + 1]:
                listed = above[a]
            stop = indptr[v + 1]
            while e < stop:
                other = indices[e]
                if other >= listed:
                    break
                rows[filled] = other
                filled += 1
                e += 1
            if listed == n:
                break
            if e < indptr[v + 1] and indices[e] == listed:
                e += 1
            else:
                rows[filled] = listed
                filled += 1
            if t < n_listed and high[t] == v:
                t += 1
            else:
                a += 1
        starts[v + 1] = filled
    return starts, rows[:filled]
