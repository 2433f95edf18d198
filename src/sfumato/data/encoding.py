"""Columns as integer codes, so that numbers, dates and categories share one code path.

Codes follow the order of the values: numeric for numbers and dates, the given order for ordinals, tree order
under a hierarchy, alphabetical for bare categories. A missing value has the code -1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column
from sfumato.data.table import Table
from sfumato.data.tree import Tree
from sfumato.data.values import as_number, in_zone, text

__all__ = ["Coded", "Shape", "encode", "encode_series", "restrict_to_rows"]

Shape: TypeAlias = Literal["range", "tree", "set"]
"""How a group of values is covered: by its range, by a node of the hierarchy, or by the set of its members."""


@dataclass(frozen=True, eq=False)
class Coded:
    """One column of codes and what they stand for."""

    name: str
    shape: Shape
    weight: float
    codes: NDArray[np.int32]
    values: pl.Series
    """The value behind each code. Under a hierarchy, the text of every leaf, present or not."""
    position: NDArray[np.float64]
    """Where each code lies in the column's domain, from 0 to 1. For sets and trees only the order matters."""
    tree: Tree | None = None

    @property
    def n_codes(self) -> int:
        """How many values the column can take."""
        return len(self.values)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The value behind each code as a number (numbers and dates only)."""
        return np.array([as_number(value) for value in self.values.to_list()], dtype=np.float64)

    @cached_property
    def has_missing(self) -> bool:
        """Whether some record has no value."""
        return bool(self.codes.size and self.codes.min() < 0)


def encode(table: Table, names: Sequence[str]) -> list[Coded]:
    """Return the named columns of a table as codes."""
    return [encode_series(table.frame[name], table.schema.column(name)) for name in names]


def restrict_to_rows(column: Coded, rows: NDArray[np.int64]) -> Coded:
    """Return the column for some rows only; numbers and dates that none of them has are no longer values of it."""
    codes = column.codes[rows]
    if column.shape != "range" or column.values.dtype == pl.String:
        return replace(column, codes=codes)
    present = np.unique(codes[codes >= 0])
    numbered = np.where(codes < 0, -1, np.searchsorted(present, codes)).astype(np.int32)
    return replace(column, codes=numbered, values=column.values.gather(present), position=column.position[present])


def encode_series(series: pl.Series, column: Column) -> Coded:
    """Return one column as codes, by its kind and hierarchy."""
    if column.hierarchy is not None:
        return _as_tree(series, column)
    if column.kind in ("integer", "number", "date"):
        codes, values = _dense_ranks(series)
        return Coded(column.name, "range", column.weight, codes, values, _positions(values, column))
    codes, values = _dense_ranks(series.cast(pl.String), column.order)
    shape: Shape = "range" if column.kind == "ordinal" else "set"
    return Coded(column.name, shape, column.weight, codes, values, np.linspace(0.0, 1.0, max(len(values), 1)))


def _dense_ranks(series: pl.Series, order: Sequence[str] | None = None) -> tuple[NDArray[np.int32], pl.Series]:
    """The dense rank of every value, -1 where it is missing, and the value of each rank."""
    if series.dtype.is_integer() and len(series) and series.null_count() < len(series):
        low, high = int(series.min()), int(series.max())  # type: ignore[arg-type]
        if high - low <= 4 * len(series) + 1024:  # count, do not sort
            return _dense_ranks_by_counting(series, low, high)
    if order is None:
        values = series.drop_nulls().unique().sort()
    else:
        values = pl.Series(series.name, list(order), dtype=series.dtype)
    if series.dtype == pl.String:
        codes = series.cast(pl.Enum(values)).to_physical()
    else:
        codes = pl.DataFrame({"value": series}).join(
            pl.DataFrame({"value": values, "code": np.arange(len(values), dtype=np.int32)}),
            on="value", how="left", maintain_order="left",
        )["code"]  # fmt: skip
    return codes.cast(pl.Int32).fill_null(-1).to_numpy().astype(np.int32, copy=False), values


def _dense_ranks_by_counting(series: pl.Series, low: int, high: int) -> tuple[NDArray[np.int32], pl.Series]:
    """The dense ranks of whole numbers from `low` to `high`, without sorting."""
    shifted = (series.cast(pl.Int64) - low).fill_null(high - low + 1).to_numpy()
    present = np.zeros(high - low + 2, dtype=bool)
    present[shifted] = True
    present[-1] = False
    codes = np.cumsum(present, dtype=np.int32) - np.int32(1)
    codes[-1] = -1
    values = pl.Series(series.name, np.flatnonzero(present) + low, dtype=series.dtype)
    return codes[shifted], values


def _positions(values: pl.Series, column: Column) -> NDArray[np.float64]:
    numbers = np.array([as_number(value) for value in values.to_list()], dtype=np.float64)
    if not numbers.size:
        return numbers
    zone = getattr(values.dtype, "time_zone", None)
    low = as_number(in_zone(column.low, zone)) if column.low is not None else float(numbers[0])
    high = as_number(in_zone(column.high, zone)) if column.high is not None else float(numbers[-1])
    return (numbers - low) / (high - low) if high > low else np.zeros_like(numbers)


def _as_tree(series: pl.Series, column: Column) -> Coded:
    assert column.hierarchy is not None
    ranks, present = _dense_ranks(series)
    values: list[Any] = present.to_list()
    tree = column.hierarchy.tree(values)
    leaf = np.array([tree.leaf_of[text(value)] for value in values] + [-1], dtype=np.int32)
    position = np.linspace(0.0, 1.0, max(tree.n_leaves, 1))
    leaves = pl.Series(series.name, list(tree.leaves), dtype=pl.String)
    return Coded(column.name, "tree", column.weight, leaf[ranks], leaves, position, tree)
