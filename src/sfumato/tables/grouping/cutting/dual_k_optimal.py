"""The largest k within a bound on the loss: the dual problem for k-anonymity, optimal among consecutive groups.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, section 5, solve it in O(N^2). Here in O(N (d + log N)): a
stretch of the line that fits the bound still fits when it is shortened, so that for every record the stretches that
end there are known by the longest one, found for all records together by a sliding window; and if groups of k fit,
so do groups of fewer, so that k is found by bisection. `solve_dual.py` calls it where no sensitive column is named.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, join_boxes, loss_of_box
from sfumato.tables.coding.columns import Columns
from sfumato.tables.grouping.cutting.k_optimal import trace_starts

__all__ = ["earliest_starts", "largest_k"]

_SLACK = 1e-9


@kernel
def earliest_starts(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], max_loss: float
) -> NDArray[np.int64]:
    """For every record, where the longest stretch begins that ends with it and loses at most `max_loss`.

    A window slides along the line as a queue of two stacks: `front` holds the boxes of its first part, each from one
    record to the part's end, and `back` the box of the rest, so that a record can leave in front.
    """
    n, d = data.shape
    earliest = np.empty(n, dtype=np.int64)
    front, front_seen = np.empty((n, d, 3), dtype=np.int32), np.empty((n, words[-1]), dtype=np.uint64)
    back, back_seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    whole, whole_seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    clear_box(columns, back, back_seen)
    start, middle = 0, 0
    for i in range(n):
        add_record(columns, words, back, back_seen, data[i])
        while True:
            whole[:], whole_seen[:] = back, back_seen
            if start < middle:
                join_boxes(columns, words, whole, whole_seen, front[start], front_seen[start])
            if loss_of_box(columns, whole) <= max_loss + _SLACK or start == i:
                break
            if start == middle:  # the front is used up: the back becomes the front
                clear_box(columns, back, back_seen)
                for j in range(i, start - 1, -1):
                    add_record(columns, words, back, back_seen, data[j])
                    front[j], front_seen[j] = back, back_seen
                clear_box(columns, back, back_seen)
                middle = i + 1
            start += 1
        earliest[i] = start
    return earliest


@kernel
def _starts_of_k_groups(earliest: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Where consecutive groups start that have k records or more and fit the bound; empty where there are none.

    The last group is as short as can be, then the one before it, and so on.
    """
    n = earliest.shape[0]
    best = np.full(n + 1, -1, dtype=np.int64)
    last = np.empty(n + 1, dtype=np.int64)  # the last end up to here that groups can reach
    best[0], last[0] = 0, 0
    for i in range(1, n + 1):
        if i >= k:
            j = last[i - k]
            if j >= earliest[i - 1]:
                best[i] = j
        last[i] = i if best[i] >= 0 else last[i - 1]
    if best[n] < 0:
        return np.empty(0, dtype=np.int64)
    return trace_starts(best)


@kernel
def largest_k(earliest: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """The largest k for which the line can be cut within the bound of `earliest`, and where the groups start."""
    low, high = 1, earliest.shape[0] + 1
    starts = _starts_of_k_groups(earliest, 1)
    while high - low > 1:
        k = (low + high) // 2
        found = _starts_of_k_groups(earliest, k)
        if found.shape[0] > 0:
            low, starts = k, found
        else:
            high = k
    return low, starts
