"""Kernels of MDAV: the scan of all records for every class, and helpers that `mdav_tree.py` uses too."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import loss_of_span
from sfumato.tables.coding.columns import SET, Columns

__all__ = ["add_last_class", "classes_by_scan", "column_sums", "offer_neighbour", "squared_distance"]


@kernel
def squared_distance(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The squared Euclidean distance of two points."""
    total = 0.0
    for c in range(a.shape[0]):
        step = a[c] - b[c]
        total += step * step
    return total


@kernel
def _category_distance(
    columns: Columns, which: NDArray[np.int64], weights: NDArray[np.float64], a: Any, b: Any
) -> float:
    """The squared distance of two records in their categories, by the weights of the columns.

    Different values are 1 apart, and under a hierarchy as far as the lowest node that covers both loses.
    """
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
def offer_neighbour(
    near: NDArray[np.float64], rows: NDArray[np.int64], held: int, k: int, distance: float, row: int
) -> int:
    """Put a row on the heap of the `k` nearest if it belongs there; returns how many rows the heap holds.

    `near` has the distances and `rows` the rows, the farthest (of equals the highest row) on top.
    """
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
def classes_by_scan(  # noqa: C901  a kernel
    points: NDArray[np.float64],
    data: NDArray[np.int32],
    columns: Columns,
    which: NDArray[np.int64],
    weights: NDArray[np.float64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows class by class, and where each class starts. O(n^2 / k).

    `points` are the coordinates of the ordered columns; the columns `which` of `data` are categories, with `weights`.
    """
    n = points.shape[0]
    left = np.arange(n)
    gone = np.zeros(n, dtype=np.bool_)
    order, starts = np.empty(n, dtype=np.int64), np.zeros(n // k + 2, dtype=np.int64)
    near, rows = np.empty(k), np.empty(k, dtype=np.int64)
    sums = column_sums(points)
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
        first = _farthest_record(points, data, columns, which, weights, left[:m], centre, mode)
        for turn in range(2 if both else 1):
            if turn == 1:
                first = _farthest_record(points, data, columns, which, weights, left[:m], points[first], data[first])
            held = 0
            for at in range(m):
                row = left[at]
                if row != first:
                    distance = squared_distance(points[row], points[first])
                    distance += _category_distance(columns, which, weights, data[row], data[first])
                    held = offer_neighbour(near, rows, held, k - 1, distance, row) if k > 1 else 0
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
    return add_last_class(order, starts, left[:m], filled, n_classes)


@kernel
def _farthest_record(
    points: NDArray[np.float64], data: NDArray[np.int32], columns: Columns, which: NDArray[np.int64],
    weights: NDArray[np.float64], left: NDArray[np.int64], point: NDArray[np.float64], codes: NDArray[np.int32],
) -> int:  # fmt: skip
    """The row of `left` that lies farthest from a point with these codes, of several the first."""
    best, found = -1.0, -1
    for row in left:
        distance = squared_distance(points[row], point) + _category_distance(columns, which, weights, data[row], codes)
        if distance > best:
            best, found = distance, row
    return found


@kernel
def column_sums(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of every column."""
    sums = np.zeros(points.shape[1])
    for row in range(points.shape[0]):
        for c in range(points.shape[1]):
            sums[c] += points[row, c]
    return sums


@kernel
def add_last_class(
    order: NDArray[np.int64], starts: NDArray[np.int64], left: NDArray[np.int64], filled: int, n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Make one more class of the rows that are left; returns the rows class by class and where each class starts."""
    if left.shape[0]:
        order[filled:] = left
        n_classes += 1
        starts[n_classes] = order.shape[0]
    return order, starts[: n_classes + 1].copy()
