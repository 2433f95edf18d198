"""Kernels of MDAV with a k-d tree of the records that are left, for numbers alone.

The classes are those of `scanned_classes`, to the last tie: distances are summed in the same order, of equally near or
far records the one with the lower row number goes first, and the sums behind the centre are taken down by the same
records in the same order. A box's bound is computed as a distance is, so that rounding never puts it on the wrong side.
Boxes shrink with every record that is taken, and the tree is built anew when half of them are gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.grouping.mdav_kernels import apart, offer, sums_of, with_the_rest

__all__ = ["tree_classes"]

_LEAF = 16


@kernel
def tree_classes(points: NDArray[np.float64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows class by class, and where each class starts, without looking at every record for every class."""
    n = points.shape[0]
    order, starts = np.empty(n, dtype=np.int64), np.zeros(n // k + 2, dtype=np.int64)
    near, rows = np.empty(k), np.empty(k, dtype=np.int64)
    alive = np.ones(n, dtype=np.bool_)
    leaf_of = np.empty(n, dtype=np.int64)
    sums, centre = sums_of(points), np.empty(points.shape[1])
    stack, bounds = np.empty(256, dtype=np.int64), np.empty(256)
    m, filled, n_classes, built = n, 0, 0, n
    listed, first, count, lowest, low, high = _built(points, np.arange(n), leaf_of)
    while m >= 2 * k:
        if 2 * m < built:
            built = m
            listed, first, count, lowest, low, high = _built(points, np.flatnonzero(alive), leaf_of)
        both = m >= 3 * k
        for c in range(points.shape[1]):
            centre[c] = sums[c] / m
        chosen = _farthest(points, centre, listed, first, count, lowest, low, high, stack, bounds)
        for turn in range(2 if both else 1):
            if turn == 1:
                chosen = _farthest(points, points[chosen], listed, first, count, lowest, low, high, stack, bounds)
            _remove(points, chosen, leaf_of, listed, first, count, lowest, low, high)
            if k > 1:
                _nearest(
                    points, points[chosen], k - 1, near, rows, listed, first, count, lowest, low, high, stack, bounds
                )
            rows[k - 1] = chosen
            order[filled : filled + k] = np.sort(rows[:k])
            for row in order[filled : filled + k]:
                alive[row] = False
                if row != chosen:
                    _remove(points, row, leaf_of, listed, first, count, lowest, low, high)
                for c in range(points.shape[1]):
                    sums[c] -= points[row, c]
            m -= k
            filled += k
            n_classes += 1
            starts[n_classes] = filled
    return with_the_rest(order, starts, np.flatnonzero(alive), filled, n_classes)


@kernel
def _built(points: NDArray[np.float64], rows: NDArray[np.int64], leaf_of: NDArray[np.int64]) -> Any:
    """A tree of these rows: node i has the children 2i + 1 and 2i + 2, and the rows `listed[first[i]:][:count[i]]`."""
    n, d = rows.shape[0], points.shape[1]
    depth = 0
    while (n >> depth) > _LEAF:
        depth += 1
    n_nodes = (1 << (depth + 1)) - 1
    inner = (1 << depth) - 1
    listed = rows.copy()
    first, count = np.zeros(n_nodes, dtype=np.int64), np.zeros(n_nodes, dtype=np.int64)
    lowest = np.zeros(n_nodes, dtype=np.int64)
    low, high = np.empty((n_nodes, d)), np.empty((n_nodes, d))
    count[0] = n
    for node in range(n_nodes):
        begin, end = first[node], first[node] + count[node]
        _tighten(points, listed, node, first, count, lowest, low, high)
        if node >= inner:
            for at in range(begin, end):
                leaf_of[listed[at]] = node
            continue
        widest = 0
        for c in range(1, d):
            if high[node, c] - low[node, c] > high[node, widest] - low[node, widest]:
                widest = c
        middle = (end - begin) // 2
        part = listed[begin:end].copy()
        along = np.empty(end - begin)
        for at in range(end - begin):
            along[at] = points[part[at], widest]
        listed[begin:end] = part[np.argpartition(along, middle)]
        first[2 * node + 1], count[2 * node + 1] = begin, middle
        first[2 * node + 2], count[2 * node + 2] = begin + middle, end - begin - middle
    return listed, first, count, lowest, low, high


@kernel
def _tighten(
    points: NDArray[np.float64], listed: NDArray[np.int64], node: int, first: NDArray[np.int64],
    count: NDArray[np.int64], lowest: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64],
) -> None:  # fmt: skip
    """The box of a node's rows, and the lowest of them."""
    low[node], high[node], lowest[node] = np.inf, -np.inf, np.iinfo(np.int64).max
    for at in range(first[node], first[node] + count[node]):
        row = listed[at]
        lowest[node] = min(lowest[node], row)
        for c in range(points.shape[1]):
            low[node, c] = min(low[node, c], points[row, c])
            high[node, c] = max(high[node, c], points[row, c])


@kernel
def _remove(
    points: NDArray[np.float64], row: int, leaf_of: NDArray[np.int64], listed: NDArray[np.int64],
    first: NDArray[np.int64], count: NDArray[np.int64], lowest: NDArray[np.int64], low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> None:  # fmt: skip
    node = leaf_of[row]
    last = first[node] + count[node] - 1
    for at in range(first[node], last):
        if listed[at] == row:
            listed[at] = listed[last]
            break
    count[node] -= 1
    _tighten(points, listed, node, first, count, lowest, low, high)
    while node > 0:
        node = (node - 1) // 2
        a, b = 2 * node + 1, 2 * node + 2
        count[node] -= 1
        lowest[node] = min(lowest[a], lowest[b])
        for c in range(points.shape[1]):
            low[node, c], high[node, c] = min(low[a, c], low[b, c]), max(high[a, c], high[b, c])


@kernel
def _least(low: NDArray[np.float64], high: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    total = 0.0
    for c in range(point.shape[0]):
        step = 0.0
        if point[c] < low[c]:
            step = low[c] - point[c]
        elif point[c] > high[c]:
            step = point[c] - high[c]
        total += step * step
    return total


@kernel
def _most(low: NDArray[np.float64], high: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    total = 0.0
    for c in range(point.shape[0]):
        step = max(high[c] - point[c], point[c] - low[c])
        total += step * step
    return total


@kernel
def _nearest(
    points: NDArray[np.float64], point: NDArray[np.float64], k: int, near: NDArray[np.float64],
    rows: NDArray[np.int64], listed: NDArray[np.int64], first: NDArray[np.int64], count: NDArray[np.int64],
    lowest: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64], stack: NDArray[np.int64],
    bounds: NDArray[np.float64],
) -> None:  # fmt: skip
    inner, held, top = low.shape[0] // 2, 0, 1
    stack[0], bounds[0] = 0, 0.0
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if not count[node] or (held == k and (bound > near[0] or (bound == near[0] and lowest[node] > rows[0]))):
            continue
        if node >= inner:
            for at in range(first[node], first[node] + count[node]):
                held = offer(near, rows, held, k, apart(points[listed[at]], point), listed[at])
            continue
        a, b = 2 * node + 1, 2 * node + 2
        of_a = _least(low[a], high[a], point) if count[a] else np.inf
        of_b = _least(low[b], high[b], point) if count[b] else np.inf
        if of_a < of_b:
            a, b, of_a, of_b = b, a, of_b, of_a
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = a, of_a, b, of_b
        top += 2


@kernel
def _farthest(
    points: NDArray[np.float64], point: NDArray[np.float64], listed: NDArray[np.int64], first: NDArray[np.int64],
    count: NDArray[np.int64], lowest: NDArray[np.int64], low: NDArray[np.float64], high: NDArray[np.float64],
    stack: NDArray[np.int64], bounds: NDArray[np.float64],
) -> int:  # fmt: skip
    inner, top = low.shape[0] // 2, 1
    best, found = -1.0, np.iinfo(np.int64).max
    stack[0], bounds[0] = 0, np.inf
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if not count[node] or bound < best or (bound == best and lowest[node] > found):
            continue
        if node >= inner:
            for at in range(first[node], first[node] + count[node]):
                row = listed[at]
                distance = apart(points[row], point)
                if distance > best or (distance == best and row < found):
                    best, found = distance, row
            continue
        a, b = 2 * node + 1, 2 * node + 2
        of_a = _most(low[a], high[a], point) if count[a] else -1.0
        of_b = _most(low[b], high[b], point) if count[b] else -1.0
        if of_a > of_b:
            a, b, of_a, of_b = b, a, of_b, of_a
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = a, of_a, b, of_b
        top += 2
    return found
