"""Hierarchies: how the values of a column may be made coarser, step by step.

A `Hierarchy` is a rule (a list of paths, a set of widths, a number of prefix characters, parts of a calendar).
Bound to the values that a column holds it becomes a `Tree`. The rule is what is published with a release:
it never lists a value that only the original data hold, unless the owner's own file does.
"""

from __future__ import annotations

import bisect
import csv
import datetime as dt
import io
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sfumato.data.tree import Tree
from sfumato.data.values import SUPPRESSED, as_number, date_from_text, text
from sfumato.errors import SchemaError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Calendar", "Hierarchy", "Intervals", "Paths", "Prefixes"]


class Hierarchy(ABC):
    """A tree over a column's values. Make one with the constructors below."""

    kind: ClassVar[str]

    # -- constructors ------------------------------------------------------------------------------------
    @staticmethod
    def from_csv(path: str | Path, sep: str = ";") -> Hierarchy:
        """Read ARX's format: one line per value, from the value itself to the root, `sep` between levels.

        Lines may differ in length; empty cells at the end of one are padding.
        """
        file = Path(path)
        try:
            content = file.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise SchemaError(f"hierarchy file '{file}' does not exist; check its path") from None
        except UnicodeDecodeError:
            raise SchemaError(f"hierarchy file '{file}' is not UTF-8; save it as UTF-8") from None
        except OSError as error:
            raise SchemaError(f"hierarchy file '{file}' cannot be read: {error.strerror}") from None
        try:
            lines = list(csv.reader(io.StringIO(content, newline=""), delimiter=sep))
        except (csv.Error, TypeError) as error:
            raise SchemaError(f"hierarchy file '{file}' cannot be split at {sep!r}: {error}") from None
        rows = [row for row in map(_without_padding, lines) if row]
        if not rows:
            raise SchemaError(f"hierarchy file '{file}' is empty; give one line per value, e.g. 53715{sep}537**{sep}*")
        if all(len(row) == 1 for row in rows):
            raise SchemaError(f"hierarchy file '{file}' has one level only; is {sep!r} its separator?")
        try:
            return Hierarchy.from_paths(rows)
        except SchemaError as error:
            raise SchemaError(f"hierarchy file '{file}': {error}") from None

    @staticmethod
    def from_paths(paths: Iterable[Sequence[str]]) -> Hierarchy:
        """From one path per value, each from the value itself to the root."""
        return Paths(tuple(tuple(text(label) for label in _listed(path)) for path in _listed(paths)))

    @staticmethod
    def flat(values: Iterable[Any]) -> Hierarchy:
        """Every value directly below the root."""
        return Paths(tuple((text(value), SUPPRESSED) for value in _listed(values)))

    @staticmethod
    def intervals(
        widths: Sequence[float] | None = None,
        *,
        low: float | dt.date | None = None,
        high: float | dt.date | None = None,
        breaks: Sequence[Any] | Sequence[Sequence[Any]] | None = None,
    ) -> Hierarchy:
        """Half-open intervals for numbers or dates, nested from fine to coarse.

        Either `widths` from `low` to `high`, each a multiple of the one before, as in
        `intervals([5, 10, 20], low=0, high=100)`; or `breaks`, one list of edges per level, as in
        `intervals(breaks=[[0, 18, 30, 45, 65, 120], [0, 18, 65, 120]])`.
        """
        if (widths is None) == (breaks is None):
            raise SchemaError("intervals take either widths (with low and high) or breaks, not both or neither")
        if breaks is not None:
            given: list[Any] = list(breaks)
            levels = given if given and isinstance(given[0], (list, tuple, np.ndarray)) else [given]
            return Intervals(tuple(tuple(_edge(edge) for edge in level) for level in levels))
        if low is None or high is None:
            raise SchemaError("intervals of given widths need low and high, the bounds of the column")
        assert widths is not None
        return Intervals(tuple(_regular_breaks(_edge(low), _edge(high), _edge(width)) for width in widths))

    @staticmethod
    def prefixes(length: int, keep: Sequence[int] | None = None) -> Hierarchy:
        """Codes of `length` characters (ZIP, ICD) cut from the right: `53715`, `5371*`, ... `*`.

        `keep` lists how many characters stay at each level, by default every number below `length`.
        """
        return Prefixes(length, tuple(keep) if keep is not None else tuple(range(length - 1, 0, -1)))

    @staticmethod
    def calendar(parts: Sequence[str] = ("month", "quarter", "year", "decade")) -> Hierarchy:
        """Dates to week or month, quarter, year, decade."""
        return Calendar(tuple(parts))

    @staticmethod
    def automatic(column: pl.Series | Sequence[Any]) -> Hierarchy:
        """A hierarchy fitted to a column: see `sfumato.data.automatic`."""
        from sfumato.data.automatic import fit

        return fit(column)

    @staticmethod
    def from_dict(given: Mapping[str, Any]) -> Hierarchy:
        """Read what `to_dict` wrote, or what a schema file says."""
        rest = {key: value for key, value in given.items() if key != "type"}
        kind = given.get("type")
        try:
            if kind == "paths":
                return Hierarchy.from_paths(**rest)
            if kind == "csv":
                return Hierarchy.from_csv(**rest)
            if kind == "intervals":
                return Hierarchy.intervals(**rest)
            if kind == "prefixes":
                return Hierarchy.prefixes(**rest)
            if kind == "calendar":
                return Hierarchy.calendar(**rest)
            if kind == "flat":
                return Hierarchy.flat(**rest)
        except TypeError as error:
            raise SchemaError(f"hierarchy of type {kind!r}: {error}") from None
        known = "csv, paths, intervals, prefixes, calendar, flat"
        raise SchemaError(f"hierarchy type must be one of {known}, got {kind!r}")

    # -- what a hierarchy does ---------------------------------------------------------------------------
    @abstractmethod
    def tree(self, values: Iterable[Any]) -> Tree:
        """Bind to the values of a column. A value that has no place raises `SchemaError` and is named."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The rule as plain data, for a schema file and for the readers of a release."""

    def published(self, shown: Collection[str]) -> Hierarchy | None:
        """The rule as readers may see it, beside cells that show these labels."""
        return self

    def describe(self, values: Iterable[Any] | None = None) -> str:
        """The tree as text, over `values` or, without them, over what the rule itself names."""
        return self.tree(values if values is not None else self._examples()).describe()

    def _examples(self) -> Iterable[Any]:
        return ()


def _without_padding(cells: Sequence[str]) -> tuple[str, ...]:
    stripped = [cell.strip() for cell in cells]
    while stripped and not stripped[-1]:
        stripped.pop()
    return tuple(stripped)


def _listed(given: Iterable[Any]) -> Iterable[Any]:
    if isinstance(given, str):
        raise SchemaError(f"a hierarchy takes lists, got the text {given!r}; write [{given!r}]")
    return given


@dataclass(frozen=True)
class Paths(Hierarchy):
    """A tree written out value by value."""

    paths: tuple[tuple[str, ...], ...]
    kind: ClassVar[str] = "paths"

    def __post_init__(self) -> None:
        """Refuse what is not a tree."""
        if not self.paths:
            raise SchemaError("a hierarchy needs at least one value")
        Tree.from_paths(self.paths)

    def tree(self, values: Iterable[Any]) -> Tree:
        """All values of the rule are leaves, present or not: they are the column's domain."""
        tree = Tree.from_paths(self.paths)
        lacking = [text(value) for value in values if text(value) not in tree.leaf_of]
        if lacking:
            more = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise SchemaError(f"lacks the value {lacking[0]!r}{more}; add a line for each to the hierarchy")
        return tree

    def published(self, shown: Collection[str]) -> Hierarchy | None:
        """Without the values that no cell shows: which ones occur may be known to the owner alone."""
        cut = dict.fromkeys(path if path[0] in shown else path[1:] for path in self.paths)
        inner = {label for path in cut for label in path[1:]}
        kept = [path for path in cut if len(path) > 1 and path[0] not in inner]
        return Paths(tuple(kept)) if kept else None

    def to_dict(self) -> dict[str, Any]:
        """One list per value."""
        return {"type": "paths", "paths": [list(path) for path in self.paths]}

    def _examples(self) -> Iterable[Any]:
        return (path[0] for path in self.paths)


def _edge(given: Any) -> Any:
    try:
        return date_from_text(given.item() if isinstance(given, np.generic) else given)
    except ValueError:
        raise SchemaError(f"interval breaks must be numbers or dates, got {given!r}") from None


def _regular_breaks(low: Any, high: Any, width: float) -> tuple[Any, ...]:
    if isinstance(width, dt.date) or not width > 0:
        raise SchemaError(f"an interval's width must be above 0, got {width}")
    n = math.ceil((as_number(high) - as_number(low)) / width - 1e-9)
    if n < 1:
        raise SchemaError(f"high must be above low, got {text(low)} and {text(high)}")
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
                if label != path[-1]:
                    path.append(label)
            paths.append((*path, SUPPRESSED))
        sizes[SUPPRESSED] = 1.0
        return Tree.from_paths(paths, sizes)

    def to_dict(self) -> dict[str, Any]:
        """The edges of every level."""
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

    def __post_init__(self) -> None:
        """The number of kept characters must fall from level to level."""
        if not isinstance(self.length, int) or self.length < 1:
            raise SchemaError(f"prefixes need a length of 1 or more, got {self.length!r}")
        steps = (self.length, *self.keep)
        if any(b >= a for a, b in itertools.pairwise(steps)) or any(n < 1 for n in self.keep):
            raise SchemaError(
                f"prefixes must keep ever fewer characters, from {self.length - 1} to 1, got {list(self.keep)}"
            )

    def code(self, value: Any) -> str:
        """The code as text; a code that was read as a number gets its leading zeros back."""
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
        """The length and what is kept."""
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
        """The parts."""
        return {"type": "calendar", "parts": list(self.parts)}

    def _examples(self) -> Iterable[Any]:
        return (dt.date(2024, 1, 15), dt.date(2024, 2, 29), dt.date(2024, 7, 1), dt.date(2025, 12, 31))
