"""The check of k^m-anonymity: every set of at most m items that occurs is counted, whoever made the records.

Equal records are one that counts several times. Sets are gone through prefix by prefix: of the records that hold a
set, the items behind its last are counted, and the records that hold one of these are the next list. A set that only
equal records hold needs no walk: all sets that go on from it are held by these records, and how many there are is a
sum of binomials.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.kernels import kernel
from sfumato.published.baskets.equal_records import equal_record_numbers, group_equal_records
from sfumato.published.baskets.set_work import refuse_too_many_sets

__all__ = ["KMCheck", "check_km", "check_recoding", "km_loss"]

_MOST_TOLD = 1e18  # sets; how many more there are does not matter


@dataclass(frozen=True)
class KMCheck:
    """What the check of k^m-anonymity found."""

    holds: bool
    worst: int
    """The least number of records that hold a set of at most m items which occurs; the empty set counts."""
    broken: tuple[str, ...] = ()
    n_sets: int = 0
    """How many sets of one to m items occur, 10^18 at most."""


def check_km(published: PublishedBaskets, k: int, m: int) -> KMCheck:
    """Count all sets of at most m items that published records hold. O(sets that each different record holds), exact.

    Refused with a ParameterError where these are too many.
    """
    if len(published.differs.ids):
        n = int((published.differs.sizes > 0).sum())
        return KMCheck(False, 0, (f"{n:,} published records mark items, so sets of items cannot be counted",))
    base = published.base
    if not len(base):
        return KMCheck(True, k)
    longest = max(1, min(m, int(base.sizes.max(initial=1))))
    each = group_equal_records(equal_record_numbers(base))
    merged = base.rows(each.first)
    shared = np.bincount(np.repeat(np.arange(len(merged)), merged.sizes)[merged.counts[merged.ids] > 1])
    refuse_too_many_sets(shared, longest)
    deepest = min(longest, int(shared.max(initial=0)) + 1)  # larger sets have an item that no other record has
    n_sets, n_below, worst, example = _walk(merged.starts, merged.ids, each.times, base.n_items, k, longest, deepest)
    broken = []
    if n_below:
        names = ", ".join(base.items[i] for i in example)
        broken.append(
            f"{_number_in_words(n_below)} sets of at most {m} item{'s' if m > 1 else ''} are held by fewer than {k:,} "
            f"records, "
            f"among them {{{names}}} by {worst:,}"
        )
    worst = min(int(worst), len(base))
    if len(base) < k:
        broken.append(f"there are {len(base):,} published records, fewer than {k:,}")
    return KMCheck(not broken, worst, tuple(broken), int(min(n_sets, _MOST_TOLD)))


def _number_in_words(n_sets: float) -> str:
    return f"{int(n_sets):,}" if n_sets < _MOST_TOLD else f"more than {int(_MOST_TOLD):,}"


@kernel
def _walk(  # noqa: C901  a kernel
    starts: NDArray[np.int64], ids: NDArray[np.int32], times: NDArray[np.int64], n_items: int, k: int, m: int,
    deepest: int,
) -> tuple[float, float, int, NDArray[np.int64]]:  # fmt: skip
    """How many sets occur, how many in fewer than k records, the least count, and a set that has it if below k.

    Record i counts `times[i]` times. Sets of more than `deepest` items are held by one kind of record.
    """
    n_listed = ids.shape[0]
    stop = np.empty(n_listed, dtype=np.int64)  # where the record of a place ends
    weight = np.empty(n_listed, dtype=np.int64)
    for i in range(starts.shape[0] - 1):
        stop[starts[i] : starts[i + 1]] = starts[i + 1]
        weight[starts[i] : starts[i + 1]] = times[i]
    places = np.empty((deepest, n_listed), dtype=np.int64)  # by depth: where records hold the last item, item by item
    items = np.empty((deepest, n_items), dtype=np.int32)
    begins = np.zeros((deepest, n_items + 1), dtype=np.int64)
    holding = np.zeros((deepest, n_items), dtype=np.int64)  # by depth: how many records hold the set with each item
    mass = np.zeros(n_items, dtype=np.int64)
    n_open, at = np.zeros(deepest, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    count, path = np.zeros(n_items, dtype=np.int64), np.zeros(deepest, dtype=np.int64)
    n_sets, n_below, worst = 0.0, 0.0, 2**62
    example = np.zeros(0, dtype=np.int64)
    depth, low, high = 0, 0, 0
    while True:
        # list by item the places that lie behind those of the set: of the empty set, all
        n_met = 0
        for source in range(low, high) if depth else range(1):
            first, end = (places[depth - 1, source] + 1, stop[places[depth - 1, source]]) if depth else (0, n_listed)
            for e in range(first, end):
                if count[ids[e]] == 0:
                    items[depth, n_met] = ids[e]
                    n_met += 1
                count[ids[e]] += 1
                mass[ids[e]] += weight[e]
        total = 0
        for t in range(n_met):
            begins[depth, t] = total
            total += count[items[depth, t]]
            count[items[depth, t]] = begins[depth, t]
            holding[depth, t] = mass[items[depth, t]]
            mass[items[depth, t]] = 0
        begins[depth, n_met] = total
        placed = depth + 1 < m  # of the longest sets only the counts are needed
        for source in range(low, high if placed else low) if depth else range(placed):
            first, end = (places[depth - 1, source] + 1, stop[places[depth - 1, source]]) if depth else (0, n_listed)
            for e in range(first, end):
                places[depth, count[ids[e]]] = e
                count[ids[e]] += 1
        for t in range(n_met):
            count[items[depth, t]] = 0
        n_open[depth], at[depth] = n_met, 0
        # take the next set that can be made longer; those that cannot are only counted
        longer = False
        while not longer:
            if at[depth] == n_open[depth]:
                if depth == 0:
                    return n_sets, n_below, worst, example
                depth -= 1
                continue
            t = at[depth]
            at[depth] += 1
            path[depth] = items[depth, t]
            low, high = begins[depth, t], begins[depth, t + 1]
            held, n_new, alone = holding[depth, t], 1.0, high - low == 1
            if alone and depth + 1 < m:  # all that go on from here are held by the same records
                left = stop[places[depth, low]] - places[depth, low] - 1
                ways = 1.0
                for size in range(1, min(left, m - depth - 1) + 1):
                    if n_new > 1e200:
                        break
                    ways = ways * (left - size + 1) / size
                    n_new += ways
            n_sets += n_new
            if held < k:
                n_below += n_new
            if held < k and (held < worst or (held == worst and depth + 1 < example.shape[0])):
                example = path[: depth + 1].copy()
            worst = min(worst, held)
            longer = depth + 1 < m and not alone
        depth += 1


def check_recoding(
    original: Baskets, published: PublishedBaskets, shown_as: Mapping[str, str | None], rows: NDArray[np.int64]
) -> tuple[str, ...]:
    """Compare each published record with the original behind it, and return what is wrong, a clause each.

    Items that `shown_as` gives None for must be shown nowhere; every other item of an original must be there under the
    name that it gives, and nothing else.
    """
    n = len(published)
    if len(original) != n or sorted(np.asarray(rows).tolist()) != list(range(n)):
        return ("not every original stands behind one published record",)
    broken = []
    if len(published.differs.ids):
        broken.append("some published record marks items, which no recoding does")
    held = original.counts.tolist()
    untold = sum(1 for name, count in zip(original.items, held, strict=True) if count and name not in shown_as)
    if untold:
        return (*broken, f"of {untold:,} items of the original it is not told how they are shown")
    place = {name: i for i, name in enumerate(published.items)}
    names = [shown_as.get(name) for name in original.items]
    number = np.array([-1 if name is None else place.get(name, -2) for name in names], dtype=np.int64)
    behind = original.rows(np.asarray(rows, dtype=np.int64))
    shown = number[behind.ids]
    width = max(len(place), 1)
    expected = np.unique((np.repeat(np.arange(n), behind.sizes) * width + shown)[shown >= 0])
    found = np.repeat(np.arange(n), published.base.sizes) * width + published.base.ids
    lacking = np.setdiff1d(expected, found) // width
    lacking = np.union1d(lacking, np.repeat(np.arange(n), behind.sizes)[shown == -2])
    extra = np.setdiff1d(found, expected) // width
    if len(lacking):
        broken.append(f"{len(lacking):,} published records lack an item that the original behind them has")
    if len(extra):
        broken.append(f"{len(np.unique(extra)):,} published records show an item that the original behind them lacks")
    labels = (published.labels, original.labels)
    if (labels[0] is None) != (labels[1] is None):
        broken.append("of the published records and the originals, only one have labels")
    elif labels[0] is not None and behind.labels is not None and not labels[0].equals(behind.labels, check_names=False):
        broken.append("some published record carries a label that is not that of the original behind it")
    return tuple(broken)


def km_loss(original: Baskets, shown_as: Mapping[str, str | None], leaves: Mapping[str, int], n_leaves: int) -> float:
    """How much of the items is lost on average: 0 if shown as they are, 1 if withheld or shown as the root.

    `leaves` tells how many of all `n_leaves` items each shown name stands for; one that it lacks stands for itself.
    """
    if not len(original.ids):
        return 0.0
    lost = [
        1.0 if (name := shown_as.get(item)) is None else (leaves.get(name, 1) - 1) / max(n_leaves - 1, 1)
        for item in original.items
    ]
    return float(np.dot(original.counts, lost) / original.counts.sum())
