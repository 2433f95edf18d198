"""The most frequent sets of items, found from the top.

Best first over supports: a set has no more support than any part of it, so that the next best is always the best of
those that are open, or one of the open ones with further items. What is opened is little more than what is asked for,
and each opening counts the items of the records that have the set.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.validate import whole

__all__ = ["supports", "top_itemsets"]


def top_itemsets(
    baskets: Baskets, n: int = 100, least: int = 2, most: int = 4
) -> list[tuple[tuple[int, ...], int]]:  # fmt: skip
    """The n sets of `least` to `most` items that most records have, with their number; ties by the order of items.

    Sets that nobody has are left out. O(items present) for each set opened, of which there are about n.
    """
    for name, value in (("n", n), ("least", least), ("most", most)):
        whole(name, value, least=1)
    if most < least:
        raise ParameterError(f"most must be at least least={least}, got {most}")
    columns = _Columns(baskets)
    heap: list[tuple[int, tuple[int, ...]]] = [
        (-count, (item,)) for item, count in enumerate(baskets.counts.tolist()) if count
    ]
    heapq.heapify(heap)
    found: list[tuple[tuple[int, ...], int]] = []
    while heap and len(found) < n:
        support, items = heapq.heappop(heap)
        if len(items) >= least:
            found.append((items, -support))
        if len(items) < most:
            after = items[-1] + 1
            counts = _counts(baskets.starts, baskets.ids, columns.records(items), after, baskets.n_items)
            for item in np.flatnonzero(counts):
                heapq.heappush(heap, (-int(counts[item]), (*items, after + int(item))))
    return found


def supports(baskets: Baskets, itemsets: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """How many records have all items of each set."""
    columns = _Columns(baskets)
    return np.array([len(columns.records(items)) for items in itemsets], dtype=np.int64)


class _Columns:
    """For every item the records that have it, rising."""

    def __init__(self, baskets: Baskets) -> None:
        record = np.repeat(np.arange(len(baskets)), baskets.sizes)
        self.record = record[np.argsort(baskets.ids, kind="stable")]
        self.starts = np.concatenate([[0], np.cumsum(baskets.counts)])

    def records(self, items: Sequence[int]) -> NDArray[np.int64]:
        """The records that have all of these items."""
        lists = sorted((self.record[self.starts[i] : self.starts[i + 1]] for i in items), key=len)
        found = lists[0]
        for each in lists[1:]:
            found = np.intersect1d(found, each, assume_unique=True)
        return found


@kernel
def _counts(
    starts: NDArray[np.int64], ids: NDArray[np.int32], records: NDArray[np.int64], after: int, n_items: int
) -> NDArray[np.int64]:
    """How many of these records have each item from `after` on."""
    counts = np.zeros(n_items - after, dtype=np.int64)
    for i in records:
        for e in range(starts[i + 1] - 1, starts[i] - 1, -1):
            if ids[e] < after:
                break
            counts[ids[e] - after] += 1
    return counts
