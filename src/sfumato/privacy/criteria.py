"""Promises as algorithms see them: conditions on the histogram of a class, as flat arrays for kernels.

A condition is a kind, a sensitive column and up to three numbers; those that compare a class with the whole table are
decided by `shares.py`. `holds` decides all conditions for one class
from its size and its counts of each sensitive value. Counts can be kept incrementally: moving a record between
two classes changes one entry in each. What is decided in integers stays in integers; only entropies and
distances are compared with a tolerance.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.conditions import DISTINCT, EMD_ORDERED, ENTROPY, FREQUENCY, RECURSIVE, TOLERANCE
from sfumato.privacy.shares import Shares, excess_of_shares

__all__ = ["EMD_ORDERED", "TOLERANCE", "Criteria", "all_hold", "holds", "shortfall"]


class Criteria(NamedTuple):
    """What every class must satisfy.

    Column `s` has its whole-table histogram at `offset[s]` in `total`. `shares` is what conditions from EMD_ORDERED on
    compare a class with, None where there are none: kernels are compiled for the types they are given, and most
    promises then need a quarter less of them.
    """

    min_size: int
    codes: NDArray[np.int32]
    offset: NDArray[np.int64]
    total: NDArray[np.int64]
    kind: NDArray[np.int64]
    column: NDArray[np.int64]
    params: NDArray[np.float64]
    n_nodes: int
    """How much `scratch` the conditions need."""
    shares: Shares | None


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
    scratch = np.zeros(criteria.n_nodes)
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
def _excess(criteria: Criteria, r: int, size: int, counts: NDArray[np.int64], scratch: NDArray[np.float64]) -> Any:
    """By how much a class breaks condition `r`: above 0 exactly where it does."""
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
    return excess_of_shares(
        criteria.shares, r, s, kind, criteria.params[r], counts[start:stop], size, criteria.total[start:stop],
        criteria.codes.shape[0], scratch,
    )  # fmt: skip


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
