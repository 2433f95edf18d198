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
from sfumato.errors import DataError
from sfumato.tables.pattern.rows import Rows, values_of
from sfumato.tables.pattern.setting import Setting

__all__ = ["PropertyCheck", "check_properties", "hold", "properties_frame", "rows_of_frame"]

TOLERANCE = 1e-9
"""What a row may be off by, relative to the numbers it adds up: rounding, not a broken property."""


def properties_frame(rows: Rows, names: Sequence[str], setting: Setting, place: NDArray[np.int64]) -> pl.DataFrame:
    """The rows in terms of published rows (`place` is where each original row went) and columns."""
    import pyarrow as pa

    def listed(values: NDArray[np.generic]) -> pl.Series:
        lists = pa.LargeListArray.from_arrays(pa.array(rows.indptr, pa.int64()), pa.array(values))
        return pl.Series(pl.from_arrow(lists))

    said = pl.Series(list(names), dtype=pl.String)
    return pl.DataFrame({
        "property": said.gather(rows.source).cast(pl.Categorical) if rows.n else pl.Series([], dtype=pl.Categorical),
        "rows": listed(place[rows.variable % setting.n_rows].astype(np.uint32)),
        "columns": listed((rows.variable // setting.n_rows).astype(np.uint16)),
        "coefficients": listed(rows.coefficient),
        "equal": rows.equal,
        "bound": rows.bound,
    })  # fmt: skip


def rows_of_frame(frame: pl.DataFrame, n_rows: int, n_columns: int) -> Rows:
    """Read what `properties_frame` wrote, over cells `column * n_rows + row`."""
    lengths = frame["rows"].list.len().to_numpy().astype(np.int64)

    def flat(name: str) -> NDArray[np.float64]:
        kept = frame[name].list.explode(empty_as_null=False) if frame.height else pl.Series([], dtype=pl.Float64)
        return kept.to_numpy()

    row, column = flat("rows").astype(np.int64), flat("columns").astype(np.int64)
    if len(row) and (row.max() >= n_rows or column.max() >= n_columns):
        raise DataError("a property is about rows or columns that the published table lacks")
    return Rows(
        indptr=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        variable=column * n_rows + row,
        coefficient=flat("coefficients").astype(np.float64),
        bound=frame["bound"].to_numpy().astype(np.float64),
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


def hold(properties: pl.DataFrame, published: pl.DataFrame, columns: Sequence[str]) -> tuple[str, list[str]]:
    """Whether every property holds on these columns: what was found, and what is broken."""
    try:
        numbers = np.array([as_numbers(published[name]) for name in columns]).reshape(len(columns), published.height)
        found = check_properties(properties, numbers)
    except (DataError, pl.exceptions.PolarsError) as error:
        return "the properties cannot be read", [str(error)]
    if not found.n_broken:
        return f"all {found.n:,} properties hold", []
    broken = f"{found.n_broken:,} of {found.n:,} properties do not hold, the first of {found.first_broken}"
    return f"{found.n - found.n_broken:,} of {found.n:,} properties hold", [broken]


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
