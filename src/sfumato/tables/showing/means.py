"""Showing a group by its centre: means of numbers and dates, modes of categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.promise import Promise
from sfumato.tables.showing.group_extents import group_modes
from sfumato.tables.showing.shown_columns import ShownColumns, label_column

if TYPE_CHECKING:
    from sfumato.tables.grouping.groups import Groups

__all__ = ["refuse_for_means", "show_means"]


def show_means(
    table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
) -> ShownColumns:
    """Every quasi-identifier as its group's mean (numbers, dates) or mode (ordinals, categories, codes under prefixes).

    Missing values do not enter a mean; a group without any value shows an empty cell. A mean of whole numbers is
    a number; a mean of dates is rounded to the day.
    """
    columns, forms = [], {}
    group = groups.of_row[rows]
    for column in quasi:
        declared = table.schema.column(column.name)
        ordered = declared.hierarchy is None or declared.hierarchy.kind in ("intervals", "calendar")
        if declared.kind in ("integer", "number", "date") and ordered:
            means = _group_means(table.frame[column.name], groups)
            columns.append(means.gather(group).alias(column.name))
        else:
            modes = group_modes(column.codes, groups.order, groups.starts).astype(np.int64)
            labels = [*column.values.cast(pl.String).to_list(), None]
            columns.append(label_column(column.name, labels, modes, group))
        forms[column.name] = "value"
    return ShownColumns(columns, forms)


def refuse_for_means(promise: Promise, schema: Schema) -> None:
    """Refuse promises that means cannot keep: a bound on the loss, as groups with equal means make one larger class."""
    if any(isinstance(part, AccuracyBound) for part in promise.parts):
        raise ParameterError("a bound on the loss speaks of ranges, and show='means' hides them; show ranges")


def _group_means(series: pl.Series, groups: Groups) -> pl.Series:
    """The mean of each group, None where no record has a value."""
    numbers = series.to_physical().cast(pl.Float64).to_numpy()[groups.order]
    known = ~np.isnan(numbers)
    low = float(numbers[known].min()) if known.any() else 0.0
    sums = np.add.reduceat(np.where(known, numbers - low, 0.0), groups.starts[:-1])
    counts = np.add.reduceat(known.astype(np.int64), groups.starts[:-1])
    means = np.divide(sums, counts, out=np.full(len(sums), np.nan), where=counts > 0) + low
    if series.dtype.is_temporal():
        return pl.Series(np.rint(means)).fill_nan(None).cast(pl.Int64).cast(series.dtype)
    return pl.Series(means).fill_nan(None)
