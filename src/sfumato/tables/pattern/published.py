"""Properties as they are published beside the data, and the check that they hold.

One line per property: which published rows and columns it is about, with what coefficients, and its bound. Whoever has
the release can check them all, and learns that they held in the original; nothing else is said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.schema import Column, Schema
from sfumato.data.values import as_number, in_zone
from sfumato.errors import DataError
from sfumato.randomness import Randomness
from sfumato.tables.pattern.properties import Extracted
from sfumato.tables.pattern.rows import Rows, stack, values_of
from sfumato.tables.pattern.setting import Setting

__all__ = ["PropertyCheck", "check_properties", "hold", "properties_frame", "rows_of_frame"]

TOLERANCE = 1e-9
"""What a row may be off by, relative to the numbers it adds up: rounding, not a broken property."""


def properties_frame(
    found: Extracted, rows: Rows, setting: Setting, place: NDArray[np.int64], random: Randomness
) -> pl.DataFrame:
    """The rows in terms of published rows (`place` is where each original row went) and columns.

    Nothing in it may follow the order of the original: entries stand in the order of the published cells, equal cells
    are named by the first of them there, and the statements of a property are shuffled.
    """
    import pyarrow as pa

    n = setting.n_rows

    def published(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return cells // n * n + place[cells % n]

    first = np.arange(n * len(setting.columns))
    equal = [np.sort(published(cells)) for cells in found.ties]
    for cells in equal:
        first[cells] = cells[0]
    ties = stack(Rows.of(np.stack([cells[:-1], cells[1:]], axis=1), [1.0, -1.0], equal=True) for cells in equal)
    kept = _tidy(stack([
        rows._replace(variable=first[published(rows.variable)]), ties.from_source(len(found.names)),
    ]))  # fmt: skip
    order = random.permutation(kept.n)
    kept = kept.take(order[np.argsort(kept.source[order], kind="stable")])

    def listed(values: NDArray[np.generic]) -> pl.Series:
        lists = pa.LargeListArray.from_arrays(pa.array(kept.indptr, pa.int64()), pa.array(values))
        return pl.Series(pl.from_arrow(lists))

    said = pl.Series([*(found.told or found.names), "equal values stay equal"], dtype=pl.String)
    return pl.DataFrame({
        "property": said.gather(kept.source).cast(pl.Categorical) if kept.n else pl.Series([], dtype=pl.Categorical),
        "rows": listed((kept.variable % n).astype(np.uint32)),
        "columns": listed((kept.variable // n).astype(np.uint16)),
        "coefficients": listed(kept.coefficient),
        "equal": kept.equal,
        "bound": kept.bound,
    })  # fmt: skip


def _tidy(rows: Rows) -> Rows:
    """Entries of each row in rising order, one for each cell; rows without any are gone."""
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    width = int(rows.variable.max(initial=0)) + 1
    keys, inverse = np.unique(at * width + rows.variable, return_inverse=True)
    summed = np.bincount(inverse, rows.coefficient, minlength=len(keys))
    largest = np.zeros(rows.n)
    np.maximum.at(largest, at, np.abs(rows.coefficient))
    stays = np.abs(summed) > 1e-12 * largest[keys // width]  # what cancels is gone
    keys, summed = keys[stays], summed[stays]
    counts = np.bincount(keys // width, minlength=rows.n)
    tidy = Rows(
        np.concatenate([[0], np.cumsum(counts)]), keys % width, summed, rows.bound, rows.equal, rows.source
    )  # fmt: skip
    return tidy.take(np.flatnonzero(counts))


_COLUMNS = ("property", "rows", "columns", "coefficients", "equal", "bound")


def rows_of_frame(frame: pl.DataFrame, n_rows: int, n_columns: int) -> Rows:
    """Read what `properties_frame` wrote, over cells `column * n_rows + row`; what is not so is refused."""
    lacking = [name for name in _COLUMNS if name not in frame.columns]
    lists = ("rows", "columns", "coefficients")
    if lacking or any(not isinstance(frame[name].dtype, pl.List) for name in lists):
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
    return Rows(
        indptr=np.concatenate([[0], np.cumsum(lengths.to_numpy().astype(np.int64))]),
        variable=column * n_rows + row,
        coefficient=coefficient,
        bound=bound,
        equal=frame["equal"].to_numpy().astype(bool),
        source=np.arange(frame.height),
    )


@dataclass(frozen=True, kw_only=True)
class PropertyCheck:
    """What a check of all properties found."""

    n: int
    n_broken: int
    first_broken: str | None
    smallest_slack: float
    """Relative to the numbers each row adds up; equalities aside."""


def hold(
    properties: pl.DataFrame | None, published: pl.DataFrame, columns: Sequence[str], schema: Schema, *, noise: bool
) -> tuple[list[str], list[str]]:
    """Whether every property holds on these columns, and their bounds do: what was found, and what is broken.

    Values with `noise` keep nothing; drawn ones must come with what they keep.
    """
    if properties is None:
        return ([], []) if noise else ([], ["the properties that the drawn values keep are not published"])
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


def check_properties(frame: pl.DataFrame, numbers: NDArray[np.float64]) -> PropertyCheck:
    """Check every property on the published numbers (one line per column)."""
    rows = rows_of_frame(frame, numbers.shape[1], numbers.shape[0])
    cells = numbers.ravel()
    if rows.n and np.isnan(cells[rows.variable]).any():
        raise DataError("a property is about a value that is missing from the published table")
    left = values_of(rows.indptr, rows.variable, rows.coefficient, np.nan_to_num(cells))
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    size = np.bincount(at, np.abs(rows.coefficient * cells[rows.variable]), rows.n) + np.abs(rows.bound)
    over = np.where(rows.equal, np.abs(left - rows.bound), left - rows.bound)
    broken = np.flatnonzero(over > TOLERANCE * size)
    open_rows = ~rows.equal & (size > 0)
    return PropertyCheck(
        n=rows.n,
        n_broken=len(broken),
        first_broken=str(frame["property"][int(broken[0])]) if len(broken) else None,
        smallest_slack=float((-over[open_rows] / size[open_rows]).min(initial=np.inf)),
    )
