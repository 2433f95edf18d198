"""How often the records of a table repeat each other: a record with k copies needs no others to hide among.

Among more rows more of them have k copies, or nearly so many, and losses and numbers of classes bend away from a power
law. How many do is counted for the samples and for the whole table alike, which takes no method and little time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.table import Table

__all__ = ["Copies", "copies_of"]


@dataclass(frozen=True, eq=False)
class Copies:
    """How many rows each combination of quasi-identifiers has, in a table of `n_rows`."""

    n_rows: int
    counts: NDArray[np.int64]

    def wanting(self, k: int) -> float:
        """How much of a class of k the copies of a row leave to others, on average over the rows; 0 where none do."""
        few = self.counts[self.counts < k]
        return int((few * (k - few)).sum()) / (k * self.n_rows)

    def share_alone(self, k: int) -> float:
        """The share of the rows with fewer than k copies, themselves among them."""
        return int(self.counts[self.counts < k].sum()) / self.n_rows

    def classes(self, k: int) -> float:
        """How many combinations have k copies, for each row of the table."""
        return int((self.counts >= k).sum()) / self.n_rows


def copies_of(table: Table) -> Copies:
    """Count the copies of every combination."""
    counts = table.frame.group_by(list(table.schema.quasi)).agg(pl.len().alias("n")) if table.schema.quasi else None
    found = counts["n"].to_numpy().astype(np.int64) if counts is not None else np.array([len(table)], dtype=np.int64)
    return Copies(len(table), found)
