"""Hierarchies fitted to a column, for owners who have none at hand.

Numbers and dates: intervals by repeated halving, each cut at the median of what it cuts, so that siblings hold
about as many rows. Codes of one length, but no dates that end in the year: prefixes. Other categories: a binary tree in
which siblings hold about as many rows (neighbours in alphabetical order stay together).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from sfumato.data.date_formats import recognise_dates
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.shown import show_set
from sfumato.data.values import SUPPRESSED, as_number
from sfumato.ground.errors import SchemaError

__all__ = ["fit_hierarchy"]

_MAX_LEVELS = 5


def fit_hierarchy(column: pl.Series | Sequence[Any]) -> Hierarchy:
    """Return a hierarchy that suits the column's values."""
    series = column if isinstance(column, pl.Series) else pl.Series("column", list(column), strict=False)
    series = series.drop_nulls()
    if series.dtype.is_float():
        series = series.drop_nans()
    if series.is_empty():
        raise SchemaError(f"column {series.name!r} has no value to fit a hierarchy to")
    if isinstance(series.dtype, pl.Decimal):
        series = series.cast(pl.Float64)
    if series.dtype.is_float() and bool(series.is_infinite().any()):
        raise SchemaError(f"column {series.name!r} holds infinite values; replace them to fit a hierarchy")
    if series.dtype in (pl.Duration, pl.List, pl.Struct, pl.Array, pl.Object, pl.Binary):
        raise SchemaError(f"column {series.name!r} holds {series.dtype}, which no hierarchy can be fitted to")
    series = series.rename("value")
    if series.dtype.is_numeric() or series.dtype in (pl.Date, pl.Datetime):
        return _halved_intervals(series)
    values = series.cast(pl.String)
    lengths = values.str.len_chars()
    is_code = lengths.n_unique() == 1 and bool(values.str.contains(r"^[A-Za-z]?\d[\dA-Za-z.\-]*$").all())
    if is_code and int(lengths[0]) >= 3 and not _year_comes_last(values):
        return Hierarchy.prefixes(int(lengths[0]))
    return _balanced_tree(values)


def _year_comes_last(values: pl.Series) -> bool:
    """Whether texts are dates such as 31.12.2024, of which prefixes would cut the year first."""
    return any(not form.startswith("yyyy") for form in recognise_dates(values).possible)


def _halved_intervals(series: pl.Series) -> Hierarchy:
    """Intervals by repeated halving at the median of what is cut."""
    distinct = series.unique().sort()
    values, numbers = distinct.to_list(), np.array([as_number(v) for v in distinct.to_list()])
    counts = series.value_counts().sort(series.name)["count"].to_numpy().astype(np.int64)
    total = np.concatenate([[0], np.cumsum(counts)])
    level = [(0, len(values))]
    levels: list[list[int]] = []
    for _ in range(_MAX_LEVELS):
        finer = []
        for start, stop in level:
            half = (total[start] + total[stop]) / 2
            cut = int(np.argmin(np.abs(total[start + 1 : stop] - half))) + start + 1 if stop - start > 1 else stop
            finer += [(start, cut), (cut, stop)] if start < cut < stop else [(start, stop)]
        if finer == level:
            break
        level = finer
        levels.append([start for start, _ in level])
    if not levels:
        return Hierarchy.flat(values)
    end = _edge_above(values[-1], numbers)
    return Hierarchy.intervals(breaks=[[*(values[start] for start in starts), end] for starts in reversed(levels)])


def _edge_above(largest: Any, numbers: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    """An edge just above the largest value."""
    if isinstance(largest, dt.datetime):
        moment = largest.astimezone(dt.UTC) if largest.tzinfo is not None else largest  # no clock change in UTC
        return moment + dt.timedelta(seconds=1)
    if isinstance(largest, dt.date):
        return largest + dt.timedelta(days=1)
    if isinstance(largest, int):
        return largest + 1
    return float(np.nextafter(largest + (numbers[-1] - numbers[0]) * 1e-9, np.inf))


def _balanced_tree(values: pl.Series) -> Hierarchy:
    """A binary tree over the values in alphabetical order, whose siblings hold about as many rows."""
    counted = values.value_counts().sort(values.name)
    names, counts = counted[values.name].to_list(), counted["count"].to_numpy().astype(np.int64)
    paths: list[list[str]] = [[name] for name in names]

    def split(start: int, stop: int) -> None:
        if stop - start <= 1:
            return
        total = np.cumsum(counts[start:stop])
        cut = start + 1 + int(np.argmin(np.abs(total[:-1] - total[-1] / 2)))
        for a, b in ((start, cut), (cut, stop)):
            split(a, b)
            if b - a > 1:
                label = show_set(names[a:b])
                for i in range(a, b):
                    paths[i].append(label)

    split(0, len(names))
    return Hierarchy.from_paths([[*path, SUPPRESSED] for path in paths])
