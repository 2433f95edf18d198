"""Properties that drawn values keep: a published table of linear statements, read and checked one by one.

Each line says which published rows and columns it is about, with what coefficients, and its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.values import as_number, in_zone
from sfumato.ground.errors import DataError

__all__ = ["PropertyCheck", "check_properties", "check_published_properties", "properties_of"]

TOLERANCE = 1e-9
"""What a property may be off by, relative to the numbers it adds up: rounding, and not a broken one."""


class Properties(NamedTuple):
    """Sums of published cells, each with what it must not exceed or must equal; entries stand end to end."""

    of_entry: NDArray[np.int64]
    """The property that each entry belongs to."""
    cell: NDArray[np.int64]
    coefficient: NDArray[np.float64]
    bound: NDArray[np.float64]
    equal: NDArray[np.bool_]


_COLUMNS = ("property", "rows", "columns", "coefficients", "equal", "bound")


def properties_of(frame: pl.DataFrame, n_rows: int, n_columns: int) -> Properties:
    """Read the published table of properties, over cells `column * n_rows + row`; refuse one that is malformed."""
    lists = ("rows", "columns", "coefficients")
    if sorted(frame.columns) != sorted(_COLUMNS) or not _has_its_types(frame):
        raise DataError("the table of properties is not well formed")
    lengths = frame["rows"].list.len()
    alike = all(frame[name].list.len().equals(lengths) for name in lists)
    if not alike or frame.null_count().sum_horizontal().sum() or frame["equal"].dtype != pl.Boolean:
        raise DataError("the table of properties is not well formed")
    flat = {name: frame[name].explode(empty_as_null=False) for name in lists}
    if any(column.null_count() for column in flat.values()):
        raise DataError("the table of properties is not well formed")
    row, column = (flat[name].cast(pl.Int64).to_numpy() for name in ("rows", "columns"))
    coefficient, bound = flat["coefficients"].cast(pl.Float64).to_numpy(), frame["bound"].cast(pl.Float64).to_numpy()
    if not (np.isfinite(coefficient).all() and np.isfinite(bound).all()):
        raise DataError("a property has a coefficient or a bound that is no finite number")
    if len(row) and (row.min() < 0 or row.max() >= n_rows or column.min() < 0 or column.max() >= n_columns):
        raise DataError("a property is about rows or columns that the published table lacks")
    return Properties(
        of_entry=np.repeat(np.arange(frame.height), lengths.to_numpy()),
        cell=column * n_rows + row,
        coefficient=coefficient,
        bound=bound,
        equal=frame["equal"].to_numpy().astype(bool),
    )


@dataclass(frozen=True, kw_only=True)
class PropertyCheck:
    """What a check of all properties found."""

    n: int
    n_broken: int
    first_broken: str | None
    smallest_slack: float
    """Relative to the numbers each row adds up; equalities aside."""


def check_published_properties(
    properties: pl.DataFrame | None, published: pl.DataFrame, columns: Sequence[str], schema: Schema
) -> tuple[list[str], list[str]]:
    """Check all properties, and that columns keep to their bounds; return what was found, and what is broken."""
    if properties is None:
        return [], ["the properties that the drawn values keep are not published"]
    try:
        numbers = np.array([as_numbers(published[name]) for name in columns]).reshape(len(columns), published.height)
        found = check_properties(properties, numbers)
    except (DataError, pl.exceptions.PolarsError) as error:
        return ["the properties cannot be read"], [f"the properties cannot be read: {error}"]
    broken = [
        f"column {name!r} leaves the bounds that its schema gives"
        for name, line in zip(columns, numbers, strict=True)
        if _outside(line, schema.column(name), published[name])
    ]
    if not found.n_broken:
        return [f"all {found.n:,} properties hold"], broken
    broken.append(f"{found.n_broken:,} of {found.n:,} properties do not hold, the first of {found.first_broken}")
    return [f"{found.n - found.n_broken:,} of {found.n:,} properties hold"], broken


def _outside(numbers: NDArray[np.float64], column: Column, published: pl.Series) -> bool:
    zone = getattr(published.dtype, "time_zone", None)
    low, high = (as_number(in_zone(end, zone)) if end is not None else None for end in (column.low, column.high))
    slack = TOLERANCE * float(np.nanmax(np.abs(numbers), initial=1.0))
    too_low = low is not None and bool((numbers < low - slack).any())
    return too_low or (high is not None and bool((numbers > high + slack).any()))


def _has_its_types(frame: pl.DataFrame) -> bool:
    """Whether places are whole numbers and the rest numbers: what is cast to them could differ from row to row."""
    inner = {name: getattr(frame[name].dtype, "inner", pl.Null()) for name in ("rows", "columns", "coefficients")}
    places = inner["rows"].is_integer() and inner["columns"].is_integer()
    numbers = inner["coefficients"].is_numeric() and frame["bound"].dtype.is_numeric()
    return bool(places and numbers and all(isinstance(frame[name].dtype, pl.List) for name in inner))


def check_properties(frame: pl.DataFrame, numbers: NDArray[np.float64]) -> PropertyCheck:
    """Check every property on the published numbers (one line per column)."""
    listed = properties_of(frame, numbers.shape[1], numbers.shape[0])
    cells = numbers.ravel()
    if np.isnan(cells[listed.cell]).any():
        raise DataError("a property is about a value that is missing from the published table")
    n, terms = len(listed.bound), listed.coefficient * cells[listed.cell]
    left = np.bincount(listed.of_entry, terms, n)
    size = np.bincount(listed.of_entry, np.abs(terms), n) + np.abs(listed.bound)
    over = np.where(listed.equal, np.abs(left - listed.bound), left - listed.bound)
    broken = np.flatnonzero(over > TOLERANCE * size)
    open_rows = ~listed.equal & (size > 0)
    return PropertyCheck(
        n=n,
        n_broken=len(broken),
        first_broken=str(frame["property"][int(broken[0])]) if len(broken) else None,
        smallest_slack=float((-over[open_rows] / size[open_rows]).min(initial=np.inf)),
    )
