"""Which dates and times can be worked with: those of the years 1 to 9999, as Python has them."""

from __future__ import annotations

import datetime as dt

import polars as pl

from sfumato.ground.errors import DataError

__all__ = ["check_dates"]

_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST, _LAST = dt.date.min.toordinal() - _EPOCH, dt.date.max.toordinal() - _EPOCH
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def check_dates(frame: pl.DataFrame) -> None:
    """Refuse a date or time outside the years 1 to 9999: it has no text and no place in a calendar."""
    for series in frame.iter_columns():
        if series.dtype.is_nested():
            series = _innermost(series)
        if not isinstance(series.dtype, (pl.Date, pl.Datetime)):
            continue
        numbers = series.to_physical()
        first, last = _allowed(series.dtype)
        low, high = numbers.min(), numbers.max()
        if low is None or high is None or (first <= low and high <= last):  # type: ignore[operator]
            continue
        row = int(((numbers < first) | (numbers > last)).fill_null(value=False).arg_true()[0])
        raise DataError(
            f"column {series.name!r} holds a date outside the years 1 to 9999 at row {row + 1}; "
            f"mend the value or leave it missing"
        )


def _allowed(dtype: pl.DataType) -> tuple[int, int]:
    """The first and last number behind a date or time; those with a zone keep a day from the end of the calendar."""
    if not isinstance(dtype, pl.Datetime):
        return _FIRST, _LAST
    per_day, near = _PER_DAY[dtype.time_unit], int(dtype.time_zone is not None)
    return (_FIRST + near) * per_day, (_LAST + 1 - near) * per_day - 1


def _innermost(series: pl.Series) -> pl.Series:
    """What the lists of a column hold; structs, whose fields no method reads, are left alone."""
    while isinstance(series.dtype, (pl.List, pl.Array)):
        series = series.explode()
    return series
