"""What the classes of a published table lose: the normalised certainty penalty of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.schema import Column, Schema
from sfumato.data.shown import Cell, Form, parse, parse_bound
from sfumato.data.table import Table
from sfumato.data.values import as_number
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.class_coverage import ClassCoverage, place_classes

__all__ = ["class_loss", "class_losses", "shown_losses"]


def class_losses(
    published: pl.DataFrame, forms: Mapping[str, Form], original: Table, rows: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """The weighted loss of every class, on the domain of the published records where the owner's map is known."""
    if rows is not None and len(rows) < len(original):
        kept = np.unique(rows)
        original, rows = original.rows(kept), np.searchsorted(kept, rows)
    placed = place_classes(published, forms, original)
    return placed.weighted_mean(np.stack([class_loss(placed, c, rows) for c in range(len(placed.columns))]))


def shown_losses(
    published: pl.DataFrame, forms: Mapping[str, Form], schema: Schema, classes: PublishedClasses
) -> NDArray[np.float64] | None:
    """The weighted loss of every class as readers can work it out: from the published cells alone.

    Ranges are tight, so that the smallest and largest ends that any class shows are those of the data (unless the
    schema says a wider domain), and the members of all sets are all values. None where that is not so: under a
    hierarchy, where single values are shown, or where some class shows nothing.
    """
    if not forms or any(form not in ("range", "set") for form in forms.values()):
        return None
    example = np.empty(classes.n_classes, dtype=np.int64)
    example[classes.of_row] = np.arange(len(classes.of_row))
    total, weights = np.zeros(classes.n_classes), 0.0
    for name, form in forms.items():
        column = schema.column(name)
        texts = published[name].cast(pl.String).gather(example)
        distinct = texts.unique(maintain_order=True)
        cells = [parse(text, form) for text in distinct.to_list()]
        if any(cell.everything for cell in cells):
            return None
        loss = _set_losses(cells) if form == "set" else _range_losses(cells, column)
        number = texts.to_frame("text").join(
            pl.DataFrame({"text": distinct, "loss": loss}),
            on="text",
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )["loss"]
        total += column.weight * number.to_numpy()
        weights += column.weight
    return total / weights


def _set_losses(cells: Sequence[Cell]) -> NDArray[np.float64]:
    n_values = len({value for cell in cells for value in cell.members or ()}) + any(cell.missing for cell in cells)
    shown = np.array([len(cell.members or ()) + cell.missing for cell in cells])
    return np.asarray(np.where(shown > 1, shown / max(n_values, 1), 0.0), dtype=np.float64)


def _range_losses(cells: Sequence[Cell], column: Column) -> NDArray[np.float64]:
    def place(value: str | None) -> float:
        if value is None:
            return np.nan
        if column.order is not None:
            return column.order.index(value) / max(len(column.order) - 1, 1)
        return as_number(parse_bound(value, str(column.kind)))

    low, high = np.array([place(cell.low) for cell in cells]), np.array([place(cell.high) for cell in cells])
    if np.isnan(low).all():
        return np.zeros(len(cells))
    first = as_number(column.low) if column.low is not None else float(np.nanmin(low))
    last = as_number(column.high) if column.high is not None else float(np.nanmax(high))
    if column.order is not None:
        first, last = 0.0, 1.0
    extent = np.nan_to_num((high - low) / (last - first) if last > first else 0.0 * low)
    mixed = np.array([cell.missing for cell in cells]) & ~np.isnan(low)
    return np.asarray(np.where(mixed, 0.5 + 0.5 * extent, extent), dtype=np.float64)


def class_loss(placed: ClassCoverage, c: int, rows: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The normalised certainty penalty of every class in column `c`."""
    column = placed.columns[c]
    shown: NDArray[np.float64] = column.loss[placed.cell[c]]
    if column.form != "value" or rows is None:
        return shown
    hidden = np.array([cell.everything for cell in column.cells], dtype=bool)[placed.cell[c]]
    behind = rows >= 0
    spread = _tightest_losses(column.coded, column.coded.codes[rows[behind]], placed.of_row[behind], placed.n_classes)
    return np.asarray(np.where(hidden, 1.0, spread), dtype=np.float64)


def _tightest_losses(
    coded: Coded, codes: NDArray[np.int32], of_row: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    """The loss of each class if it showed the tightest cover of its records' true values."""
    if coded.shape == "set":
        base = coded.n_codes + 1
        pairs = np.unique(of_row * base + codes + 1)
        n_values = np.bincount(pairs // base, minlength=n_classes)
        shares: NDArray[np.float64] = n_values / (coded.n_codes + coded.has_missing)
        return np.asarray(np.where(n_values > 1, shares, 0.0), dtype=np.float64)
    present = codes >= 0
    low = np.full(n_classes, coded.n_codes, dtype=np.int64)
    high = np.full(n_classes, -1, dtype=np.int64)
    np.minimum.at(low, of_row[present], codes[present])
    np.maximum.at(high, of_row[present], codes[present])
    some = low <= high
    loss = np.zeros(n_classes)
    if coded.tree is not None:
        pairs, where = np.unique(np.stack([low[some], high[some]]), axis=1, return_inverse=True)
        tree = coded.tree
        costs = np.array([tree.loss[tree.lowest_cover(a, b)] for a, b in pairs.T.tolist()], dtype=np.float64)
        loss[some] = costs[where.reshape(-1)]
    else:
        loss[some] = coded.position[high[some]] - coded.position[low[some]]
    missing = np.bincount(of_row[~present], minlength=n_classes) > 0
    return np.asarray(np.where(missing & some, 0.5 + 0.5 * loss, loss), dtype=np.float64)
