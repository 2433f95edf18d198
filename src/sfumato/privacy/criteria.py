"""Promises as algorithms see them: conditions on the histogram of a class, as flat arrays for kernels.

A condition is a kind, a sensitive column and up to three numbers, with a table of distances between the column's
values or bounds on the share of each where the kind has them. `holds` decides all conditions for one class
from its size and its counts of each sensitive value. Counts can be kept incrementally: moving a record between
two classes changes one entry in each. What is decided in integers stays in integers; only entropies and
distances are compared with a tolerance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.conditions import (
    BOUNDED,
    CAPPED,
    DISTINCT,
    EMD_GROUND,
    EMD_ORDERED,
    EMD_TREE,
    ENTROPY,
    FREQUENCY,
    RECURSIVE,
    TOLERANCE,
    VARIATIONAL,
)
from sfumato.privacy.transport import ground_distance

__all__ = ["EMD_ORDERED", "TOLERANCE", "Criteria", "all_hold", "holds", "shortfall"]


class Criteria(NamedTuple):
    """What every class must satisfy.

    Column `s` has its whole-table histogram at `offset[s]` in `total`, and its tree, where it has one, at
    `node_offset[s]` in `parent` and `node_height`; the leaf of value `v` is `leaf_node[offset[s] + v]`. Condition `r`
    has its ground distances from `ground_offset[r]` on in `ground` (None where no condition has any), and its caps
    and floors from `cap_offset[r]` on in `cap` and `floor`.
    """

    min_size: int
    codes: NDArray[np.int32]
    offset: NDArray[np.int64]
    total: NDArray[np.int64]
    kind: NDArray[np.int64]
    column: NDArray[np.int64]
    params: NDArray[np.float64]
    leaf_node: NDArray[np.int64]
    node_offset: NDArray[np.int64]
    parent: NDArray[np.int64]
    node_height: NDArray[np.float64]
    ground_offset: NDArray[np.int64]
    ground: NDArray[np.float64] | None
    cap_offset: NDArray[np.int64]
    cap: NDArray[np.int64]
    floor: NDArray[np.int64]


@kernel
def holds(criteria: Criteria, size: int, counts: NDArray[np.int64], scratch: NDArray[np.float64]) -> bool:
    """Whether a class of `size` records with these `counts` (all sensitive columns end to end) is allowed."""
    if size < criteria.min_size:
        return False
    for r in range(criteria.kind.shape[0]):  # noqa: SIM110  the compiler knows no generator
        if _excess(criteria, r, size, counts, scratch) > 0.0:
            return False
    return True


@kernel
def all_hold(criteria: Criteria, order: NDArray[np.int64], starts: NDArray[np.int64]) -> bool:
    """Whether every class is allowed, `order[starts[g]:starts[g + 1]]` being the records of class g."""
    counts = np.zeros(criteria.total.shape[0], dtype=np.int64)
    scratch = np.zeros(criteria.parent.shape[0])
    for g in range(starts.shape[0] - 1):
        counts[:] = 0
        for i in range(starts[g], starts[g + 1]):
            for s in range(criteria.codes.shape[1]):
                counts[criteria.offset[s] + criteria.codes[order[i], s]] += 1
        if not holds(criteria, starts[g + 1] - starts[g], counts, scratch):
            return False
    return True


@kernel
def shortfall(criteria: Criteria, size: int, counts: NDArray[np.int64], scratch: NDArray[np.float64]) -> float:
    """How far a class is from being allowed: 0 exactly where it is, and else the smaller the nearer."""
    total = max(0.0, 1.0 - size / criteria.min_size)
    for r in range(criteria.kind.shape[0]):
        over = _excess(criteria, r, size, counts, scratch)
        if over > 0.0:
            kind = criteria.kind[r]
            if kind in (FREQUENCY, RECURSIVE):  # in records: as a share of the class
                over = over / (criteria.params[r, 1] * size)
            elif kind in (DISTINCT, ENTROPY):
                over = over / criteria.params[r, 0]
            total += over
    return total


@kernel
def _excess(criteria: Criteria, r: int, size: int, counts: NDArray[np.int64], scratch: NDArray[np.float64]) -> Any:  # noqa: C901  a kernel
    """By how much a class breaks condition `r`: above 0 exactly where it does."""
    n_total = criteria.codes.shape[0]
    kind = criteria.kind[r]
    s = criteria.column[r]
    start, stop = criteria.offset[s], criteria.offset[s + 1]
    a, b, c = criteria.params[r, 0], criteria.params[r, 1], criteria.params[r, 2]
    if kind == FREQUENCY:  # most frequent value: at most size / (a / b)
        top: Any = 0
        for v in range(start, stop):
            top = max(top, counts[v])
        return top * a - size * b
    if kind == DISTINCT:
        distinct = 0
        for v in range(start, stop):
            distinct += counts[v] > 0
        return a - distinct
    if kind == ENTROPY:  # exp(entropy) >= a
        weighted = 0.0
        for v in range(start, stop):
            if counts[v] > 0:
                weighted += counts[v] * np.log(counts[v])
        return a - TOLERANCE - np.exp(np.log(size) - weighted / size)
    if kind == RECURSIVE:  # r_1 < (b / c) * (r_l + ... + r_m), l = a; b and c are whole
        top, tail = _top_and_tail(counts, start, stop, int(a))
        return top * c - b * tail + 1.0
    distance = 0.0
    if kind == EMD_ORDERED:
        distance = _emd_ordered(counts[start:stop], size, criteria.total[start:stop], n_total)
    elif kind == EMD_TREE:
        distance = _emd_tree(criteria, s, counts, size, n_total, scratch)
    elif kind == VARIATIONAL:
        for v in range(start, stop):
            distance += abs(counts[v] / size - criteria.total[v] / n_total) / 2
    elif kind == CAPPED:
        return _over_cap(counts[start:stop], size, criteria.cap[criteria.cap_offset[r] : criteria.cap_offset[r + 1]])
    elif kind == BOUNDED:
        return _out_of_bounds(criteria, r, counts[start:stop], size, criteria.total[start:stop])
    elif kind == EMD_GROUND:
        distance = ground_distance(
            criteria.ground, criteria.ground_offset[r], criteria.ground_offset[r + 1], counts[start:stop], size,
            criteria.total[start:stop], n_total, b > 0.0,
        )  # fmt: skip
    else:
        for v in range(start, stop):
            if counts[v] > 0:
                p = counts[v] / size
                distance += p * np.log(p * n_total / criteria.total[v])
    return distance - a - TOLERANCE


@kernel
def _top_and_tail(counts: NDArray[np.int64], start: int, stop: int, l: int) -> tuple[Any, Any]:  # noqa: E741
    """The largest count, and the sum of all but the l - 1 largest. O(l m), and l is small."""
    bound: Any = np.iinfo(np.int64).max
    top: Any = 0
    tail: Any = 0
    for v in range(start, stop):
        tail += counts[v]
        top = max(top, counts[v])
    left = l - 1
    while left > 0:  # take away the largest counts, ties together
        largest, ties = np.int64(0), 0
        for v in range(start, stop):
            if counts[v] < bound:
                if counts[v] > largest:
                    largest, ties = counts[v], 1
                elif counts[v] == largest:
                    ties += 1
        if largest == 0:
            break
        tail -= largest * min(ties, left)
        left -= ties
        bound = largest
    return top, tail


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
    criteria: Criteria, s: int, counts: NDArray[np.int64], size: int, n_total: int, scratch: NDArray[np.float64]
) -> float:
    """Earth mover's distance where values are apart by the height of their lowest common ancestor.

    Mass crosses the edge above a node exactly when the node's subtree has more or less than its share; an edge is
    as long as half the difference of the heights at its ends, since a way goes up and down again.
    """
    first, stop = criteria.node_offset[s], criteria.node_offset[s + 1]
    for node in range(first, stop):
        scratch[node] = 0.0
    for v in range(criteria.offset[s], criteria.offset[s + 1]):
        scratch[first + criteria.leaf_node[v]] += counts[v] / size - criteria.total[v] / n_total
    moved = 0.0
    for node in range(stop - 1, first, -1):  # children come after their parents
        above = first + criteria.parent[node]
        moved += abs(scratch[node]) * (criteria.node_height[above] - criteria.node_height[node]) / 2
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
    criteria: Criteria, r: int, counts: NDArray[np.int64], size: int, total: NDArray[np.int64]
) -> float:  # fmt: skip
    """By how much shares lie above their caps or below their floors, summed over values; 0 where none does."""
    at, above, below = criteria.cap_offset[r], criteria.params[r, 1] > 0.0, criteria.params[r, 2] > 0.0
    out = 0.0
    for v in range(counts.shape[0]):
        if total[v] == 0:
            continue
        low, low_of = criteria.floor[at + v, 0], criteria.floor[at + v, 1]
        high, high_of = criteria.cap[at + v, 0], criteria.cap[at + v, 1]
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
