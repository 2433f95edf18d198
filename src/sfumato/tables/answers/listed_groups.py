"""Answers where groups list their sensitive values: who is selected is exact, which value is whose is not.

Of a group of which s rows are selected, the values can be no less than the s smallest minima of what it lists, and no
more than the s largest maxima; some assignment attains either. The estimate draws the s pieces from those listed
without replacement, and a value of each by the target.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.answer import Answer, Answers, free_name
from sfumato.contracts.dialects import condition, quoted
from sfumato.contracts.question import Question, columns_of, read_question
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.bound_tables import bound_tables
from sfumato.tables.answers.bounds_from_lists_arrays import Gathered, Lists
from sfumato.tables.answers.bounds_from_lists_by_key import Keys
from sfumato.tables.answers.bounds_from_lists_sql import (
    bounds_statement,
    count_statement,
    held_statement,
    mixture_statement,
)
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.exact_answers import exact_answer, refuse_kind
from sfumato.tables.answers.listed_values import Listing, margin, plain_types, refuse_twins
from sfumato.tables.answers.mixtures import order_statistic
from sfumato.tables.answers.rounding import capped, clipped, ratio

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Grouped"]


class Grouped:
    """A release whose groups list sensitive values, ready to be asked."""

    def __init__(self, frame: pl.DataFrame, listing: Listing) -> None:
        rows = plain_types(frame)
        refuse_twins([*rows.columns, *listing.secret])
        self.listing = listing
        self._columns = [*rows.columns, *listing.secret]
        self._types = rows.schema
        self._margins = {column.name: margin(column, rows.height) for column in rows.iter_columns()}
        self._place = free_name("_group", self._columns)
        place = rows[listing.group].rank("dense").cast(pl.Int32) - 1
        rows = rows.with_columns(place.alias(self._place))
        sources = {"data": "published_data", **{part: f"published_{part}" for part in listing.tables}}
        tables = {"published_data": rows}
        tables |= {f"published_{part}": table for part, table in listing.tables.items()}
        made = (*bound_tables(listing, sources), *(f"DROP TABLE {name}" for name in tables))
        self._engine = Engine(tables, made)
        self._lists = Lists(self._engine, quoted(listing.group))
        self._gathered: dict[str, Gathered] = {}
        self._keys: dict[tuple[str, ...], Keys] = {}

    def answer(self, sql: str) -> Answer | Answers:
        """The answer to a question in SQL."""
        question = read_question(sql, self._columns)
        secret = self.listing.secret
        grouped_by = next((name for name in question.by if name in secret), None)
        if grouped_by is not None:
            raise ParameterError(
                f"column {grouped_by!r} is published by group and cannot be grouped by; count one value at a time, "
                f"as in WHERE {grouped_by} = ..."
            )
        known, hidden = self._split(question)
        if question.column is not None and question.column in secret:
            if question.aggregate != "COUNT":
                return self._bounded(question, known, hidden)
            if secret[question.column].null_count():
                hidden.append(_present(question.column))
            if not hidden:
                return exact_answer(self._engine, question, None, 0.0)
        if not hidden:
            if question.column is not None:
                refuse_kind(question, self._types[question.column])
            return exact_answer(self._engine, question, question.column, self._margins.get(question.column or "", 0.0))
        if question.aggregate != "COUNT" or (question.column is not None and question.column not in secret):
            self._refuse_hidden(question, hidden)
        return self._count(question, known, hidden)

    def _split(self, question: Question) -> tuple[list[exp.Expression], list[exp.Expression]]:
        """The parts of the condition on columns as recorded, and those on sensitive ones."""
        known: list[exp.Expression] = []
        hidden: list[exp.Expression] = []
        for part in question.where:
            used = columns_of(part)
            secret = [name for name in used if name in self.listing.secret]
            if secret and len(secret) < len(used):
                raise ParameterError(
                    f"one condition mixes {secret[0]!r}, which is published by group, with other columns; "
                    f"join conditions on either by AND"
                )
            (hidden if secret else known).append(part)
        return known, hidden

    def _refuse_hidden(self, question: Question, hidden: Sequence[exp.Expression]) -> None:
        raise ParameterError(
            f"a condition on {columns_of(hidden[0])[0]!r}, which is published by group, is answered for COUNT(*) only; "
            f"leave it out of {question.label}"
        )

    def _count(
        self, question: Question, known: Sequence[exp.Expression], hidden: Sequence[exp.Expression]
    ) -> Answer | Answers:
        sql = count_statement(self.listing, question, known, hidden)

        def answer_of(_key: Any, n: Any, low: Any, high: Any, value: Any, variance: Any) -> Answer:
            if not n:
                return Answer(question.label, 0, 0, 0, True, 0.0, 0, 0, sql)
            low, high = int(low), int(high)
            spread = math.sqrt(max(variance, 0.0)) if low < high else 0.0
            return Answer(question.label, clipped(float(value), low, high), low, high, True, spread, low, high, sql)

        if question.by:
            return self._answer_rows(question, sql, answer_of)
        held = self._engine.frame(held_statement(self.listing, hidden))
        s = self._selected(known)
        return answer_of((), s.sum(), *self._lists.met(held, s))

    def _bounded(
        self, question: Question, known: Sequence[exp.Expression], hidden: Sequence[exp.Expression]
    ) -> Answer | Answers:
        column, aggregate = str(question.column), question.aggregate
        values = self.listing.secret[column]
        refuse_kind(question, values.dtype)
        if hidden:
            self._refuse_hidden(question, hidden)
        if values.null_count():
            raise ParameterError(
                f"column {column!r} has missing values, so that {question.label} is not bounded; COUNT({column}) is"
            )
        sql = bounds_statement(self.listing, question, known)
        if question.by and aggregate in ("SUM", "AVG") and self.listing.whole(column):
            answer_of = self._gathered_for(column).by_key(self._keys_for(question.by), self._met(known))
            return Answers(question.by, [
                (key, self._summed(question, sql, n, low, high, value, variance))
                for key, n, low, high, value, variance in answer_of
            ])  # fmt: skip
        if question.by or not (self.listing.whole(column) or not values.dtype.is_integer()):
            return self._answer_rows(question, sql, self._by_statement(question, known, sql))
        gathered = self._gathered_for(column)
        s = self._selected(known)
        n = int(s.sum())
        if not n:
            return _nothing(question, sql)
        low, high = gathered.bounds(aggregate, s)
        if aggregate in ("SUM", "AVG"):
            return self._summed(question, sql, n, low, high, *gathered.expected(s))
        return self._ordered(question, sql, n, low, high, *gathered.mixture(s))

    def _by_statement(
        self, question: Question, known: Sequence[exp.Expression], sql: str
    ) -> Callable[..., Answer]:  # fmt: skip
        """What makes an answer of a row that the plain statement gives."""
        column, aggregate = str(question.column), question.aggregate
        sums = aggregate in ("SUM", "AVG")
        spreads = None if sums else self._gathered_for(column).spreads
        weights = self._weights(question, known, spreads.n_pieces) if spreads is not None else {}

        def answer_of(key: Any, n: Any, low: Any, high: Any, *more: Any) -> Answer:
            if not n:
                return _nothing(question, sql)
            if spreads is None:
                value, variance = more[-2:]
                if aggregate == "AVG":  # the statement gives averages, and the two totals
                    low, high, value, variance = more[0], more[1], value * n, variance * n * n
                return self._summed(question, sql, int(n), low, high, value, variance)
            return self._ordered(question, sql, int(n), low, high, *spreads.of(weights[key]))

        return answer_of

    def _summed(
        self, question: Question, sql: str, n: int, low: Any, high: Any, value: float, variance: float
    ) -> Answer:  # fmt: skip
        spread = math.sqrt(max(variance, 0.0)) if low != high else 0.0
        if question.aggregate == "AVG":
            low, high = ratio(low, high, n)
            value, spread = value / n, spread / n
        return Answer(question.label, clipped(float(value), low, high), low, high, True, spread, n, n, sql)

    def _ordered(
        self, question: Question, sql: str, n: int, low: Any, high: Any, values: pl.Series, weights: NDArray[np.float64]
    ) -> Answer:
        value, spread = order_statistic(question.aggregate, values, weights, n)
        if question.aggregate == "MEDIAN" and (
            self.listing.margins[str(question.column)] or abs(low) + abs(high) > 2**52
        ):
            low, high = low - abs(low) * 2.0**-50, high + abs(high) * 2.0**-50
        spread = capped(spread, low, high)
        return Answer(question.label, clipped(value, low, high), low, high, True, spread, n, n, sql)

    def _gathered_for(self, column: str) -> Gathered:
        if column not in self._gathered:
            self._gathered[column] = Gathered(self._engine, self.listing, self._lists, column)
        return self._gathered[column]

    def _keys_for(self, by: Sequence[str]) -> Keys:
        if tuple(by) not in self._keys:
            self._keys[tuple(by)] = Keys(self._engine, by, self._order)
        return self._keys[tuple(by)]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The rows group by group."""
        places = self._engine.array(f"SELECT {quoted(self._place)} FROM release ORDER BY rowid")
        return np.argsort(places, kind="stable").astype(np.int64)

    def _met(self, known: Sequence[exp.Expression]) -> NDArray[np.bool_] | None:
        """Whether each row, in the order of groups, meets the condition; None where there is none."""
        if not known:
            return None
        met = np.zeros(len(self._order), dtype=bool)
        met[self._engine.array(f"SELECT rowid FROM release WHERE {condition(known)}")] = True
        return met[self._order]

    def _selected(self, known: Sequence[exp.Expression]) -> NDArray[np.int64]:
        """How many rows of each group meet the condition."""
        if not known:
            return self._lists.sizes
        rows = self._engine.array(f"SELECT {quoted(self._place)} FROM release WHERE {condition(known)}")
        return np.bincount(rows, minlength=len(self._lists.sizes))

    def _weights(
        self, question: Question, known: Sequence[exp.Expression], n_pieces: int
    ) -> dict[tuple[Any, ...], NDArray[np.float64]]:
        """For each key how many of its records are expected in each piece."""
        width = len(question.by)
        found = self._engine.frame(mixture_statement(self.listing, question, known))
        parts = {(): found} if not width else found.partition_by(found.columns[:width], as_dict=True)
        return {
            key: np.bincount(part["piece"].to_numpy(), part["weight"].to_numpy(), n_pieces).astype(np.float64)
            for key, part in parts.items()
        }

    def _answer_rows(self, question: Question, sql: str, answer_of: Callable[..., Answer]) -> Answer | Answers:
        width = len(question.by)
        answers = [(key := tuple(row[:width]), answer_of(key, *row[width:])) for row in self._engine.rows(sql)]
        return Answers(question.by, answers) if question.by else answers[0][1]


def _nothing(question: Question, sql: str) -> Answer:
    return Answer(question.label, None, None, None, True, None, 0, 0, sql)


def _present(column: str) -> exp.Expression:
    from sqlglot import exp

    return exp.not_(exp.column(column, quoted=True).is_(exp.null()))
