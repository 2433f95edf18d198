"""The columns of a table as axes of a space: where the values of each lie, and how long each axis is.

Values lie as far apart as mixing them loses, so that what is near in space can share a group at little cost. How the
axes are laid matters more than how space is walked: see `docs/explanation/hilbert.md`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.columns import SET, TREE, Columns, neighbour_losses
from sfumato.tables.grouping.snake import snake_order

__all__ = ["average_steps", "axis_cells", "axis_places", "order_by_codes", "tree_places", "value_steps"]

_MAX_BITS = 31
_SHORT_KEY, _LONG_KEY = 64, 128
"""Bits of a key of one word, and the most that are asked for where values lie unevenly."""
_MANY = 256
"""Ranges and sets of more values than this count as continuous: their axis grows no shorter."""
_ROUNDING = 1e-9
"""What rounding may add to the number of bits that values which lie evenly need."""


def axis_places(columns: Columns) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Where the values of each column lie on its axis, from 0 to 1, rising, and how long each axis is, the longest 1.

    A missing value comes first. Numbers and categories are as far from their neighbours as mixing them loses, and the
    axis is as long as the square root of the average such step: where few values are far apart (sex), the curve
    changes sides seldom. Leaves of a hierarchy lie as `tree_places` says, and mixing its branches loses everything,
    so that the step is 1; the axis is a power of two of the longest, as the halves of space must be halves of it.
    """
    is_tree = columns.shape == TREE
    places, average = [], np.ones(len(columns.shape))
    for c in range(len(columns.shape)):
        if is_tree[c]:
            places.append(_leaf_places(columns, c))
            continue
        place = np.concatenate([[0.0], np.cumsum(value_steps(columns, c))])
        average[c] = place[-1] / min(max(len(place) - 1, 1), _MANY)
        places.append(place / (place[-1] or 1.0))
    lengths = np.sqrt(columns.weight * average)
    lengths /= lengths.max(initial=0.0) or 1.0
    lengths[is_tree] = [_power_of_two_near(length) for length in lengths[is_tree]]
    return places, lengths


def average_steps(columns: Columns) -> NDArray[np.float64]:
    """What mixing neighbouring values of each column loses on average, times the column's weight."""
    most = np.where(columns.shape == TREE, np.inf, _MANY)
    steps = [value_steps(columns, c) for c in range(len(columns.shape))]
    average = np.array([step.sum() / min(max(len(step), 1), most[c]) for c, step in enumerate(steps)])
    return np.asarray(columns.weight * average)


def axis_cells(columns: Columns) -> tuple[NDArray[np.uint32], int, bool]:
    """Each column as whole numbers below 2**bits, how many bits that is, and whether no two values fall together.

    There are as many bits as the smallest gap between two values asks for, while the key fits 64 bits, or else 128;
    with more columns than that, each keeps one bit and the key grows.
    """
    d = len(columns.shape)
    places, lengths = axis_places(columns)
    wanted = 1
    for place, length, shape in zip(places, lengths, columns.shape, strict=True):
        gaps = np.diff(place) * length
        smallest = max(float(gaps.min(initial=1.0, where=gaps > 0)), 2.0**-_MAX_BITS)
        wanted = max(wanted, math.ceil(math.log2(1 / smallest + (shape != TREE)) - _ROUNDING))
    wanted = min(wanted, _MAX_BITS)
    bits = wanted if d * wanted <= _SHORT_KEY else max(1, min(wanted, _LONG_KEY // d))
    axes, apart = np.empty(columns.codes.shape, dtype=np.uint32), True
    for c, (place, length) in enumerate(zip(places, lengths, strict=True)):
        if columns.shape[c] == TREE:
            cell = np.floor(place * length * 2**bits).astype(np.uint32)
        else:
            cell = np.rint(place * length * (2**bits - 1)).astype(np.uint32)
        apart &= bool((cell[1:] > cell[:-1]).all())
        axes[c] = cell[columns.codes[c] + int(columns.has_missing[c])]
    return axes, bits, apart


def order_by_codes(columns: Columns) -> NDArray[np.int64]:
    """The records by their codes, the first column first: an order that does not depend on that of the file. O(N d).

    Only records that agree in all columns keep the order of the file.
    """
    return snake_order(columns.codes, columns.n_codes, np.arange(len(columns.shape)), False)


def value_steps(columns: Columns, c: int) -> NDArray[np.float64]:
    """What mixing each value with the next loses; a missing value comes first, half of everything away."""
    start, n = columns.offset[c], columns.n_codes[c]
    if columns.shape[c] == SET:
        steps = np.full(max(n - 1, 0), 1.0 / max(n - 1, 1))
    elif columns.shape[c] == TREE:
        steps = neighbour_losses(columns, c)
    else:
        steps = np.diff(columns.position[start : start + n])
    return np.concatenate([[0.5], steps]) if columns.has_missing[c] else steps


def _leaf_places(columns: Columns, c: int) -> NDArray[np.float64]:
    """Where the leaves of a column's hierarchy lie; a missing value comes first."""
    base, start, n = columns.node_offset[c], columns.offset[c], columns.n_codes[c]
    after = columns.node_offset[columns.node_offset > base]
    end = after.min() if len(after) else len(columns.parent)
    missing = bool(columns.has_missing[c])
    places = tree_places(columns.parent[base:end], columns.node_loss[base:end], missing)[
        columns.leaf_node[start : start + n]
    ]
    return np.concatenate([[0.0], places]) if missing else places


@kernel
def tree_places(parent: NDArray[np.int32], loss: NDArray[np.float64], missing: bool) -> NDArray[np.float64]:  # noqa: FBT001
    """Where the nodes of a tree begin on an axis from 0 to 1. O(nodes).

    Mixing any two children of a node loses what the node does, however near they lie, and a curve that fills space
    walks through halves of it, halves of these, and so on. So each node has a stretch of the axis that is such a part:
    as long as its loss squared, to the nearest power of two, and no longer than its place among its siblings. Its
    children stand apart by that over a power of two, so that the curve leaves a branch only once it has walked through
    it. Where values are `missing`, they have the first place below the root, which no child takes.
    Nodes stand in depth-first order, node 0 the root.
    """
    n = parent.shape[0]
    n_children = np.zeros(n, dtype=np.int64)
    taken = np.zeros(n, dtype=np.int64)
    if missing:
        n_children[0], taken[0] = 1, 1
    for node in range(1, n):
        n_children[parent[node]] += 1
    begin, step = np.zeros(n), np.zeros(n)
    for node in range(n):
        length = 1.0
        if node > 0:
            above = parent[node]
            begin[node] = begin[above] + taken[above] * step[above]
            taken[above] += 1
            length = min(step[above], _power_of_two_near(loss[node] * loss[node]))
        slots = 1
        while slots < n_children[node]:
            slots *= 2
        step[node] = length / slots
    return begin


@kernel
def _power_of_two_near(x: float) -> float:
    """The power of two nearest to a positive number, as ratios go; 0 for 0."""
    if x <= 0.0:
        return 0.0
    share, exponent = math.frexp(x)  # x = share 2^exponent, 1/2 <= share < 1
    return math.ldexp(1.0, exponent if share * share > 0.5 else exponent - 1)
