"""Bounds of COUNT, SUM, AVG, MIN, MAX and MEDIAN where groups list values: by arrays, for questions without GROUP BY.

The bound tables (`bound_tables.py`) are held as arrays, in which s rows selected of a group are a position. So bounds
take as long as there are groups, and no join. COUNT is in `ListedPieces.count_bounds`, the others in
`ListedColumn.bounds`; the bounds of AVG are those of SUM over the number of rows (`rounding.mean_bounds`).

The same bounds stand in `bounds_from_lists_sql.py` (as SQL) and in `bounds_from_lists_by_key.py` (SUM and AVG by key):
whoever changes one changes all three. `test_duckdb` in tests/tables/answers/test_scripts.py holds them together, and
test_bounds_from_lists_arrays.py beside it tries every assignment on small cases.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.dialects import quote
from sfumato.tables.answers.bounds_from_lists_by_key import Keys, sums_by_key
from sfumato.tables.answers.engine import Engine
from sfumato.tables.answers.listed_values import Listing
from sfumato.tables.answers.piece_distributions import PieceDistributions

__all__ = ["ListedColumn", "ListedPieces"]


class ListedPieces:
    """Which pieces each group lists, and how often. Below, `s[g]` is how many rows of group g are selected."""

    def __init__(self, engine: Engine, group: str) -> None:
        from scipy.sparse import csr_array

        sizes = engine.frame(f"SELECT {group} AS g, COUNT(*) AS n FROM release GROUP BY {group} ORDER BY {group}")
        table = engine.frame("SELECT group_number, piece, copies FROM release_subdomains")
        of = np.searchsorted(sizes["g"].to_numpy(), table["group_number"].to_numpy())
        copies = table["copies"].to_numpy().astype(np.int64)
        n_pieces = int(engine.rows("SELECT COUNT(*) FROM release_pieces")[0][0])
        self.sizes: NDArray[np.int64] = sizes["n"].to_numpy().astype(np.int64)
        self.listed = np.bincount(of, weights=copies, minlength=len(self.sizes)).astype(np.int64)
        self._copies: Any = csr_array((copies, (of, table["piece"].to_numpy())), shape=(len(self.sizes), n_pieces))

    def expected_counts(self, s: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each piece, how many of the selected records are expected to have a value in it."""
        return np.asarray(self._copies.T @ (s / self.listed), dtype=np.float64)

    def count_bounds(self, pieces: pl.DataFrame, s: NDArray[np.int64]) -> tuple[int, int, float, float]:
        """COUNT of the selected records that meet a condition: the two bounds, the expected number and its variance.

        `pieces` says of each piece whether all of it meets the condition (`whole`), whether any of it does (`may`), and
        with which probability a value in it does (`share`).
        """
        whole, may = (self._copies @ pieces[name].to_numpy().astype(np.int64) for name in ("whole", "may"))
        share = pieces["share"].to_numpy()
        mean = (self._copies @ share) / self.listed
        square = (self._copies @ (share * share)) / self.listed
        left = 1 - (s - 1) / np.maximum(self.listed - 1, 1)
        low, high = np.maximum(0, s - (self.listed - whole)).sum(), np.minimum(s, may).sum()
        variance = float((s * (mean - square + left * (square - mean * mean))).sum())
        return int(low), int(high), float((s * mean).sum()), variance


class ListedColumn:
    """One sensitive column that groups list values of. Below, `s[g]` is how many rows of group g are selected."""

    def __init__(self, engine: Engine, listing: Listing, lists: ListedPieces, column: str) -> None:
        suffix = listing.suffix(column)
        ranks = quote(f"release_ranks{suffix}")
        number = listing.secret[column].dtype.is_numeric()
        has_sums = listing.has_exact_sums(column) or (number and not listing.secret[column].dtype.is_integer())
        sums = ", low_sum, high_sum" if has_sums else ""
        table = engine.frame(f"SELECT low, high{sums} FROM {ranks} ORDER BY group_number, rank")
        groups = engine.frame(f"SELECT * FROM {quote(f'release_groups{suffix}')} ORDER BY group_number")
        self._dtype = table["low"].dtype
        self._ends = {name: table[name].to_physical().to_numpy() for name in table.columns}
        self._of = {name: groups[name].to_physical().to_numpy() for name in groups.columns}
        self.sizes, self._lists = lists.sizes, lists
        self._before = np.cumsum(self.sizes) - self.sizes - 1
        self._margin = listing.margins[column]
        self._whole = listing.secret[column].dtype.is_integer()
        self._of_all: dict[str, tuple[Any, Any]] = {}
        """The bounds over all records by aggregate, once they were asked for."""
        self._engine, self._listing, self._column = engine, listing, column

    def bounds(self, aggregate: str, s: NDArray[np.int64]) -> tuple[Any, Any]:
        """The smallest and the largest value that the aggregate can take.

        For AVG they are those of the sum: `ListedGroups._sum_answer` divides them by the number of rows.
        """
        if s is not self.sizes:
            return self._bounds(aggregate, s)
        if aggregate not in self._of_all:
            self._of_all[aggregate] = self._bounds(aggregate, s)
        return self._of_all[aggregate]

    def _bounds(self, aggregate: str, s: NDArray[np.int64]) -> tuple[Any, Any]:
        some = np.flatnonzero(s)
        at = self._before[some] + s[some]
        if aggregate in ("SUM", "AVG"):
            low, high = (self._total(self._ends[name][at]) for name in ("low_sum", "high_sum"))
            if self._margin:
                reach = np.maximum(np.abs(self._of["least"]), np.abs(self._of["most"]))
                lost = self._margin * float((s * reach).sum())
                low, high = low - lost, high + lost
            return low, high
        if aggregate == "MEDIAN":
            lows, highs = self.ends(s)
            return _median(lows), _median(highs)
        if aggregate == "MIN":
            return self._value(self._of["least"][some].min()), self._value(self._ends["high"][at].min())
        return self._value(self._ends["low"][at].max()), self._value(self._of["most"][some].max())

    def ends(self, s: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The least values that the selected records may have all together, and the largest."""
        picked = self._ranks <= np.repeat(s, self.sizes)
        return self._ends["low"][picked], self._ends["high"][picked]

    def by_key(
        self, keys: Keys, selected: NDArray[np.bool_] | None
    ) -> list[tuple[tuple[Any, ...], int, int, int, float, float]]:
        """For every key: the key, how many rows are selected, the two bounds of their sum, its mean and variance."""
        starts = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        return sums_by_key(keys, starts, selected, self._ends, self._of)

    def expected_sum(self, s: NDArray[np.int64]) -> tuple[float, float]:
        """The expected sum of the selected records' values, and its variance."""
        left = 1 - (s - 1) / np.maximum(self._of["listed"] - 1, 1)
        variance = s * (self._of["variance_within"] + left * self._of["variance_between"])
        return float((s * self._of["mean"]).sum()), max(float(variance.sum()), 0.0)

    def mixture(self, s: NDArray[np.int64]) -> tuple[pl.Series, NDArray[np.float64]]:
        """The values that the selected records may have, in order, and how many records are expected to have each."""
        return self._mixture_of_all if s is self.sizes else self.distributions.mix(self._lists.expected_counts(s))

    @cached_property
    def _mixture_of_all(self) -> tuple[pl.Series, NDArray[np.float64]]:
        return self.distributions.mix(self._lists.expected_counts(self.sizes))

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """The rank, from 1 on, that each entry of the arrays has in its group."""
        return np.arange(self.sizes.sum()) - np.repeat(self._before, self.sizes)

    @cached_property
    def distributions(self) -> PieceDistributions:
        """How likely each value is inside each piece."""
        return PieceDistributions(self._engine, self._listing, self._column)

    def _total(self, numbers: NDArray[Any]) -> Any:
        return int(numbers.sum()) if self._whole else math.fsum(numbers)

    def _value(self, number: Any) -> Any:
        if not self._dtype.is_temporal():
            return number.item()
        return pl.Series([number.item()]).cast(self._dtype).item()


def _median(numbers: NDArray[Any]) -> float:
    """The median, as databases have it: the mean of the two values in the middle."""
    n = len(numbers)
    middle = np.partition(numbers, [(n - 1) // 2, n // 2])[[(n - 1) // 2, n // 2]].tolist()
    return float(middle[0]) if middle[0] == middle[1] else middle[0] / 2 + middle[1] / 2
