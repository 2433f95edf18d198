"""Columns brought to their declared kinds; a value that does not fit is refused with its row and the way out."""

from __future__ import annotations

from typing import Any

import polars as pl

from sfumato.data.date_formats import misfits_of_dates, parse_dates, recognise_dates
from sfumato.data.missing_codes import hint_at_codes, looks_like_code, without_codes
from sfumato.data.number_formats import misfits_of_numbers, numbers_in_words, read_numbers
from sfumato.data.schema import Column, Kind, Schema
from sfumato.data.text_columns import find_type, iso_dates
from sfumato.data.values import text
from sfumato.ground.errors import SchemaError

__all__ = ["cast_to_kinds", "kind_of"]

_TYPES: dict[str, Any] = {
    "integer": pl.Int64, "number": pl.Float64, "date": pl.Date, "category": pl.String, "ordinal": pl.String,
}  # fmt: skip


def kind_of(series: pl.Series) -> Kind:
    """Return the kind that a column's type suggests."""
    if series.dtype.is_integer():
        return "integer"
    if series.dtype.is_numeric():
        return "number"
    if series.dtype in (pl.Date, pl.Datetime):
        return "date"
    return "category"


def cast_to_kinds(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Bring declared columns to their declared kind, without the codes that stand for no value.

    A text column of undeclared kind that held such a code takes the type that its other values have, as in a text
    file. A value that does not fit is refused by row and value.
    """
    changed = []
    for column in schema.columns.values():
        given = frame[column.name]
        series = without_codes(given, column)
        if series.dtype == pl.String and column.kind is None and series.null_count() > given.null_count():
            series = find_type(series, column)
        if column.role != "identifier":
            series = without_codes(_cast_to_kind(series, column), column)  # 998.0 in a text is known as a number only
        if series is not given:
            changed.append(series)
    return frame.with_columns(changed) if changed else frame


def _cast_to_kind(series: pl.Series, column: Column) -> pl.Series:
    if isinstance(series.dtype, (pl.List, pl.Struct, pl.Array, pl.Object, pl.Binary)):
        raise SchemaError(f"column {column.name!r} holds {series.dtype}, not single values; flatten it first")
    if isinstance(series.dtype, pl.Duration):
        raise SchemaError(f"column {column.name!r} holds {series.dtype}; turn durations into numbers first")
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_unit == "ns" and column.role != "plain":
        series = series.dt.cast_time_unit("us")  # what texts of times can hold
    target = _TYPES[column.kind or kind_of(series)]
    if target == pl.Date and series.dtype == pl.Datetime:
        return series
    if target == pl.Int64 and series.dtype.is_integer() and series.dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
        return series
    if target == series.dtype:
        return series
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)):
        series = series.cast(pl.String)
    cast = _cast(series, target, column)
    bad = cast.is_null() & series.is_not_null()
    if series.dtype == pl.String and target == pl.Float64:
        bad = bad & (series.str.to_lowercase() != "nan")
    if target == pl.Int64 and series.dtype.is_numeric() and not series.dtype.is_integer():
        bad = bad | (cast.cast(pl.Float64) != series.cast(pl.Float64)).fill_null(value=False)
    if bad.any():
        raise SchemaError(_said_of_misfit(series, target, column, bad))
    return cast


def _cast(series: pl.Series, target: Any, column: Column) -> pl.Series:
    """Return the column as `target`; null where a value has no such meaning."""
    if target == pl.Date and (series.dtype == pl.String or series.dtype.is_integer()):
        return _dates(series, column)
    if (target == pl.Date and series.dtype != pl.Null) or (target != pl.String and series.dtype.is_temporal()):
        return _nothing(series, target)  # a year is no date
    if target == pl.String and series.dtype.is_numeric() and not series.dtype.is_integer():
        return series.map_elements(text, return_dtype=pl.String)
    if target in (pl.Int64, pl.Float64) and series.dtype == pl.String:
        return _numbers(series, target)
    return series.cast(target, strict=False)  # booleans become `true` and `false`


def _nothing(series: pl.Series, target: Any) -> pl.Series:
    return pl.repeat(None, len(series), dtype=target, eager=True).alias(series.name)


# -- numbers in text -----------------------------------------------------------------------------------------------
def _numbers(series: pl.Series, target: Any) -> pl.Series:
    values = series.str.strip_chars()
    plain = values.cast(target, strict=False)
    if target == pl.Float64:
        plain = plain.fill_nan(None)
    values = values.set(values.str.to_lowercase() == "nan", None) if target == pl.Float64 else values
    if plain.null_count() <= values.null_count():
        return plain
    read = read_numbers(values, declared=True)
    if read is None:
        return plain
    cast = read.cast(target, strict=False)
    return cast if cast.cast(pl.Float64).equals(read.cast(pl.Float64), null_equal=True) else plain


# -- dates in text -------------------------------------------------------------------------------------------------
def _dates(series: pl.Series, column: Column) -> pl.Series:
    """The dates of a column of texts or whole numbers, by its declared form or the one form that it can have."""
    values = series.cast(pl.String).str.strip_chars()
    if column.date_format is not None:
        return parse_dates(values, column.date_format)
    dates = iso_dates(values)
    if dates is not None:
        return dates
    forms = recognise_dates(values)
    if not forms.possible:
        return _nothing(series, pl.Date)
    readings = [parse_dates(values, form) for form in forms.possible]
    differ = [readings[0].ne_missing(other) for other in readings[1:]]
    at = next((each for each in differ if each.any()), None)
    if at is not None:
        row = int(at.arg_true()[0])
        dates_there = " or ".join(dict.fromkeys(text(reading[row]) for reading in readings))
        quoted = " or ".join(f'"{form}"' for form in forms.possible)
        raise SchemaError(
            f"column {column.name!r} is declared date and its days and months cannot be told apart: {values[row]!r} "
            f"at row {row + 1} may be {dates_there}; declare date_format = {quoted}"
        )
    if "yyyy" not in forms.possible[0]:
        raise SchemaError(
            f"column {column.name!r} is declared date and its years have two digits, as in {values.drop_nulls()[0]!r}; "
            f'declare date_format = "{forms.possible[0]}" to read each as the last such year that is not in the future'
        )
    return readings[0]


# -- what is said of a value that does not fit -----------------------------------------------------------------------
def _said_of_misfit(series: pl.Series, target: Any, column: Column, bad: pl.Series) -> str:
    """Name the first value that does not fit, of the values that a column of this kind is likely to have."""
    kind, written = column.kind or kind_of(series), series.dtype == pl.String
    if written and target in (pl.Int64, pl.Float64):
        bad = bad & misfits_of_numbers(series) if bool((bad & misfits_of_numbers(series)).any()) else bad
    elif written and target == pl.Date and column.date_format is None:
        bad = misfits_of_dates(series)
    row = int(bad.arg_true()[0])
    value = text(series[row])
    said = "declared" if column.kind is not None else "read as"
    form = f" of the form {column.date_format}" if column.date_format is not None else ""
    two = numbers_in_words(value) if written and target in (pl.Int64, pl.Float64) else ""
    start = f"column {column.name!r} is {said} {kind}{form} but row {row + 1} holds {value!r}{two}; "
    if written and (looks_like_code(value) or not any(sign.isdigit() for sign in value)):
        return (
            f"{start}{hint_at_codes(value, column)} (or read with --missing {value.strip()}), else mend the value or "
            f"declare another kind"
        )
    if form:
        return f"{start}mend the value or declare another date_format"
    if two:
        return f"{start}write numbers without marks between thousands, or declare another kind"
    return f"{start}mend the value or declare another kind"
