"""Large groups divided for a while, so that somebody without a group need not widen all of one.

Parts that nobody joins go back together: what they show is the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.criteria import Criteria, all_hold
from sfumato.tables.coding.sensitive_profiles import kinds_of

__all__ = ["divided", "reunited"]


def divided(
    codes: NDArray[np.int32], criteria: Criteria, group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Groups in parts as small as the promise allows, and the group that each part is of; `codes` has a row a column.

    Records that are alike stay together where only sizes count; else each part gets its share of every kind.
    """
    order = np.lexsort((*codes[::-1], group))
    kind = kinds_of(criteria.codes[:, np.unique(criteria.column)])[0]
    starts = np.searchsorted(group[order], np.arange(int(group.max(initial=-1)) + 2))
    parts = group.copy()
    of_group: list[int] = []
    for g in range(len(starts) - 1):
        rows = order[starts[g] : starts[g + 1]]
        number = _in_parts(criteria, rows, kind)
        parts[rows] = len(of_group) + number
        of_group += [g] * (int(number.max(initial=0)) + 1)
    return parts, np.array(of_group, dtype=np.int64)


def _in_parts(criteria: Criteria, rows: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """The part of each row, as many parts as hold, by halving their number."""
    n, n_parts = len(rows), len(rows) // criteria.min_size
    by_kind = np.argsort(np.argsort(kind[rows], kind="stable"), kind="stable")
    while n_parts > 1:
        number = by_kind % n_parts if len(criteria.kind) else np.arange(n) * n_parts // n
        starts = np.concatenate([[0], np.cumsum(np.bincount(number))])
        if all_hold(criteria, rows[np.argsort(number, kind="stable")], starts):
            return number
        n_parts //= 2
    return np.zeros(n, dtype=np.int64)


def reunited(
    parts: NDArray[np.int64], of_group: NDArray[np.int64], placed: NDArray[np.int64]
) -> NDArray[np.int64]:  # fmt: skip
    """The groups again, `placed` being the parts once somebody may have joined them: those stand alone."""
    n = len(of_group)
    most = max(int(placed.max(initial=-1)) + 1, n)
    same = np.bincount(parts[parts >= 0], minlength=n) == np.bincount(placed, minlength=most)[:n]
    number = np.arange(most) + int(of_group.max(initial=-1)) + 1
    number[:n][same] = of_group[same]
    return np.unique(number[placed], return_inverse=True)[1].reshape(-1).astype(np.int64)
