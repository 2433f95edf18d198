"""Showing a group by its extent: a range, a node of the hierarchy, or the set of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.shown import show_range, show_set, with_missing
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.ground.randomness import Randomness
from sfumato.tables.showing.group_extents import group_extents, group_masks, group_members
from sfumato.tables.showing.shown_columns import ShownColumns, label_column

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["show_ranges"]


def show_ranges(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """Every quasi-identifier as the tightest range, node or set that covers its group.

    `rows` are the records behind the published rows. A label is written once for all groups that share it.
    """
    columns, forms = [], {}
    group = groups.of_row[rows]
    for column in quasi:
        if column.shape == "set":
            labels, label_of_group = _set_labels(column, groups)
            forms[column.name] = "set"
        else:
            labels, label_of_group = _extent_labels(column, groups)
            forms[column.name] = "node" if column.shape == "tree" else "range"
        columns.append(label_column(column.name, labels, label_of_group, group))
    return ShownColumns(columns, forms)


def _extent_labels(column: Coded, groups: Groups) -> tuple[list[str | None], NDArray[np.int64]]:
    """The different labels of a column with ranges or a hierarchy, and which of them each group has."""
    low, high, missing = group_extents(column.codes, groups.order, groups.starts)
    base = np.int64(column.n_codes + 1)
    keys = ((low.astype(np.int64) + 1) * base + high + 1) * 2 + missing
    distinct, label_of_group = np.unique(keys, return_inverse=True)
    labels: list[str | None] = []
    values = column.values.to_list()
    for key in distinct.tolist():
        first, last = key // 2 // base - 1, key // 2 % base - 1
        if last < 0:  # no record of the group has a value
            labels.append(None)
            continue
        if column.tree is not None:
            shown = column.tree.labels[column.tree.lowest_cover(first, last)]
        else:
            shown = show_range(values[first], values[last])
        labels.append(with_missing(shown) if key % 2 else shown)
    return labels, label_of_group.astype(np.int64)


def _set_labels(column: Coded, groups: Groups) -> tuple[list[str | None], NDArray[np.int64]]:
    """The different labels of a column of sets, one per distinct set of values, and which of them each group has."""
    values = column.values.cast(pl.String).to_list()
    if column.n_codes < 63:
        masks, label_of_group = np.unique(
            group_masks(column.codes, groups.order, groups.starts), return_inverse=True
        )  # fmt: skip
        sets = [[bit - 1 for bit in range(mask.bit_length()) if mask >> bit & 1] for mask in masks.tolist()]
        return [_set_label(codes, column, values) for codes in sets], label_of_group.astype(np.int64)
    members, starts = group_members(column.codes, groups.order, groups.starts)
    number_of: dict[bytes, int] = {}
    labels: list[str | None] = []
    label_of_group = np.empty(groups.n_groups, dtype=np.int64)
    edges = starts.tolist()
    for g in range(groups.n_groups):
        codes = members[edges[g] : edges[g + 1]]
        key = codes.tobytes()
        if key not in number_of:
            number_of[key] = len(labels)
            labels.append(_set_label(codes.tolist(), column, values))
        label_of_group[g] = number_of[key]
    return labels, label_of_group


def _set_label(codes: list[int], column: Coded, values: list[str]) -> str | None:
    """The set of these codes as text; a set that holds every value of the column is a star."""
    everything = column.n_codes + column.has_missing
    if len(codes) == everything and everything > 1:
        return SUPPRESSED
    present = [values[code] for code in codes if code >= 0]
    if not present:
        return None
    return with_missing(show_set(present)) if codes[0] < 0 else show_set(present)
