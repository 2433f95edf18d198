"""The distribution of a published column as a reader can draw it: from its cells, and from nothing else.

A row that shows a range, a set or some neighbouring categories is spread evenly over it. Headings of a hierarchy are
counted as they stand: which values lie below one the release need not tell. Rows that tell nothing are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.data.schema import Column
from sfumato.data.shown import Form
from sfumato.ground.errors import DataError
from sfumato.published.tables.table import TableShape
from sfumato.report.counting import Bars, Steps, bars_of, edges_between, spread, value_counts
from sfumato.report.extents import Extents, read_extents
from sfumato.report.value_labels import labelled, values_in_order

__all__ = ["MAX_CHARTS", "PublishedCounts", "published_charts", "published_counts"]

MAX_CHARTS = 12


@dataclass(frozen=True)
class PublishedCounts:
    """The distribution of a column, and how many rows tell nothing of it."""

    name: str
    counts: Bars | Steps
    n_hidden: int


def published_charts(shape: TableShape, role: str) -> tuple[list[PublishedCounts], int]:
    """The distributions of the first columns of a role as published, and how many columns of it there are."""
    names = [column.name for column in shape.schema.columns.values()
             if column.role == role and column.name in shape.frame.columns]  # fmt: skip
    drawn, forms = set(shape.drawn_columns), {} if shape.sensitive_apart else shape.forms
    found = []
    for name in names[:MAX_CHARTS]:
        form: Form = "substitute" if name in drawn else forms.get(name, "substitute")
        counted = published_counts(shape.frame[name], form, shape.schema.column(name))
        if counted is not None:
            counts, hidden = counted
            found.append(PublishedCounts(name, counts, hidden))
    return found, len(names)


def published_counts(series: pl.Series, form: Form, column: Column) -> tuple[Bars | Steps, int] | None:
    """The distribution of a published column, and how many rows tell nothing; None where there is nothing to draw."""
    if form == "substitute":
        counts = value_counts(series, column)
        return (counts, 0) if counts is not None else None
    try:
        extents = read_extents(series, form, column)
    except DataError:
        return None
    hidden = int(extents.n_rows[extents.hidden].sum())
    told = ~(extents.hidden | extents.blank)
    if not told.any():
        return None
    counts = _steps(extents) if extents.in_numbers and column.labels is None else _bars(extents)
    return counts, hidden


def _steps(extents: Extents) -> Steps:
    """Rows spread evenly over the range that each shows."""
    told = ~(extents.hidden | extents.blank)
    low, high, rows = extents.low[told], extents.high[told], extents.n_rows[told]
    edges = edges_between(np.unique(np.concatenate([low, high])), whole=extents.is_whole)
    room = 0.5 if extents.is_whole else 0.0
    blank = float(extents.n_rows[extents.blank].sum())
    return Steps(
        edges=edges.tolist(), before=spread(low - room, high + room, rows, edges).tolist(),
        dates=extents.column.kind == "date", missing=(blank, blank) if blank else None,
    )  # fmt: skip


def _bars(extents: Extents) -> Bars:
    """Rows spread evenly over the values that each names, or counted by the heading that each shows."""
    column, totals = extents.column, dict[str, float]()
    members = extents.members
    for i, cell in enumerate(extents.cells):
        if extents.hidden[i] or extents.blank[i]:
            continue
        values = members[i] if members is not None else (cell.node or cell.low or "",)
        for value in values:
            totals[value] = totals.get(value, 0.0) + float(extents.n_rows[i]) / len(values)
    order = column.order or (values_in_order(totals) if column.labels is not None else None)
    blank = float(extents.n_rows[extents.blank].sum())
    return bars_of(totals, order=order, name=lambda value: labelled(value, column), missing=blank)
