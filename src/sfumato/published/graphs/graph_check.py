"""Checks of published graphs, whoever made them: the original, what was published, and which vertex is behind which.

Each returns what was found and what is wrong. Random methods are held to their distribution: a count that would come
about once in a million releases is taken for a mistake. What is found goes into certificates, so that no number of the
original's is in it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph

__all__ = [
    "Checked", "check_added_deleted", "check_degrees", "check_degrees_kept", "check_perturbed",
    "check_relabelled", "check_supergraph",
]  # fmt: skip

Checked = tuple[tuple[str, ...], tuple[str, ...]]
"""What was found, and what is wrong."""

_SIGMAS = 6.0
"""How many standard deviations a number of edges may be off before it is no chance any more."""
_LEAST_P = 1e-6


def check_relabelled(original: Graph, published: Graph, rows: NDArray[Any]) -> Checked:
    """Whether the published graph is the original under other numbers."""
    if (wrong := _wrong_map(original, published, rows)) is not None:
        return (), (wrong,)
    lost, added = _changes(original, published, rows)
    if lost or added:
        return (), (f"{lost:,} edges of the original are not published, and {added:,} that it lacks are",)
    return (f"{_edges_in_words(published)}, all those of the original and no other",), ()


def check_perturbed(original: Graph, published: Graph, rows: NDArray[Any], mu: float) -> Checked:
    """Whether as many edges went and came as flips of probability `mu` make likely: exact binomial tests."""
    if (wrong := _wrong_map(original, published, rows)) is not None:
        return (), (wrong,)
    lost, added = _changes(original, published, rows)
    n_edges, n_absent = original.n_edges, original.n_pairs - original.n_edges
    broken = [
        f"{_edges_in_words(count)} of {trials:,} {what}, where mu={mu:g} makes {_mean_in_words(trials * mu)} likely"
        for count, trials, what in ((lost, n_edges, "deleted"), (added, n_absent, "added"))
        if _p_value(count, trials, mu) < _LEAST_P
    ]
    found = f"as many edges deleted, and as many added, as mu={mu:g} makes likely"
    return () if broken else (found,), tuple(broken)


def unlikely_density(published: Graph, mu: float) -> list[str]:
    """Say so where there are too few edges, or too many, for any graph whose pairs were flipped with probability `mu`.

    A pair is published as joined with probability `mu` at least, and as not joined with `mu` at least (`mu` is at most
    1/2), whatever the original is: either count is at least a binomial number of all pairs.
    """
    n, joined = published.n_pairs, published.n_edges
    for count, what in ((joined, "edges"), (n - joined, "pairs without an edge")):
        if count < n * mu and _p_value(count, n, mu) < _LEAST_P:
            return [
                f"{count:,} of {n:,} pairs are {what}, where flips with mu={mu:g} leave "
                f"{_mean_in_words(n * mu)} or more"
            ]
    return []


def unlikely_count(original: Graph, published: Graph, mu: float) -> list[str]:
    """Compare the numbers of vertices and edges with those that flips of the original make likely; needs no row map."""
    if len(original) != len(published):
        return [f"{len(published):,} vertices are published, and the original has {len(original):,}"]
    expected = original.n_edges * (1 - mu) + (original.n_pairs - original.n_edges) * mu
    spread = math.sqrt(original.n_pairs * mu * (1 - mu))
    if abs(published.n_edges - expected) > _SIGMAS * spread + 1:
        return [
            f"{_edges_in_words(published.n_edges)} are published, where mu={mu:g} makes "
            f"{_mean_in_words(expected)} likely"
        ]
    return []


def check_added_deleted(original: Graph, published: Graph, rows: NDArray[Any], edges: int) -> Checked:
    """Whether exactly `edges` edges were deleted, and as many added."""
    if (wrong := _wrong_map(original, published, rows)) is not None:
        return (), (wrong,)
    lost, added = _changes(original, published, rows)
    said = f"{lost:,} edges deleted and {added:,} added"
    return ((said,), ()) if lost == added == edges else ((), (f"{said}, and it should be {edges:,} of each",))


def check_degrees_kept(original: Graph, published: Graph, rows: NDArray[Any]) -> Checked:
    """Whether every vertex has as many neighbours as the one behind it."""
    if (wrong := _wrong_map(original, published, rows)) is not None:
        return (), (wrong,)
    off = int((published.degrees != original.degrees[np.asarray(rows, dtype=np.int64)]).sum())
    if off:
        return (), (f"{off:,} vertices have another number of neighbours than they had",)
    return ("every vertex has as many neighbours as it had",), ()


def check_degrees(published: Graph, k: int) -> Checked:
    """Whether every degree is that of k vertices or more."""
    values, counts = np.unique(published.degrees, return_counts=True)
    below = counts < k
    if not len(counts):
        return ("no vertices",), ()
    if below.any():
        worst = int(np.argmin(counts))
        return (), (
            f"{int(below.sum()):,} degrees are those of fewer than {k:,} vertices, among them {int(values[worst]):,} "
            f"of {int(counts[worst]):,}",
        )
    return (f"every degree is that of {int(counts.min()):,} vertices or more, in {len(values):,} degrees",), ()


def check_supergraph(original: Graph, published: Graph, rows: NDArray[Any]) -> Checked:
    """Whether all edges of the original are published; there may be others."""
    if (wrong := _wrong_map(original, published, rows)) is not None:
        return (), (wrong,)
    lost, _ = _changes(original, published, rows)
    if lost:
        return (), (f"{lost:,} edges of the original are not published",)
    return ("all edges of the original, and perhaps others",), ()


def _wrong_map(original: Graph, published: Graph, rows: NDArray[Any]) -> str | None:
    n = len(original)
    if len(published) != n:
        return f"{len(published):,} vertices are published, and the original has {n:,}"
    if not np.array_equal(np.sort(np.asarray(rows)), np.arange(n)):
        return "not every original vertex stands behind one published vertex"
    return None


def _changes(original: Graph, published: Graph, rows: NDArray[Any]) -> tuple[int, int]:
    """How many edges of the original are gone, and how many are new."""
    behind = np.asarray(rows, dtype=np.int64)
    u, v = published.edges
    kept = int(original.has_edges(behind[u], behind[v]).sum())
    return original.n_edges - kept, published.n_edges - kept


def _p_value(count: int, trials: int, p: float) -> float:
    if p == 0 or trials == 0:
        return float(count == 0)
    from scipy.stats import binomtest

    return float(binomtest(count, trials, p).pvalue)


def _edges_in_words(counted: Graph | int) -> str:
    n = counted.n_edges if isinstance(counted, Graph) else counted
    return f"{n:,} edge{'' if n == 1 else 's'}"


def _mean_in_words(mean: float) -> str:
    return f"{mean:,.0f}" if mean >= 10 else f"{mean:.2g}"
