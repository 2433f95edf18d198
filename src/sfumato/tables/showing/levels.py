"""Showing every value at one level of its column's hierarchy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.table import Table
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.levels import level_labels
from sfumato.tables.showing.shown_columns import ShownColumns

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["FORMS", "show_levels"]

FORMS = {"tree": "node", "range": "range", "set": "set"}
"""How the cells of each shape of column are read."""


def show_levels(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """Every quasi-identifier at the level that the groups were formed at."""
    assert groups.levels is not None
    columns = [
        pl.Series(column.name, level_labels(column, level), dtype=pl.String).gather(
            np.where(column.codes[rows] < 0, column.n_codes, column.codes[rows])
        )
        for column, level in zip(quasi, groups.levels, strict=True)
    ]
    return ShownColumns(columns, {column.name: FORMS[column.shape] for column in quasi})
