"""TopBottomCoding: values beyond a threshold become the threshold.

Hundepool et al., "Statistical disclosure control", Wiley 2012, section 3.4: the oldest and the richest stand out, and
are published as "this or more". Everything between the thresholds is as recorded. It promises nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from sfumato.contracts.method import Method, Outcome
from sfumato.data.schema import Column
from sfumato.data.table import Table
from sfumato.data.values import as_number, date_from_text
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, whole
from sfumato.privacy.promise import Promise
from sfumato.published.tables.exact_numbers import exact_values, in_type_of
from sfumato.tables.perturbing.shared import columns_to_change, complete_part, named_columns, outcome_of, random_order

__all__ = ["TopBottomCoding"]

_LARGEST = 10**308
_KINDS = ("integer", "number", "date")
_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


@dataclass(frozen=True)
class TopBottomCoding(Method):
    """Cut the values of quasi-identifiers (numbers and dates) off at the `top` and at the `bottom`.

    A number is a share of the records: 0.99 cuts off above the value that 99% of them do not exceed. A mapping says the
    value itself, by column. At least `least` records must show a threshold; one that fewer would show is moved inwards.
    The thresholds are published. `columns` are those to cut, by default every number and date among the
    quasi-identifiers or, where values are given, those of them; others are published as recorded.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.TopBottomCoding(), seed=1)
    Release(100 rows, TopBottomCoding, None holds)
    """

    top: float | Mapping[str, Any] | None = 0.99
    bottom: float | Mapping[str, Any] | None = None
    columns: tuple[str, ...] | None = None
    least: int = 5

    def __post_init__(self) -> None:
        """Check the parameters."""
        if self.top is None and self.bottom is None:
            raise ParameterError("give top, bottom or both; with neither, nothing is cut off")
        for name in ("top", "bottom"):
            given = getattr(self, name)
            if given is None:
                continue
            if isinstance(given, Mapping):
                if not given:
                    raise ParameterError(f"{name} must name a column, as in {{'age': 90}}")
                if any(isinstance(value, int) and abs(value) > _LARGEST for value in given.values()):
                    raise ParameterError(f"{name} has a number that no column can hold; give a smaller one")
                object.__setattr__(self, name, dict(given))
            else:
                asked = "a share between 0 and 1, or values by column as in {'age': 90}"
                finite(name, given, asked=asked, above=0.0, below=1.0)
        whole("least", self.least, least=1)
        object.__setattr__(self, "columns", named_columns(self.columns))

    def public_parameters(self) -> dict[str, Any]:
        """The parameters, but without thresholds that the owner gave: those published may lie further inwards."""
        return {key: "given" if isinstance(value, Mapping) else value for key, value in self.to_dict().items()}

    def run(self, table: Table, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Find the thresholds, cut; the published rows come in random order."""
        names = columns_to_change(table, self._columns_to_cut(), _KINDS, "TopBottomCoding", what="numbers and dates")
        part, kept = complete_part(table)
        progress.step("cutting off")
        changed, disclosed = {}, {}
        for i, name in enumerate(names):
            progress.share(i / len(names))
            series, column = part.frame[name], table.schema.column(name)
            values = exact_values(series)
            known = values.drop_nulls().sort()
            if len(known) < self.least:
                raise DataError(
                    f"column {name!r} has {len(known):,} values, and {self.least} must show a threshold; lower least, "
                    f"or leave it out"
                )
            high = self._threshold(self.top, column, series, known, upper=True)
            low = self._threshold(self.bottom, column, series, known, upper=False)
            if high is None and low is None:
                continue
            if high is not None and low is not None and low > high:
                raise ParameterError(f"bottom and top leave nothing between them in column {name!r}; move them apart")
            changed[name] = in_type_of(values.clip(low, high), series)
            ends = {"low": low, "high": high}
            disclosed[name] = {end: _threshold_as_written(at, series) for end, at in ends.items() if at is not None}
        progress.step("arranging rows")
        public = {"coding": {"least": self.least, "columns": disclosed}}
        return outcome_of(table, kept, changed, public, random_order(len(part), random))

    def _columns_to_cut(self) -> tuple[str, ...] | None:
        """The columns named, or those that thresholds are given for; None for all numbers and dates."""
        given = [side for side in (self.top, self.bottom) if side is not None]
        by_column = [name for side in given if isinstance(side, Mapping) for name in side]
        if self.columns is None:
            only = all(isinstance(side, Mapping) for side in given)
            return tuple(dict.fromkeys(by_column)) if only else None
        stranger = next((name for name in by_column if name not in self.columns), None)
        if stranger is not None:
            raise ParameterError(f"a threshold is given for {stranger!r}, which is not among the columns; add it there")
        return self.columns

    def _threshold(self, given: Any, column: Column, series: pl.Series, known: pl.Series, *, upper: bool) -> Any:
        """Where to cut off the upper or the lower end of the `known` values, which are sorted; None for nowhere."""
        if given is None or (isinstance(given, Mapping) and column.name not in given):
            return None
        n = len(known)
        if isinstance(given, Mapping):
            at = _value(given[column.name], column, series, known)
        else:
            place = max(math.ceil((given if upper else 1.0 - given) * n - 1e-9), 1)
            at = known[place - 1] if upper else known[n - place]
        showing = int((known >= at).sum() if upper else (known <= at).sum())
        if showing < self.least:
            at = known[-self.least] if upper else known[self.least - 1]
        return at


def _value(given: Any, column: Column, series: pl.Series, known: pl.Series) -> Any:
    """A threshold that the owner gave, as a value of the column; refused where the column cannot hold it."""
    at: Any = None
    try:
        if isinstance(given, bool) or (column.kind == "date" and isinstance(given, (int, float))):
            at = None
        elif column.kind == "date":
            days = as_number(date_from_text(given) if isinstance(given, str) else given)
            unit = getattr(series.dtype, "time_unit", None)
            at = days * _DAY[unit] if unit else days
            at = round(at) if unit or at == round(at) else None
        elif isinstance(given, str):
            at = None
        elif column.kind == "integer":
            at = int(given) if given == int(given) and abs(given) < 2**64 else None
        else:
            at = float(given) if math.isfinite(given) else None
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        at = None
    if at is not None and known.dtype.is_integer():
        at = at if pl.Series([at], dtype=pl.Int128).cast(known.dtype, strict=False)[0] is not None else None
    if at is None:
        word = {"date": "date", "integer": "whole number"}.get(str(column.kind), "number")
        raise ParameterError(
            f"the threshold of column {column.name!r} must be a {word} that it can hold, got {_brief(given)}"
        )
    return at


def _brief(given: Any) -> str:
    """A value as a message shows it."""
    if isinstance(given, int) and abs(given) >= 10**30:
        return "a number of more than 30 digits"
    return repr(given)


def _threshold_as_written(at: Any, series: pl.Series) -> Any:
    """A threshold as people write it: a number, or the text of a date or time."""
    value = in_type_of(pl.Series([at], dtype=exact_values(series).dtype), series)[0]
    return value.isoformat() if hasattr(value, "isoformat") else value
