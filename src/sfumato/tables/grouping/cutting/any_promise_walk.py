"""The frontier walk for any promise: a group grows along the line until the promise holds in it. A heuristic.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, walk the frontier (the next open record of every combination of
sensitive values) for l-diversity and leave other promises open. Here a group begins with the nearest open record and
takes, one by one, the nearest record of the frontier that brings it closer to the promise (`shortfall`); it closes
when the promise holds in it and, so that the walk can never fail, also in all that is left taken together. What is
left at the end is the last group. O(N (reach m + log m)) for m sensitive values.

`solve_direct.py` calls it where neither `k_optimal.py` nor `l_heuristic.py` applies, and as a rival of the latter where
k is larger than l.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria, holds, shortfall
from sfumato.tables.grouping.cutting.frontier import advance, open_domains, pop_nearest, push

__all__ = ["walk_groups"]

_REACH = 16
_WORK = 8192
"""Counts looked at per record: with many sensitive values, fewer records of the frontier are compared."""


@kernel
def _count_record(criteria: Criteria, record: int, change: int, counts: NDArray[np.int64]) -> None:
    """Add `change` to the count of each sensitive value of a record."""
    for s in range(criteria.codes.shape[1]):
        counts[criteria.offset[s] + criteria.codes[record, s]] += change


@kernel
def walk_groups(
    criteria: Criteria, labels: NDArray[np.int64], n_labels: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places on the line in the order of their groups, which keep the criteria, and where each group starts.

    `criteria` (with its codes) and `labels`, the number of each record's combination of sensitive values, are in the
    order of the line, and the table as a whole keeps the promise.
    """
    n = labels.shape[0]
    order, starts = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    domains, heap, size = open_domains(labels, n_labels)
    counts, rest = np.zeros(criteria.total.shape[0], dtype=np.int64), criteria.total.copy()
    scratch = np.zeros(criteria.n_nodes)
    reach = max(2, min(_REACH, _WORK // max(criteria.total.shape[0], 1)))
    near = np.empty(reach + 1, dtype=np.int64)
    done, n_groups = 0, 0
    starts[0] = 0
    while done < n:
        n_chosen = 0
        counts[:] = 0
        while done + n_chosen < n:
            size, n_near = pop_nearest(domains, heap, size, near, 0, reach if n_chosen else 1)
            best = 0
            if n_chosen and n_near > 1:
                n_left = n - done - n_chosen
                best = _most_useful_record(criteria, near[:n_near], n_chosen, n_left, counts, rest, scratch)
            record = near[best]
            for i in range(n_near):
                if i != best:
                    size = push(heap, size, near[i])
            size = advance(domains, heap, size, labels[record])
            order[done + n_chosen] = record
            n_chosen += 1
            _count_record(criteria, record, 1, counts)
            _count_record(criteria, record, -1, rest)
            n_left = n - done - n_chosen
            if holds(criteria, n_chosen, counts, scratch) and (n_left == 0 or holds(criteria, n_left, rest, scratch)):
                break
        done += n_chosen
        n_groups += 1
        starts[n_groups] = done
    return order, starts[: n_groups + 1].copy()


@kernel
def _most_useful_record(
    criteria: Criteria,
    near: NDArray[np.int64],
    size: int,
    n_left: int,
    counts: NDArray[np.int64],
    rest: NDArray[np.int64],
    scratch: NDArray[np.float64],
) -> int:
    """The place in `near` of the nearest record that lowers what the group lacks to keep the promise.

    Where the group lacks nothing, of the nearest that lowers what the records left lack. Where none lowers it, of the
    record that raises it least.
    """
    lacking = shortfall(criteria, size, counts, scratch)
    for_rest = lacking == 0.0
    if for_rest:
        lacking = shortfall(criteria, n_left, rest, scratch)
    best, least = 0, np.inf
    for i in range(near.shape[0]):
        _count_record(criteria, near[i], 1, counts)
        after = shortfall(criteria, size + 1, counts, scratch)
        if for_rest:
            _count_record(criteria, near[i], -1, rest)
            if n_left > 1:
                after += shortfall(criteria, n_left - 1, rest, scratch)
            _count_record(criteria, near[i], 1, rest)
        _count_record(criteria, near[i], -1, counts)
        if after < lacking:
            return i
        if after < least:
            best, least = i, after
    return best
