"""Kernels of MDAV with a k-d tree of the records that are left, for numbers alone.

The classes are those of `classes_by_scan`, to the last tie: distances are summed in the same order, of equally near or
far records the one with the lower row number goes first, and the sums behind the centre are taken down by the same
records in the same order. A box's bound is computed as a distance is, so that rounding never puts it on the wrong side.
Boxes shrink with every record that is taken, and the tree is built anew when half of the records are gone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.grouping.mdav_kernels import add_last_class, column_sums, offer_neighbour, squared_distance

__all__ = ["classes_by_tree"]

_LEAF = 16
"""A node of at most this many rows is not divided further."""


class RowTree(NamedTuple):
    """A complete k-d tree: node i has the children 2i + 1 and 2i + 2, and the rows `rows[first[i]:][:size[i]]`."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    size: NDArray[np.int64]
    lowest: NDArray[np.int64]
    """The lowest row number in each node."""
    low: NDArray[np.float64]
    """The box of each node, from `low` to `high` in every column."""
    high: NDArray[np.float64]
    leaf_of: NDArray[np.int64]
    """The leaf that holds each row."""


@kernel
def classes_by_tree(points: NDArray[np.float64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows class by class, and where each class starts; most records are never looked at for a class."""
    n = points.shape[0]
    order, starts = np.empty(n, dtype=np.int64), np.zeros(n // k + 2, dtype=np.int64)
    near, rows = np.empty(k), np.empty(k, dtype=np.int64)
    alive = np.ones(n, dtype=np.bool_)
    leaf_of = np.empty(n, dtype=np.int64)
    sums, centre = column_sums(points), np.empty(points.shape[1])
    stack, bounds = np.empty(256, dtype=np.int64), np.empty(256)
    m, filled, n_classes, built = n, 0, 0, n
    tree = _build_tree(points, np.arange(n), leaf_of)
    while m >= 2 * k:
        if 2 * m < built:
            built = m
            tree = _build_tree(points, np.flatnonzero(alive), leaf_of)
        both = m >= 3 * k
        for c in range(points.shape[1]):
            centre[c] = sums[c] / m
        chosen = _farthest_row(points, centre, tree, stack, bounds)
        for turn in range(2 if both else 1):
            if turn == 1:
                chosen = _farthest_row(points, points[chosen], tree, stack, bounds)
            _remove_row(points, chosen, tree)
            if k > 1:
                _find_nearest(points, points[chosen], k - 1, near, rows, tree, stack, bounds)
            rows[k - 1] = chosen
            order[filled : filled + k] = np.sort(rows[:k])
            for row in order[filled : filled + k]:
                alive[row] = False
                if row != chosen:
                    _remove_row(points, row, tree)
                for c in range(points.shape[1]):
                    sums[c] -= points[row, c]
            m -= k
            filled += k
            n_classes += 1
            starts[n_classes] = filled
    return add_last_class(order, starts, np.flatnonzero(alive), filled, n_classes)


@kernel
def _build_tree(points: NDArray[np.float64], rows: NDArray[np.int64], leaf_of: NDArray[np.int64]) -> RowTree:
    """The tree of these rows, halved at the median of the widest column down to leaves; writes to `leaf_of`."""
    n, d = rows.shape[0], points.shape[1]
    depth = 0
    while (n >> depth) > _LEAF:
        depth += 1
    n_nodes = (1 << (depth + 1)) - 1
    inner = (1 << depth) - 1
    listed = rows.copy()
    first, size = np.zeros(n_nodes, dtype=np.int64), np.zeros(n_nodes, dtype=np.int64)
    low, high = np.empty((n_nodes, d)), np.empty((n_nodes, d))
    tree = RowTree(listed, first, size, np.zeros(n_nodes, dtype=np.int64), low, high, leaf_of)
    size[0] = n
    for node in range(n_nodes):
        begin, end = first[node], first[node] + size[node]
        _tighten_box(points, tree, node)
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
        first[2 * node + 1], size[2 * node + 1] = begin, middle
        first[2 * node + 2], size[2 * node + 2] = begin + middle, end - begin - middle
    return tree


@kernel
def _tighten_box(points: NDArray[np.float64], tree: RowTree, node: int) -> None:
    """Compute the box of a node's rows anew, and the lowest row number among them."""
    low, high = tree.low[node], tree.high[node]
    low[:], high[:], tree.lowest[node] = np.inf, -np.inf, np.iinfo(np.int64).max
    for at in range(tree.first[node], tree.first[node] + tree.size[node]):
        row = tree.rows[at]
        tree.lowest[node] = min(tree.lowest[node], row)
        for c in range(points.shape[1]):
            low[c] = min(low[c], points[row, c])
            high[c] = max(high[c], points[row, c])


@kernel
def _remove_row(points: NDArray[np.float64], row: int, tree: RowTree) -> None:
    """Take a row out of its leaf, and shrink the boxes of the leaf and of all nodes above it."""
    rows, first, size, lowest, low, high = tree.rows, tree.first, tree.size, tree.lowest, tree.low, tree.high
    node = tree.leaf_of[row]
    last = first[node] + size[node] - 1
    for at in range(first[node], last):
        if rows[at] == row:
            rows[at] = rows[last]
            break
    size[node] -= 1
    _tighten_box(points, tree, node)
    while node > 0:
        node = (node - 1) // 2
        a, b = 2 * node + 1, 2 * node + 2
        size[node] -= 1
        lowest[node] = min(lowest[a], lowest[b])
        for c in range(points.shape[1]):
            low[node, c], high[node, c] = min(low[a, c], low[b, c]), max(high[a, c], high[b, c])


@kernel
def _least_distance(low: NDArray[np.float64], high: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    """The squared distance from a point to the nearest point of a box."""
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
def _largest_distance(low: NDArray[np.float64], high: NDArray[np.float64], point: NDArray[np.float64]) -> float:
    """The squared distance from a point to the farthest corner of a box."""
    total = 0.0
    for c in range(point.shape[0]):
        step = max(high[c] - point[c], point[c] - low[c])
        total += step * step
    return total


@kernel
def _find_nearest(
    points: NDArray[np.float64], point: NDArray[np.float64], k: int, near: NDArray[np.float64],
    rows: NDArray[np.int64], tree: RowTree, stack: NDArray[np.int64], bounds: NDArray[np.float64],
) -> None:  # fmt: skip
    """Write the `k` rows nearest to a point to `rows`, and their squared distances to `near`; the rest is scratch."""
    first, size, lowest, low, high = tree.first, tree.size, tree.lowest, tree.low, tree.high
    inner, held, top = low.shape[0] // 2, 0, 1
    stack[0], bounds[0] = 0, 0.0
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if not size[node] or (held == k and (bound > near[0] or (bound == near[0] and lowest[node] > rows[0]))):
            continue
        if node >= inner:
            for at in range(first[node], first[node] + size[node]):
                row = tree.rows[at]
                held = offer_neighbour(near, rows, held, k, squared_distance(points[row], point), row)
            continue
        a, b = 2 * node + 1, 2 * node + 2
        of_a = _least_distance(low[a], high[a], point) if size[a] else np.inf
        of_b = _least_distance(low[b], high[b], point) if size[b] else np.inf
        if of_a < of_b:
            a, b, of_a, of_b = b, a, of_b, of_a
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = a, of_a, b, of_b
        top += 2


@kernel
def _farthest_row(
    points: NDArray[np.float64], point: NDArray[np.float64], tree: RowTree, stack: NDArray[np.int64],
    bounds: NDArray[np.float64],
) -> int:  # fmt: skip
    """The row of the tree that lies farthest from a point, of several the lowest; the last two are scratch."""
    first, size, lowest, low, high = tree.first, tree.size, tree.lowest, tree.low, tree.high
    inner, top = low.shape[0] // 2, 1
    best, found = -1.0, np.iinfo(np.int64).max
    stack[0], bounds[0] = 0, np.inf
    while top:
        top -= 1
        node, bound = stack[top], bounds[top]
        if not size[node] or bound < best or (bound == best and lowest[node] > found):
            continue
        if node >= inner:
            for at in range(first[node], first[node] + size[node]):
                row = tree.rows[at]
                distance = squared_distance(points[row], point)
                if distance > best or (distance == best and row < found):
                    best, found = distance, row
            continue
        a, b = 2 * node + 1, 2 * node + 2
        of_a = _largest_distance(low[a], high[a], point) if size[a] else -1.0
        of_b = _largest_distance(low[b], high[b], point) if size[b] else -1.0
        if of_a > of_b:
            a, b, of_a, of_b = b, a, of_b, of_a
        stack[top], bounds[top], stack[top + 1], bounds[top + 1] = a, of_a, b, of_b
        top += 2
    return found
