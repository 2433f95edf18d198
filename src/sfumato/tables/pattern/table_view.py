"""The table as properties see it: numbers by cell, partitions, and the rows that a condition picks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.progress import Progress, silent_progress
from sfumato.ground.randomness import Randomness

__all__ = ["TableView"]


@dataclass(frozen=True, eq=False)
class TableView:
    """The table that properties are extracted from. The value in row r of column c is cell `c * n_rows + r`."""

    table: Table
    columns: tuple[str, ...]
    """The columns whose values are substituted."""
    numbers: NDArray[np.float64]
    """Their values as numbers, one line per column; NaN where missing."""
    partition: NDArray[np.int64]
    """The partition of every row."""
    random: Randomness
    progress: Progress = field(default_factory=silent_progress)
    """Hears how far the extraction is, and may call it off."""

    @property
    def n_rows(self) -> int:
        """How many records there are."""
        return len(self.partition)

    def place(self, column: str) -> int:
        """Which line of `numbers` a column is."""
        if column not in self.columns:
            if column in self.table.columns:
                raise ParameterError(
                    f"column {column!r} is not substituted: properties are about quasi-identifiers that are numbers "
                    f"or dates, here {', '.join(self.columns)}"
                )
            raise ParameterError(f"no column is called {column!r}{suggest(column, self.columns)}")
        return self.columns.index(column)

    def lines_of(self, columns: tuple[str, ...] | None) -> list[int]:
        """The lines of `numbers` that these columns are; all lines without columns."""
        return [self.place(name) for name in columns] if columns is not None else list(range(len(self.columns)))

    def cells(self, line: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells of a column in these rows."""
        return line * self.n_rows + rows

    def rows_where(self, condition: str | None) -> NDArray[np.int64]:
        """The rows that an SQL condition picks; all rows without a condition."""
        if condition is None:
            return np.arange(self.n_rows)
        try:
            mask = self.table.frame.select(pl.sql_expr(condition).alias("picked"))["picked"]
        except pl.exceptions.PolarsError as error:
            reason = str(error).splitlines()[0]
            raise ParameterError(f"the condition [{condition}] cannot be read: {reason}") from None
        if mask.dtype != pl.Boolean or len(mask) != self.n_rows:
            raise ParameterError(f"[{condition}] is no condition; write one such as [region = 'north']")
        rows = mask.fill_null(value=False).arg_true().to_numpy().astype(np.int64)
        if not len(rows):
            raise ParameterError(f"the condition [{condition}] picks no row")
        return rows

    def rows_by(self, column: str | None) -> list[tuple[str, NDArray[np.int64]]]:
        """For every value of a column, the condition in words and its rows; without a column, all rows as one."""
        if column is None:
            return [("", np.arange(self.n_rows))]
        if column not in self.table.columns:
            raise ParameterError(f"no column is called {column!r}{suggest(column, self.table.columns)}")
        values = pl.DataFrame({"value": self.table.frame[column], "row": np.arange(self.n_rows)})
        found = values.group_by("value", maintain_order=True).agg("row").sort("value", nulls_last=True)
        return [
            (f"[{column} = {value!r}]", np.array(rows, dtype=np.int64)) for value, rows in found.iter_rows()
        ]  # fmt: skip

    def partitions(self) -> list[NDArray[np.int64]]:
        """The rows of every partition."""
        order = np.argsort(self.partition, kind="stable")
        edges = np.flatnonzero(np.diff(self.partition[order])) + 1
        return np.split(order, edges)
