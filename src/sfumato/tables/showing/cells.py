"""Showing a value where a group has one in common, and `*` where it has not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.levels import level_labels
from sfumato.tables.showing.levels import FORMS
from sfumato.tables.showing.shown_columns import ShownColumns, label_column

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["show_cells"]


def show_cells(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """Every quasi-identifier as recorded where the whole group has the same, else suppressed."""
    columns, group = [], groups.of_row[rows]
    for column in quasi:
        codes = column.codes[groups.order]
        low = np.minimum.reduceat(codes, groups.starts[:-1])
        same = low == np.maximum.reduceat(codes, groups.starts[:-1])
        labels = [*level_labels(column, 0), SUPPRESSED]  # the value of each code, a missing one, and a star
        label = np.where(same, np.where(low < 0, column.n_codes, low), column.n_codes + 1)
        columns.append(label_column(column.name, labels, label.astype(np.int64), group))
    return ShownColumns(columns, {column.name: FORMS[column.shape] for column in quasi})
