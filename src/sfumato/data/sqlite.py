"""SQLite databases, read by Python's own library and never written to."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.data.values import text
from sfumato.ground.errors import DataError

__all__ = ["is_sqlite", "read_sqlite"]

_HEADER = b"SQLite format 3\0"
_ALLOWED = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
_TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name"
_DATE, _TIME = r"^\d{4}-\d{2}-\d{2}$", r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?$"


def is_sqlite(file: Path) -> bool:
    """Whether a file begins as SQLite databases do."""
    with file.open("rb") as stream:
        return stream.read(len(_HEADER)) == _HEADER


def read_sqlite(file: Path, query: str | None) -> pl.DataFrame:
    """Read what a query gives, or the table where there is one alone.

    A column whose values are numbers, or dates as SQLite writes them (ISO), gets that type; any other is text.
    """
    if not is_sqlite(file):
        raise DataError(f"file '{file}' is no SQLite database, or is damaged; check its path")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            statement = query if query is not None else _only_table(file, connection)
            connection.set_authorizer(_reads_alone)
            cursor = connection.execute(statement)
            if cursor.description is None:
                raise DataError(f"database '{file}': the query gives no table; use a SELECT")
            names = [str(each[0]) for each in cursor.description]
            rows = cursor.fetchall()
    except sqlite3.ProgrammingError:
        raise DataError(f"database '{file}': give one statement, a SELECT") from None
    except sqlite3.OperationalError as error:
        raise DataError(f"database '{file}' refused the query: {_reason(error)}") from None
    except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
        why = "it can only be read" if "not authorized" in str(error) else "it is damaged; make a new copy of it"
        raise DataError(f"database '{file}' cannot be read: {why}") from None
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise DataError(f"database '{file}': the query gives the column {twice!r} twice; name one otherwise, with AS")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return pl.DataFrame([_column(file, name, values) for name, values in zip(names, columns, strict=True)])


def _reads_alone(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _reason(error: sqlite3.Error) -> str:
    said = " ".join(str(error).split())
    return "the file is in use by another program" if "locked" in said else said[:200]


def _only_table(file: Path, connection: sqlite3.Connection) -> str:
    """The statement that reads the table of a database that has one alone."""
    names = [str(row[0]) for row in connection.execute(_TABLES).fetchall()]
    if not names:
        raise DataError(f"database '{file}' holds no table; check its path")
    if len(names) > 1:
        listed = ", ".join(names[:12])
        raise DataError(
            f"database '{file}' needs a query, as in query='SELECT * FROM {names[0]}'; it holds the tables {listed}"
        )
    quoted = names[0].replace('"', '""')
    return f'SELECT * FROM "{quoted}"'


def _column(file: Path, name: str, values: Sequence[Any]) -> pl.Series:
    types = {type(value) for value in values if value is not None}
    if bytes in types:
        raise DataError(f"database '{file}': column {name!r} holds bytes; leave it out of the query, or cast it")
    if types == {int}:
        return pl.Series(name, values, dtype=pl.Int64)
    if types and types <= {int, float}:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    series = pl.Series(name, [None if value is None else text(value) for value in values], dtype=pl.String)
    return _dates(series) if types == {str} else series


def _dates(series: pl.Series) -> pl.Series:
    """The column as dates or times where every value is written as one."""
    if bool(series.str.contains(_DATE).all()):
        changed = series.str.to_date("%Y-%m-%d", strict=False)
    elif bool(series.str.contains(_TIME).all()):
        changed = series.str.replace("T", " ", literal=True).str.to_datetime(strict=False, time_unit="us")
    else:
        return series
    return changed if changed.null_count() == series.null_count() else series
