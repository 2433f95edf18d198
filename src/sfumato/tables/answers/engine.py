"""A database in memory that can read nothing but the tables put into it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.question import NESTED
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Engine"]


class Engine:
    """DuckDB without files, network and settings."""

    def __init__(self, tables: Mapping[str, pl.DataFrame], statements: tuple[str, ...] = ()) -> None:
        """Put `tables` in, run `statements` that create others from them, and lock the settings."""
        import duckdb

        self._lock = threading.RLock()
        self._db: duckdb.DuckDBPyConnection = duckdb.connect(
            ":memory:",
            config={
                "enable_external_access": "false",
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            },
        )
        for name, frame in tables.items():
            self.put(name, frame)
        for statement in statements:
            self._db.execute(statement)
        self._db.execute("SET lock_configuration = true")

    def put(self, name: str, frame: pl.DataFrame) -> None:
        """Create a table of that name, or replace it."""
        with self._lock:
            self._db.register("_given", frame.to_arrow())
            try:
                self._db.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM _given')
            finally:
                self._db.unregister("_given")

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows that a query gives; an error of the database becomes a `ParameterError`."""
        with self._lock:
            found: list[tuple[Any, ...]] = self._run(lambda: self._db.execute(sql).fetchall())
            return found

    def array(self, sql: str) -> NDArray[Any]:
        """The only column that a query gives, which must hold no nulls."""
        with self._lock:
            (found,) = self._run(lambda: self._db.execute(sql).fetchnumpy()).values()
        return np.asarray(found)

    def frame(self, sql: str) -> pl.DataFrame:
        """The table that a query gives."""
        with self._lock:
            found = pl.from_arrow(self._run(lambda: self._db.sql(sql).to_arrow_table()))
        assert isinstance(found, pl.DataFrame)
        return found

    def _run(self, run: Callable[[], Any]) -> Any:
        import duckdb

        try:
            return run()
        except (duckdb.Error, RuntimeError, UnicodeError) as error:
            if "expression depth" in str(error):
                raise ParameterError(NESTED) from None
            raise ParameterError(f"the condition cannot be decided: {_in_words(str(error))}") from None


_UNREAD = re.compile(
    r"Could not convert string '(.*?)' to (\w+)(?: when casting from source column ([^\n]+))?", re.DOTALL
)
_NUMBERS = ("INT", "UINT", "HUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "BIGINT")


def _in_words(said: str) -> str:
    """What is wrong with a condition and how to mend it, from what the database says of it."""
    found = _UNREAD.search(said)
    if found is None or not found[2].startswith(_NUMBERS):
        return (
            "a column is compared with a value of another kind, or a function does not take it; write texts and dates "
            "in single quotes and numbers without"
        )
    if found[3] is not None:
        return f"column {found[3].strip()!r} holds texts, such as {found[1]!r}, and no numbers; write texts in quotes"
    return f"{found[1]!r} is compared with a number and is none; write a number, without quotes"
