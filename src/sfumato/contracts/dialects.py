"""SQL as one database and another read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["condition", "quoted", "translated"]


def quoted(name: str) -> str:
    """A name as SQL quotes it, in either dialect.

    >>> quoted('a "b"')
    '"a ""b""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def condition(parts: Sequence[exp.Expression]) -> str:
    """The parts joined by AND, in DuckDB's dialect; true where there are none."""
    return " AND ".join(f"({part.sql('duckdb')})" for part in parts) or "TRUE"


def translated(sql: str, dialect: str) -> str:
    """A statement in DuckDB's dialect as another database reads it."""
    import sqlglot
    from sqlglot import exp

    if dialect == "duckdb":
        return sql
    statement = sqlglot.parse_one(sql, read="duckdb")
    for like in list(statement.find_all(exp.Like, exp.ILike)):  # PostgreSQL takes a backslash for an escape
        if not isinstance(like.parent, exp.Escape):
            like.replace(exp.Escape(this=like.copy(), expression=exp.Literal.string("")))
    return statement.sql(dialect, pretty=True)
