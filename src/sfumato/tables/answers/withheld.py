"""Bounds over records that a release withholds: how many they are, and what the schema declares of their values.

A withheld record may meet any condition, have any key, and have any value or none in the column that is aggregated. So
COUNT grows by up to as many as are withheld, and every other aggregate is taken over choices among them too, each at an
end of what its column may hold. Those ends are the `low` and `high` that the owner declared, never those of the
published data: what is withheld may be the extreme. They count for quasi-identifiers and sensitive columns, which are
held against all records before anything is published; a plain column's are not. Where no end is declared, the side is
infinite. `Ends` are below or above every published value, which the closed forms here rest on.

tests/verbs/test_ask_withheld.py compares with the whole original, tests/tables/answers/test_withheld.py tries every
choice on small cases.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import polars as pl

from sfumato.contracts.answer import Answer
from sfumato.contracts.question import Question
from sfumato.ground.errors import DataError
from sfumato.published.tables.table import TableShape
from sfumato.tables.answers.rounding import round_down, round_up

__all__ = ["NONE", "Ends", "Withheld", "none_published", "withheld_of"]

_LARGEST = 2**62
"""Whole numbers from here on are taken for no end: they are too large to compute with."""


@dataclass(frozen=True)
class Ends:
    """How many records are withheld, and the smallest and the largest value that each may have."""

    n: int
    low: Any = -math.inf
    high: Any = math.inf

    @property
    def reach(self) -> float:
        """The largest absolute value that is known to be possible, 0 where a side is infinite."""
        return max((abs(float(each)) for each in (self.low, self.high) if math.isfinite(each)), default=0.0)

    def sums(self, low: Any, high: Any, n_low: int) -> tuple[Any, Any]:
        """The bounds of SUM from those over published records, None where none is selected; `n_low` surely are."""
        if not self.n:
            return low, high
        least = _least_sum(low, n_low, self.n, self.low)
        return least, -_least_sum(None if high is None else -high, n_low, self.n, -self.high)

    def means(self, low: Any, high: Any, n: int) -> tuple[Any, Any]:
        """The bounds of AVG from those of the sum over the `n` published records that are selected."""
        if not n:
            return self.low, self.high
        return (
            self._mean(low, n, self.low, upwards=False), self._mean(high, n, self.high, upwards=True)
        )  # fmt: skip

    def _mean(self, total: Any, n: int, end: Any, *, upwards: bool) -> float:
        if math.isinf(end) or math.isinf(total):
            return math.inf if upwards else -math.inf
        alone, beside = Fraction(total) / n, (Fraction(total) + self.n * Fraction(end)) / (n + self.n)
        return round_up(max(alone, beside)) if upwards else round_down(min(alone, beside))

    def extreme(self, aggregate: str, low: Any, high: Any, n_low: int) -> tuple[Any, Any]:
        """The bounds of MIN or MAX from those over published records, None where none is selected."""
        if not self.n:
            return low, high
        if low is None:
            return self.low, self.high
        if aggregate == "MIN":
            return min(low, self.low), high if n_low else max(high, self.high)
        return low if n_low else min(low, self.low), max(high, self.high)


@dataclass(frozen=True, eq=False)
class Withheld:
    """How many records a release withholds, and what its schema declares of columns: `low` and `high`, or None."""

    n: int = 0
    declared: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    def ends(self, column: str, dtype: pl.DataType) -> Ends:
        """The ends of what a withheld record may have in a column of this type, as asked in SQL."""
        low, high = self.declared.get(column, (None, None)) if self.n else (None, None)
        if dtype.is_temporal():
            return Ends(self.n, *_ends_of_time(low, high, dtype))
        return Ends(self.n, *_ends_of_numbers(low, high, whole=dtype.is_integer()))

    def counts(self, question: Question, low: int, high: int) -> tuple[int, int]:
        """The bounds of COUNT from those over published records; all records together are known to the last one."""
        every = question.column is None and not question.where and not question.by
        return low + (self.n if every else 0), high + self.n


NONE = Withheld()
"""Nothing is withheld."""


def none_published(question: Question, ends: Ends, margin: float, sql: str | None = None) -> Answer:
    """The answer, COUNT apart, where no published record is selected: none, unless a withheld one is.

    `margin` is what rounding may lose in a sum, relative to the sum of absolute values.
    """
    if not ends.n:
        return Answer(question.label, None, None, None, True, None, 0, 0, sql)
    low, high = ends.sums(None, None, 0) if question.aggregate == "SUM" else (ends.low, ends.high)
    if margin and question.aggregate in ("SUM", "AVG", "MEDIAN"):
        lost = margin * ends.reach * (ends.n if question.aggregate == "SUM" else 1)
        low, high = low - lost, high + lost
    return Answer(question.label, None, low, high, True, None, 0, ends.n, sql, ends.n)


def withheld_of(shape: TableShape) -> Withheld:
    """Read what a release says of the records that it withholds; refuse one that does not say it in numbers."""
    wrong = shape.unreadable_statements()
    if wrong:
        raise DataError(f"the release cannot be asked: {wrong[0]}; ask its owner for a new copy")
    if not shape.n_withheld:
        return NONE
    zoned = {
        name for frame in (shape.frame, *shape.files.values()) for name, dtype in frame.schema.items()
        if isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
    }  # fmt: skip
    if "value" in zoned and shape.as_subdomains is not None:
        zoned.add(shape.as_subdomains)
    columns = [column for column in shape.schema.columns.values() if column.role in ("quasi", "sensitive")]
    declared = {column.name: (column.low, column.high) for column in columns if column.name not in zoned}
    return Withheld(shape.n_withheld, declared)


def _least_sum(low: Any, n_low: int, n: int, end: Any) -> Any:
    """The smallest sum of published records, whose smallest is `low`, and of up to `n` at `end`, below all values."""
    taken = low if low is not None and (n_low or low < 0) else 0
    if not n_low and taken == 0 and end >= 0:  # nothing lowers a sum, and something must be chosen
        return end if low is None else min(low, end)
    return taken + n * end if end < 0 else taken


def _ends_of_numbers(low: Any, high: Any, *, whole: bool) -> tuple[Any, Any]:
    least = (
        -math.inf if low is None or isinstance(low, dt.date) else math.ceil(low) if whole else round_down(Fraction(low))
    )
    most = (
        math.inf
        if high is None or isinstance(high, dt.date)
        else math.floor(high)
        if whole
        else round_up(Fraction(high))
    )
    if not whole:
        return least, most
    return (least if abs(least) < _LARGEST else -math.inf), (most if abs(most) < _LARGEST else math.inf)


def _ends_of_time(low: Any, high: Any, dtype: pl.DataType) -> tuple[Any, Any]:
    """Ends of dates or times; the first and the last that there is where none are declared."""
    if dtype == pl.Time:
        return dt.time.min, dt.time.max
    low, high = (each if isinstance(each, dt.date) and not _has_zone(each) else None for each in (low, high))
    if dtype == pl.Date:
        return _day(low) or dt.date.min, _day(high) or dt.date.max
    return _moment(low) or dt.datetime.min, _moment(high) or dt.datetime.max


def _has_zone(moment: dt.date) -> bool:
    return isinstance(moment, dt.datetime) and moment.tzinfo is not None


def _day(moment: dt.date | None) -> dt.date | None:
    return moment.date() if isinstance(moment, dt.datetime) else moment


def _moment(day: dt.date | None) -> dt.datetime | None:
    return day if day is None or isinstance(day, dt.datetime) else dt.datetime.combine(day, dt.time())
