"""Answers where groups list their sensitive values: who is selected is exact, whose value is which is not.

If s rows of a group are selected, their values can be no less than the s smallest minima of the pieces that the group
lists, and no more than the s largest maxima; some assignment attains either. The estimate draws s of the listed pieces
without replacement, and from each a value by the target.

`ListedGroups.answer` chooses where the bounds come from: see the reading order in `__init__.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.dialects import condition, quote
from sfumato.contracts.question import Question, columns_of, read_question
from sfumato.data.column_names import padded_name
from sfumato.data.schema import Schema
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.bound_tables import bound_tables
from sfumato.tables.answers.bounds_from_lists_arrays import ListedColumn, ListedPieces
from sfumato.tables.answers.bounds_from_lists_by_key import Keys
from sfumato.tables.answers.bounds_from_lists_sql import (
    bounds_statement,
    count_statement,
    ends_statement,
    mixture_statement,
    pieces_statement,
)
from sfumato.tables.answers.bounds_from_ranges import median_bounds
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.exact_answers import exact_answer, refuse_kind
from sfumato.tables.answers.labelled import values_for_labels
from sfumato.tables.answers.listed_values import Listing, margin, plain_types, refuse_twins
from sfumato.tables.answers.mixtures import order_statistic
from sfumato.tables.answers.rounding import cap_spread, clip, mean_bounds
from sfumato.tables.answers.unpublished_values import with_notes
from sfumato.tables.answers.withheld import NONE, Ends, Withheld, none_published
from sfumato.tables.answers.withheld_sql import aggregate_statement, count_statement_widened

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["ListedGroups"]

_NOTHING = Ends(0)


class ListedGroups:
    """A release whose groups list sensitive values, in a database, ready to answer questions."""

    def __init__(self, frame: pl.DataFrame, listing: Listing, schema: Schema, withheld: Withheld = NONE) -> None:
        rows = plain_types(frame)
        self._withheld = withheld
        self._schema = schema
        refuse_twins([*rows.columns, *listing.secret])
        self.listing = listing
        self._columns = [*rows.columns, *listing.secret]
        self._types = rows.schema
        self._margins = {column.name: margin(column, rows.height, withheld.n) for column in rows.iter_columns()}
        self._place = padded_name("_group", self._columns)
        place = rows[listing.group].rank("dense").cast(pl.Int32) - 1
        rows = rows.with_columns(place.alias(self._place))
        sources = {"data": "published_data", **{part: f"published_{part}" for part in listing.tables}}
        tables = {"published_data": rows}
        tables |= {f"published_{part}": table for part, table in listing.tables.items()}
        made = (*bound_tables(listing, sources), *(f"DROP TABLE {name}" for name in tables))
        self._engine = Engine(tables, made)
        self._lists = ListedPieces(self._engine, quote(listing.group))
        self._listed_columns: dict[str, ListedColumn] = {}
        self._keys: dict[tuple[str, ...], Keys] = {}

    def answer(self, sql: str) -> Answer | Answers:
        """The answer to a question in SQL."""
        question = values_for_labels(read_question(sql, self._columns), self._schema)
        return with_notes(self._answer(question), question, self._schema, self._shown_instead)

    def _shown_instead(self, name: str, value: str) -> set[str] | None:
        """What is published in a column of categories, where the value is not; None where it is."""
        values = self.listing.secret.get(name)
        if values is None and self._types[name] == pl.String:
            values = self._engine.frame(f"SELECT DISTINCT {quote(name)} AS value FROM release")["value"]
        if values is None or values.dtype != pl.String:
            return None
        shown = set(values.drop_nulls().unique())
        return None if value in shown else shown

    def _answer(self, question: Question) -> Answer | Answers:
        secret = self.listing.secret
        grouped_by = next((name for name in question.by if name in secret), None)
        if grouped_by is not None:
            raise ParameterError(
                f"column {grouped_by!r} is published by group and cannot be grouped by; count one value at a time, "
                f"as in WHERE {grouped_by} = ..."
            )
        known, hidden = self._split_condition(question)
        if question.column is not None and question.column in secret:
            if question.aggregate != "COUNT":
                return self._answer_aggregate(question, known, hidden)
            if secret[question.column].null_count():
                hidden.append(_is_present(question.column))
            if not hidden:
                return exact_answer(self._engine, question, None, 0.0, _NOTHING, self._withheld)
        if not hidden:
            return self._answer_recorded(question)
        if question.aggregate != "COUNT" or (question.column is not None and question.column not in secret):
            self._refuse_hidden(question, hidden)
        return self._answer_count(question, known, hidden)

    def _answer_recorded(self, question: Question) -> Answer | Answers:
        """The aggregate of a column that is published as recorded, or the count of records."""
        if question.column is None:
            return exact_answer(self._engine, question, None, 0.0, _NOTHING, self._withheld)
        dtype = self._types[question.column]
        refuse_kind(question, dtype)
        ends = self._withheld.ends(question.column, dtype)
        lost = self._margins[question.column]
        return exact_answer(self._engine, question, question.column, lost, ends, self._withheld)

    def _split_condition(self, question: Question) -> tuple[list[exp.Expression], list[exp.Expression]]:
        """The parts of the condition on columns as recorded, and the parts on sensitive columns."""
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

    def _answer_count(
        self, question: Question, known: Sequence[exp.Expression], hidden: Sequence[exp.Expression]
    ) -> Answer | Answers:
        """COUNT of the records that meet `known` and `hidden`, the part of the condition on sensitive columns."""
        sql = count_statement(self.listing, question, known, hidden)
        said = count_statement_widened(sql, question, self._withheld, bounded=True)
        w = self._withheld.n

        def answer_of(_key: Any, n: Any, low: Any, high: Any, value: Any, variance: Any) -> Answer:
            if not n:
                return Answer(question.label, 0, 0, w, True, 0.0, 0, w, said, w)
            low, high = int(low), int(high)
            value = clip(float(value), low, high)
            spread = math.sqrt(max(variance, 0.0)) if low < high else 0.0
            low, high = self._withheld.counts(question, low, high)
            return Answer(question.label, value, low, high, True, spread, low, high, said, w)

        if question.by:
            return self._answer_rows(question, sql, answer_of)
        pieces = self._engine.frame(pieces_statement(self.listing, hidden))
        s = self._selected_by_group(known)
        return answer_of((), s.sum(), *self._lists.count_bounds(pieces, s))

    def _answer_aggregate(
        self, question: Question, known: Sequence[exp.Expression], hidden: Sequence[exp.Expression]
    ) -> Answer | Answers:
        """SUM, AVG, MIN, MAX or MEDIAN of a sensitive column: by key, by SQL or by arrays."""
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
        ends = self._ends_of(question)
        said = aggregate_statement(
            sql, question, ends, self.listing.margins[column], whole=values.dtype.is_integer(), listed=True
        )
        if question.by and aggregate in ("SUM", "AVG") and self.listing.has_exact_sums(column):
            sums = self._listed_column(column).by_key(self._keys_for(question.by), self._rows_meeting(known))
            return Answers(question.by, [
                (key, self._sum_answer(question, said, n, low, high, value, variance))
                for key, n, low, high, value, variance in sums
            ], ends.n)  # fmt: skip
        if question.by or not (self.listing.has_exact_sums(column) or not values.dtype.is_integer()):
            return self._answer_rows(question, sql, self._by_statement(question, known, said))
        listed = self._listed_column(column)
        s = self._selected_by_group(known)
        n = int(s.sum())
        if not n:
            return self._none_published(question, said)
        low, high = listed.bounds(aggregate, s)
        if aggregate in ("SUM", "AVG"):
            return self._sum_answer(question, said, n, low, high, *listed.expected_sum(s))
        every = listed.ends(s) if aggregate == "MEDIAN" and ends.n else None
        return self._order_answer(question, said, n, low, high, listed.mixture(s), every)

    def _by_statement(
        self, question: Question, known: Sequence[exp.Expression], said: str | None
    ) -> Callable[..., Answer]:  # fmt: skip
        """A function that makes an answer of a row that the SQL statement gives; `said` is what a reader may run."""
        column, aggregate = str(question.column), question.aggregate
        sums = aggregate in ("SUM", "AVG")
        distributions = None if sums else self._listed_column(column).distributions
        weights = self._weights(question, known, distributions.n_pieces) if distributions is not None else {}
        ends = self._ends_of(question)
        listed = self._listed_ends(question, known) if aggregate == "MEDIAN" and ends.n else {}

        def answer_of(key: Any, n: Any, low: Any, high: Any, *more: Any) -> Answer:
            if not n:
                return self._none_published(question, said)
            if distributions is None:
                value, variance = more[-2:]
                if aggregate == "AVG":  # the statement gives averages, and the two totals
                    low, high, value, variance = more[0], more[1], value * n, variance * n * n
                return self._sum_answer(question, said, int(n), low, high, value, variance)
            mixture = distributions.mix(weights[key])
            return self._order_answer(question, said, int(n), low, high, mixture, listed.get(key))

        return answer_of

    def _sum_answer(
        self, question: Question, sql: str | None, n: int, low: Any, high: Any, value: float, variance: float
    ) -> Answer:  # fmt: skip
        """SUM or AVG over `n` rows, from the bounds of the sum, its mean and its variance."""
        spread = math.sqrt(max(variance, 0.0)) if low != high else 0.0
        ends = self._ends_of(question)
        lost = self.listing.margins[str(question.column)] * ends.n * ends.reach
        totals = low, high
        if question.aggregate == "AVG":
            low, high = mean_bounds(low, high, n)
            value, spread = value / n, spread / n
        value = clip(float(value), low, high)
        if ends.n and question.aggregate == "AVG":
            low, high = ends.means(totals[0] - lost, totals[1] + lost, n)
        elif ends.n:
            low, high = ends.sums(low, high, n)
            low, high = (low - lost, high + lost) if lost else (low, high)
        return Answer(question.label, value, low, high, True, spread, n, n + ends.n, sql, ends.n)

    def _order_answer(
        self, question: Question, sql: str | None, n: int, low: Any, high: Any,
        mixture: tuple[pl.Series, NDArray[np.float64]], listed: tuple[NDArray[Any], NDArray[Any]] | None,
    ) -> Answer:  # fmt: skip
        """MIN, MAX or MEDIAN over `n` rows, from its bounds and how many rows are expected to have each value.

        With records withheld, MEDIAN is bounded by the least and the largest values that are `listed`.
        """
        value, spread = order_statistic(question.aggregate, *mixture, n)
        ends = self._ends_of(question)
        value, spread = clip(value, low, high), cap_spread(spread, low, high)
        if question.aggregate != "MEDIAN":
            low, high = ends.extreme(question.aggregate, low, high, n)
        elif listed is not None:
            low, high = _median_of_all(*listed, ends)
        if question.aggregate == "MEDIAN" and (
            self.listing.margins[str(question.column)] or abs(low) + abs(high) > 2**52
        ):
            low, high = low - abs(low) * 2.0**-50, high + abs(high) * 2.0**-50
        return Answer(question.label, value, low, high, True, spread, n, n + ends.n, sql, ends.n)

    def _ends_of(self, question: Question) -> Ends:
        """What is known of withheld records in the sensitive column that is asked for."""
        column = str(question.column)
        return self._withheld.ends(column, self.listing.secret[column].dtype)

    def _none_published(self, question: Question, sql: str | None) -> Answer:
        return none_published(question, self._ends_of(question), self.listing.margins[str(question.column)], sql)

    def _listed_ends(
        self, question: Question, known: Sequence[exp.Expression]
    ) -> dict[tuple[Any, ...], tuple[NDArray[Any], NDArray[Any]]]:
        """For each key, the least and the largest values that its records may have."""
        width = len(question.by)
        found = self._engine.frame(ends_statement(self.listing, question, known))
        parts = {(): found} if not width else found.partition_by(found.columns[:width], as_dict=True)
        return {key: (part["low"].to_numpy(), part["high"].to_numpy()) for key, part in parts.items()}

    def _listed_column(self, column: str) -> ListedColumn:
        if column not in self._listed_columns:
            self._listed_columns[column] = ListedColumn(self._engine, self.listing, self._lists, column)
        return self._listed_columns[column]

    def _keys_for(self, by: Sequence[str]) -> Keys:
        if tuple(by) not in self._keys:
            self._keys[tuple(by)] = Keys(self._engine, by, self._order)
        return self._keys[tuple(by)]

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        """The rows group by group."""
        places = self._engine.array(f"SELECT {quote(self._place)} FROM release ORDER BY rowid")
        return np.argsort(places, kind="stable").astype(np.int64)

    def _rows_meeting(self, known: Sequence[exp.Expression]) -> NDArray[np.bool_] | None:
        """Whether each row, in the order of groups, meets the condition; None where there is no condition."""
        if not known:
            return None
        met = np.zeros(len(self._order), dtype=bool)
        met[self._engine.array(f"SELECT rowid FROM release WHERE {condition(known)}")] = True
        return met[self._order]

    def _selected_by_group(self, known: Sequence[exp.Expression]) -> NDArray[np.int64]:
        """How many rows of each group meet the condition."""
        if not known:
            return self._lists.sizes
        rows = self._engine.array(f"SELECT {quote(self._place)} FROM release WHERE {condition(known)}")
        return np.bincount(rows, minlength=len(self._lists.sizes))

    def _weights(
        self, question: Question, known: Sequence[exp.Expression], n_pieces: int
    ) -> dict[tuple[Any, ...], NDArray[np.float64]]:
        """For each key, how many of its records are expected to have a value in each piece."""
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
        return Answers(question.by, answers, self._withheld.n) if question.by else answers[0][1]


def _median_of_all(lows: NDArray[Any], highs: NDArray[Any], ends: Ends) -> tuple[float, float]:
    """The bounds of MEDIAN from the least and the largest values of the published records, and the withheld ones."""
    low, _ = median_bounds(np.sort(lows), lows[:0], ends)
    _, high = median_bounds(np.sort(highs), highs[:0], ends)
    return low, high


def _is_present(column: str) -> exp.Expression:
    """The condition that the column has a value."""
    from sqlglot import exp

    return exp.not_(exp.column(column, quoted=True).is_(exp.null()))
