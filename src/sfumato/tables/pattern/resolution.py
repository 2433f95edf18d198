"""Rounding to a grid: values become multiples of a column's resolution, and are mended where that broke a property."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.pattern.rows import Rows, stack

__all__ = ["FINER", "on_grid", "resolution_of", "round_and_mend"]

_DIGITS = 6
FINER = (*(10.0**-digits for digits in range(9)), 0.0)
"""What a resolution is multiplied by when it cannot be kept: ever finer, real numbers last."""


def resolution_of(series: pl.Series) -> float:
    """The coarsest of 1, 0.1, 0.01, ... that every value is a multiple of; 0 where none is (real numbers).

    1 for dates (a day), 1/86400 for times (a second).
    """
    if isinstance(series.dtype, pl.Datetime):
        return 1.0 / 86_400  # a second, in days
    if not series.dtype.is_float():
        return 1.0
    values = series.drop_nulls().to_numpy()
    for digits in range(_DIGITS + 1):
        scaled = values * 10.0**digits
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)):
            return float(10.0**-digits)
    return 0.0


class _ByVariable(NamedTuple):
    """The entries of rows by their variable: variable v has `entries[starts[v]:starts[v + 1]]`."""

    starts: NDArray[np.int64]
    entries: NDArray[np.int64]
    row_of: NDArray[np.int64]
    """The row of every entry."""


class _Grid(NamedTuple):
    """By variable: the step of its grid (0 for none), and the lowest and the highest point."""

    step: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@kernel
def _mend(
    rows: Rows, tolerance: NDArray[np.float64], columns: _ByVariable, grid: _Grid, x: NDArray[np.float64],
    max_moves: int,
) -> bool:  # fmt: skip
    """Move single values of `x` by a step of their grid while that lessens what is broken; whether all rows hold.

    A row holds if it is over its bound by no more than its `tolerance`.
    """
    indptr, index, coefficient, bound = rows.indptr, rows.variable, rows.coefficient, rows.bound
    by_variable, entries, row_of = columns.starts, columns.entries, columns.row_of
    step, low, high = grid.step, grid.low, grid.high
    m = bound.shape[0]
    over = np.empty(m)
    for r in range(m):
        over[r] = -bound[r] - tolerance[r]
        for q in range(indptr[r], indptr[r + 1]):
            over[r] += coefficient[q] * x[index[q]]
    for _ in range(max_moves):
        worst = -1
        for r in range(m):
            if over[r] > 0.0 and (worst < 0 or over[r] > over[worst]):
                worst = r
        if worst < 0:
            return True
        best_gain, best_variable, best_move = 0.0, -1, 0.0
        for q in range(indptr[worst], indptr[worst + 1]):
            v = index[q]
            move = -step[v] if coefficient[q] > 0 else step[v]
            if step[v] == 0.0 or x[v] + move < low[v] or x[v] + move > high[v]:
                continue
            gain = 0.0
            for e in range(by_variable[v], by_variable[v + 1]):
                r = row_of[entries[e]]
                after = over[r] + coefficient[entries[e]] * move
                gain += max(over[r], 0.0) - max(after, 0.0)
            if gain > best_gain + 1e-12:
                best_gain, best_variable, best_move = gain, v, move
        if best_variable < 0:
            return False
        x[best_variable] += best_move
        for e in range(by_variable[best_variable], by_variable[best_variable + 1]):
            over[row_of[entries[e]]] += coefficient[entries[e]] * best_move
    return False


def round_and_mend(
    rows: Rows, x: NDArray[np.float64], low: NDArray[np.float64], width: NDArray[np.float64], step: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """The values low + width * x, moved to the grid of `step` with every row kept; None where that fails.

    A step of 0 leaves values as they are. Rows are over `x`, in unit coordinates. From the nearest grid point, single
    values are moved step by step until no row is broken.
    """
    gridded = step > 0
    unit = np.where(gridded, step, 1.0)
    first, last = np.ceil(low / unit - 1e-9) * unit, np.floor((low + width) / unit + 1e-9) * unit
    if (gridded & (first > last)).any():
        return None
    values = np.clip(
        on_grid(low + width * x, step), np.where(gridded, first, low), np.where(gridded, last, low + width)
    )
    both = _as_inequalities(rows)
    at = np.repeat(np.arange(both.n), np.diff(both.indptr))
    size = np.bincount(at, np.abs(both.coefficient) * (1.0 + np.abs(low / width))[both.variable], both.n).astype(
        np.float64
    )
    entries = np.argsort(both.variable, kind="stable")
    columns = _ByVariable(np.searchsorted(both.variable[entries], np.arange(len(x) + 1)), entries, at)
    grid = _Grid(
        np.where(gridded, step / width, 0.0), np.where(gridded, (first - low) / width, 0.0) - 1e-12,
        np.where(gridded, (last - low) / width, 1.0) + 1e-12,
    )  # fmt: skip
    rounded = (values - low) / width
    mended = _mend(both, 1e-12 * (size + np.abs(both.bound)), columns, grid, rounded, 20 * len(x) + 100)
    return on_grid(low + width * rounded, step) if mended else None


def on_grid(values: NDArray[np.float64], step: NDArray[np.float64]) -> NDArray[np.float64]:
    """The nearest multiples of `step`, as the decimal numbers they are; where it is 0, the values themselves."""
    unit = np.where(step > 0, step, 1.0)
    return np.where(step > 0, np.round(np.rint(values / unit) * unit, 12), values)


def _as_inequalities(rows: Rows) -> Rows:
    """The rows with every equality as two inequalities."""
    equal = rows.take(np.flatnonzero(rows.equal))
    return stack([rows, equal._replace(coefficient=-equal.coefficient, bound=-equal.bound)])
