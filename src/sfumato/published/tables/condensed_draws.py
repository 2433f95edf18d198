"""Rows drawn from the statistics of groups: whether the mean and the covariance of its group allow each row.

Along any direction u a draw with the mean and the covariance C of a group, uniform along its eigenvectors, strays at
most sqrt(3 r u'Cu) from the mean, r being how many eigenvalues are above 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.data.values import as_number, in_zone
from sfumato.published.tables.plain_moments import lie_too_near, plain_moments

__all__ = ["Draws", "outside_bounds", "read_draws"]

_CHUNK = 65_536
_ENOUGH = 20
_WIDE = 9.0
"""So many draws do not all come out as the record they stand for; whole numbers might, where they lie close."""
_SLACK = 1e-6
"""Of a column's range, for what rounding leaves."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The group of each record; and of each published row, its group and the record whose other columns it shows."""

    of_record: NDArray[np.int64]
    of_row: NDArray[np.int64]
    record: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many records each group has."""
        return np.bincount(self.of_record)

    @property
    def rows_drawn(self) -> NDArray[np.int64]:
        """How many rows were drawn from each group."""
        return np.bincount(self.of_row, minlength=len(self.sizes))

    def carried_column_flaws(self, frame: pl.DataFrame, schema: Schema, behind: Table) -> list[str]:
        """What is wrong with the sensitive and plain columns, a clause each.

        Every row must show those of a record of its group, and each record of a group must be used as often as the
        others, or once more.
        """
        wrong = []
        if (self.of_record[self.record] != self.of_row).any():
            wrong.append("some row shows the sensitive or plain columns of a record outside its group")
        often = np.bincount(self.record, minlength=len(self.of_record))
        least = (self.rows_drawn // self.sizes)[self.of_record]
        if ((often < least) | (often > least + 1)).any():
            wrong.append("some record's sensitive or plain columns are shown more often than those of its group")
        for name in frame.columns:
            if schema.role(name) in ("sensitive", "plain"):
                own = behind.frame[name].gather(self.record).cast(frame[name].dtype, strict=False)
                n = int((~frame[name].eq_missing(own)).sum())
                if n:
                    wrong.append(f"column {name!r} differs from the records it was taken from in {n:,} rows")
        return wrong

    def quasi_identifier_flaws(
        self, frame: pl.DataFrame, schema: Schema, behind: Table, parameters: Mapping[str, Any]
    ) -> list[str]:  # fmt: skip
        """What the quasi-identifiers show that the statistics of the row's group do not allow, a clause each."""
        wrong, numeric = [], []
        for name in schema.quasi:
            shown, own = frame[name], behind.frame[name]
            if _is_number(behind.schema.column(name)) and _like_number(shown):
                numeric.append(name)
                shown, own = shown.is_null(), own.is_null()
            n = self._n_unlikely_groups(shown, own)
            if n:
                wrong.append(f"column {name!r} shows some value more or less often than its group, in {n:,} groups")
        if not numeric:
            return wrong
        columns = [behind.schema.column(name) for name in numeric]
        low, high = (
            np.array([_bound_as_number(column, behind.frame[column.name].dtype, end) for column in columns])
            for end in ("low", "high")
        )
        true = np.stack([as_numbers(behind.frame[name]) for name in numeric], axis=1)
        shown_numbers = np.stack([as_numbers(frame[name]) for name in numeric], axis=1)
        wrong += self._numbers_too_far(columns, true, shown_numbers, low, high, parameters)
        whole = np.array([column.kind in ("integer", "date") for column in columns])
        spread = (self._group_ranges(true) > np.where(whole, _WIDE, 0.0))[self.of_row] & ~np.isnan(shown_numbers)
        same = np.isclose(shown_numbers, true[self.record], rtol=1e-9, atol=0.0)
        if spread.sum() >= _ENOUGH and same[spread].all():
            wrong.append("the values that should be drawn anew are those of the original")
        return wrong

    def _group_ranges(self, true: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far apart the records of each group are in each column."""
        low = np.full((len(self.sizes), true.shape[1]), np.inf)
        high = -low
        np.fmin.at(low, self.of_record, true)
        np.fmax.at(high, self.of_record, true)
        return np.asarray(high - low)

    def _n_unlikely_groups(self, shown: pl.Series, own: pl.Series) -> int:
        """How many groups show some value more or less often than dealing out the group's own values can give."""
        value = shown.cast(pl.String).alias("value")
        ours = pl.DataFrame({"group": self.of_row, "value": value}).group_by("group", "value").len("ours")
        behind = pl.DataFrame({"group": self.of_record, "value": own.cast(pl.String)})
        theirs = behind.group_by("group", "value").len("theirs")
        joined = ours.join(theirs, on=["group", "value"], how="full", coalesce=True, nulls_equal=True)
        group = joined["group"].to_numpy()
        n_ours, n_theirs = (joined[name].fill_null(0).to_numpy().astype(np.int64) for name in ("ours", "theirs"))
        rounds, rest = self.rows_drawn[group] // self.sizes[group], self.rows_drawn[group] % self.sizes[group]
        odd = (n_ours < rounds * n_theirs) | (n_ours > rounds * n_theirs + np.minimum(rest, n_theirs))
        return len(np.unique(group[odd]))

    def _numbers_too_far(
        self, columns: Sequence[Column], true: NDArray[np.float64], shown: NDArray[np.float64],
        low: NDArray[np.float64], high: NDArray[np.float64], parameters: Mapping[str, Any],
    ) -> list[str]:  # fmt: skip
        """Numbers further from the mean of their group than any draw goes, and means not kept, a clause each."""
        names = [column.name for column in columns]
        span = np.nanmax(true, axis=0, initial=-np.inf) - np.nanmin(true, axis=0, initial=np.inf)
        span = np.where(span > 0, span, 1.0)
        means, covariances = plain_moments(true, self.of_record, len(self.sizes), span)
        rank = np.linalg.matrix_rank(covariances, hermitian=True, rtol=1e-9)
        whole = np.array([0.5 if column.kind in ("integer", "date") else 0.0 for column in columns]) / span
        keeps = bool(parameters.get("keep_means"))
        rounded, noise = whole * (3.0 if keeps else 1.0) + _SLACK, float(parameters["noise"])
        allowed = rounded + noise * (2.0 if keeps else 1.0)
        away = np.nan_to_num((shown - means[self.of_row]) / span)
        stretch = np.sqrt(3.0 * np.maximum(rank, 1)) * (2.0 if keeps else 1.0)
        own = stretch[:, None] * np.sqrt(np.maximum(np.diagonal(covariances, axis1=1, axis2=2), 0.0))
        bounded = np.isfinite(low) | np.isfinite(high)
        over = (np.abs(away) > own[self.of_row] + allowed) & ~(bounded & keeps)
        wrong = [
            f"column {names[c]!r} strays further from the mean of its group than its variance allows, in {n:,} rows"
            for c, n in enumerate(over.sum(axis=0).tolist()) if n
        ]  # fmt: skip
        if noise:
            wrong += self._columns_without_noise(names, away, shown, low, high, noise, rounded, keeps)
        if not wrong:
            values, vectors = np.linalg.eigh(covariances)
            reach = stretch[:, None] * np.sqrt(np.maximum(values, 0.0)) + np.einsum(
                "gij,i->gj", np.abs(vectors), allowed
            )
            touched = np.isnan(shown).any(axis=1) | ((shown <= low) | (shown >= high)).any(axis=1)
            if keeps:  # a column is shifted by what its own rows lack: other columns of the group by something else
                touched |= np.bincount(self.of_row[touched], minlength=len(self.sizes))[self.of_row] > 0
            untouched = ~touched & ~(keeps & bounded.any())
            n = 0
            for rows in np.array_split(np.flatnonzero(untouched), 1 + len(away) // _CHUNK):
                along = np.abs(np.einsum("gij,gi->gj", vectors[self.of_row[rows]], away[rows]))
                n += int((along > reach[self.of_row[rows]]).any(axis=1).sum())
            if n:
                wrong.append(f"{n:,} rows stray further from the mean of their group than its covariance allows")
        return wrong + (self._moved_means(names, columns, means, shown, span) if keeps else [])

    def _columns_without_noise(
        self, names: Sequence[str], away: NDArray[np.float64], shown: NDArray[np.float64],
        low: NDArray[np.float64], high: NDArray[np.float64], noise: float, rounded: NDArray[np.float64], keeps: bool,  # noqa: FBT001
    ) -> list[str]:  # fmt: skip
        """Columns whose rows lie nearer to their group than the noise that the release tells of would leave them.

        A value at a bound may have been moved there. Where means were kept, rows of one group depend on each other, and
        one of each is looked at, which has half of the noise or more.
        """
        wrong = []
        for c, name in enumerate(names):
            if keeps and np.isfinite([low[c], high[c]]).any():
                continue
            known = np.flatnonzero(~np.isnan(shown[:, c]))
            if keeps:
                _, first, many = np.unique(self.of_row[known], return_index=True, return_counts=True)
                known = known[first[many > 1]]
            inside = (shown[known, c] > low[c]) & (shown[known, c] < high[c])
            moved = np.where(inside, away[known, c], np.inf)
            if lie_too_near(moved, noise / 2.0 if keeps else noise, float(rounded[c])):
                wrong.append(
                    f"column {name!r} lies nearer to its groups' means than the noise that is told of leaves it"
                )
        return wrong

    def _moved_means(
        self, names: Sequence[str], columns: Sequence[Column], means: NDArray[np.float64], shown: NDArray[np.float64],
        span: NDArray[np.float64],
    ) -> list[str]:  # fmt: skip
        wrong = []
        for c, name in enumerate(names):
            known = ~np.isnan(shown[:, c])
            group = self.of_row[known]
            counts = np.bincount(group, minlength=len(means))
            sums = np.bincount(group, shown[known, c] - means[group, c], len(means))
            off = np.abs(sums) / np.maximum(counts, 1)
            whole = 0.5 / np.maximum(counts, 1) if columns[c].kind in ("integer", "date") else 0.0
            n = int(((off > whole + _SLACK * span[c]) & (counts > 0)).sum())
            if n:
                wrong.append(f"column {name!r} does not keep the mean of {n:,} groups")
        return wrong


def read_draws(
    frame: pl.DataFrame, behind: Table, kept: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]
) -> Draws | str:
    """Read the groups that the owner kept; return a sentence on what is wrong with them where they cannot be used."""
    try:
        of_record = kept["groups"]["group"].to_numpy().astype(np.int64)
        of_row = kept["synthetic"]["group"].to_numpy().astype(np.int64)
        record = kept["synthetic"]["record"].to_numpy().astype(np.int64)
        alpha, noise = float(parameters["alpha"]), float(parameters["noise"])
        if not np.isfinite([alpha, noise]).all() or noise < 0 or not isinstance(parameters["keep_means"], bool):
            raise ValueError
    except (pl.exceptions.PolarsError, KeyError, TypeError, ValueError):
        return "what is told of the draw, or what the owner kept of the groups, cannot be read"
    if len(of_record) != len(behind):
        return f"the owner's groups are of {len(of_record):,} records, and the original has {len(behind):,}"
    if len(of_row) != frame.height:
        return f"{frame.height:,} rows are published, the owner's groups tell of {len(of_row):,}"
    n_groups = int(of_record.max(initial=-1)) + 1
    inside = all(not len(each) or (each.min() >= 0 and each.max() < n) for each, n in (
        (of_record, n_groups), (of_row, n_groups), (record, len(of_record)),
    ))  # fmt: skip
    if not inside or (np.bincount(of_record, minlength=n_groups) == 0).any():
        return "the owner's groups name groups or records that do not exist"
    drawn = Draws(of_record, of_row, record)
    if (drawn.rows_drawn != np.maximum(1, np.rint(alpha * drawn.sizes))).any():
        return f"some group has another number of rows than {alpha:g} times its records"
    return drawn


def outside_bounds(frame: pl.DataFrame, schema: Schema) -> list[str]:
    """Columns that leave the bounds of their schema, a clause each."""
    wrong = []
    for name in schema.quasi:
        if name in frame.columns and _is_number(schema.column(name)) and _like_number(frame[name]):
            column, numbers = schema.column(name), as_numbers(frame[name])
            low, high = (_bound_as_number(column, frame[name].dtype, end) for end in ("low", "high"))
            if ((numbers < low - _SLACK * (1 + abs(low))) | (numbers > high + _SLACK * (1 + abs(high)))).any():
                wrong.append(f"column {name!r} leaves the bounds that its schema gives")
    return wrong


def _is_number(column: Column) -> bool:
    ordered = column.hierarchy is None or column.hierarchy.kind in ("intervals", "calendar")
    return column.kind in ("integer", "number", "date") and ordered


def _like_number(series: pl.Series) -> bool:
    return series.dtype.is_numeric() or series.dtype.is_temporal()


def _bound_as_number(column: Column, dtype: Any, end: str) -> float:
    """The bound of a column as a number, infinite where it has none."""
    given = getattr(column, end)
    if given is None:
        return -np.inf if end == "low" else np.inf
    return as_number(in_zone(given, getattr(dtype, "time_zone", None)))
