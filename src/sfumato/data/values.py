"""How a single value is written as text, the same everywhere.

The text of a value is what a hierarchy file names it by, what a published cell shows and what a reader parses.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

__all__ = ["MISSING", "SUPPRESSED", "as_number", "date_from_text", "in_zone", "text"]

SUPPRESSED = "*"
"""A cell that shows nothing: any value of the column may stand behind it, a missing one too."""

MISSING = "missing"
"""How a missing value is named beside others in one cell, as in `[30, 35] or missing`."""


def text(value: Any) -> str:
    """Return the text of a value: ISO dates, shortest floats that round-trip, `true` and `false`."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time() and value.tzinfo is None
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value)


def as_number(value: Any) -> float:
    """Return a number for an ordered value: dates count days since 1970 (fractions for times of day).

    >>> as_number(dt.date(1970, 1, 11))
    10.0
    """
    if isinstance(value, dt.datetime):
        epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC if value.tzinfo is not None else None)
        return (value - epoch) / dt.timedelta(days=1)
    if isinstance(value, dt.date):
        return float((value - dt.date(1970, 1, 1)).days)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("not a finite number")
    return number


def in_zone(bound: Any, zone: str | None) -> Any:
    """Return a bound for a column with a time zone; a date or time without a zone is read on the column's own clock.

    >>> in_zone(dt.date(2024, 7, 1), "Europe/Rome").isoformat(), in_zone(7, None)
    ('2024-07-01T00:00:00+02:00', 7)
    """
    if zone is None or not isinstance(bound, dt.date):
        return bound
    moment = bound if isinstance(bound, dt.datetime) else dt.datetime.combine(bound, dt.time())
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(zone))


def date_from_text(value: Any) -> Any:
    """Return the date for its ISO text, as JSON and schema files write it; anything else as it is.

    >>> date_from_text("2024-02-29"), date_from_text(7)
    (datetime.date(2024, 2, 29), 7)
    """
    if not isinstance(value, str):
        return value
    return dt.date.fromisoformat(value) if len(value) == 10 else dt.datetime.fromisoformat(value)
