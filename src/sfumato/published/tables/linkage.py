"""Whether records that were published under other values can still be linked to their originals.

The adversary holds the original quasi-identifiers of every record and sees the published ones, in random order. The
thesis behind pattern preservation (Xue, National University of Singapore, 2012, section 5.6) asks only for the
sensitive values of the nearest published records, and holds that kept patterns do no harm. They do: a release that
keeps the order of the values keeps the rank of every record, and whoever matches ranks finds everybody, however far
the values moved. The attacks here therefore go by distance and by rank, record by record and by the best one-to-one
assignment; repeated releases of the same original turn what they find into a k for every record.

Quasi-identifiers are numbers, one line per column and one column per record: shape (d, n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError, ParameterError, suggest

__all__ = [
    "ATTACKS",
    "Attack",
    "Linkage",
    "by_assignment",
    "by_rank",
    "by_rank_assignment",
    "linkage_over_releases",
    "nearest",
    "require_finite",
    "to_unit_range",
]

Attack: TypeAlias = Callable[[NDArray[Any], NDArray[Any], NDArray[np.int64]], NDArray[np.float64]]
"""From (original, published, rows) to each original record's probability of being linked to its published row."""

_DENSE = 2_000
"""Up to so many records the assignment is solved over all pairs."""
_CANDIDATES = 20
_TIE = 1e-9
"""Distances that differ by less, in proportion, are equal: they were summed in another order."""
_NOTHING = 1e-12


# -- attacks ---------------------------------------------------------------------------------------------


def nearest(original: NDArray[Any], published: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The adversary names the published row nearest to the original record.

    Distance is Euclidean, every column scaled to its original range. `rows` says which original record is behind each
    published row, and is used for the score alone. Returns, for every original record, the probability of being named
    rightly: 1 over the number of nearest rows where the right one is among them, else 0. O(n log n) for few columns.
    """
    known, seen, rows = _check_arrays(original, published, rows)
    return _share_of_nearest(*to_unit_range(known, seen), rows)


def by_rank(original: NDArray[Any], published: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The adversary names the published row whose ranks are nearest to those of the original record.

    As `nearest`, with each value replaced by its rank within its own column (equal values share their average rank),
    scaled to 0..1. It sees through any change of values that keeps their order.
    """
    known, seen, rows = _check_arrays(original, published, rows)
    return _share_of_nearest(*_ranks(known, seen), rows)


def by_assignment(original: NDArray[Any], published: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """The adversary matches all records at once: the one-to-one assignment with the least sum of squared distances.

    Records with the same values are interchangeable and share what they are assigned, evenly; other ties fall as the
    values decide, never by the order of the rows. Up to 2,000 records the assignment is optimal, O(n^3) at worst.
    Above that it is the best among pairs of which one is among some 20 nearest of the other, once the columns are
    matched in order, and pairs of equal place in the order of some column, by which a full matching always exists:
    then the attack may be a little weaker than the optimal one, most of all with many equal records.
    """
    known, seen, rows = _check_arrays(original, published, rows)
    return _share_of_assigned(*to_unit_range(known, seen), rows)


def by_rank_assignment(original: NDArray[Any], published: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """As `by_assignment`, with ranks in place of values."""
    known, seen, rows = _check_arrays(original, published, rows)
    return _share_of_assigned(*_ranks(known, seen), rows)


ATTACKS: Mapping[str, Attack] = MappingProxyType(
    {
        "nearest": nearest,
        "by_rank": by_rank,
        "by_assignment": by_assignment,
        "by_rank_assignment": by_rank_assignment,
    }
)
"""All attacks, by name."""


def to_unit_range(
    original: NDArray[np.float64], published: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scale both so that every column of the original ranges from 0 to 1.

    A column with one value tells no record from another, and is 0 in both.
    """
    low = original.min(axis=1, keepdims=True)
    span = original.max(axis=1, keepdims=True) - low
    known, seen = np.zeros_like(original), np.zeros_like(published)
    np.divide(original - low, span, out=known, where=span > 0)
    np.divide(published - low, span, out=seen, where=span > 0)
    return known, seen


def _ranks(
    original: NDArray[np.float64], published: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.stats import rankdata

    varied = original.max(axis=1, keepdims=True) > original.min(axis=1, keepdims=True)
    steps = max(original.shape[1] - 1, 1)
    known, seen = ((rankdata(values, axis=1) - 1.0) / steps * varied for values in (original, published))
    return np.asarray(known, dtype=np.float64), np.asarray(seen, dtype=np.float64)


def _share_of_nearest(
    known: NDArray[np.float64], seen: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    from scipy.spatial import KDTree

    own = np.empty_like(seen)
    own[:, rows] = seen
    tree = KDTree(seen.T)
    least, _ = tree.query(known.T)
    reach = least * (1.0 + _TIE) + _NOTHING
    named = np.flatnonzero(np.sqrt(((known - own) ** 2).sum(axis=0)) <= reach)
    n_nearest = tree.query_ball_point(known.T[named], reach[named], return_length=True)
    share = np.zeros(len(rows))
    share[named] = 1.0 / n_nearest
    return share


def _share_of_assigned(
    known: NDArray[np.float64], seen: NDArray[np.float64], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    n = len(rows)
    known_order, seen_order = np.lexsort(known), np.lexsort(seen)  # so that ties do not fall by the order of the rows
    a, b = known[:, known_order], seen[:, seen_order]
    assigned = _dense_assignment(a, b) if n <= _DENSE else _sparse_assignment(a, b)
    group_a, group_b = _groups(a), _groups(b)
    place = np.empty(n, dtype=np.int64)  # where each original record's own row stands in b
    place[rows[seen_order]] = np.arange(n)
    right = group_a * n + group_b[place[known_order]]
    named, counts = np.unique(group_a * n + group_b[assigned], return_counts=True)
    at = np.minimum(np.searchsorted(named, right), len(named) - 1)
    n_named = np.where(named[at] == right, counts[at], 0)
    size_a, size_b = np.bincount(group_a), np.bincount(group_b)
    share = np.empty(n)
    share[known_order] = n_named / size_a[group_a] / size_b[group_b[place[known_order]]]
    return share


def _groups(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number the runs of equal points."""
    changes = (points[:, 1:] != points[:, :-1]).any(axis=0)
    return np.concatenate([[0], np.cumsum(changes)]).astype(np.int64)


def _dense_assignment(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    price_a, price_b = _prices(a, b, _orders(a, b))
    cost = cdist(a.T, b.T, "sqeuclidean") - price_a[:, None] - price_b
    return np.asarray(linear_sum_assignment(cost)[1], dtype=np.int64)


def _sparse_assignment(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.int64]:
    """The best assignment among candidate pairs.

    Candidates are sought near where the best assignment of each column alone would put a point, which matters where
    the published values spread further than the original ones.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n = a.shape[1]
    orders = _orders(a, b)
    a_there, b_there = np.empty_like(a), np.empty_like(b)
    for line, (first, second) in enumerate(orders):
        x, y = a[line, first], b[line, second]
        a_there[line, first], b_there[line, second] = _mean_of_equal(x, y), _mean_of_equal(y, x)
    there, back = _candidates(a_there, b), _candidates(b_there, a)
    full = [first * n + second for first, second in orders]  # each a full matching, so that one exists
    pairs = np.unique(np.concatenate([there[0] * n + there[1], back[1] * n + back[0], *full]))
    i, j = np.divmod(pairs, n)
    price_a, price_b = _prices(a, b, orders)
    weight = ((a[:, i] - b[:, j]) ** 2).sum(axis=0) - price_a[i] - price_b[j]
    weight = np.maximum(weight, 0.0) + 1.0  # never below 0 but for rounding; and 0 would count as no pair
    found = min_weight_full_bipartite_matching(csr_array((weight, (i, j)), shape=(n, n)))
    return np.asarray(found[1], dtype=np.int64)


def _orders(a: NDArray[np.float64], b: NDArray[np.float64]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """By column, the points of each side as they rise there: pairs of equal place are that column's best assignment."""
    return [(np.lexsort(np.roll(a, -1 - c, axis=0)), np.lexsort(np.roll(b, -1 - c, axis=0))) for c in range(len(a))]


def _prices(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    orders: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The dual solutions of the columns' own assignments, added up: a feasible start for all columns at once.

    Taken off the squared distances they leave nothing below 0 and change no assignment's place among the others, but
    they save the solver most of its work.
    """
    price_a, price_b = np.zeros(a.shape[1]), np.zeros(b.shape[1])
    for line, (first, second) in enumerate(orders):
        x, y = a[line, first], b[line, second]
        rise = np.concatenate([[0.0], np.cumsum((x[1:] + x[:-1]) * np.diff(y))])
        price_a[first] += x**2 - 2.0 * x * y + rise
        price_b[second] += y**2 - rise
    return price_a, price_b


def _mean_of_equal(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """For rising x, the mean of y over all places that have the same x."""
    group = np.cumsum(np.concatenate([[False], x[1:] != x[:-1]]))
    return np.asarray((np.bincount(group, y) / np.bincount(group))[group], dtype=np.float64)


def _candidates(a: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of each point of `a` with its nearest of `b`; of equal points, each next one looks one neighbour further.

    Equal points of `a` stand together.
    """
    from scipy.spatial import KDTree

    tree = KDTree(b.T)
    starts = np.flatnonzero(np.diff(_groups(a), prepend=-1))
    sizes = np.diff(np.append(starts, a.shape[1]))
    of_a, of_b = [], []
    for size in np.unique(sizes).tolist():
        first = starts[sizes == size]
        _, found = tree.query(a.T[first], k=np.arange(1, min(size - 1 + _CANDIDATES, b.shape[1]) + 1))
        for member in range(size):
            window = found[:, member : member + _CANDIDATES]
            of_a.append(np.repeat(first + member, window.shape[1]))
            of_b.append(window.ravel())
    return np.concatenate(of_a), np.concatenate(of_b)


def _check_arrays(
    original: NDArray[Any], published: NDArray[Any], rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return the three as arrays; refuse shapes that do not fit each other, and row maps that are none."""
    known, seen = require_finite(original), require_finite(published)
    if known.shape != seen.shape:
        raise DataError(f"original and published must have one shape, got {known.shape} and {seen.shape}")
    rows = np.asarray(rows, dtype=np.int64)
    if not np.array_equal(np.sort(rows), np.arange(known.shape[1])):
        raise DataError("rows must name every original record once")
    return known, seen, rows


def require_finite(given: NDArray[Any]) -> NDArray[np.float64]:
    """Return the lines as floats; refuse anything that is not a line of finite numbers."""
    numbers = np.asarray(given, dtype=np.float64)
    if numbers.ndim != 2 or not numbers.size:
        raise DataError(f"quasi-identifiers must come as lines of numbers, (columns, records), got {numbers.shape}")
    if not np.isfinite(numbers).all():
        raise DataError("quasi-identifiers must be finite numbers; fill in missing values or leave their records out")
    return numbers


# -- repeated releases -----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Linkage:
    """How often each record was linked to its own row, over repeated releases of one original."""

    n_releases: int
    hits: Mapping[str, NDArray[np.float64]]
    """By attack, the expected number of releases in which each record was named rightly."""

    @property
    def rate(self) -> dict[str, float]:
        """By attack, the share of records that are linked, on average over releases."""
        return {attack: float(hits.mean()) / self.n_releases for attack, hits in self.hits.items()}

    def upper(self, attack: str, confidence: float = 0.95) -> NDArray[np.float64]:
        """For every record, an upper bound of the probability of being linked in a release.

        One-sided, after Clopper & Pearson (Biometrika 26, 1934); expected hits are rounded up. Without any hit the
        bound is still 1 - (1 - confidence)^(1 / n_releases), about 3 / n_releases at 95%.
        """
        hits = np.ceil(self._hits(attack) - _TIE)
        return _clopper_pearson(hits, self.n_releases, confidence)

    def interval(self, attack: str, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of the share of records that are linked, when the records are a sample of many.

        Two-sided. The releases of one record resemble each other, so that a record is a cluster and the number of
        trials is the effective one (Korn & Graubard, Survey Methodology 24, 1998): what variance between records
        leaves of it. Where no record or every record was always linked, a record counts as one trial.
        """
        from scipy.stats import t

        shares = self._hits(attack) / self.n_releases
        n_records, rate = len(shares), float(np.clip(shares.mean(), 0.0, 1.0))
        trials = float(n_records * self.n_releases)
        if rate in (0.0, 1.0) or n_records == 1:
            return _both_sides(rate * n_records, n_records, confidence)
        variance = float(shares.var(ddof=1)) / n_records
        if variance > 0.0:
            tail = 0.5 + confidence / 2.0
            degrees = float(t.ppf(tail, trials - 1) / t.ppf(tail, n_records - 1)) ** 2
            trials = min(trials, rate * (1.0 - rate) / variance * degrees)
        return _both_sides(rate * trials, trials, confidence)

    def pooled_interval(self, attack: str, confidence: float = 0.95) -> tuple[float, float]:
        """Bounds of the share linked among these very records, taking all trials as independent (Clopper & Pearson)."""
        hits = self._hits(attack)
        return _both_sides(float(hits.sum()), float(len(hits) * self.n_releases), confidence)

    @property
    def k(self) -> NDArray[np.float64]:
        """For every record, 1 over the greatest 95% upper bound of any attack: it hides among so many at least.

        The confidence is that of each attack alone. R releases cannot show a k above about R / 3.
        """
        return np.asarray(1.0 / np.max([self.upper(attack) for attack in self.hits], axis=0), dtype=np.float64)

    def k_quantile(self, q: float) -> float:
        """The k that a share `q` of the records falls short of."""
        return float(np.quantile(self.k, q))

    def _hits(self, attack: str) -> NDArray[np.float64]:
        if attack not in self.hits:
            raise ParameterError(f"no attack is called {attack!r}{suggest(attack, self.hits)}")
        return self.hits[attack]


def linkage_over_releases(
    original: NDArray[Any],
    releases: Iterable[tuple[NDArray[Any], NDArray[np.int64]]],
    attacks: Sequence[str] = tuple(ATTACKS),
) -> Linkage:
    """Attack repeated releases of one original, each given as (published, rows).

    The releases must be made in the same way with independent randomness. What is counted is the probability of a hit
    where an attack must guess among ties, which estimates the same rate with less noise. The cost is that of the
    attacks, once per release; releases are taken one at a time and not kept.
    """
    for attack in attacks:
        if attack not in ATTACKS:
            raise ParameterError(f"no attack is called {attack!r}{suggest(attack, ATTACKS)}")
    if not attacks:
        raise ParameterError(f"attacks must name some of {', '.join(ATTACKS)}")
    known = require_finite(original)
    hits = {attack: np.zeros(known.shape[1]) for attack in attacks}
    n_releases = 0
    for published, rows in releases:
        for attack, found in hits.items():
            found += ATTACKS[attack](known, published, rows)
        n_releases += 1
    if not n_releases:
        raise DataError("there is no release to attack; give one at least")
    return Linkage(n_releases=n_releases, hits=hits)


def _clopper_pearson(hits: NDArray[np.float64], trials: float, confidence: float) -> NDArray[np.float64]:
    """The one-sided upper bounds; 1 where every trial was a hit."""
    from scipy.stats import beta

    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"confidence must lie between 0 and 1, got {confidence!r}")
    misses = np.maximum(trials - hits, 0.0)
    bound = beta.ppf(confidence, hits + 1.0, np.where(misses > 0.0, misses, 1.0))
    return np.where(misses > 0.0, bound, 1.0)


def _both_sides(hits: float, trials: float, confidence: float) -> tuple[float, float]:
    tail = 0.5 + confidence / 2.0
    high = _clopper_pearson(np.array([hits]), trials, tail)
    low = 1.0 - _clopper_pearson(np.array([trials - hits]), trials, tail)
    return float(low[0]), float(high[0])
