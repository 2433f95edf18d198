"""Which published rows fit what is known of a person.

Rows that show the same are of one kind. A cell that covers values fits everybody who has one of them, and a value that
is published as recorded fits everybody who has it. Means and changed values cover nothing: there the nearest kinds fit,
columns of numbers scaled to their range and every other column counting 1 where it differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.ground.errors import SchemaError, suggest
from sfumato.published.equivalence import AS_RECORDED, Cells, PublishedClasses
from sfumato.published.tables.cells import ShownColumn, place_cells
from sfumato.published.tables.equal_rows import equal_row_numbers
from sfumato.published.tables.population_cover import covered_counts

__all__ = ["RowMatcher", "as_known", "is_near"]

_CELLS = 1 << 22  # people times kinds compared in one go
_NEVER = 1e9  # a value published as recorded that differs
_TIE = 1e-9
_ORDERED = ("integer", "number", "date")


def is_near(form: str | None) -> bool:
    """Whether a column of this form shows means or changed values, so that it is matched by distance."""
    return form is not None and form not in ("range", "set", "node")


@dataclass(frozen=True, eq=False)
class RowMatcher:
    """Published rows by kind (rows that show the same), ready to be matched with people."""

    frame: pl.DataFrame
    """One published row of every kind, with the compared columns alone."""
    forms: Mapping[str, Form]
    """How columns are shown; those that are not here are published as recorded."""
    of_row: NDArray[np.int64]
    """The kind of every published row."""
    sizes: NDArray[np.int64]
    """How many published rows there are of every kind."""

    @classmethod
    def of(cls, published: pl.DataFrame, forms: Mapping[str, Form], names: Sequence[str]) -> RowMatcher:
        """A matcher of published rows by the columns `names`."""
        forms = {name: form for name, form in forms.items() if name in names}
        known = [name for name in names if name in published.columns]
        classes = PublishedClasses(
            published, known, cells=Cells(suppressed_rows="class") if forms else AS_RECORDED
        )  # fmt: skip
        first = np.empty(classes.n_classes, dtype=np.int64)
        first[classes.of_row[::-1]] = np.arange(len(classes.of_row))[::-1]
        return cls(published.select(known)[first], forms, classes.of_row, classes.sizes)

    @property
    def n_kinds(self) -> int:
        """How many kinds there are."""
        return len(self.sizes)

    @property
    def shows_changed_values(self) -> bool:
        """Whether some column shows means or changed values, so that the nearest kinds are taken to fit."""
        return any(is_near(form) for form in self.forms.values())

    def fits(self, people: Table) -> csr_array:
        """People by kinds: 1 where the kind fits. O(people x kinds) for one column, less for the others."""
        if not self.frame.width or not self.n_kinds:
            return csr_array(np.ones((len(people), self.n_kinds)))
        if not self.forms:
            return self._equal(people)
        step = max(1, _CELLS // self.n_kinds)
        search = _NearestMatcher(self, people) if self.shows_changed_values else _CoverMatcher(self, people)
        parts = [search.fits(slice(at, min(at + step, len(people)))) for at in range(0, len(people), step)]
        return csr_array(vstack(parts)) if parts else csr_array((0, self.n_kinds))

    def counts(self, people: Table, kinds: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each of some kinds, how many of the people it fits."""
        if not self.forms:
            return np.asarray(self._equal(people).sum(axis=0)).ravel().astype(np.int64)[kinds]
        names = self.frame.columns
        distinct = people.frame.select(names).group_by(names).len("persons")
        few = people.rows(slice(0, 0)) if not distinct.height else Table(distinct.select(names), people.schema)
        columns = [_place_column(self, few, name) for name in names]
        cell = np.stack([column.number[kinds] for column in columns])
        codes = np.stack([column.coded.codes for column in columns])
        return covered_counts(columns, cell, codes, distinct["persons"].to_numpy().astype(np.int64))

    def _equal(self, people: Table) -> csr_array:
        """People by kinds: 1 where all columns are equal."""
        kind, other = equal_row_numbers(self.frame, people.frame.select(self.frame.columns))
        place = np.full(int(max(kind.max(initial=-1), other.max(initial=-1))) + 1, -1)
        place[kind] = np.arange(self.n_kinds)
        found = place[other]
        who = np.flatnonzero(found >= 0)
        return csr_array((np.ones(len(who)), (who, found[who])), shape=(len(people), self.n_kinds))


def as_known(people: Table, columns: Sequence[Column], who: str) -> Table:
    """What an adversary knows of people: these columns alone, of the kinds that the original has, without bounds.

    `who` names the table in the message where a column is missing.
    """
    specs = [replace(column, role="quasi", low=None, high=None, missing="value") for column in columns]
    for column in specs:
        if column.name not in people.columns:
            raise SchemaError(f"{who} lacks the column {column.name!r}{suggest(column.name, people.columns)}")
    return Table(people.frame.select([column.name for column in specs]), Schema.of(specs))


def _place_column(matcher: RowMatcher, people: Table, name: str) -> ShownColumn:
    shown = matcher.frame[name]
    if shown.dtype == pl.String and (shown == SUPPRESSED).all():  # a column that shows nothing at all
        return place_cells(shown, "range", people.frame[name], people.schema.column(name))
    form = matcher.forms.get(name, "value")
    return place_cells(shown, "value" if is_near(form) else form, people.frame[name], people.schema.column(name))


class _Cover:
    """The cells of one column by kind: which values each covers."""

    def __init__(self, column: ShownColumn) -> None:
        number = column.number
        everything = np.array([cell.everything for cell in column.cells], dtype=bool)
        self.low, self.high = column.low[number].astype(np.int32), column.high[number].astype(np.int32)
        self.missing = column.missing[number]
        self.codes = column.coded.codes
        self.number, self.inside = number, None
        if column.members is not None:
            self.inside = np.zeros((len(column.cells), column.coded.n_codes + 1), dtype=bool)
            for i, members in enumerate(column.members):
                self.inside[i, members] = True
            self.inside[:, -1] = column.missing | everything
        span = np.where(everything[number], column.coded.n_codes, self.high - self.low + 1)
        if self.inside is not None:
            span = self.inside[number].sum(axis=1)
        self.loose = float(np.mean(span)) / max(column.coded.n_codes, 1)

    def covers(self, people: NDArray[np.int64], kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each kind covers the value of each person; `people` and `kinds` are broadcast against each other."""
        codes = self.codes[people]
        if self.inside is not None:
            return self.inside[self.number[kinds], codes]
        within = (codes >= self.low[kinds]) & (codes <= self.high[kinds])
        if self.codes.size and self.codes.min() < 0:
            return np.asarray(np.where(codes < 0, self.missing[kinds], within), dtype=bool)
        return within


class _CoverMatcher:
    """Matches by cells that cover values, column by column."""

    def __init__(self, matcher: RowMatcher, people: Table) -> None:
        self.n_kinds = matcher.n_kinds
        columns = [_Cover(_place_column(matcher, people, name)) for name in matcher.frame.columns]
        self.columns = sorted(columns, key=lambda column: column.loose)  # those that tell most come first

    def fits(self, some: slice) -> csr_array:
        """Some people by kinds: 1 where every cell of the kind covers the person's value."""
        at, kinds = np.arange(some.start, some.stop), np.arange(self.n_kinds)
        first, *others = self.columns
        who, kind = np.nonzero(first.covers(at[:, None], kinds[None, :]))
        for column in others:
            kept = column.covers(at[who], kind)
            who, kind = who[kept], kind[kept]
        return csr_array((np.ones(len(who)), (who, kind)), shape=(len(at), self.n_kinds))


class _NearestMatcher:
    """Matches by distance, where some columns show means or changed values."""

    def __init__(self, matcher: RowMatcher, people: Table) -> None:
        self.n_kinds = matcher.n_kinds
        self.numbers: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self.covers: list[tuple[_Cover, float]] = []
        for name in matcher.frame.columns:
            drawn = is_near(matcher.forms.get(name))
            shown = matcher.frame[name]
            if drawn and people.schema.column(name).kind in _ORDERED and shown.dtype != pl.String:
                known, seen = as_numbers(people.frame[name]), as_numbers(shown)
                span = float(np.nanmax(seen) - np.nanmin(seen)) if np.isfinite(seen).any() else 0.0
                if span > 0:
                    self.numbers.append((known / span, seen / span))
            else:
                self.covers.append((_Cover(_place_column(matcher, people, name)), 1.0 if drawn else _NEVER))

    def fits(self, some: slice) -> csr_array:
        """Some people by kinds: 1 for the nearest kind, and for all that are as near."""
        at, kinds = np.arange(some.start, some.stop), np.arange(self.n_kinds)
        distance = np.zeros((len(at), self.n_kinds))
        for known, seen in self.numbers:
            apart = (known[at][:, None] - seen[None, :]) ** 2
            lacking = np.isnan(apart)
            if lacking.any():  # a missing value fits a missing one
                both = np.isnan(known[at])[:, None] & np.isnan(seen)[None, :]
                apart[lacking] = np.where(both[lacking], 0.0, 1.0)
            distance += apart
        for cover, weight in self.covers:
            distance += weight * ~cover.covers(at[:, None], kinds[None, :])
        least = distance.min(axis=1, keepdims=True)
        who, kind = np.nonzero(distance <= least * (1 + _TIE) + 1e-15)
        return csr_array((np.ones(len(who)), (who, kind)), shape=(len(at), self.n_kinds))
