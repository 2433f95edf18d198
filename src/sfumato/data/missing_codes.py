"""Cells that stand for no value: codes such as 998, `n/a` or 9999-12-31, as a schema declares them for a column.

A text is one where it is written as the code is, but for blanks around it; upper and lower case differ. A number is
one where it has the code's value, and a date where its ISO text is the code.
"""

from __future__ import annotations

import json
import re
from typing import Any

import polars as pl

from sfumato.data.date_formats import parse_dates
from sfumato.data.schema import Column, Schema
from sfumato.data.values import text
from sfumato.ground.validate import told

__all__ = ["frame_without_codes", "hint_at_codes", "looks_like_code", "without_codes"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_CODES = re.compile(r"-?(?:9{1,9}[6-9]?|8{2,9}|7{2,9})(?:\.9+|\.0+)?|-[1-9]|(?:9999|1[89]00|0001)-\d\d-\d\d.*")
_MARKS = re.compile(
    r"(?i)|[-.?*/#x]+|n\.?[/ ]?a\.?|#n/a|nan|nil|none|null|missing|unknown|not (?:known|available|applicable|stated)|"
    r"na[-_ ]?code|k\.? ?a\.?|unbekannt|keine angabe|fehlt|inconnu|desconocido|sconosciuto|refused|don'?t know|dk"
)


def without_codes(series: pl.Series, column: Column | None) -> pl.Series:
    """Return the column with no value where it holds one of the codes of its column."""
    if column is None or not column.missing_values:
        return series
    codes, dtype = list(column.missing_values), series.dtype
    if dtype == pl.String:
        gone = series.str.strip_chars().is_in([code.strip() for code in codes])
    elif dtype.is_integer():
        whole = [int(number) for number in _numbers(codes) if float(number).is_integer()]
        gone = series.cast(pl.Int128).is_in(pl.Series(whole, dtype=pl.Int128))
    elif dtype.is_numeric():
        gone = series.cast(pl.Float64).is_in([float(number) for number in _numbers(codes)])
    elif dtype in (pl.Null, pl.Object) or dtype.is_nested():
        return series
    else:
        distinct = series.drop_nulls().unique()
        known = {*(code.strip() for code in codes), *_dates(codes, column)}
        stands = [text(value) in known for value in distinct.to_list()]
        gone = series.is_in(distinct.filter(pl.Series(stands, dtype=pl.Boolean)).implode())
    return pl.select(pl.when(gone.fill_null(value=False)).then(None).otherwise(series).alias(series.name)).to_series()


def frame_without_codes(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return the frame with no value in the cells that hold a code of their column."""
    coded = [column for column in schema.columns.values() if column.missing_values]
    return frame.with_columns(without_codes(frame[column.name], column) for column in coded) if coded else frame


def _numbers(codes: list[str]) -> list[int | float]:
    """The codes that are numbers, whole ones as such."""
    written = [code.strip() for code in codes if _NUMBER.fullmatch(code.strip())]
    return [int(code) if re.fullmatch("[+-]?[0-9]+", code) else float(code) for code in written]


def _dates(codes: list[str], column: Column) -> list[str]:
    """The ISO texts of codes that are written as the dates of the column are."""
    if column.date_format is None:
        return []
    return [text(date) for date in parse_dates(pl.Series(codes), column.date_format).drop_nulls().to_list()]


def looks_like_code(value: Any) -> bool:
    """Whether a value looks like a code for no value: 99, 998, -9, 9999-12-31, `n/a`.

    >>> looks_like_code(998), looks_like_code(121), looks_like_code("n/a")
    (True, False, True)
    """
    written = text(value).strip()
    return bool(_CODES.fullmatch(written) or _MARKS.fullmatch(written))


def hint_at_codes(value: Any, column: Column) -> str:
    """Say how to declare that a value stands for none; a code that differs in case alone is named."""
    written = text(value).strip()
    other = next((code for code in column.missing_values if code.strip().lower() == written.lower()), None)
    if other is not None:
        return f"add it to its missing_values, which have {told(other)} and tell upper from lower case"
    return f"declare missing_values = [{json.dumps(written, ensure_ascii=False)}] if it stands for no value"
