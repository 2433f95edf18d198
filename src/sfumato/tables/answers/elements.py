"""The values that a cell may stand for, as few as a condition can tell apart, and how much of the cell each is.

Where a column is only compared with constants these cut its ranges: the constants themselves and the stretches between
them, one value for each. In any other condition every whole number or day of a range is an element of its own. A node,
or a star, is weighed by its leaves (`leaves.py`); where the release does not list them no share of it is known.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from sfumato.data.hierarchy_rules import Calendar, Intervals, Paths, Prefixes
from sfumato.data.schema import Column
from sfumato.data.values import text
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.cell_extents import DAY, Extent, number_of
from sfumato.tables.answers.leaves import Leaves
from sfumato.tables.answers.uses import Uses

__all__ = ["elements"]

_MOST_LISTED = 2_000_000
_LARGEST = 2**53
_MOST_DIGITS = 15  # whoever reads so few into a float gets the same one
_EPOCH = dt.datetime(1970, 1, 1)
_ALL_TIME = (number_of(dt.datetime.min), number_of(dt.datetime.max))


@dataclass(frozen=True)
class _Element:
    value: Any
    weight: float


@dataclass(frozen=True)
class _Tried:
    """The elements of a cell, whether it may hold values that none stands for, and whether their weights are known."""

    found: list[_Element]
    open: bool = False
    known: bool = True


def elements(cells: Sequence[Extent], column: Column, used: Uses, form: str, *, whole_days: bool) -> pl.DataFrame:
    """The values to try for every cell of a column shown in that form, as few as the condition can tell apart.

    One row for each cell and value: `cell`, `value`, `weight` (the share of the cell that the value stands for),
    `open`, whether the cell may hold other values too, and `known`, whether the weights of the cell are.
    """
    builder = _Builder(cells, column, used, form, whole_days=whole_days)
    rows: list[tuple[int, Any, float, bool, bool]] = []
    for i, cell in enumerate(cells):
        tried = builder.of(cell)
        rows += [(i, element.value, element.weight, tried.open, tried.known) for element in tried.found]
        if len(rows) > _MOST_LISTED:
            raise ParameterError(
                f"the condition on {column.name!r} needs too many values to be tried; compare it with constants"
            )
    schema = {"cell": pl.Int64, "value": builder.dtype, "weight": pl.Float64, "open": pl.Boolean, "known": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


class _Builder:
    """Finds the elements of the cells of one column."""

    def __init__(self, cells: Sequence[Extent], column: Column, used: Uses, form: str, *, whole_days: bool) -> None:
        self.column, self.used = column, used
        self.leaves = Leaves(cells, column, form)
        self.coded = form == "node" and not isinstance(column.hierarchy, (Intervals, Calendar))
        """Whether nodes are labels, which tell nothing of what lies under them."""
        self.kind = str(column.kind)
        self.ordered = self.kind in ("integer", "number", "date")
        self.step = {"integer": 1, "date": DAY if whole_days else 1}.get(self.kind)
        self.dtype: Any = {"integer": pl.Int64, "number": pl.Float64, "date": pl.Datetime("us")}.get(
            self.kind, pl.String
        )
        ends = [(cell.low, cell.high) for cell in cells if cell.low is not None and cell.high is not None]
        self.span = (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None
        self.constants, plain = self._constants()
        self.compared = used.compared and plain
        self.equality = used.equality and plain
        self.limits = {"integer": (-(2**63), 2**63 - 1), "date": _ALL_TIME}.get(self.kind)
        """The smallest and the largest value that the type of the column can hold, where there are such."""
        self._known_paths: dict[str, set[str]] | None = None

    def of(self, cell: Extent) -> _Tried:
        """The elements of a cell."""
        if cell.only_missing:
            return _Tried([_Element(None, 1.0)])
        if cell.members is not None:
            tried = _Tried([_Element(member, 1 / len(cell.members)) for member in cell.members])
        elif cell.label is not None or (cell.everything and not self.ordered):
            tried = self._elements_under_label(cell)
        else:
            tried = self._elements_of_range(cell)
            if cell.everything and self.coded:
                tried = self._weigh_by_leaves(tried, self._leaves_under(cell))
        if not cell.missing:
            return tried
        share, known = self._missing_share(cell)
        found = [_Element(each.value, each.weight * (1 - share)) for each in tried.found] + [_Element(None, share)]
        return _Tried(found, tried.open, tried.known and known)

    def _missing_share(self, cell: Extent) -> tuple[float, bool]:
        """The share of a cell that a missing value has, one value more, and whether it is known.

        Half where values can be measured and not counted.
        """
        if cell.members is not None:
            return 1 / (len(cell.members) + 1), True
        if cell.label is not None or (cell.everything and (self.coded or not self.ordered)):
            leaves = self._leaves_under(cell)
            return (1 / (len(leaves) + 1), True) if leaves else (0.5, False)
        low, high = (cell.low, cell.high) if cell.low is not None else self.span or (None, None)
        if self.step is None or low is None:
            return 0.5, True
        return 1 / (self._measure(low, high) + 1), True

    # -- constants ---------------------------------------------------------------------------------------------------

    def _constants(self) -> tuple[list[Any], bool]:
        """The constants as values of the column, in order, and whether all of them are of the column's kind."""
        if self.kind == "date" and self.step == DAY and any(len(each) > len("2024-02-29") for each in self.used.texts):
            raise ParameterError(f"column {self.column.name!r} shows days; compare it with days, as in '2024-02-29'")
        try:
            if self.kind == "date":
                found = [number_of(_moment(each)) for each in self.used.texts]
                return sorted(set(found)), not self.used.numbers
            if self.kind == "number":
                short = all(sum(map(str.isdigit, each)) <= _MOST_DIGITS for each in self.used.numbers)
                return sorted({float(each) for each in self.used.numbers}), short and not self.used.texts
            if self.kind == "integer":
                exact = {Fraction(each) for each in self.used.numbers}
                found = sorted(each.numerator if each.denominator == 1 else each for each in exact)
                far = max((abs(each) for each in (*found, *(self.span or ()))), default=0) >= _LARGEST
                double = any("e" in each.lower() for each in self.used.numbers)  # such are compared as doubles
                return found, not self.used.texts and not (far and double)
        except (ValueError, OverflowError):
            return [], False
        return list(dict.fromkeys(self.used.texts)), not self.used.numbers

    # -- ranges ------------------------------------------------------------------------------------------------------

    def _elements_of_range(self, cell: Extent) -> _Tried:
        """The constants inside a range, and one value for each stretch between them."""
        low, high = cell.low, cell.high
        weigh = (low, high) if low is not None else self.span
        if not self.compared:
            return self._every_value(cell)
        found = []
        first = 0 if low is None else bisect_left(self.constants, low)
        inside = self.constants[first : None if high is None else bisect_right(self.constants, high)]
        edges = [None, *inside, None]
        for a, b in itertools.pairwise(edges):
            piece = self._possible(self._between(a, b, low, high))
            if piece is not None:
                reach = self._reach(piece, weigh, left=a is None and low is None, right=b is None and high is None)
                found.append(_Element(self._value(piece[0]), self._overlap(reach, weigh)))
            if b is not None and (self.kind == "number" or b == int(b)):
                point = int(b) if self.kind != "number" else b
                if self._possible((point, point)) is None:
                    continue
                found.append(_Element(self._value(point), self._overlap((point, point), weigh)))
        total = math.fsum(each.weight for each in found)
        if total > 0:
            return _Tried([_Element(each.value, each.weight / total) for each in found])
        return _Tried(found, known=False)

    def _between(self, a: Any, b: Any, low: Any, high: Any) -> tuple[Any, Any] | None:
        """The first and the last value strictly between constants `a` and `b` in the cell; None where there is none."""
        if self.kind == "number":
            first = low if a is None else max(math.nextafter(a, math.inf), -math.inf if low is None else low)
            last = high if b is None else min(math.nextafter(b, -math.inf), math.inf if high is None else high)
            far = 2.0 * max(abs(c) for c in (first or 0.0, last or 0.0)) + 1.0
            first, last = -far if first is None else first, far if last is None else last
        else:
            first = low if a is None else max(math.floor(a) + 1, low if low is not None else math.floor(a) + 1)
            last = high if b is None else min(math.ceil(b) - 1, high if high is not None else math.ceil(b) - 1)
            first, last = (last if last is not None else 0) if first is None else first, last
            last = first if last is None else last
        return (first, last) if first <= last else None

    def _possible(self, piece: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
        """The part of a stretch that the type of the column can hold; None where it can hold none of it."""
        if piece is None or self.limits is None:
            return piece
        first, last = max(piece[0], self.limits[0]), min(piece[1], self.limits[1])
        return (first, last) if first <= last else None

    def _reach(
        self, piece: tuple[Any, Any], weigh: tuple[Any, Any] | None, *, left: bool, right: bool
    ) -> tuple[Any, Any]:
        """The stretch that an element stands for, extended to the column's span where the cell has no end."""
        if weigh is None:
            return piece
        return min(piece[0], weigh[0]) if left else piece[0], max(piece[1], weigh[1]) if right else piece[1]

    def _overlap(self, piece: tuple[Any, Any], weigh: tuple[Any, Any] | None) -> float:
        """How much of the range `weigh` the stretch covers."""
        if weigh is None:
            return 0.0
        low, high = max(piece[0], weigh[0]), min(piece[1], weigh[1])
        if low > high:
            return 0.0
        if self.step is None and weigh[0] == weigh[1]:
            return 1.0
        return self._measure(low, high)

    def _measure(self, low: Any, high: Any) -> float:
        """The size of a stretch: how many whole numbers or days it has, or its length."""
        if self.step is None:
            return float(high - low)
        return float(high // self.step - -(-low // self.step) + 1)

    def _every_value(self, cell: Extent) -> _Tried:
        """Every whole number, or day, of a range; of a cell without end nothing is tried, and all is possible."""
        if cell.low is None or cell.high is None:
            return _Tried([_Element(None, 0.0)], open=True, known=False)
        if (self.kind == "number" and cell.low != cell.high) or (
            self.kind == "date" and not (self.step == DAY and self.used.calendar)
        ):
            raise ParameterError(
                f"column {self.column.name!r} shows ranges, and the condition does more than compare it with "
                f"constants; write it as in {self.column.name} BETWEEN 1 AND 2"
            )
        if self.kind == "number":
            return _Tried([_Element(cell.low, 1.0)])
        step = self.step or 1
        first, last = -(-cell.low // step), cell.high // step
        n = last - first + 1
        if n > _MOST_LISTED:
            raise ParameterError(
                f"the condition on {self.column.name!r} needs too many values to be tried; compare it with constants"
            )
        return _Tried([_Element(self._value(i * step), 1 / n) for i in range(first, last + 1)])

    def _value(self, number: Any) -> Any:
        return _EPOCH + dt.timedelta(microseconds=int(number)) if self.kind == "date" else number

    # -- labels ------------------------------------------------------------------------------------------------------

    def _elements_under_label(self, cell: Extent) -> _Tried:
        """What a label or a star may stand for: constants of the condition, and a value that equals none of them.

        A label that is asked for as a value is taken for one, unless it is known to have others under it.
        """
        guess, leaves = self._label_as_value(cell.label), self._leaves_under(cell)
        if not self.equality:
            return self._weigh_by_leaves(_Tried([_Element(guess, 0.0)], open=True), leaves)
        named = [c for c in map(self._native, self.constants) if c is not None and self._may_hide(c, cell.label)]
        known = True
        if leaves:
            weights = [float(c in leaves) / len(leaves) for c in named]
        elif guess is not None and guess in named and not self.leaves.is_node(str(cell.label)):
            weights = [float(c == guess) for c in named]
        else:
            weights, known = [0.0] * len(named), not named
        other = _Element(self._other_value(), max(0.0, 1.0 - math.fsum(weights)))
        return _Tried([*map(_Element, named, weights), other], known=known)

    def _leaves_under(self, cell: Extent) -> dict[Any, None] | None:
        """The leaves under a label or a star as values of the column; None where they are not known."""
        found = self.leaves.of(cell)
        values = dict.fromkeys(map(self._label_as_value, found)) if found is not None else {None: None}
        return None if None in values else values

    def _weigh_by_leaves(self, tried: _Tried, leaves: Iterable[Any] | None) -> _Tried:
        """The same values to try and the leaves, which alone have a weight."""
        weight = dict.fromkeys((each.value for each in tried.found), 0.0)
        if leaves:
            values = list(leaves)
            weight |= dict.fromkeys(values, 1 / len(values))
        return _Tried([_Element(*each) for each in weight.items()], tried.open, known=bool(leaves))

    def _label_as_value(self, label: str | None) -> Any:
        """The label as a value of the column, where it can be one."""
        if label is None or not self.ordered:
            return label
        try:
            return {"integer": int, "number": float}.get(self.kind, _moment)(label)
        except ValueError:
            return None

    def _native(self, constant: Any) -> Any:
        """A constant as a value of the column's own type; None where it cannot be one."""
        if self._possible((constant, constant)) is None:
            return None
        if self.kind == "integer":
            return int(constant) if constant == int(constant) else None
        return self._value(constant) if self.kind == "date" else constant

    def _may_hide(self, constant: Any, label: str | None) -> bool:
        """Whether a value may lie below a label: not if its code differs, or other cells place it elsewhere."""
        rule = self.column.hierarchy
        if label is None:
            return True
        if isinstance(rule, Prefixes):
            code = text(constant).zfill(rule.length) if self.kind == "integer" else text(constant)
            return len(code) == len(label) and code.startswith(label.rstrip("*"))
        if isinstance(rule, Paths):
            beside = self._beside(rule).get(text(constant))
            return beside is None or label in beside
        return True

    def _beside(self, rule: Paths) -> dict[str, set[str]]:
        """For each value and label of the listed paths, what stands on a path with it."""
        if self._known_paths is None:
            self._known_paths = {}
            for path in rule.paths:
                for each in path:
                    self._known_paths.setdefault(each, set()).update(path)
        return self._known_paths

    def _other_value(self) -> Any:
        """A value of the column's type that equals no constant."""
        if not self.ordered:
            other = "\uffff"
            while other in self.constants:
                other += "\uffff"
            return other
        if self.limits is not None:
            number, taken = 0, set(self.constants)
            while number in taken:
                number += 1
            return self._value(number)
        largest = max(self.constants, default=0)
        return float(largest) * 2 + 1 if largest >= 0 else 1.0


def _moment(written: str) -> dt.datetime:
    moment = dt.datetime.fromisoformat(written)
    if moment.tzinfo is not None:
        raise ValueError("a time with a zone")
    return moment
