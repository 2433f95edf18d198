"""Properties as they are published beside the data.

One line per property: which published rows and columns it is about, with what coefficients, and its bound. Whoever has
the release can check them all, and learns that they held in the original; nothing else is said of it.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.properties import ExtractedProperties
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.table_view import TableView

__all__ = ["properties_frame"]


def properties_frame(
    found: ExtractedProperties, rows: Rows, view: TableView, place: NDArray[np.int64], random: Randomness
) -> pl.DataFrame:
    """The rows in terms of published rows (`place` is where each original row went) and columns.

    Nothing in it may follow the order of the original: entries stand in the order of the published cells, equal cells
    are named by the first of them there, and the statements of a property are shuffled.
    """
    import pyarrow as pa

    n = view.n_rows

    def published_cells(cells: NDArray[np.int64]) -> NDArray[np.int64]:
        return cells // n * n + place[cells % n]

    first = np.arange(n * len(view.columns))
    equal = [np.sort(published_cells(cells)) for cells in found.ties]
    for cells in equal:
        first[cells] = cells[0]
    ties = stack(Rows.of(np.stack([cells[:-1], cells[1:]], axis=1), [1.0, -1.0], equal=True) for cells in equal)
    kept = _tidy(stack([
        rows._replace(variable=first[published_cells(rows.variable)]), ties.from_source(len(found.names)),
    ]))  # fmt: skip
    order = random.permutation(kept.n)
    kept = kept.take(order[np.argsort(kept.source[order], kind="stable")])

    def as_lists(values: NDArray[np.generic]) -> pl.Series:
        lists = pa.LargeListArray.from_arrays(pa.array(kept.indptr, pa.int64()), pa.array(values))
        return pl.Series(pl.from_arrow(lists))

    said = pl.Series([*(found.disclosed or found.names), "equal values stay equal"], dtype=pl.String)
    return pl.DataFrame({
        "property": said.gather(kept.source).cast(pl.Categorical) if kept.n else pl.Series([], dtype=pl.Categorical),
        "rows": as_lists((kept.variable % n).astype(np.uint32)),
        "columns": as_lists((kept.variable // n).astype(np.uint16)),
        "coefficients": as_lists(kept.coefficient),
        "equal": kept.equal,
        "bound": kept.bound,
    })  # fmt: skip


def _tidy(rows: Rows) -> Rows:
    """The rows with entries in rising order, one for each cell; rows without any entry are left out."""
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
