"""What values mean, as readers of a release may be told: of values that they can see there, and of no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import polars as pl

from sfumato.data.schema import Column
from sfumato.data.shown import Form, parse
from sfumato.data.values import text

__all__ = ["labels_of_shown"]


def labels_of_shown(column: Column, shown: Iterable[pl.Series], form: Form | None) -> Column:
    """Return the column with the labels of values that its published cells name, and without the others.

    A cell names a single value, the ends of a range, the members of a set and a node, which may be a value itself;
    what lies between two ends or under a node it does not name. `form` is None where values are published as they are.
    """
    if column.labels is None:
        return column
    named = {name for series in shown for name in _named(series, form)}
    return replace(column, labels=_kept(column.labels, named))


def _kept(labels: Mapping[str, str], named: set[str]) -> dict[str, str] | None:
    return {value: label for value, label in labels.items() if value in named} or None


def _named(series: pl.Series, form: Form | None) -> Iterable[str]:
    for value in series.drop_nulls().unique().to_list():
        if form is None or not isinstance(value, str):
            yield text(value)
            continue
        cell = parse(value, form)
        yield from (name for name in (cell.low, cell.high, cell.node, *(cell.members or ())) if name is not None)
