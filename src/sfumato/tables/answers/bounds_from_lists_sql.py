"""Bounds of COUNT, SUM, AVG, MIN, MAX and MEDIAN where groups list values: as plain SQL over the bound tables.

What a reader runs in a database of their own, with the tables of `bound_tables.py`; `ask` runs it where the two faster
ways do not apply. If s rows of a group are selected, `release_ranks` says at rank s what their values sum up to at
least and at most. COUNT is in `count_statement`, the others in `bounds_statement`: SUM and AVG by `_sum_bounds`, MIN,
MAX and MEDIAN by `_BOUNDS`.

The same bounds stand in `bounds_from_lists_arrays.py` (without GROUP BY) and in `bounds_from_lists_by_key.py` (SUM and
AVG by key): whoever changes one changes all three. `test_duckdb` in tests/tables/answers/test_scripts.py holds them
together, `test_postgres` beside it for PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.contracts.dialects import condition, quote
from sfumato.contracts.question import Question
from sfumato.tables.answers.listed_values import Listing

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["bounds_statement", "count_statement", "ends_statement", "mixture_statement", "pieces_statement"]

_BOUNDS = {
    "MIN": "MIN(r.least) AS low, MIN(r.high) AS high",
    "MAX": "MAX(r.low) AS low, MAX(r.most) AS high",
    "MEDIAN": "MEDIAN(r.low) AS low, MEDIAN(r.high) AS high",
}
_ESTIMATE = "SUM(r.expected_sum) AS value, SUM(r.variance_sum) AS variance"

_HELD = """
    meets AS (SELECT {place} AS place, CASE WHEN {condition} THEN 1 ELSE 0 END AS met FROM release_domain),
    held AS ({held})"""
_BY_GROUP = """
    met_by_group AS (
        SELECT s.group_number, SUM(s.copies) AS listed, SUM(s.copies * h.whole) AS whole, SUM(s.copies * h.may) AS may,
            SUM(s.share_of_group * h.share) AS share, SUM(s.share_of_group * h.share * (1 - h.share)) AS inside,
            SUM(s.share_of_group * h.share * h.share) AS square
        FROM release_subdomains AS s JOIN held AS h ON h.piece = s.piece GROUP BY s.group_number
    )"""
_HELD_SINGLE = "SELECT place AS piece, met AS whole, met AS may, CAST(met AS DOUBLE) AS share FROM meets"
_HELD_RANGED = """
    SELECT p.piece, MIN(m.met) AS whole, MAX(m.met) AS may,
        COALESCE(SUM(CAST(m.met * t.weight AS DOUBLE)) / NULLIF(SUM(CAST(t.weight AS DOUBLE)), 0),
            AVG(CAST(m.met AS DOUBLE))) AS share
    FROM release_pieces AS p JOIN meets AS m ON m.place >= p.first_place AND m.place <= p.last_place
    LEFT JOIN release_targets AS t ON t.target = p.target AND t.place = m.place GROUP BY p.piece"""
_MET = """
    SUM(c.s) AS n, SUM(GREATEST(0, c.s - (g.listed - g.whole))) AS low, SUM(LEAST(c.s, g.may)) AS high,
    SUM(c.s * g.share) AS value,
    SUM(c.s * g.inside + c.s * (CASE WHEN g.listed > 1
        THEN 1 - CAST(c.s - 1 AS DOUBLE) / CAST(g.listed - 1 AS DOUBLE) ELSE 1 END) * (g.square - g.share * g.share)
    ) AS variance"""


def bounds_statement(listing: Listing, question: Question, known: Sequence[exp.Expression]) -> str:
    """A statement that gives the number of records selected and the bounds of an aggregate of a sensitive column.

    For SUM and AVG also the estimate and its variance. For AVG also the bounds of the sum, which are exact where the
    values are whole numbers.
    """
    column, aggregate = str(question.column), question.aggregate
    ranks = quote(f"release_ranks{listing.suffix(column)}")
    upto = "<=" if aggregate == "MEDIAN" else "="
    n = "COUNT(*)" if aggregate == "MEDIAN" else "SUM(c.s)"
    figures = f"{n} AS n, {_BOUNDS.get(aggregate) or _sum_bounds(aggregate, listing.margins[column])}"
    source = f"JOIN {ranks} AS r ON r.group_number = c.group_number AND r.rank {upto} c.s"
    return _select_statement(question, _selection(listing, question, known), figures, source)


def _sum_bounds(aggregate: str, margin: float) -> str:
    """The columns of the bounds and the estimate of SUM or AVG; `margin` is what rounding may lose in a sum."""
    lost = f" * {margin!r}" if margin else ""
    low = "SUM(r.low_sum)" + (f" - SUM(r.reach_sum){lost}" if margin else "")
    high = "SUM(r.high_sum)" + (f" + SUM(r.reach_sum){lost}" if margin else "")
    if aggregate == "SUM":
        return f"{low} AS low, {high} AS high, {_ESTIMATE}"
    mean = "CAST({} AS DOUBLE) / CAST(SUM(c.s) AS DOUBLE)"
    totals = f"{low} AS low_total, {high} AS high_total"
    n = "CAST(SUM(c.s) AS DOUBLE)"
    estimate = f"SUM(r.expected_sum) / {n} AS value, SUM(r.variance_sum) / ({n} * {n}) AS variance"
    return f"{mean.format(low)} AS low, {mean.format(high)} AS high, {totals}, {estimate}"


def count_statement(
    listing: Listing, question: Question, known: Sequence[exp.Expression], hidden: Sequence[exp.Expression]
) -> str:
    """A statement that gives the bounds of COUNT: how many selected records must meet `hidden`, and how many may.

    `hidden` is the part of the condition on sensitive columns, `known` the part on columns as recorded.
    """
    start = f"{_selection(listing, question, known)}, {_pieces_meeting(listing, hidden)}, {_BY_GROUP}"
    return _select_statement(question, start, _MET, "JOIN met_by_group AS g ON g.group_number = c.group_number")


def pieces_statement(listing: Listing, hidden: Sequence[exp.Expression]) -> str:
    """A statement that gives for each piece whether all of it meets a condition, whether any of it, and how likely.

    One row for each piece: `whole`, `may`, `share`.
    """
    return f"WITH {_pieces_meeting(listing, hidden)} SELECT whole, may, share FROM held ORDER BY piece"


def _pieces_meeting(listing: Listing, hidden: Sequence[exp.Expression]) -> str:
    """The common table expressions `meets` and `held`: which values, and which pieces, meet a condition."""
    return _HELD.format(
        place=listing.place, condition=condition(hidden), held=_HELD_RANGED if listing.lists_ranges else _HELD_SINGLE
    )


def mixture_statement(listing: Listing, question: Question, known: Sequence[exp.Expression]) -> str:
    """A statement that gives for each key and each piece how many records are expected to have a value in the piece."""
    keys = "".join(f"c.key_{i}, " for i in range(1, len(question.by) + 1))
    return (
        f"{_selection(listing, question, known)} SELECT {keys}s.piece, SUM(c.s * s.share_of_group) AS weight "
        f"FROM chosen AS c JOIN release_subdomains AS s ON s.group_number = c.group_number GROUP BY {keys}s.piece"
    )


def ends_statement(listing: Listing, question: Question, known: Sequence[exp.Expression]) -> str:
    """A statement that gives for each key the ends that MEDIAN is bounded by, as many as records are selected."""
    ranks = quote(f"release_ranks{listing.suffix(str(question.column))}")
    keys = "".join(f"c.key_{i}, " for i in range(1, len(question.by) + 1))
    return (
        f"{_selection(listing, question, known)} SELECT {keys}r.low, r.high FROM chosen AS c "
        f"JOIN {ranks} AS r ON r.group_number = c.group_number AND r.rank <= c.s"
    )


def _selection(listing: Listing, question: Question, known: Sequence[exp.Expression]) -> str:
    """The WITH clause `chosen`: for each key, how many rows of each group are selected."""
    group = quote(listing.group)
    keys = "".join(f"{quote(name)} AS key_{i}, " for i, name in enumerate(question.by, 1))
    by = "".join(f"{quote(name)}, " for name in question.by)
    where = f" WHERE {condition(known)}" if known else ""
    chosen = f"SELECT {keys}{group} AS group_number, COUNT(*) AS s FROM release{where} GROUP BY {by}{group}"
    return f"WITH chosen AS ({chosen})"


def _select_statement(question: Question, start: str, figures: str, source: str) -> str:
    keys = [f"c.key_{i}" for i in range(1, len(question.by) + 1)]
    named = "".join(f"{key} AS {quote(name)}, " for key, name in zip(keys, question.by, strict=True))
    by = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(keys)}" if keys else ""
    return f"{_flat(start)} SELECT {named}{_flat(figures)} FROM chosen AS c {source}{by}"


def _flat(sql: str) -> str:
    """The text without indentation."""
    return "\n".join(line.strip() for line in sql.strip().splitlines()) if "\n" in sql else sql
