"""Kernels of Mondrian: regions of rows, cut again and again until no cut is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria, holds
from sfumato.tables.coding.columns import RANGE, SET, TREE, Columns

__all__ = ["partition"]


@kernel
def _measure_region(
    columns: Columns,
    data: NDArray[np.int32],
    start: int,
    stop: int,
    stamp: NDArray[np.int32],
    mark: int,
    extent: NDArray[np.int32],
    widths: NDArray[np.float64],
) -> None:
    """Write the loss of each column in a region to `widths`, and its codes to `extent`.

    `extent` gets the smallest code (-1 where a value is missing), the largest, and the smallest of a value present.
    `stamp` and `mark`, a new number for each region, serve to count different codes.
    """
    d = data.shape[1]
    for c in range(d):
        low, high, present = data[start, c], data[start, c], np.int32(2**31 - 1)
        distinct = 0
        is_set, may_miss, at = columns.shape[c] == SET, columns.has_missing[c], columns.offset[c]
        for i in range(start, stop):
            code = data[i, c]
            low = min(low, code)
            high = max(high, code)
            if may_miss and code >= 0:
                present = min(present, code)
            if is_set and stamp[at + code] != mark:
                stamp[at + code] = mark
                distinct += 1
        if not may_miss:
            present = low
        extent[c, 0], extent[c, 1], extent[c, 2] = low, high, present
        width = 0.0
        if low < high:
            if is_set:
                width = distinct / columns.n_codes[c]
            elif columns.shape[c] == RANGE:
                width = columns.position[at + high] - columns.position[at + present]
            else:
                width = columns.node_loss[_lowest_cover(columns, c, present, high)]
            if low < 0:
                width = 0.5 + 0.5 * width
        widths[c] = width * columns.weight[c]


@kernel
def _rank_columns(widths: NDArray[np.float64], ranking: NDArray[np.int64]) -> int:
    """Write the columns wider than 0 to `ranking`, widest first (ties: the earlier one); returns how many there are."""
    n_wide = 0
    for c in range(widths.shape[0]):
        if widths[c] > 0.0:
            at = n_wide
            while at > 0 and widths[ranking[at - 1]] < widths[c]:
                ranking[at] = ranking[at - 1]
                at -= 1
            ranking[at] = c
            n_wide += 1
    return n_wide


@kernel
def _lowest_cover(columns: Columns, c: int, first: Any, last: Any) -> int:
    """The lowest node of column `c` that covers the leaves `first` to `last`."""
    base = columns.node_offset[c]
    node = base + columns.leaf_node[columns.offset[c] + first]
    while columns.last[node] < last:
        node = base + columns.parent[node]
    return int(node)


@kernel
def _branch_end(columns: Columns, c: int, code: int, top: int) -> int:
    """The last code that must stay on the same side of a cut as `code`: the end of its branch below node `top`."""
    if columns.shape[c] != TREE or code < 0:
        return code
    base = columns.node_offset[c]
    node = base + columns.leaf_node[columns.offset[c] + code]
    while node != top and base + columns.parent[node] != top:
        node = base + columns.parent[node]
    return int(columns.last[node])


@kernel
def _sort(codes: NDArray[np.int32]) -> None:
    """Heapsort in place, for codes too sparse to count: it compiles in a fraction of the library sort's time."""
    n = codes.shape[0]
    for phase in range(n // 2 + n):
        if phase < n // 2:
            root, size = n // 2 - 1 - phase, n
        else:
            size = n - 1 - (phase - n // 2)
            codes[0], codes[size] = codes[size], codes[0]
            root = 0
        while True:
            child = 2 * root + 1
            if child >= size:
                break
            if child + 1 < size and codes[child + 1] > codes[child]:
                child += 1
            if codes[root] >= codes[child]:
                break
            codes[root], codes[child] = codes[child], codes[root]
            root = child


@kernel
def _middle_cuts(
    columns: Columns,
    codes: NDArray[np.int32],
    ordered: NDArray[np.int32],
    counts: NDArray[np.int64],
    c: int,
    extent: NDArray[np.int32],
    cuts: NDArray[np.int64],
) -> None:
    """Write to `cuts` the two cuts around the middle as (last code to the left, rows to the left), the median, and
    how many values are missing.

    The code is -2 where there is no such cut. `counts` is scratch, zero before and after; `ordered` is scratch too.
    """
    n = codes.shape[0]
    low, high = extent[c, 0], extent[c, 1]
    top = _lowest_cover(columns, c, extent[c, 2], high) if columns.shape[c] == TREE else 0
    cuts[0], cuts[1], cuts[2], cuts[3], cuts[5] = -2, 0, -2, 0, 0
    dense = high - low < counts.shape[0] and high - low < 4 * n + 64
    if dense:
        for i in range(n):
            counts[codes[i] - low] += 1
    else:
        for i in range(n):
            ordered[i] = codes[i]
        _sort(ordered[:n])
    left, i, code = 0, 0, int(low)
    while True:
        if not dense:
            code = int(ordered[i])
        edge = min(_branch_end(columns, c, code, top), int(high))
        inside = 0
        if dense:
            for v in range(code - low, edge - low + 1):
                inside += counts[v]
                counts[v] = 0
            code = edge + 1 if code >= 0 else int(extent[c, 2])  # behind the missing ones comes the first present
        else:
            while i < n and ordered[i] <= edge:
                i += 1
                inside += 1
        if 2 * left < n <= 2 * (left + inside):
            cuts[4] = edge
        left += inside
        if edge >= high or left >= n:
            break
        if edge < 0:
            cuts[5] = left
        if inside > 0:
            if 2 * left <= n:
                cuts[0], cuts[1] = edge, left
            elif cuts[2] == -2:
                cuts[2], cuts[3] = edge, left


@kernel
def _both_sides_hold(
    criteria: Criteria,
    sensitive: NDArray[np.int32],
    goes_left: NDArray[np.bool_],
    start: int,
    n_left: int,
    counts: NDArray[np.int64],
    scratch: NDArray[np.float64],
) -> bool:
    """Whether both sides of a cut keep the promise; `counts` and `scratch` are overwritten."""
    n = goes_left.shape[0]
    if n_left < criteria.min_size or n - n_left < criteria.min_size:
        return False
    if criteria.kind.shape[0] == 0:
        return True
    for v in range(counts.shape[1]):
        counts[0, v] = 0
        counts[1, v] = 0
    for i in range(n):
        side = 0 if goes_left[i] else 1
        for s in range(sensitive.shape[1]):
            counts[side, criteria.offset[s] + sensitive[start + i, s]] += 1
    return holds(criteria, n_left, counts[0], scratch) and holds(criteria, n - n_left, counts[1], scratch)


@kernel
def partition(columns: Columns, criteria: Criteria, strict: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # noqa: FBT001, C901  a kernel
    """Rows in the order of their groups, and where each group starts.

    Rows are moved together with their codes, so that a region is always one stretch of memory. Of the cuts by one
    column the one that sets missing values apart is tried first, then the one nearest the middle, then its neighbour
    on the other side of the middle. Where no column has such a cut, a relaxed partition divides the records that tie at
    the median.
    """
    d, n = columns.codes.shape
    n_sensitive = criteria.codes.shape[1]
    data, other_data = np.empty((n, d), dtype=np.int32), np.empty((n, d), dtype=np.int32)
    sensitive, other_sensitive = np.empty((n, n_sensitive), dtype=np.int32), np.empty((n, n_sensitive), dtype=np.int32)
    rows, other_rows = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        rows[i] = i
        for c in range(d):
            data[i, c] = columns.codes[c, i]
        for s in range(n_sensitive):
            sensitive[i, s] = criteria.codes[i, s]
    stamp = np.zeros(columns.position.shape[0], dtype=np.int32)
    code_counts = np.zeros(min(4 * n + 64, columns.position.shape[0] + 1), dtype=np.int64)
    counts = np.zeros((2, criteria.total.shape[0]), dtype=np.int64)
    scratch = np.zeros(criteria.n_nodes)
    all_codes, ordered = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    all_left = np.empty(n, dtype=np.bool_)
    widths, extent = np.empty(d), np.empty((d, 3), dtype=np.int32)
    ranking = np.empty(d, dtype=np.int64)
    cuts = np.empty(6, dtype=np.int64)
    pending = np.empty((n + 1, 2), dtype=np.int64)
    starts = np.empty(n + 1, dtype=np.int64)
    pending[0, 0], pending[0, 1], n_pending = 0, n, 1
    starts[0] = 0
    n_groups, mark = 0, 0
    while n_pending > 0:
        n_pending -= 1
        start, stop = pending[n_pending, 0], pending[n_pending, 1]
        size = stop - start
        n_left = 0
        codes, goes_left = all_codes[:size], all_left[:size]
        found = False
        if size >= 2 * criteria.min_size:
            mark += 1
            _measure_region(columns, data, start, stop, stamp, mark, extent, widths)
            n_wide = _rank_columns(widths, ranking)
            for turn in range(n_wide if strict else 2 * n_wide):
                c = ranking[turn % n_wide]
                divide_ties = turn >= n_wide
                if divide_ties and columns.shape[c] == TREE:
                    continue
                for i in range(size):
                    codes[i] = data[start + i, c]
                _middle_cuts(columns, codes, ordered, code_counts, c, extent, cuts)
                nearest = 0 if cuts[0] != -2 and (cuts[2] == -2 or size - 2 * cuts[1] <= 2 * cuts[3] - size) else 2
                for attempt in range(2, 3) if divide_ties else range(3):
                    if divide_ties:
                        edge, n_left = cuts[4], size // 2
                    elif attempt == 0:  # missing values apart, where some are
                        edge, n_left = -1 if cuts[5] > 0 else -2, cuts[5]
                    else:
                        at = nearest if attempt == 1 else 2 - nearest
                        edge, n_left = cuts[at], cuts[at + 1]
                    if edge == -2:
                        continue
                    under = 0
                    for i in range(size):
                        goes_left[i] = codes[i] < edge
                        under += goes_left[i]
                    for i in range(size):
                        if codes[i] == edge and under < n_left:
                            goes_left[i] = True
                            under += 1
                    if _both_sides_hold(criteria, sensitive, goes_left, start, n_left, counts, scratch):
                        found = True
                        break
                if found:
                    break
        if not found:
            n_groups += 1
            starts[n_groups] = stop
            continue
        left, right = start, start + n_left
        for i in range(size):
            to = left if goes_left[i] else right
            left += goes_left[i]
            right += not goes_left[i]
            other_rows[to] = rows[start + i]
            for c in range(d):
                other_data[to, c] = data[start + i, c]
            for s in range(n_sensitive):
                other_sensitive[to, s] = sensitive[start + i, s]
        for i in range(start, stop):
            rows[i] = other_rows[i]
            for c in range(d):
                data[i, c] = other_data[i, c]
            for s in range(n_sensitive):
                sensitive[i, s] = other_sensitive[i, s]
        pending[n_pending, 0], pending[n_pending, 1] = start + n_left, stop
        pending[n_pending + 1, 0], pending[n_pending + 1, 1] = start, start + n_left
        n_pending += 2
    return rows, starts[: n_groups + 1].copy()
