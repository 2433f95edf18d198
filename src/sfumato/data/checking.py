"""Data that no method could treat rightly: refused with the column, the row and the way out."""

from __future__ import annotations

import datetime as dt
from typing import Any

import polars as pl

from sfumato.data.missing_codes import hint_at_codes, looks_like_code
from sfumato.data.schema import Column, Schema
from sfumato.data.values import in_zone, text
from sfumato.ground.errors import DataError, SchemaError

__all__ = ["check_values"]

_LARGEST = 1e150
_LARGEST_WHOLE = 2**53
"""Up to here whole numbers can be computed with as doubles, and told apart."""


def check_values(frame: pl.DataFrame, schema: Schema, kept: pl.DataFrame) -> None:
    """Refuse data that no method could treat rightly; `kept` are the rows that will not be withheld."""
    for column in schema.columns.values():
        series = frame[column.name]
        if column.role not in ("quasi", "sensitive"):
            continue
        if frame.height and series.null_count() == frame.height:
            raise DataError(f"column {column.name!r} has no value at all; drop it or declare it plain")
        if series.null_count() and column.missing == "refuse":
            row, n = int(series.is_null().arg_true()[0]), series.null_count()
            raise DataError(
                f"column {column.name!r} has {n} missing value{'s' if n > 1 else ''}, first at row {row + 1}; "
                f"fill them in, or declare missing = 'value' or 'withhold'"
            )
        if series.dtype.is_float() and bool(series.is_infinite().any()):
            row = int(series.is_infinite().fill_null(value=False).arg_true()[0])
            raise DataError(
                f"column {column.name!r} holds {text(series[row])} at row {row + 1}; replace infinite values"
            )
        if series.dtype.is_float() and bool((series.abs() > _LARGEST).any()):
            row = int((series.abs() > _LARGEST).fill_null(value=False).arg_true()[0])
            raise DataError(
                f"column {column.name!r} holds {text(series[row])} at row {row + 1}; numbers beyond {_LARGEST:g} are "
                f"too large to compute with: scale them down"
            )
        if series.dtype.is_integer() and column.role == "quasi" and column.hierarchy is None:
            beyond = series.cast(pl.Int128).abs() > _LARGEST_WHOLE
            if bool(beyond.any()):
                row = int(beyond.fill_null(value=False).arg_true()[0])
                raise DataError(
                    f"column {column.name!r} holds {text(series[row])} at row {row + 1}; whole numbers beyond 2**53 "
                    f"cannot be told apart: declare the column a category, or drop digits"
                )
        if column.order is not None:
            odd = series.drop_nulls().unique().cast(pl.String).to_list()
            odd = sorted(set(odd) - set(column.order))
            if odd:
                raise SchemaError(
                    f"column {column.name!r} holds {odd[0]!r}, which its order lacks; add it to the order"
                )
        if column.hierarchy is not None:
            try:
                column.hierarchy.tree(kept[column.name].drop_nulls().unique().sort().to_list())
            except SchemaError as error:
                raise SchemaError(f"the hierarchy of column {column.name!r} {error}") from None
        _check_bounds(series, column)


def _check_bounds(series: pl.Series, column: Column) -> None:
    name, low, high = column.name, column.low, column.high
    if low is None and high is None:
        return
    if not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        raise SchemaError(f"column {name!r} is a category and takes no bounds; remove low and high")
    if series.dtype.is_integer():
        series = series.cast(pl.Int128)
    for bound, word in ((low, "below its low"), (high, "above its high")):
        if bound is None:
            continue
        if isinstance(bound, dt.date) != series.dtype.is_temporal():
            holds, wanted = ("dates", "date") if series.dtype.is_temporal() else ("numbers", "number")
            raise SchemaError(f"column {name!r} holds {holds}, but its bound is {text(bound)}; give a {wanted}")
        values, limit = _comparable(series, bound, name)
        outside = values < limit if word == "below its low" else values > limit
        if bool(outside.any()):
            row = int(outside.fill_null(value=False).arg_true()[0])
            code = f"{hint_at_codes(series[row], column)}, else " if looks_like_code(series[row]) else ""
            raise DataError(
                f"column {name!r} holds {text(series[row])} at row {row + 1}, {word} {text(bound)}; "
                f"{code}{'mend the value or widen the bound' if code else 'widen the bound or mend the value'}"
            )


def _comparable(series: pl.Series, bound: Any, name: str) -> tuple[pl.Series, Any]:
    """Return the column and a bound as polars can compare them: both without a time zone, or both in UTC."""
    if not isinstance(series.dtype, pl.Datetime):
        return series, bound
    moment = in_zone(bound, series.dtype.time_zone)
    if not isinstance(moment, dt.datetime):
        moment = dt.datetime.combine(moment, dt.time())
    if series.dtype.time_zone is not None:
        return series.dt.convert_time_zone("UTC"), moment.astimezone(dt.UTC)
    if moment.tzinfo is not None:
        raise SchemaError(f"column {name!r} has no time zone, but its bound {text(bound)} has; remove it")
    return series, moment
