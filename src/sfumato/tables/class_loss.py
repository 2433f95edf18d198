"""What the classes of a published table lose: the normalised certainty penalty of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded, encode_series
from sfumato.data.schema import Schema
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.tables.placed import PlacedClasses, place_classes

__all__ = ["class_loss", "class_losses", "group_spreads"]


def class_losses(
    published: pl.DataFrame, forms: Mapping[str, Form], original: Table, rows: NDArray[np.int64] | None
) -> NDArray[np.float64]:
    """The weighted loss of every class, on the domain of the published records where the owner's map is known."""
    if rows is not None and len(rows) < len(original):
        kept = np.unique(rows)
        original, rows = original.rows(kept), np.searchsorted(kept, rows)
    placed = place_classes(published, forms, original)
    return placed.weighted(np.stack([class_loss(placed, c, rows) for c in range(len(placed.columns))]))


def group_spreads(
    recorded: pl.DataFrame, quasi: Sequence[str], schema: Schema, group: NDArray[np.int64], n_groups: int
) -> NDArray[np.float64]:
    """The weighted loss that covering each group would cost, where values are published as recorded."""
    coded = [encode_series(recorded[name], schema.column(name)) for name in quasi]
    weights = np.array([column.weight for column in coded])
    losses = np.stack([_spread(column, column.codes, group, n_groups) for column in coded])
    return np.asarray(weights @ losses / weights.sum(), dtype=np.float64)


def class_loss(placed: PlacedClasses, c: int, rows: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The normalised certainty penalty of every class in column `c`."""
    column = placed.columns[c]
    shown: NDArray[np.float64] = column.loss[placed.cell[c]]
    if column.form != "value" or rows is None:
        return shown
    hidden = np.array([cell.everything for cell in column.cells], dtype=bool)[placed.cell[c]]
    behind = rows >= 0
    spread = _spread(column.coded, column.coded.codes[rows[behind]], placed.of_row[behind], placed.n_classes)
    return np.asarray(np.where(hidden, 1.0, spread), dtype=np.float64)


def _spread(coded: Coded, codes: NDArray[np.int32], of_row: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """What the tightest cover of each class's true values would cost."""
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
