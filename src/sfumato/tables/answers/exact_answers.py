"""Answers where the column and the condition are published as recorded: exact, nothing has to be bounded."""

from __future__ import annotations

from typing import Any

import polars as pl

from sfumato.contracts.answer import Answer, Answers
from sfumato.contracts.dialects import condition, quote
from sfumato.contracts.question import Question
from sfumato.ground.errors import ParameterError
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.rounding import clip

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


def exact_answer(engine: Engine, question: Question, column: str | None, margin: float) -> Answer | Answers:
    """The aggregate of a `column`, or the count of all records, read off the rows themselves.

    `margin` is what rounding may lose in a sum of fractions, relative to the sum of absolute values.
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
    where = f" WHERE {condition(question.where)}" if question.where else ""
    by = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(keys)}" if keys else ""
    sql = f"SELECT {', '.join(figures)} FROM release{where}{by}"

    def answer_of(n: int, value: Any = None, reach: Any = None) -> Answer:
        if aggregate == "COUNT":
            return Answer(question.label, n, n, n, True, 0.0, n, n, sql)
        if not n:
            return Answer(question.label, None, None, None, True, None, 0, 0, sql)
        lost = margin * reach * (n if aggregate == "SUM" else 1) if bounded else 0
        low, high = (value - lost, value + lost) if lost else (value, value)
        return Answer(question.label, clip(value, low, high), low, high, True, 0.0, n, n, sql)

    width = len(keys)
    answers = [(tuple(row[:width]), answer_of(*row[width:])) for row in engine.rows(sql)]
    return Answers(question.by, answers) if question.by else answers[0][1]
