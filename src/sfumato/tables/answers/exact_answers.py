"""Answers where the column and the condition are published as recorded: exact but for records that are withheld."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.dialects import condition, quote
from sfumato.contracts.question import Question
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.bounds_from_ranges import median_bounds
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.rounding import clip
from sfumato.tables.answers.withheld import Ends, Withheld, none_published
from sfumato.tables.answers.withheld_sql import aggregate_statement, count_statement_widened

__all__ = ["exact_answer", "refuse_kind"]


def refuse_kind(question: Question, dtype: pl.DataType) -> None:
    """Refuse an aggregate that a type does not have: numbers have all, dates MIN, MAX and COUNT, texts COUNT."""
    aggregate, column = question.aggregate, question.column
    if aggregate == "COUNT" or dtype.is_numeric():
        return
    if not dtype.is_temporal():
        raise ParameterError(f"column {column!r} holds texts, which {aggregate} does not take; COUNT does")
    if aggregate not in ("MIN", "MAX"):
        raise ParameterError(f"column {column!r} holds dates, which {aggregate} does not take; MIN, MAX and COUNT do")


def exact_answer(
    engine: Engine, question: Question, column: str | None, margin: float, ends: Ends, withheld: Withheld
) -> Answer | Answers:
    """The aggregate of a `column`, or the count of all records, read off the rows themselves.

    `margin` is what rounding may lose in a sum of fractions, relative to the sum of absolute values. What is published
    is exact; bounds are those of the records `withheld`, whose values in the column lie between `ends`.
    """
    aggregate = question.aggregate
    of = quote(column) if column is not None else "*"
    keys = [quote(name) for name in question.by]
    figures = [*keys, f"COUNT({of}) AS n"]
    if aggregate != "COUNT":
        figures.append(f"{aggregate}({of}) AS value")
    bounded = bool(margin) and aggregate in ("SUM", "AVG", "MEDIAN")
    if bounded:
        figures.append(f"MAX(ABS({of})) AS reach")
    if withheld.n and aggregate == "AVG":
        figures.append(f"SUM({of}) AS total")
    where = f" WHERE {condition(question.where)}" if question.where else ""
    by = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(keys)}" if keys else ""
    sql = f"SELECT {', '.join(figures)} FROM release{where}{by}"
    if aggregate == "COUNT":
        said: str | None = count_statement_widened(sql, question, withheld, bounded=False)
    else:
        said = aggregate_statement(sql, question, ends, margin, whole=not margin, listed=False)
    values = _values_by_key(engine, question, of, where) if aggregate == "MEDIAN" and withheld.n else {}

    def answer_of(key: tuple[Any, ...], n: int, value: Any = None, *more: Any) -> Answer:
        if aggregate == "COUNT":
            least, most = withheld.counts(question, n, n)
            return Answer(question.label, clip(n, least, most), least, most, True, 0.0, least, most, said, withheld.n)
        if not n:
            return none_published(question, ends, margin, said)
        reach = max(more[0], ends.reach) if bounded else 0
        if bounded and not math.isfinite(reach):
            raise ParameterError(f"column {column!r} holds infinite numbers, which cannot be aggregated; ask for COUNT")
        low: Any = value
        high: Any = value
        if withheld.n and aggregate == "SUM":
            low, high = ends.sums(value, value, n)
        elif withheld.n and aggregate == "AVG":
            low, high = ends.means(more[-1], more[-1], n)
        elif withheld.n and aggregate == "MEDIAN":
            low, high = median_bounds(values[key], values[key][:0], ends)
        elif withheld.n:
            low, high = ends.extreme(aggregate, value, value, n)
        lost = margin * reach * (n + ends.n if aggregate == "SUM" else 1) if bounded else 0
        low, high = (low - lost, high + lost) if lost else (low, high)
        return Answer(
            question.label, clip(value, low, high), low, high, True, 0.0, n, n + withheld.n, said, withheld.n
        )  # fmt: skip

    width = len(keys)
    answers = [(key := tuple(row[:width]), answer_of(key, *row[width:])) for row in engine.rows(sql)]
    return Answers(question.by, answers, withheld.n) if question.by else answers[0][1]


def _values_by_key(engine: Engine, question: Question, of: str, where: str) -> dict[tuple[Any, ...], NDArray[Any]]:
    """The values of a column in order, for each key."""
    keys = "".join(f"{quote(name)} AS key_{i}, " for i, name in enumerate(question.by))
    found = engine.frame(f"SELECT {keys}{of} AS value FROM release{where}").drop_nulls("value")
    parts = found.partition_by(found.columns[:-1], as_dict=True) if keys else {(): found}
    return {key: np.sort(part["value"].to_numpy()) for key, part in parts.items()}
