"""How far each published cell of a column reaches, read from the cells alone: nothing here looks at the original.

A range of numbers or dates reaches from its low to its high end, and so do intervals and calendar parts of a
hierarchy. A set, or a range of ordered categories, reaches over some values. Other cells are a value, or a heading.
"""

from __future__ import annotations

import calendar
import datetime as dt
import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.hierarchy_rules import Calendar, Intervals, Prefixes
from sfumato.data.schema import Column
from sfumato.data.shown import Cell, Form, parse, parse_bound
from sfumato.data.values import MISSING, as_number, date_from_text
from sfumato.ground.errors import DataError

__all__ = ["Extents", "read_extents"]

_HALF_OPEN = re.compile(r"\[(.+), (.+)\)")
_FROM_TO = re.compile(r"(\d+(?:\.\d+)?) ?[-–] ?(\d+(?:\.\d+)?)")
"""How people write a range where they make a hierarchy by hand: `15-19`."""
_PARTS: tuple[tuple[str, str], ...] = (
    ("day", r"\d{4,}-\d\d-\d\d"), ("week", r"\d{4,}-W\d\d"), ("month", r"\d{4,}-\d\d"), ("quarter", r"\d{4,}-Q\d"),
    ("year", r"\d{4,}"), ("decade", r"\d+0s"), ("century", r"\d+00-\d+99"),
)  # fmt: skip
"""Parts of the calendar, from fine to coarse, and how each is written."""


@dataclass(frozen=True, eq=False)
class Extents:
    """The distinct cells of a published column, how many rows show each, and how far each reaches."""

    column: Column
    form: Form
    cells: list[Cell]
    texts: list[str | None]
    n_rows: NDArray[np.float64]
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    """The ends of a cell as numbers, both included; NaN where it has none."""

    @property
    def in_numbers(self) -> bool:
        """Whether all cells that tell a value reach from a number or date to another."""
        told = ~(self.hidden | self.blank)
        return bool(told.any()) and not bool(np.isnan(self.low[told]).any())

    @cached_property
    def hidden(self) -> NDArray[np.bool_]:
        """Cells that tell nothing."""
        return np.array([cell.everything for cell in self.cells], dtype=bool)

    @cached_property
    def blank(self) -> NDArray[np.bool_]:
        """Cells of records without a value."""
        return np.array(
            [
                cell.low is None and cell.node is None and not cell.members and not cell.everything
                for cell in self.cells
            ],
            dtype=bool,
        )

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers or days, so that a range of one is exact."""
        return self.column.kind in ("integer", "date") and self.form not in ("value", "substitute")

    @cached_property
    def members(self) -> list[tuple[str, ...]] | None:
        """The values that each cell names or spans, for sets and ranges of ordered categories; None for others."""
        if self.form == "set":
            return [tuple(each for each in cell.members or () if each is not None) for cell in self.cells]
        if self.form == "range" and self.column.order is not None:
            place = {value: i for i, value in enumerate(self.column.order)}
            spans = []
            for cell in self.cells:
                first, last = place.get(cell.low or "", 0), place.get(cell.high or "", -1)
                spans.append(self.column.order[first : last + 1])
            return spans
        return None

    @property
    def part(self) -> list[str | None]:
        """The part of the calendar that each cell tells a date to; None where it tells none."""
        return [
            next((part for part, form in _PARTS if re.fullmatch(form, cell.node or "")), None) for cell in self.cells
        ]


def read_extents(series: pl.Series, form: Form, column: Column) -> Extents:
    """Parse the distinct cells of a published column."""
    texts = series.cast(pl.String).alias("cell")
    counted = texts.value_counts(name="n").sort("cell", nulls_last=True)
    shown = counted["cell"].to_list()
    cells = [parse(each, form) for each in shown]
    ends = np.array([_ends(cell, form, column) for cell in cells], dtype=np.float64).reshape(-1, 2)
    return Extents(column, form, cells, shown, counted["n"].to_numpy().astype(np.float64), ends[:, 0], ends[:, 1])


def _ends(cell: Cell, form: Form, column: Column) -> tuple[float, float]:
    """The ends of a cell as numbers; NaN where it is no range of numbers or dates."""
    nowhere = (np.nan, np.nan)
    if cell.everything or column.kind not in ("integer", "number", "date"):
        return nowhere
    try:
        if form == "node":
            return _ends_of_node(cell.node, column) if cell.node is not None else nowhere
        if cell.low is None or cell.high is None:
            return nowhere
        kind = "number" if form in ("value", "substitute") and column.kind == "integer" else str(column.kind)
        return as_number(parse_bound(cell.low, kind)), as_number(parse_bound(cell.high, kind))
    except (DataError, ValueError, TypeError):
        return nowhere


def _ends_of_node(label: str, column: Column) -> tuple[float, float]:
    """The ends of an interval or a part of the calendar, or of a value that is no heading."""
    rule = column.hierarchy
    half_open = _HALF_OPEN.fullmatch(label)
    if isinstance(rule, Intervals) and half_open is not None:
        dates = column.kind == "date"
        first, last = (as_number(date_from_text(end) if dates else float(end)) for end in half_open.groups())
        return first, last - 1 if column.kind in ("integer", "date") else last
    if isinstance(rule, Calendar):
        found = _calendar_ends(label)
        if found is not None:
            return as_number(found[0]), as_number(found[1])
    from_to = _FROM_TO.fullmatch(label)
    if from_to is not None and column.kind in ("integer", "number"):
        first, last = map(float, from_to.groups())
        return (first, last) if first <= last else (np.nan, np.nan)
    value = as_number(parse_bound(label, str(column.kind)))
    return value, value


def _calendar_ends(label: str) -> tuple[dt.date, dt.date] | None:
    """The first and the last day of a part of the calendar."""
    part = next((part for part, form in _PARTS if re.fullmatch(form, label)), None)
    if part in (None, "day"):
        return None
    year = int(label[:4])
    if part == "week":
        first = dt.date.fromisocalendar(year, int(label[-2:]), 1)
        return first, first + dt.timedelta(days=6)
    if part in ("month", "quarter"):
        start = int(label[-2:]) if part == "month" else 3 * int(label[-1]) - 2
        end = start if part == "month" else start + 2
        return dt.date(year, start, 1), dt.date(year, end, calendar.monthrange(year, end)[1])
    years = {"year": 1, "decade": 10, "century": 100}[str(part)]
    return dt.date(year, 1, 1), dt.date(year + years - 1, 12, 31)


def kept_characters(extents: Extents) -> tuple[NDArray[np.float64], int] | None:
    """How many characters of a code each cell keeps, and of how many; None unless codes are cut from the right."""
    rule = extents.column.hierarchy
    if not isinstance(rule, Prefixes) or extents.form != "node":
        return None
    kept = [len((each or "").removesuffix(f" or {MISSING}").rstrip("*")) for each in extents.texts]
    return np.array(kept, dtype=np.float64), rule.length
