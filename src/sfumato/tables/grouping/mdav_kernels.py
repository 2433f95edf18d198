"""Kernels of MDAV that scan all records, and what those with a tree share with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import loss_of_span
from sfumato.tables.coding.columns import SET, Columns

__all__ = ["apart", "offer", "scanned_classes", "sums_of", "with_the_rest"]


@kernel
def apart(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The squared distance."""
    total = 0.0
    for c in range(a.shape[0]):
        step = a[c] - b[c]
        total += step * step
    return total


@kernel
def _apart_in_categories(
    columns: Columns, which: NDArray[np.int64], weights: NDArray[np.float64], a: Any, b: Any
) -> float:
    """Squared: 1 for different values, the loss of the lowest node that covers both under a hierarchy."""
    total = 0.0
    for i in range(which.shape[0]):
        c = which[i]
        if a[c] == b[c]:
            continue
        if columns.shape[c] == SET or a[c] < 0 or b[c] < 0:
            total += weights[i]
        else:
            loss = loss_of_span(columns, c, min(a[c], b[c]), max(a[c], b[c]), False)
            total += weights[i] * loss * loss
    return total


# -- the k nearest so far: a heap with the worst on top ------------------------------------------------------------
@kernel
def offer(near: NDArray[np.float64], rows: NDArray[np.int64], held: int, k: int, distance: float, row: int) -> int:
    """Take a record among the `k` nearest if it is; how many are held then."""
    if held < k:
        at = held
        held += 1
        while at > 0:
            up = (at - 1) // 2
            if near[up] > distance or (near[up] == distance and rows[up] > row):
                break
            near[at], rows[at] = near[up], rows[up]
            at = up
    else:
        if distance > near[0] or (distance == near[0] and row > rows[0]):
            return held
        at = 0
        while True:
            down = 2 * at + 1
            if down >= held:
                break
            other = down + 1
            if other < held and (near[other] > near[down] or (near[other] == near[down] and rows[other] > rows[down])):
                down = other
            if distance > near[down] or (distance == near[down] and row > rows[down]):
                break
            near[at], rows[at] = near[down], rows[down]
            at = down
    near[at], rows[at] = distance, row
    return held


# -- by scanning ---------------------------------------------------------------------------------------------------
@kernel
def scanned_classes(  # noqa: C901  a kernel
    points: NDArray[np.float64],
    data: NDArray[np.int32],
    columns: Columns,
    which: NDArray[np.int64],
    weights: NDArray[np.float64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows class by class, and where each class starts; `which` columns of `data` are categories. O(n^2 / k)."""
    n = points.shape[0]
    left = np.arange(n)
    gone = np.zeros(n, dtype=np.bool_)
    order, starts = np.empty(n, dtype=np.int64), np.zeros(n // k + 2, dtype=np.int64)
    near, rows = np.empty(k), np.empty(k, dtype=np.int64)
    sums = sums_of(points)
    widest = 1
    for c in which:
        widest = max(widest, columns.n_codes[c] + 1)
    counts = np.zeros((which.shape[0], widest), dtype=np.int64)
    for i in range(which.shape[0]):
        for row in range(n):
            counts[i, data[row, which[i]]] += 1  # a missing value counts last
    centre, mode = np.empty(points.shape[1]), np.empty(data.shape[1], dtype=np.int32)
    m, filled, n_classes = n, 0, 0
    while m >= 2 * k:
        both = m >= 3 * k
        for c in range(points.shape[1]):
            centre[c] = sums[c] / m
        for i in range(which.shape[0]):
            code = np.argmax(counts[i])
            mode[which[i]] = -1 if code == widest - 1 else code
        first = _farthest_of(points, data, columns, which, weights, left[:m], centre, mode)
        for turn in range(2 if both else 1):
            if turn == 1:
                first = _farthest_of(points, data, columns, which, weights, left[:m], points[first], data[first])
            held = 0
            for at in range(m):
                row = left[at]
                if row != first:
                    distance = apart(points[row], points[first])
                    distance += _apart_in_categories(columns, which, weights, data[row], data[first])
                    held = offer(near, rows, held, k - 1, distance, row) if k > 1 else 0
            rows[k - 1] = first
            order[filled : filled + k] = np.sort(rows[:k])
            for row in order[filled : filled + k]:
                gone[row] = True
                for c in range(points.shape[1]):
                    sums[c] -= points[row, c]
                for i in range(which.shape[0]):
                    counts[i, data[row, which[i]]] -= 1
            kept = 0
            for at in range(m):
                if not gone[left[at]]:
                    left[kept] = left[at]
                    kept += 1
            m = kept
            filled += k
            n_classes += 1
            starts[n_classes] = filled
    return with_the_rest(order, starts, left[:m], filled, n_classes)


@kernel
def _farthest_of(
    points: NDArray[np.float64], data: NDArray[np.int32], columns: Columns, which: NDArray[np.int64],
    weights: NDArray[np.float64], left: NDArray[np.int64], point: NDArray[np.float64], codes: NDArray[np.int32],
) -> int:  # fmt: skip
    best, found = -1.0, -1
    for row in left:
        distance = apart(points[row], point) + _apart_in_categories(columns, which, weights, data[row], codes)
        if distance > best:
            best, found = distance, row
    return found


@kernel
def sums_of(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of every column."""
    sums = np.zeros(points.shape[1])
    for row in range(points.shape[0]):
        for c in range(points.shape[1]):
            sums[c] += points[row, c]
    return sums


@kernel
def with_the_rest(
    order: NDArray[np.int64], starts: NDArray[np.int64], left: NDArray[np.int64], filled: int, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The classes so far, and one more of the rows that are left."""
    if left.shape[0]:
        order[filled:] = left
        n_classes += 1
        starts[n_classes] = order.shape[0]
    return order, starts[: n_classes + 1].copy()
