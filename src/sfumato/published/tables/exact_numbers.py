"""Numbers and dates in a type that rounds none of them; and the grid that the values of a column lie on."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["exact_values", "in_type_of", "two_digits_up", "unit_of"]

_DIGITS = 12
_ENOUGH = 0.01
_PER_DAY = (1, 24, 1_440, 86_400, 86_400_000, 86_400_000_000)


def exact_values(series: pl.Series) -> pl.Series:
    """Return whole numbers and dates as integers, without rounding; other numbers as floats. Nulls stay."""
    if series.dtype.is_temporal():
        return series.to_physical().cast(pl.Int64)
    if series.dtype.is_integer():
        return series if series.dtype in (pl.UInt64, pl.Int128) else series.cast(pl.Int64)
    return series.cast(pl.Float64).fill_nan(None)


def in_type_of(values: pl.Series, own: pl.Series) -> pl.Series:
    """Return exact values in the type of the column `own`, or as they are where some do not fit into it."""
    if own.dtype.is_temporal() or not own.dtype.is_integer():
        return values.cast(own.dtype) if own.dtype.is_temporal() else values
    fitting = values.cast(own.dtype, strict=False)
    return fitting if fitting.null_count() == values.null_count() else values


def unit_of(numbers: NDArray[np.float64], *, temporal: bool) -> float:
    """The widest step that all differences of a column are multiples of, 0 where there is none to be seen.

    Dates and times are in days, and lie on days, hours, minutes or finer; other numbers on decimals.
    """
    away = numbers - numbers.min(initial=np.inf)
    if not len(away) or not (away.max() > 0):
        return 0.0
    scales = [float(each) for each in _PER_DAY] if temporal else [10.0**digits for digits in range(_DIGITS + 1)]
    for scale in scales:
        steps, slack = away * scale, 1e-6 + 1e-15 * scale * float(np.abs(numbers).max())
        if slack > _ENOUGH:
            break  # what is left are the last digits that a number has room for
        whole = np.rint(steps)
        if (np.abs(steps - whole) <= slack).all():
            return int(np.gcd.reduce(whole.astype(np.int64))) / scale
    return 0.0


def two_digits_up(value: float) -> float:
    """The least number of two digits that is not below this one, but for rounding: 0.1234 becomes 0.13."""
    if not value > 0:
        return 0.0
    value *= 1.0 - 1e-9
    power = math.floor(math.log10(value)) - 1
    digits = math.ceil(value / 10.0**power)
    return float(f"{digits}e{power}")
