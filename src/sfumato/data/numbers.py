"""Numbers and dates as floats, and back: what methods that change values compute with."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.ground.errors import SchemaError

__all__ = ["as_numbers", "from_numbers", "holds_whole_numbers", "quasi_numbers"]


def quasi_numbers(table: Table, method: str) -> list[str]:
    """Return the quasi-identifiers; refuse any that is neither a number nor a date, which the named method needs."""
    schema = table.schema
    if not schema.quasi:
        raise SchemaError("no column is declared quasi; name those an outsider may know, as in quasi=['age']")
    for name in schema.quasi:
        if schema.column(name).kind not in ("integer", "number", "date"):
            raise SchemaError(
                f"column {name!r} is a {schema.column(name).kind}, and {method} changes numbers and dates only; number "
                f"its values, or leave it out"
            )
    return list(schema.quasi)


_DAY = {"ms": 86_400e3, "us": 86_400e6, "ns": 86_400e9}


def as_numbers(series: pl.Series) -> NDArray[np.float64]:
    """Return the values as floats, NaN where missing; dates and times count days since 1970, as `as_number` does."""
    numbers = series.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
    if isinstance(series.dtype, pl.Datetime):
        return np.asarray(numbers / _DAY[series.dtype.time_unit], dtype=np.float64)
    return np.array(numbers, dtype=np.float64)


def from_numbers(numbers: NDArray[np.float64], like: pl.Series) -> pl.Series:
    """Return the numbers in the type of `like`; dates that are no whole days become times, integers floats."""
    known = numbers[~np.isnan(numbers)]
    whole = bool(np.all(known == np.rint(known)))
    values = pl.Series(like.name, numbers).fill_nan(None)
    if like.dtype == pl.Date and whole:
        return values.cast(pl.Int32).cast(pl.Date)
    if like.dtype.is_temporal():
        dtype = like.dtype if isinstance(like.dtype, pl.Datetime) else pl.Datetime("us")
        return (values * _DAY[dtype.time_unit]).round().cast(pl.Int64).cast(dtype)
    if like.dtype.is_integer() and whole:
        integers = values.cast(pl.Int64)
        fitting = integers.cast(like.dtype, strict=False)
        return fitting if fitting.null_count() == integers.null_count() else integers
    return values


def holds_whole_numbers(series: pl.Series) -> bool:
    """Whether every cell is a whole number that 64 bits hold."""
    return series.dtype.is_integer() and not series.cast(pl.Int64, strict=False).null_count()
