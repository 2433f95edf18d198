"""SQL for DuckDB and for other databases: quoted names, joined conditions, translated statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.contracts.question import NESTED
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["condition", "quote", "translate"]


def quote(name: str) -> str:
    """Quote a name for SQL, in either dialect.

    >>> quote('a "b"')
    '"a ""b""\"'
    """
    return '"' + name.replace('"', '""') + '"'


def condition(parts: Sequence[exp.Expression]) -> str:
    """Join the parts by AND, in DuckDB's dialect; true where there are none."""
    return " AND ".join(f"({part.sql('duckdb')})" for part in parts) or "TRUE"


def translate(sql: str, dialect: str) -> str:
    """Translate a statement in DuckDB's dialect into another one."""
    import sqlglot

    if dialect == "duckdb":
        return sql
    try:
        statement = sqlglot.parse_one(sql, read="duckdb")
        return _generate(statement, dialect)
    except RecursionError:
        raise ParameterError(NESTED) from None


def _generate(statement: Any, dialect: str) -> str:
    from sqlglot import exp

    for like in list(statement.find_all(exp.Like, exp.ILike)):  # PostgreSQL takes a backslash for an escape
        if not isinstance(like.parent, exp.Escape):
            like.replace(exp.Escape(this=like.copy(), expression=exp.Literal.string("")))
    return str(statement.sql(dialect, pretty=True))
