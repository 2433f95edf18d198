"""What the texts of a column stand for: whole numbers, numbers, dates, times, or themselves.

A column is changed only where all its values allow it, and only one reading does.
"""

from __future__ import annotations

import polars as pl

from sfumato.data.date_formats import parse_dates, recognise_dates
from sfumato.data.hierarchy_rules import Prefixes
from sfumato.data.number_formats import read_numbers
from sfumato.data.schema import Column

__all__ = ["find_type", "iso_dates"]

_INTEGER = r"^-?(?:0|[1-9][0-9]*)$"
_NUMBER = r"^-?(?:0|[1-9][0-9]*|(?:0|[1-9][0-9]*)?\.[0-9]+|(?:0|[1-9][0-9]*)\.)(?:[eE][+-]?[0-9]+)?$"
_COMMA_NUMBER = r"^-?(?:0|[1-9][0-9]*)(?:,[0-9]+)?$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?$"


def find_type(series: pl.Series, column: Column | None = None, *, decimal_comma: bool = False) -> pl.Series:
    """Turn text into numbers or dates where every value of the column is one. A code such as 02139 stays text.

    What a schema declares is not guessed: a category stays text, and dates of a declared form, or of a column
    declared a date, are left to the table, which names a value that does not fit.
    """
    kind = column.kind if column is not None else None
    if kind in ("category", "ordinal") or (column is not None and isinstance(column.hierarchy, Prefixes)):
        return series
    if column is not None and (column.role == "identifier" or column.date_format is not None):
        return series
    values = series.str.strip_chars()
    if (
        decimal_comma
        and kind in (None, "number")
        and _all_match(values, _COMMA_NUMBER)
        # 1,234 may be a thousand and more: undeclared, some value must have other than three decimals
        and (kind == "number" or bool(values.str.contains(r",(?:[0-9]{1,2}|[0-9]{4,})$").any()))
    ):
        return _accept_if_lossless(series, values.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False))
    if kind in ("integer", "number", "date"):
        return series  # the table converts it, and names a value that does not fit
    if _all_match(values, _INTEGER):
        return _accept_if_lossless(series, values.cast(pl.Int64, strict=False))
    if _all_match(values, _NUMBER):
        return _accept_if_lossless(series, values.cast(pl.Float64, strict=False))
    numbers = read_numbers(values)
    if numbers is not None:
        return numbers
    dates = iso_dates(values)
    if dates is None:
        form = recognise_dates(values).certain
        dates = parse_dates(values, form) if form is not None and is_plain(form) else None
    return _accept_if_lossless(series, dates) if dates is not None else series


def is_plain(form: str) -> bool:
    """Whether a form says the century, and is more than digits: others are for the owner to declare."""
    return "yyyy" in form and not (form.isalnum() and "mmm" not in form)


def iso_dates(values: pl.Series) -> pl.Series | None:
    """The dates or times of texts that are all ISO dates, or all ISO times; null for a day that no month has."""
    if _all_match(values, _DATE):
        return values.str.to_date("%Y-%m-%d", strict=False)
    if _all_match(values, _TIME):
        return values.str.replace("T", " ", literal=True).str.to_datetime(strict=False, time_unit="us")
    return None


def _all_match(values: pl.Series, pattern: str) -> bool:
    """Whether there are values, and all of them match the pattern."""
    head = values.head(1_000).drop_nulls()
    if not bool(head.str.contains(pattern).all()):
        return False
    return values.null_count() < len(values) and bool(values.str.contains(pattern).all())


def _accept_if_lossless(series: pl.Series, changed: pl.Series) -> pl.Series:
    """Return the converted column, or the text where a value got lost (a number past 64 bits, 30 February)."""
    return changed if changed.null_count() == series.null_count() else series
