"""Statements over published tables whose bounds take withheld records in, as `withheld.py` does in Python.

Each wraps a statement that speaks of the published records alone; what is known of the others are constants in it.
`test_statements_say_what_ask_says` in tests/tables/answers/test_withheld_sql.py runs them beside `ask`.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from typing import Any

from sfumato.contracts.dialects import quote
from sfumato.contracts.question import Question
from sfumato.tables.answers.withheld import Ends, Withheld

__all__ = ["aggregate_statement", "count_statement_widened"]


def count_statement_widened(sql: str, question: Question, withheld: Withheld, *, bounded: bool) -> str:
    """A statement of COUNT from one over the published records, which gives `n`, and where `bounded` its bounds."""
    if not withheld.n:
        return sql
    of = {"low": "COALESCE(low, 0)", "high": "COALESCE(high, 0)"} if bounded else {"low": "n", "high": "n"}
    low, high = withheld.counts(question, 0, 0)
    of = {"low": f"{of['low']} + {low}" if low else of["low"], "high": f"{of['high']} + {high}"}
    return _wrap(sql, question, of, ("value", "variance") if bounded else ())


def aggregate_statement(
    sql: str, question: Question, ends: Ends, margin: float, *, whole: bool, listed: bool
) -> str | None:
    """A statement of SUM, AVG, MIN or MAX from one over the published records; None of MEDIAN, which has none.

    `listed` statements give `low` and `high` (AVG: `low_total` and `high_total`), the others the `value` itself, its
    `total` and its `reach`. `whole` says that the column holds whole numbers.
    """
    if not ends.n:
        return sql
    aggregate = question.aggregate
    if aggregate == "MEDIAN":
        return None
    low, high = ("low", "high") if listed else ("value", "value")
    more = ("value", "variance") if listed and aggregate in ("SUM", "AVG") else () if listed else ("value",)
    if aggregate == "MIN":
        return _wrap(sql, question, {"low": _literal(ends.low), "high": _or(high, ends.high, whole=whole)}, more)
    if aggregate == "MAX":
        return _wrap(sql, question, {"low": _or(low, ends.low, whole=whole), "high": _literal(ends.high)}, more)
    if aggregate == "SUM":
        least, most = ends.sums(0, 0, 1)
        none = ends.sums(None, None, 0)
        beyond = margin * ends.n * ends.reach
        by_value = f" {{}} {margin!r} * reach * n" if margin and not listed else ""
        of = {
            "low": f"COALESCE({low} + {_literal(least - beyond)}{by_value.format('-')}, {_literal(none[0] - beyond)})",
            "high": f"COALESCE({high} + {_literal(most + beyond)}{by_value.format('+')}, {_literal(none[1] + beyond)})",
        }
        return _wrap(sql, question, of, more)
    totals = ("low_total", "high_total") if listed else ("total", "total")
    of = {}
    for name, total, end, sign in zip(("low", "high"), totals, (ends.low, ends.high), "-+", strict=True):
        lost = f" {sign} {margin!r} * GREATEST(reach, {ends.reach!r})" if margin and not listed else ""
        sum_of_all = f"CAST({total} AS DOUBLE) + {_literal(float(ends.n * end))}"
        of[name] = f"COALESCE(({sum_of_all}) / CAST(n + {ends.n} AS DOUBLE){lost}, {_literal(float(end))})"
    return _wrap(sql, question, of, more)


def _wrap(sql: str, question: Question, of: Mapping[str, str], more: tuple[str, ...]) -> str:
    keys = ", ".join(map(quote, question.by))
    figures = [*([keys] if keys else []), "n", *(f"{figure} AS {name}" for name, figure in of.items()), *more]
    by = f" ORDER BY {keys}" if keys else ""
    return f"SELECT {', '.join(figures)} FROM ({sql}) AS published{by}"


def _or(name: str, end: Any, *, whole: bool) -> str:
    """A bound, or the end where no published record is selected; of whole numbers only an end that is one too."""
    if whole and isinstance(end, float):
        return name
    return f"COALESCE({name}, {_literal(end)})"


def _literal(value: Any) -> str:
    if isinstance(value, float):
        written = repr(value) if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{written}' AS DOUBLE)"
    if isinstance(value, dt.datetime):
        return f"CAST('{value.isoformat(sep=' ')}' AS TIMESTAMP)"
    if isinstance(value, dt.date):
        return f"CAST('{value.isoformat()}' AS DATE)"
    if isinstance(value, dt.time):
        return f"CAST('{value.isoformat()}' AS TIME)"
    return f"({value})" if value < 0 else str(value)
