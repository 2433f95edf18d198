"""Sets of items that occur, but in too few records; and which items to withhold so that none of them is left.

Withholding an item changes the count of no set without it. So the sets of two to m items that occur in fewer than k
records, and hold no smaller such set, are fixed from the start; what is withheld must hit every one of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.kernels import kernel
from sfumato.published.baskets.set_work import SetWork, refuse_too_many_sets

__all__ = ["has_rare_set", "hitting_items", "rare_sets", "restrict_items"]


def rare_sets(baskets: Baskets, k: int, size: int, most: int, work: SetWork | None = None) -> NDArray[np.int32]:
    """Sets of `size` items that occur in one to k - 1 records, a set in each row; at most `most` of them.

    Smaller sets must all occur in k records or not at all. O(sets of up to this size that each record holds); refused
    with a ParameterError where these are too many, or where `work` has no steps left.
    """
    refuse_too_many_sets(baskets.sizes, size)
    if size == 1:
        few = np.flatnonzero((baskets.counts > 0) & (baskets.counts < k))
        return few[:most, None].astype(np.int32)
    work = work or SetWork()
    found, steps = _rare_sets(baskets.starts, baskets.ids, baskets.n_items, k, size, most, work.left)
    work.spend(steps, size)
    return found


def has_rare_set(baskets: Baskets, k: int, m: int, work: SetWork | None = None) -> bool:
    """Whether some set of one to m items occurs in at least one record and in fewer than k."""
    longest = min(m, int(baskets.sizes.max(initial=0)))
    return any(len(rare_sets(baskets, k, size, 1, work)) for size in range(1, longest + 1))


def restrict_items(baskets: Baskets, shown: NDArray[np.bool_]) -> Baskets:
    """The same records and item names, without the items that are not `shown`."""
    stay = shown[baskets.ids]
    total = np.concatenate([[0], np.cumsum(stay)])
    return Baskets(total[baskets.starts], baskets.ids[stay], baskets.items)


def hitting_items(sets: NDArray[np.int32], weight: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark items so that every set holds one of them: greedily, the item in most of the sets left for its weight.

    O(items x picks).
    """
    order = np.argsort(sets.ravel(), kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(sets.ravel(), minlength=len(weight)))])
    return _hitting_items(sets, starts.astype(np.int64), order // sets.shape[1], weight)


@kernel
def _hitting_items(
    sets: NDArray[np.int32], starts: NDArray[np.int64], set_of: NDArray[np.int64], weight: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The greedy choice; item i is in the sets `set_of[starts[i]:starts[i + 1]]`."""
    left = starts[1:] - starts[:-1]
    hit = np.zeros(sets.shape[0], dtype=np.bool_)
    taken = np.zeros(weight.shape[0], dtype=np.bool_)
    while True:
        best = -1
        for i in range(weight.shape[0]):
            if left[i] > 0 and (best < 0 or left[i] * weight[best] > left[best] * weight[i]):
                best = i
        if best < 0:
            return taken
        taken[best] = True
        for t in range(starts[best], starts[best + 1]):
            s = set_of[t]
            if not hit[s]:
                hit[s] = True
                for c in range(sets.shape[1]):
                    left[sets[s, c]] -= 1


@kernel
def _rare_sets(  # noqa: C901  a kernel
    starts: NDArray[np.int64], ids: NDArray[np.int32], n_items: int, k: int, size: int,
    most: int, most_steps: int,
) -> tuple[NDArray[np.int32], int]:  # fmt: skip
    """Depth first over sets in rising order of their items, each with the records that hold it; and the steps taken.

    Where these are more than `most_steps`, not all sets were found.
    """
    steps = 0
    n_listed = ids.shape[0]
    record = np.empty(n_listed, dtype=np.int64)
    for i in range(starts.shape[0] - 1):
        record[starts[i] : starts[i + 1]] = i
    by_item = np.argsort(ids, kind="mergesort")
    first = np.zeros(n_items + 1, dtype=np.int64)
    for e in range(n_listed):
        first[ids[e] + 1] += 1
    first = np.cumsum(first)
    found = np.empty((16, size), dtype=np.int32)
    n_found = 0
    count = np.zeros(n_items, dtype=np.int64)
    met = np.empty((size, n_items), dtype=np.int32)
    n_met, at = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    lists = np.empty((size, starts.shape[0]), dtype=np.int64)  # by length of the set: where the records hold its last
    n_lists = np.zeros(size, dtype=np.int64)
    path = np.zeros(size, dtype=np.int32)
    for item in range(n_items):
        path[0] = item
        n_lists[0] = first[item + 1] - first[item]
        lists[0, : n_lists[0]] = by_item[first[item] : first[item + 1]]
        depth = 0
        arrived = True
        while depth >= 0:
            if arrived:  # count the items that come after the set in the records that hold it
                n_met[depth] = 0
                for t in range(n_lists[depth]):
                    e = lists[depth, t]
                    steps += starts[record[e] + 1] - e
                    for f in range(e + 1, starts[record[e] + 1]):
                        if count[ids[f]] == 0:
                            met[depth, n_met[depth]] = ids[f]
                            n_met[depth] += 1
                        count[ids[f]] += 1
                for t in range(n_met[depth]):
                    after = met[depth, t]
                    if depth == size - 2 and count[after] < k:
                        if n_found == found.shape[0]:
                            found = np.concatenate((found, np.empty((n_found, size), dtype=np.int32)))
                        found[n_found, : size - 1] = path[: size - 1]
                        found[n_found, size - 1] = after
                        n_found += 1
                    count[after] = 0
                if n_found >= most or steps > most_steps:
                    return found[: min(n_found, most)], steps
                at[depth] = 0
            if depth == size - 2 or at[depth] == n_met[depth]:
                depth -= 1
                arrived = False
                continue
            path[depth + 1] = met[depth, at[depth]]
            at[depth] += 1
            n_next = 0
            for t in range(n_lists[depth]):
                e = lists[depth, t]
                low, high = e + 1, starts[record[e] + 1]
                end = high
                while low < high:
                    middle = (low + high) // 2
                    if ids[middle] < path[depth + 1]:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and ids[low] == path[depth + 1]:
                    lists[depth + 1, n_next] = low
                    n_next += 1
            n_lists[depth + 1] = n_next
            steps += 4 * n_lists[depth]
            depth += 1
            arrived = True
    return found[:n_found], steps
