"""What a published cell may stand for: a range of an ordered column, known members, or any value under a label."""

from __future__ import annotations

import calendar
import datetime as dt
import itertools
import math
import re
from dataclasses import dataclass
from typing import Any

from sfumato.data.hierarchy_rules import Calendar, Intervals, Prefixes
from sfumato.data.schema import Column
from sfumato.data.shown import Cell, parse_bound
from sfumato.data.values import text
from sfumato.ground.errors import DataError

__all__ = ["DAY", "Extent", "extent", "number_of"]

DAY = 86_400_000_000
_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Extent:
    """The meaning of a cell: `low` to `high` on an ordered column, or `members`, or what hides under a `label`.

    Ends are whole numbers, floats, or microseconds since 1970 for dates; None is without end. `only_missing` cells have
    no value at all.
    """

    low: Any = None
    high: Any = None
    members: tuple[str, ...] | None = None
    label: str | None = None
    everything: bool = False
    missing: bool = False
    only_missing: bool = False


def extent(cell: Cell, form: str, column: Column) -> Extent:
    """What a cell of that column may stand for."""
    if cell.everything:
        return Extent(everything=True, missing=True)
    if form == "set" and cell.members is not None:
        return Extent(members=cell.members, missing=cell.missing)
    if form == "node" and cell.node is not None:
        return _extent_under(cell.node, column, missing=cell.missing)
    if cell.low is None or cell.high is None:
        return Extent(missing=True, only_missing=True)
    if column.kind in ("integer", "number", "date"):
        low, high = (number_of(parse_bound(end, column.kind)) for end in (cell.low, cell.high))
        return Extent(low=low, high=high, missing=cell.missing)
    order = column.order or ()
    if cell.low not in order or cell.high not in order:
        if cell.low == cell.high:
            return Extent(members=(cell.low,), missing=cell.missing)
        raise DataError(f"column {column.name!r}: the published range {cell.low} to {cell.high} is not in its order")
    members = order[order.index(cell.low) : order.index(cell.high) + 1]
    return Extent(members=members, missing=cell.missing)


def number_of(value: Any) -> Any:
    """A number as it is, a date as microseconds since 1970."""
    if not isinstance(value, dt.date):
        return value
    moment = value if isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
    if moment.tzinfo is not None:
        raise DataError("times with a zone cannot be compared in a question; publish them without")
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)


def _extent_under(label: str, column: Column, *, missing: bool) -> Extent:
    """What lies under a node of the column's hierarchy; under a node of listed paths, only its label is known."""
    rule, kind = column.hierarchy, str(column.kind)
    unknown = Extent(label=label, missing=missing)
    if isinstance(rule, Intervals):
        for level in rule.levels:
            for low, high in itertools.pairwise(level):
                if f"[{text(low)}, {text(high)})" == label:
                    return Extent(low=_from(low, kind), high=_before(high, kind), missing=missing)
    elif isinstance(rule, Calendar):
        span = _span(label, rule)
        if span is not None:
            first, after = (number_of(day) for day in span)
            return Extent(low=first, high=after - 1, missing=missing)
    elif not isinstance(rule, Prefixes) or label.endswith("*"):
        return unknown
    if kind not in ("integer", "number", "date"):
        return Extent(members=(label,), missing=missing)
    try:
        value = number_of(parse_bound(label, kind))
    except DataError:
        return unknown
    return Extent(low=value, high=value, missing=missing)


def _from(edge: Any, kind: str) -> Any:
    """The smallest value that is not below the closed end of an interval."""
    number = number_of(edge)
    return math.ceil(number) if kind == "integer" else number


def _before(edge: Any, kind: str) -> Any:
    """The largest value below the open end of an interval."""
    number = number_of(edge)
    if kind == "number":
        return math.nextafter(float(number), -math.inf)
    return math.ceil(number) - 1


def _span(label: str, rule: Calendar) -> tuple[dt.date, dt.date] | None:
    """The days of a part of the calendar: the first, and the one after the last."""
    parts = set(rule.parts)
    try:
        if "day" in parts and re.fullmatch(r"\d{4}-\d\d-\d\d", label):
            day = dt.date.fromisoformat(label)
            return day, day + dt.timedelta(days=1)
        if "week" in parts and re.fullmatch(r"\d{4}-W\d\d", label):
            monday = dt.date.fromisocalendar(int(label[:4]), int(label[6:]), 1)
            return monday, monday + dt.timedelta(days=7)
        if "month" in parts and re.fullmatch(r"\d{4}-\d\d", label):
            year, month = int(label[:4]), int(label[5:])
            first = dt.date(year, month, 1)
            return first, first + dt.timedelta(days=calendar.monthrange(year, month)[1])
        if "quarter" in parts and re.fullmatch(r"\d{4}-Q[1-4]", label):
            year, quarter = int(label[:4]), int(label[6:])
            return dt.date(year, quarter * 3 - 2, 1), _after(year + quarter // 4, quarter * 3 % 12 + 1)
        if "year" in parts and re.fullmatch(r"\d{4}", label):
            return dt.date(int(label), 1, 1), _after(int(label) + 1, 1)
        if "decade" in parts and re.fullmatch(r"\d+0s", label):
            return dt.date(max(int(label[:-1]), 1), 1, 1), _after(int(label[:-1]) + 10, 1)
        if "century" in parts and re.fullmatch(r"\d+00-\d+99", label):
            start = int(label.split("-")[0])
            return dt.date(max(start, 1), 1, 1), _after(start + 100, 1)
    except ValueError:
        return None
    return None


def _after(year: int, month: int) -> dt.date:
    """The first day of a month, or the last day that dates have."""
    return dt.date(year, month, 1) if year <= dt.MAXYEAR else dt.date.max
