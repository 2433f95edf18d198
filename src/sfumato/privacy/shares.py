"""Conditions that compare the shares of sensitive values in a class with the whole table: closeness, caps and floors.

They are asked for more seldom than those of `criteria.py` and are most of the code, so that they are compiled only
where a promise has some.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.conditions import BOUNDED, CAPPED, EMD_GROUND, EMD_ORDERED, EMD_TREE, TOLERANCE, VARIATIONAL
from sfumato.privacy.transport import ground_distance

__all__ = ["Shares", "excess_of_shares"]


class Shares(NamedTuple):
    """Trees, distances and bounds that the shares of sensitive values are compared by.

    Column `s` has its tree, where it has one, at `node_offset[s]` in `parent` and `node_height`; the leaf of value `v`
    is `leaf_node[leaf_offset[s] + v]`. Condition `r` has its ground distances from `ground_offset[r]` on in `ground`
    (None where no condition has any), and its caps and floors from `cap_offset[r]` on in `cap` and `floor`.
    """

    leaf_offset: NDArray[np.int64]
    leaf_node: NDArray[np.int64]
    node_offset: NDArray[np.int64]
    parent: NDArray[np.int64]
    node_height: NDArray[np.float64]
    ground_offset: NDArray[np.int64]
    ground: NDArray[np.float64] | None
    cap_offset: NDArray[np.int64]
    cap: NDArray[np.int64]
    floor: NDArray[np.int64]


def excess_of_shares(
    shares: Shares | None, r: int, s: int, kind: int, params: NDArray[np.float64], counts: NDArray[np.int64],
    size: int, total: NDArray[np.int64], n_total: int, scratch: NDArray[np.float64],
) -> Any:  # fmt: skip
    """By how much a class breaks condition `r` on column `s`, for kernels: above 0 exactly where it does.

    `counts` are those of the class and `total` those of the table. Where `shares` is None no code is compiled, and
    whoever asks nevertheless is told that the class breaks it.
    """
    if shares is None:
        return np.inf
    return _excess_of_shares(shares, r, s, kind, params, counts, size, total, n_total, scratch)


@overload(excess_of_shares, strict=False)
def _by_type(
    shares: Any, r: Any, s: Any, kind: Any, params: Any, counts: Any, size: Any, total: Any, n_total: Any, scratch: Any
) -> Any:
    if isinstance(shares, types.NoneType):
        return lambda shares, r, s, kind, params, counts, size, total, n_total, scratch: np.inf
    return lambda shares, r, s, kind, params, counts, size, total, n_total, scratch: _excess_of_shares(
        shares, r, s, kind, params, counts, size, total, n_total, scratch
    )


@kernel
def _excess_of_shares(
    shares: Shares, r: int, s: int, kind: int, params: NDArray[np.float64], counts: NDArray[np.int64], size: int,
    total: NDArray[np.int64], n_total: int, scratch: NDArray[np.float64],
) -> Any:  # fmt: skip
    distance = 0.0
    if kind == EMD_ORDERED:
        distance = _emd_ordered(counts, size, total, n_total)
    elif kind == EMD_TREE:
        distance = _emd_tree(shares, s, counts, size, total, n_total, scratch)
    elif kind == VARIATIONAL:
        for v in range(counts.shape[0]):
            distance += abs(counts[v] / size - total[v] / n_total) / 2
    elif kind == CAPPED:
        return _over_cap(counts, size, shares.cap[shares.cap_offset[r] : shares.cap_offset[r + 1]])
    elif kind == BOUNDED:
        return _out_of_bounds(shares, r, params, counts, size, total)
    elif kind == EMD_GROUND:
        distance = ground_distance(
            shares.ground, shares.ground_offset[r], shares.ground_offset[r + 1], counts, size, total, n_total,
            params[1] > 0.0,
        )  # fmt: skip
    else:
        for v in range(counts.shape[0]):
            if counts[v] > 0:
                p = counts[v] / size
                distance += p * np.log(p * n_total / total[v])
    return distance - params[0] - TOLERANCE


@kernel
def _emd_ordered(counts: NDArray[np.int64], size: int, total: NDArray[np.int64], n_total: int) -> float:
    """Earth mover's distance where neighbouring values are 1 / (m - 1) apart."""
    m = counts.shape[0]
    if m < 2:
        return 0.0
    moved: Any = 0.0
    carried: Any = 0.0
    for v in range(m - 1):
        carried += counts[v] / size - total[v] / n_total
        moved += abs(carried)
    return float(moved / (m - 1))


@kernel
def _emd_tree(
    shares: Shares, s: int, counts: NDArray[np.int64], size: int, total: NDArray[np.int64], n_total: int,
    scratch: NDArray[np.float64],
) -> float:  # fmt: skip
    """Earth mover's distance where values are apart by the height of their lowest common ancestor.

    Mass crosses the edge above a node exactly when the node's subtree has more or less than its share; an edge is
    as long as half the difference of the heights at its ends, since a way goes up and down again.
    """
    first, stop = shares.node_offset[s], shares.node_offset[s + 1]
    for node in range(first, stop):
        scratch[node] = 0.0
    leaf = shares.leaf_offset[s]
    for v in range(counts.shape[0]):
        scratch[first + shares.leaf_node[leaf + v]] += counts[v] / size - total[v] / n_total
    moved = 0.0
    for node in range(stop - 1, first, -1):  # children come after their parents
        above = first + shares.parent[node]
        moved += abs(scratch[node]) * (shares.node_height[above] - shares.node_height[node]) / 2
        scratch[above] += scratch[node]
    return moved


@kernel
def _over_cap(counts: NDArray[np.int64], size: int, cap: NDArray[np.int64]) -> float:
    """By how much the share of some value exceeds its cap, at the most; 0 where none does."""
    over = 0.0
    for v in range(counts.shape[0]):
        if counts[v] > 0:
            excess = counts[v] / size - cap[v, 0] / cap[v, 1]
            if excess > over - TOLERANCE and _exceeds(counts[v], size, cap[v, 0], cap[v, 1]):
                over = max(over, excess, TOLERANCE)
    return over


@kernel
def _out_of_bounds(
    shares: Shares, r: int, params: NDArray[np.float64], counts: NDArray[np.int64], size: int, total: NDArray[np.int64]
) -> float:
    """By how much shares lie above their caps or below their floors, summed over values; 0 where none does."""
    at, above, below = shares.cap_offset[r], params[1] > 0.0, params[2] > 0.0
    out = 0.0
    for v in range(counts.shape[0]):
        if total[v] == 0:
            continue
        low, low_of = shares.floor[at + v, 0], shares.floor[at + v, 1]
        high, high_of = shares.cap[at + v, 0], shares.cap[at + v, 1]
        over = not _exceeds(high, high_of, counts[v], size) if below else _exceeds(counts[v], size, high, high_of)
        under = not _exceeds(counts[v], size, low, low_of) if above else _exceeds(low, low_of, counts[v], size)
        if over:
            out += max(counts[v] / size - high / high_of, TOLERANCE)
        if under:
            out += max(low / low_of - counts[v] / size, TOLERANCE)
    return out


@kernel
def _exceeds(a: Any, b: Any, c: Any, d: Any) -> bool:
    """Whether a / b > c / d, by their continued fractions: no product can overflow."""
    while True:
        if a // b != c // d:
            return bool(a // b > c // d)
        a, c = a % b, c % d
        if c == 0:
            return bool(a > 0)
        if a == 0:
            return False
        a, b, c, d = d, c, b, a  # a / b > c / d exactly where d / c > b / a
