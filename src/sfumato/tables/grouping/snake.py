"""Kernel: the reflected lexicographic order of the records under a sequence of columns.

Sort by the first column; inside each of its values by the second, rising and falling in turn, so that the next value
of the first column goes on where the last one ended; and so on: the Gray code of mixed radix, over the combinations
that occur. Neighbours differ in few columns, and the first columns change seldom. O(N d) time and no comparisons.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["snake_order"]


@kernel
def snake_order(
    codes: NDArray[np.int32],
    n_codes: NDArray[np.int64],
    priority: NDArray[np.int64],
    reflect: bool,  # noqa: FBT001
) -> NDArray[np.int64]:
    """The order of the records by the columns in `priority`, first the most significant; ties keep the given order.

    `reflect` turns round every second run; without it the order is plainly lexicographic. Codes are -1 or more.
    """
    n = codes.shape[1]
    order, other = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        order[i] = i
    run = np.zeros(n, dtype=np.int64)  # the run of equal values so far, for every place in the order
    n_runs = 1
    widest = 0
    for c in range(priority.shape[0]):
        widest = max(widest, n_codes[priority[c]])
    tally = np.empty(max(widest + 2, n + 1), dtype=np.int64)
    key = np.empty(n, dtype=np.int64)
    for turn in range(priority.shape[0]):
        column = codes[priority[turn]]
        width = n_codes[priority[turn]] + 1
        for i in range(n):
            code = column[order[i]] + 1
            key[i] = width - 1 - code if reflect and run[i] & 1 else code
        # two stable counting sorts: by the new key, then by the run it belongs to
        _count_sort(key, order, run, other, tally, width)
        n_runs = _regroup(key, order, run, other, tally, n_runs)
    return order


@kernel
def _count_sort(
    key: NDArray[np.int64],
    order: NDArray[np.int64],
    run: NDArray[np.int64],
    other: NDArray[np.int64],
    tally: NDArray[np.int64],
    width: int,
) -> None:
    """Write to `other` the places sorted by key, stably."""
    n = key.shape[0]
    for b in range(width):
        tally[b] = 0
    for i in range(n):
        tally[key[i]] += 1
    total = 0
    for b in range(width):
        here = tally[b]
        tally[b] = total
        total += here
    for i in range(n):
        other[tally[key[i]]] = i
        tally[key[i]] += 1


@kernel
def _regroup(
    key: NDArray[np.int64],
    order: NDArray[np.int64],
    run: NDArray[np.int64],
    other: NDArray[np.int64],
    tally: NDArray[np.int64],
    n_runs: int,
) -> int:
    """Bring the places in `other` back into their runs, and number the new, finer runs; returns how many there are."""
    n = key.shape[0]
    for b in range(n_runs):
        tally[b] = 0
    for i in range(n):
        tally[run[i]] += 1
    total = 0
    for b in range(n_runs):
        here = tally[b]
        tally[b] = total
        total += here
    place = np.empty(n, dtype=np.int64)
    for i in range(n):
        at = other[i]
        place[tally[run[at]]] = at
        tally[run[at]] += 1
    new_order = np.empty(n, dtype=np.int64)
    new_run = np.empty(n, dtype=np.int64)
    found = -1
    for i in range(n):
        at = place[i]
        if i == 0 or run[at] != run[place[i - 1]] or key[at] != key[place[i - 1]]:
            found += 1
        new_order[i] = order[at]
        new_run[i] = found
    for i in range(n):
        order[i] = new_order[i]
        run[i] = new_run[i]
    return found + 1
