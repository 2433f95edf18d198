"""The rules that hierarchies come from: written out, intervals, prefixes, the calendar."""

from __future__ import annotations

import bisect
import datetime as dt
import itertools
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.tree import Tree
from sfumato.data.values import SUPPRESSED, as_number, date_from_text, text
from sfumato.ground.errors import SchemaError
from sfumato.ground.validate import is_whole, told

__all__ = ["Automatic", "Calendar", "Intervals", "Paths", "Prefixes"]


@dataclass(frozen=True)
class Paths(Hierarchy):
    """A tree written out value by value."""

    paths: tuple[tuple[str, ...], ...]
    kind: ClassVar[str] = "paths"

    def __post_init__(self) -> None:
        """Refuse paths that form no tree."""
        if not self.paths:
            raise SchemaError("a hierarchy needs at least one value")
        _ = self._tree

    @cached_property
    def _tree(self) -> Tree:
        return Tree.from_paths(self.paths)

    def tree(self, values: Iterable[Any]) -> Tree:
        """All values of the rule are leaves, whether the column has them or not: they are its domain."""
        tree = self._tree
        lacking = [text(value) for value in values if text(value) not in tree.leaf_of]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise SchemaError(f"lacks the value {lacking[0]!r}{more}; add a line for each to the hierarchy")
        return tree

    def published(self, shown: Collection[str]) -> Hierarchy | None:
        """The paths without values and nodes that no cell shows: which values occur may be the owner's secret.

        A label that a path repeats is told once, as levels are not read from what is published.
        """
        seen = ((*(label for label in path[:-1] if label in shown), path[-1]) for path in self.paths)
        cut = dict.fromkeys(tuple(label for label, _ in itertools.groupby(path)) for path in seen)
        inner = {label for path in cut for label in path[1:]}
        kept = [path for path in cut if len(path) > 1 and path[0] not in inner]
        return Paths(tuple(kept)) if kept else None

    def to_dict(self) -> dict[str, Any]:
        """The paths as plain data, one list per value, and whether they were fitted to a column."""
        fitted = {"fitted": True} if self.fitted else {}
        return {"type": "paths", "paths": [list(path) for path in self.paths], **fitted}

    def _examples(self) -> Iterable[Any]:
        return (path[0] for path in self.paths)


_MOST_INTERVALS = 100_000
_LONGEST_CODE = 1_000


def _edge(given: Any) -> Any:
    try:
        return date_from_text(given.item() if isinstance(given, np.generic) else given)
    except ValueError:
        raise SchemaError(f"interval breaks must be numbers or dates, got {given!r}") from None


def _regular_breaks(low: Any, high: Any, width: float) -> tuple[Any, ...]:
    if isinstance(low, dt.date) != isinstance(high, dt.date):
        raise SchemaError(f"intervals go from a number to a number or from date to date, got {text(low)}, {text(high)}")
    if any(isinstance(each, float) and not math.isfinite(each) for each in (low, high, width)):
        raise SchemaError(f"intervals have finite bounds and widths, got {text(low)}, {text(high)} and {text(width)}")
    if isinstance(width, (dt.date, bool)) or not width > 0:
        raise SchemaError(f"an interval's width must be above 0, got {width}")
    n = math.ceil((as_number(high) - as_number(low)) / width - 1e-9)
    if n < 1:
        raise SchemaError(f"high must be above low, got {text(low)} and {text(high)}")
    if n > _MOST_INTERVALS:
        raise SchemaError(f"a width of {width} makes {n:,} intervals, and {_MOST_INTERVALS:,} are the most; widen it")
    if isinstance(low, dt.date) and low.toordinal() + n * width > dt.date.max.toordinal():
        raise SchemaError(f"intervals of width {width} from {text(low)} go past the year 9999; lower high")
    if isinstance(low, dt.date):
        return tuple(low + i * dt.timedelta(days=width) for i in range(n + 1))
    if isinstance(low, int) and isinstance(width, int):
        return tuple(low + i * width for i in range(n + 1))
    start, step = Decimal(str(low)), Decimal(str(width))  # exact: 3 x 0.1 is the 0.3 of a coarser level
    return tuple(float(start + i * step) for i in range(n + 1))


@dataclass(frozen=True)
class Intervals(Hierarchy):
    """Nested half-open intervals; `levels` go from fine to coarse, each a list of edges."""

    levels: tuple[tuple[Any, ...], ...]
    kind: ClassVar[str] = "intervals"

    @classmethod
    def from_widths_or_breaks(
        cls,
        widths: Sequence[float] | None,
        *,
        low: float | dt.date | None,
        high: float | dt.date | None,
        breaks: Sequence[Any] | Sequence[Sequence[Any]] | None,
    ) -> Intervals:
        """Make intervals from widths with bounds, or from breaks."""
        if (widths is None) == (breaks is None):
            raise SchemaError("intervals take either widths (with low and high) or breaks, not both or neither")
        if breaks is not None:
            given: list[Any] = list(breaks)
            levels = given if given and isinstance(given[0], (list, tuple, np.ndarray)) else [given]
            return cls(tuple(tuple(_edge(each) for each in level) for level in levels))
        if low is None or high is None:
            raise SchemaError("intervals of given widths need low and high, the bounds of the column")
        assert widths is not None
        return cls(tuple(_regular_breaks(_edge(low), _edge(high), _edge(width)) for width in widths))

    def __post_init__(self) -> None:
        """Edges must rise, and every coarse edge must be a fine one too, or lie beyond the last."""
        if not self.levels:
            raise SchemaError("intervals need one level at least; give a width or a list of breaks")
        if len({isinstance(edge, dt.date) for level in self.levels for edge in level}) > 1:
            raise SchemaError("interval breaks must be all numbers or all dates")
        finer: set[float] | None = None
        for level in self.levels:
            try:
                edges = [as_number(edge) for edge in level]
            except (TypeError, ValueError):
                raise SchemaError(f"interval breaks must be numbers or dates, got {list(level)}") from None
            if len(edges) < 2 or any(b <= a for a, b in itertools.pairwise(edges)):
                raise SchemaError(f"interval breaks must rise, and be two at least, got {[text(e) for e in level]}")
            if finer is not None:
                end = max(finer)
                odd = next((e for e in level if as_number(e) < end and as_number(e) not in finer), None)
                if odd is not None:
                    raise SchemaError(f"the coarser interval edge {text(odd)} cuts through a finer interval")
            finer = set(edges)

    def _label(self, level: tuple[Any, ...], i: int) -> str:
        return f"[{text(level[i])}, {text(level[i + 1])})"

    def _locate(self, level: tuple[Any, ...], number: float) -> int:
        i = bisect.bisect_right(level, number, key=as_number) - 1
        return i if 0 <= i < len(level) - 1 else -1

    def _number(self, value: Any) -> float:
        dates = isinstance(self.levels[0][0], dt.date)
        if isinstance(value, str) or isinstance(value, dt.date) != dates:
            kind = "date" if dates else "number"
            raise SchemaError(f"lacks the value {text(value)!r}: it is no {kind}; declare the column's kind as {kind}")
        return as_number(value)

    def tree(self, values: Iterable[Any]) -> Tree:
        """The given values are the leaves; an inner node costs its share of the whole width."""
        distinct = sorted({text(v): v for v in values}.values(), key=self._number)
        low = max((level[0] for level in self.levels), key=as_number)
        high = min((level[-1] for level in self.levels), key=as_number)
        whole = max(as_number(level[-1]) for level in self.levels) - as_number(self.levels[0][0])
        sizes: dict[str, float] = {}
        paths = []
        for value in distinct:
            path = [text(value)]
            for level in self.levels:
                i = self._locate(level, as_number(value))
                if i < 0:
                    span = f"[{text(low)}, {text(high)})"
                    raise SchemaError(f"lacks the value {text(value)!r}; its intervals cover {span} only: widen them")
                label = self._label(level, i)
                sizes[label] = (as_number(level[i + 1]) - as_number(level[i])) / whole
                path.append(label)
            paths.append((*path, SUPPRESSED))
        sizes[SUPPRESSED] = 1.0
        return Tree.from_paths(paths, sizes)

    def to_dict(self) -> dict[str, Any]:
        """The edges of every level as plain data."""
        return {"type": "intervals", "breaks": [[_plain(edge) for edge in level] for level in self.levels]}

    def _examples(self) -> Iterable[Any]:
        return self.levels[0][:-1]


def _plain(edge: Any) -> Any:
    return edge.isoformat() if isinstance(edge, dt.date) else edge


@dataclass(frozen=True)
class Prefixes(Hierarchy):
    """Codes that are cut from the right."""

    length: int
    keep: tuple[int, ...]
    kind: ClassVar[str] = "prefixes"

    @classmethod
    def of_length(cls, length: int, keep: Sequence[int] | None) -> Prefixes:
        """Make prefixes of codes of this length: by default every number of characters below it is kept once."""
        if not is_whole(length):
            raise SchemaError(f"prefixes need a length of 1 or more, got {told(length)}")
        if keep is not None and not (isinstance(keep, (list, tuple)) and all(map(is_whole, keep))):
            raise SchemaError(f"prefixes take keep as a list of whole numbers, got {told(keep)}")
        if length > _LONGEST_CODE:
            raise SchemaError(f"codes of {length:,} characters are too long; {_LONGEST_CODE:,} is the most")
        return cls(length, tuple(keep) if keep is not None else tuple(range(length - 1, 0, -1)))

    def __post_init__(self) -> None:
        """The number of kept characters must fall from level to level."""
        if isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1:
            raise SchemaError(f"prefixes need a length of 1 or more, got {self.length!r}")
        steps = (self.length, *self.keep)
        if any(b >= a for a, b in itertools.pairwise(steps)) or any(n < 1 for n in self.keep):
            raise SchemaError(
                f"prefixes must keep ever fewer characters, from {self.length - 1} to 1, got {list(self.keep)}"
            )

    def code(self, value: Any) -> str:
        """A value as a code; a code that was read as a number gets its leading zeros back."""
        shown = text(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            shown = shown.zfill(self.length)
        if len(shown) > self.length:
            raise SchemaError(f"lacks the value {shown!r}: it has more than {self.length} characters; raise the length")
        return shown

    def tree(self, values: Iterable[Any]) -> Tree:
        """The given codes are the leaves, in alphabetical order."""
        codes = sorted({self.code(value): text(value) for value in values}.items())
        return Tree.from_paths(
            [
                (shown, *(code[:n] + "*" * (len(code) - n) for n in self.keep if n < len(code)), SUPPRESSED)
                for code, shown in codes
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The length and the numbers of kept characters as plain data."""
        return {"type": "prefixes", "length": self.length, "keep": list(self.keep)}

    def _examples(self) -> Iterable[Any]:
        return ("1234567890"[: self.length], "1234567890"[: self.length - 1] + "9")


_PARTS = ("day", "week", "month", "quarter", "year", "decade", "century")


def _calendar_label(date: dt.date, part: str) -> str:
    if part == "day":
        return date.isoformat()[:10]
    if part == "week":
        year, week, _ = date.isocalendar()
        return f"{year}-W{week:02}"
    if part == "month":
        return f"{date.year:04}-{date.month:02}"
    if part == "quarter":
        return f"{date.year:04}-Q{(date.month + 2) // 3}"
    if part == "year":
        return f"{date.year:04}"
    if part == "decade":
        return f"{date.year // 10 * 10}s"
    return f"{date.year // 100 * 100}-{date.year // 100 * 100 + 99}"


@dataclass(frozen=True)
class Calendar(Hierarchy):
    """Dates by the parts of the calendar."""

    parts: tuple[str, ...]
    kind: ClassVar[str] = "calendar"

    def __post_init__(self) -> None:
        """Parts must be known, grow coarser, and nest (a week lies in no month)."""
        unknown = [part for part in self.parts if part not in _PARTS]
        if unknown or not self.parts:
            raise SchemaError(f"calendar parts are {', '.join(_PARTS)}; got {', '.join(unknown) or 'none'}")
        ranks = [_PARTS.index(part) for part in self.parts]
        if ranks != sorted(set(ranks)):
            raise SchemaError(f"calendar parts must grow coarser, got {', '.join(self.parts)}")
        if "week" in self.parts and self.parts[-1] != "week":
            raise SchemaError("a week can lie in two months or years; use week alone, or leave it out")

    def tree(self, values: Iterable[Any]) -> Tree:
        """The given dates are the leaves, in order."""
        dates: dict[str, dt.date] = {}
        for value in values:
            if not isinstance(value, dt.date):
                raise SchemaError(f"lacks the value {text(value)!r}: it is no date; declare the column's kind as date")
            dates[text(value)] = value
        ordered = sorted(dates.items(), key=lambda item: as_number(item[1]))
        paths = []
        for shown, date in ordered:
            levels = [_calendar_label(date, part) for part in self.parts]
            if levels[0] == shown and not isinstance(date, dt.datetime):  # a date is its own day
                levels = levels[1:]
            paths.append((shown, *levels, SUPPRESSED))
        return Tree.from_paths(paths)

    def to_dict(self) -> dict[str, Any]:
        """The parts of the calendar as plain data."""
        return {"type": "calendar", "parts": list(self.parts)}

    def _examples(self) -> Iterable[Any]:
        return (dt.date(2024, 1, 15), dt.date(2024, 2, 29), dt.date(2024, 7, 1), dt.date(2025, 12, 31))


@dataclass(frozen=True)
class Automatic(Hierarchy):
    """A placeholder for a hierarchy that a table fits to its column."""

    kind: ClassVar[str] = "automatic"

    def tree(self, values: Iterable[Any]) -> Tree:
        """Fit to the values, each counted once."""
        return Hierarchy.automatic(list(values)).tree(values)

    def to_dict(self) -> dict[str, Any]:
        """The kind `automatic` alone: nothing is fitted yet."""
        return {"type": "automatic"}
