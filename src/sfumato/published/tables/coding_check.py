"""The check of thresholds: nothing beyond them, everything between as recorded, compared in the column's own type."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

import polars as pl

from sfumato.data.numbers import as_numbers
from sfumato.data.values import as_number, date_from_text
from sfumato.published.tables.exact_numbers import exact_values

__all__ = ["coding_flaws"]


def coding_flaws(
    name: str, shown: pl.Series, ends: Mapping[str, Any], least: int, true: pl.Series | None, *, in_order: bool
) -> list[str]:
    """What is wrong with a column that was cut off at these ends, a clause each; `true` is the original, if known."""
    broken = []
    low, high = (_end(ends.get(end), shown) for end in ("low", "high"))
    known = exact_values(shown).drop_nulls()
    if (low is not None and (known < low).any()) or (high is not None and (known > high).any()):
        broken.append(f"column {name!r} has values beyond its threshold")
    if min((int((known == end).sum()) for end in (low, high) if end is not None), default=0) < least:
        broken.append(f"fewer than {least} records show a threshold of column {name!r}")
    if true is None:
        return broken
    expected, given = exact_values(true), exact_values(shown)
    dated = true.dtype.is_temporal() or shown.dtype.is_temporal()
    if expected.dtype != given.dtype or (dated and true.dtype != shown.dtype):  # a date as a time, and the like
        low, high = (None if end is None else float(as_numbers(_one(end, shown))[0]) for end in (low, high))
        expected, given = (pl.Series(as_numbers(each)).fill_nan(None) for each in (true, shown))
    expected = expected.clip(low, high)
    if not in_order:
        expected, given = expected.sort(), given.sort()
    if not expected.equals(given, check_names=False):
        broken.append(f"column {name!r} is not the original, cut off at its thresholds")
    return broken


def _one(value: Any, shown: pl.Series) -> pl.Series:
    own = pl.Series([value], dtype=exact_values(shown).dtype)
    return own.cast(shown.dtype) if shown.dtype.is_temporal() else own


def _end(said: Any, shown: pl.Series) -> Any:
    """A published threshold in the exact type that values are compared in."""
    if said is None:
        return None
    if isinstance(shown.dtype, pl.Datetime):
        moment = pl.Series([str(said)]).str.to_datetime(time_unit=shown.dtype.time_unit, strict=True)
        return int(exact_values(moment)[0])
    if shown.dtype.is_temporal():
        return int(as_number(date_from_text(str(said))))
    if shown.dtype.is_integer():
        return operator.index(said)
    return float(said)
