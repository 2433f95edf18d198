"""What an analyst can still do with numbers that were published under other values.

Clusters, neighbourhoods, order, localities and aggregates of the published quasi-identifiers against those of the
original: the measures by which Xue's thesis (National University of Singapore, 2012, section 5.7) judges pattern
preservation, made definite where they were not. All compare a record with itself, so that the published records must
be put back into the order of the original. Quasi-identifiers are numbers, one line per column and one column per
record: shape (d, n). For the distortion of cells that cover values, see `distortion.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import is_whole
from sfumato.published.tables.linkage import to_unit_range

__all__ = [
    "QueryErrors",
    "aggregate_errors",
    "clustering_disagreement",
    "clustering_error",
    "distortion_by_column",
    "localities_kept",
    "neighbours_kept",
    "rank_correlation",
    "relative_distortion_by_column",
]

_MAX_ROUNDS = 300
_CHUNK = 4_096
_NOTHING = 1e-12


# -- distance from the truth -----------------------------------------------------------------------------


def distortion_by_column(original: NDArray[Any], published: NDArray[Any]) -> NDArray[np.float64]:
    """By column, the mean of |t - t'| over the range of the original; 0 for a column with one value.

    In place of Eq. 5.9 of the thesis, which divides by t and is undefined at 0.
    """
    true, shown = _pair(original, published)
    span = np.ptp(true, axis=1)
    apart = np.abs(true - shown).mean(axis=1)
    return np.asarray(np.divide(apart, span, out=np.zeros(len(true)), where=span > 0), dtype=np.float64)


def relative_distortion_by_column(original: NDArray[Any], published: NDArray[Any]) -> NDArray[np.float64]:
    """By column, the mean of |t - t'| / max(|t|, 1% of the original's range): Eq. 5.9, kept finite near 0."""
    true, shown = _pair(original, published)
    scale = np.maximum(np.abs(true), 0.01 * np.ptp(true, axis=1, keepdims=True))
    apart = np.abs(true - shown)
    return np.asarray(np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0).mean(axis=1), dtype=np.float64)


# -- shape -----------------------------------------------------------------------------------------------


def clustering_error(original: NDArray[Any], published: NDArray[Any], k: int, random: Randomness) -> float:
    """The share of records that k-means puts into another cluster after publication (thesis, section 5.7.2).

    Columns are scaled to the original's range. Both clusterings start from the same centres, drawn on the original
    (Arthur & Vassilvitskii, "k-means++", SODA 2007), and are improved by Lloyd's steps to the end; clusters are matched
    as `clustering_disagreement` does. The same `random` gives the same centres, for every release of one original.
    O(n d k) a step.
    """
    true, shown = to_unit_range(*_pair(original, published))
    if not is_whole(k) or k < 1:
        raise ParameterError(f"k must be >= 1, got {k!r}")
    centres = _starting_centres(true.T, k, random.spawn("clustering"))
    return clustering_disagreement(_lloyd(true.T, centres), _lloyd(shown.T, centres))


def clustering_disagreement(labels_a: NDArray[Any], labels_b: NDArray[Any]) -> float:
    """The share of records that two clusterings put into different clusters, whatever these are called.

    Clusters are matched so that as many records as possible agree (the Hungarian method); with C_i and C'_i matched,
    this is the thesis's CE = 1/(2n) sum (|C_i u C'_i| - |C_i n C'_i|), the sum over both terms.

    >>> clustering_disagreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    0.0
    >>> clustering_disagreement(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    0.5
    """
    from scipy.optimize import linear_sum_assignment

    if len(labels_a) != len(labels_b) or not len(labels_a):
        raise DataError(f"both clusterings must label the same records, got {len(labels_a)} and {len(labels_b)}")
    _, a = np.unique(labels_a, return_inverse=True)
    _, b = np.unique(labels_b, return_inverse=True)
    shape = (int(a.max()) + 1, int(b.max()) + 1)
    together = np.bincount(a * shape[1] + b, minlength=shape[0] * shape[1]).reshape(shape)
    agree = int(together[linear_sum_assignment(together, maximize=True)].sum())
    return (len(a) - agree) / len(a)


def neighbours_kept(original: NDArray[Any], published: NDArray[Any], k: int) -> float:
    """The average share of a record's `k` nearest others that are still among its `k` nearest once published.

    Euclidean distance, columns scaled to the original's range. Of equally near records those count that the tree names
    first. About k / n for unrelated data. O(n k log n), in chunks.
    """
    from scipy.spatial import KDTree

    true, shown = to_unit_range(*_pair(original, published))
    n = true.shape[1]
    if not is_whole(k) or not 1 <= k < n:
        raise ParameterError(f"k must be at least 1 and below the number of records, {n}, got {k!r}")
    trees = KDTree(true.T), KDTree(shown.T)
    kept = 0
    for start in range(0, n, _CHUNK):
        here = np.arange(start, min(start + _CHUNK, n))
        before, after = (_others(tree, points.T, here, k) for tree, points in zip(trees, (true, shown), strict=True))
        both = np.sort(np.concatenate([before, after], axis=1), axis=1)
        kept += int((both[:, 1:] == both[:, :-1]).sum())
    return float(kept / (n * k))


def rank_correlation(original: NDArray[Any], published: NDArray[Any]) -> NDArray[np.float64]:
    """Spearman's rank correlation by column, equal values at their average rank; NaN where a side has one value."""
    from scipy.stats import rankdata

    true, shown = (rankdata(values, axis=1) for values in _pair(original, published))
    true, shown = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (true, shown))
    scale = np.sqrt((true**2).sum(axis=1) * (shown**2).sum(axis=1))
    together = (true * shown).sum(axis=1)
    return np.asarray(np.divide(together, scale, out=np.full(len(true), np.nan), where=scale > 0), dtype=np.float64)


def localities_kept(
    original: NDArray[Any], published: NDArray[Any], random: Randomness, n: int = 10_000
) -> NDArray[np.float64]:
    """By column, the share of random localities that keep their direction.

    A locality (thesis, definition 5) says of three records which of the outer two lies nearer to the middle one; which
    is the middle one is read off the original. `n` triples are drawn. Left out are those with equal values or equal
    distances in the original; NaN where none is left. One that becomes a tie is not kept. The same `random` gives the
    same triples.
    """
    true, shown = _pair(original, published)
    if not is_whole(n) or n < 1:
        raise ParameterError(f"n must be >= 1, got {n!r}")
    kept = np.full(len(true), np.nan)
    if true.shape[1] < 3:
        return kept
    triples = _triples(true.shape[1], n, random.spawn("localities"))
    for line in range(len(true)):
        values = true[line, triples]
        order = np.argsort(values, axis=0, kind="stable")
        low, middle, high = np.take_along_axis(values, order, axis=0)
        side = (middle - low) - (high - middle)
        counted = (low < middle) & (middle < high) & (np.abs(side) > _NOTHING * np.ptp(true[line]))
        if counted.any():
            low, middle, high = shown[line, np.take_along_axis(triples, order, axis=0)]
            after = np.abs(middle - low) - np.abs(high - middle)
            kept[line] = float((np.sign(after) == np.sign(side))[counted].mean())
    return kept


# -- aggregates ------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class QueryErrors:
    """The relative errors of one kind of query."""

    query: str
    """COUNT(*), or AVG of a column, counted from 0."""
    median: float
    """NaN where no query was answered."""
    mean: float
    n_answered: int
    n_skipped: int
    """Queries without a true answer to compare with, or without any record to average."""


def aggregate_errors(
    original: NDArray[Any], published: NDArray[Any], labels: NDArray[Any], random: Randomness, n_queries: int = 2_000
) -> list[QueryErrors]:
    """Errors of the aggregate queries of the thesis, section 5.7.3: a count, then an average of each column.

    The count asks for values above a threshold in every column, an average for values above one in every other column
    and a random subset of the `labels` (the sensitive values, published as they are). Thresholds are uniform over the
    original's range and subsets uniform in size. The error is |a - a'| / |a|. A query is skipped, and counted as such,
    where the true answer is 0 or where an average has no record in the original or as published. The same `random`
    gives the same queries. O(queries x n d^2).
    """
    true, shown = _pair(original, published)
    d, n = true.shape
    if len(labels) != n:
        raise DataError(f"labels must have one value per record, {n}, got {len(labels)}")
    if not is_whole(n_queries) or n_queries < 1:
        raise ParameterError(f"n_queries must be >= 1, got {n_queries!r}")
    names, codes = np.unique(labels, return_inverse=True)
    stream = random.spawn("aggregates")
    low, span = true.min(axis=1), np.ptp(true, axis=1)
    results = []
    for asked in range(-1, d):  # -1 is the count
        errors: list[float] = []
        others = [line for line in range(d) if line != asked]
        for _ in range(n_queries):
            above = low + span * stream.uniform(d)
            picked = np.ones(n, dtype=bool) if asked < 0 else _subset(len(names), stream)[codes]
            before, after = (_meets(values, others, above, picked) for values in (true, shown))
            a, b = int(np.count_nonzero(before)), int(np.count_nonzero(after))
            if asked < 0 and a:
                errors.append(abs(a - b) / a)
            elif a and b and (mean := float(true[asked, before].mean())):
                errors.append(abs(mean - float(shown[asked, after].mean())) / abs(mean))
        results.append(
            QueryErrors(
                query="COUNT(*)" if asked < 0 else f"AVG({asked})",
                median=float(np.median(errors)) if errors else float("nan"),
                mean=float(np.mean(errors)) if errors else float("nan"),
                n_answered=len(errors),
                n_skipped=n_queries - len(errors),
            )
        )
    return results


# -- steps -----------------------------------------------------------------------------------------------


def _pair(original: NDArray[Any], published: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    true, shown = np.asarray(original, dtype=np.float64), np.asarray(published, dtype=np.float64)
    if true.ndim != 2 or true.shape != shown.shape or not true.size:
        raise DataError(
            f"original and published must have one shape, (columns, records), got {true.shape} and {shown.shape}"
        )
    if not (np.isfinite(true).all() and np.isfinite(shown).all()):
        raise DataError("values must be finite numbers; leave records with missing values out of both")
    return true, shown


def _starting_centres(points: NDArray[np.float64], k: int, random: Randomness) -> NDArray[np.float64]:
    """k-means++: each next centre is a record drawn with weight its squared distance to the nearest so far."""
    first = int(random.integers(len(points), size=1)[0])
    chosen = [first]
    apart = ((points - points[first]) ** 2).sum(axis=1)
    for found in range(1, k):
        total = np.cumsum(apart)
        if total[-1] == 0.0:
            raise ParameterError(f"k={k} clusters need {k} distinct records, and there are {found}; lower k")
        drawn = int(np.searchsorted(total, random.uniform(1)[0] * total[-1], side="right"))
        chosen.append(min(drawn, int(np.flatnonzero(apart)[-1])))
        apart = np.minimum(apart, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
    return points[chosen]


def _lloyd(points: NDArray[np.float64], centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """Labels when no record changes its cluster any more; an empty cluster keeps its centre."""
    centres = centres.copy()
    labels = np.full(len(points), -1, dtype=np.int64)
    for _ in range(_MAX_ROUNDS):
        fresh = ((centres**2).sum(axis=1) - 2.0 * (points @ centres.T)).argmin(axis=1)
        if np.array_equal(fresh, labels):
            break
        labels = fresh
        sizes = np.bincount(labels, minlength=len(centres))
        filled = sizes > 0
        for line in range(points.shape[1]):
            sums = np.bincount(labels, points[:, line], minlength=len(centres))
            centres[filled, line] = sums[filled] / sizes[filled]
    return labels


def _others(tree: Any, points: NDArray[np.float64], here: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The k nearest others of each of the records `here`."""
    _, found = tree.query(points[here], k=k + 1)
    own = found == here[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(found[~own].reshape(len(here), k), dtype=np.int64)


def _triples(n_records: int, n: int, random: Randomness) -> NDArray[np.int64]:
    """Draw three different records, n times: shape (3, n)."""
    a, b, c = (random.integers(n_records - taken, size=n) for taken in range(3))
    b = b + (b >= a)
    c = c + (c >= np.minimum(a, b))
    return np.array([a, b, c + (c >= np.maximum(a, b))])


def _subset(n: int, random: Randomness) -> NDArray[np.bool_]:
    """A random subset of n things, uniform in size; at least one."""
    wanted = np.zeros(n, dtype=bool)
    wanted[random.permutation(n)[: int(random.integers(n, size=1)[0]) + 1]] = True
    return wanted


def _meets(
    values: NDArray[np.float64], lines: list[int], above: NDArray[np.float64], picked: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which of the `picked` records lie above the threshold in each of these columns."""
    for line in lines:
        picked = picked & (values[line] > above[line])
    return picked
