"""Fitting drawn numbers to the values a column can hold: within bounds, whole if need be, with given group means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.schema import Column
from sfumato.data.values import as_number, in_zone
from sfumato.ground.kernels import kernel

__all__ = ["Limits", "fit_to_domain"]

_FIRST_DAY, _LAST_DAY = -719_161.0, 2_932_895.0  # a time zone may add a day to the years 1 and 9999
_LARGEST_INTEGER = 2.0**62


@dataclass(frozen=True)
class Limits:
    """The least and the largest value of a column, and whether it holds whole numbers (or days) alone."""

    low: float
    high: float
    whole: bool

    @classmethod
    def of(cls, column: Column, dtype: Any) -> Limits:
        """The bounds of the schema, or those of the type. The data's own extremes are somebody's values: no bounds."""
        zone = getattr(dtype, "time_zone", None)
        ends = {"date": (_FIRST_DAY, _LAST_DAY), "integer": (-_LARGEST_INTEGER, _LARGEST_INTEGER)}
        low, high = ends.get(str(column.kind), (-math.inf, math.inf))
        low = as_number(in_zone(column.low, zone)) if column.low is not None else low
        high = as_number(in_zone(column.high, zone)) if column.high is not None else high
        whole = column.kind in ("integer", "date") and math.ceil(low) <= math.floor(high)
        return cls(float(math.ceil(low)), float(math.floor(high)), True) if whole else cls(low, high, False)


def fit_to_domain(
    drawn: NDArray[np.float64],
    limits: Limits,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    means: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Bring drawn numbers of one column (NaN: no value) within its limits; with `means`, give every group its mean.

    Rows `order[starts[g]:starts[g + 1]]` are group g. A sum of whole numbers is whole: a mean is then met as nearly as
    the number of rows allows.
    """
    values = np.clip(drawn, limits.low, limits.high)
    if means is not None:
        values = values.copy()
        _keep_means(values, order, starts, means, limits.low, limits.high, limits.whole)
        return values
    return np.rint(values) if limits.whole else values


@kernel
def _keep_means(  # noqa: C901  a kernel
    values: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64], means: NDArray[np.float64],
    low: float, high: float, whole: bool,  # noqa: FBT001
) -> None:  # fmt: skip
    """Shift the values of each group to its mean, in place; where a bound stops some, the others are shifted again.

    Whole numbers are then rounded down, and raised by 1, largest fractions first, until the sum fits the mean (lowered,
    smallest fractions first, where it is too large).
    """
    for g in range(starts.shape[0] - 1):
        rows = np.empty(starts[g + 1] - starts[g], dtype=np.int64)
        n = 0
        for i in range(starts[g], starts[g + 1]):
            if not np.isnan(values[order[i]]):
                rows[n] = order[i]
                n += 1
        if n == 0:
            continue
        mean = means[g]
        for _ in range(n + 2):
            total = 0.0
            for i in range(n):
                total += mean - values[rows[i]]
            free = 0
            for i in range(n):
                free += values[rows[i]] < high if total > 0 else values[rows[i]] > low
            if total == 0.0 or free == 0:
                break
            shift = total / free
            stopped = False
            for i in range(n):
                moved = values[rows[i]] + shift
                if (total > 0 and values[rows[i]] < high) or (total < 0 and values[rows[i]] > low):
                    values[rows[i]] = min(max(moved, low), high)
                    stopped = stopped or moved != values[rows[i]]
            if not stopped:
                break
        if not whole:
            continue
        base = np.rint(mean)
        left = (mean - base) * n
        part = np.empty(n)
        for i in range(n):
            down = np.floor(values[rows[i]])
            part[i] = values[rows[i]] - down
            values[rows[i]] = down
            left -= down - base
        missing = int(np.rint(left))
        step = 1.0 if missing > 0 else -1.0
        turn = np.argsort(-part if missing > 0 else part)
        while missing != 0:
            before = missing
            for i in turn:
                if missing == 0:
                    break
                moved = values[rows[i]] + step
                if low <= moved <= high:
                    values[rows[i]] = moved
                    missing -= int(step)
            if missing == before:
                break
