"""Dividing large groups while leftover records are placed, so that a leftover widens a part and not all of a group.

Parts that no leftover joined are put together again afterwards: they show the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.criteria import Criteria, all_hold
from sfumato.tables.coding.sensitive_profiles import profile_ids

__all__ = ["divide_groups", "reunite_groups"]


def divide_groups(
    codes: NDArray[np.int32], criteria: Criteria, group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Divide groups into parts as small as the promise allows: the part of every record, and the group of each part.

    `codes` has a row for each column. Records that are alike stay together where only sizes count; else each part gets
    its share of every sensitive profile.
    """
    order = np.lexsort((*codes[::-1], group))
    profile = profile_ids(criteria.codes[:, np.unique(criteria.column)])[0]
    starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 2))
    parts = group.copy()
    of_group: list[int] = []
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        number = _part_numbers(criteria, rows, profile)
        parts[rows] = len(of_group) + number
        of_group += [g] * (int(number.max(initial=0)) + 1)
    return parts, np.array(of_group, dtype=np.int64)


def _part_numbers(criteria: Criteria, rows: NDArray[np.int64], profile: NDArray[np.int64]) -> NDArray[np.int64]:
    """The part of each row of a group; the number of parts is halved until all parts keep the promise."""
    n, n_parts = len(rows), len(rows) // criteria.min_size
    by_profile = np.argsort(np.argsort(profile[rows], kind="stable"), kind="stable")
    while n_parts > 1:
        number = by_profile % n_parts if len(criteria.kind) else np.arange(n) * n_parts // n
        starts = np.concatenate([[0], np.cumsum(np.bincount(number))])
        if all_hold(criteria, rows[np.argsort(number, kind="stable")], starts):
            return number
        n_parts //= 2
    return np.zeros(n, dtype=np.int64)


def reunite_groups(
    parts: NDArray[np.int64], of_group: NDArray[np.int64], placed: NDArray[np.int64]
) -> NDArray[np.int64]:  # fmt: skip
    """Undo `divide_groups`: the group of every record, parts that records have joined since being groups of their own.

    `parts` are the parts before, `of_group` the group of each part, and `placed` the parts after records joined them.
    """
    n = len(of_group)
    most = max(int(placed.max(initial=-1)) + 1, n)
    same = np.bincount(parts[parts >= 0], minlength=n) == np.bincount(placed, minlength=most)[:n]
    number = np.arange(most) + int(of_group.max(initial=-1)) + 1
    number[:n][same] = of_group[same]
    return np.unique(number[placed], return_inverse=True)[1].reshape(-1).astype(np.int64)
