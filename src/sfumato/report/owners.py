"""The content of the owner's report on a table: the original beside the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato.data.persons import repeated_identifiers
from sfumato.data.shown import Form
from sfumato.data.values import SUPPRESSED
from sfumato.published.tables.cells import place_cells
from sfumato.published.tables.linkage_rates import numbers_of
from sfumato.published.tables.mixed_linkage import holds_numbers
from sfumato.published.tables.table import table_shape
from sfumato.report.counting import Bars, Steps, before_and_after
from sfumato.tables.measures.sensitive_neighbours import nearest_sensitive

if TYPE_CHECKING:
    from sfumato.data.table import Table
    from sfumato.ground.figures import Measures
    from sfumato.release.release import Release

__all__ = ["OwnersPart", "gather_for_owner"]

_MAX_COMPARED = 24
_MAX_CLASSES = 5
_MAX_CELLS = 12
_MAX_NEAREST = 50


@dataclass(frozen=True)
class ShownClass:
    """One class: its size and the cells that its rows show."""

    size: int
    cells: Sequence[tuple[str, str]]
    n_more: int
    """Columns left out here."""


@dataclass(frozen=True)
class Disclosure:
    """The sensitive values of the published rows nearest to where a record really is (Xue's thesis, section 5.6)."""

    column: str
    base: float
    """The share of records that a row picked at random agrees with."""
    shares: Sequence[tuple[int, float]]
    """For some k, the share of records whose k-th nearest row has their value."""
    first: Sequence[tuple[str, str]]
    """Quantiles of k_t, the first of the nearest rows that has it."""


@dataclass(frozen=True)
class OwnersPart:
    """Everything the owner's page adds."""

    has_original: bool
    n_original: int
    n_withheld: int
    withheld_columns: Sequence[tuple[str, str]]
    """Names, and why each was withheld."""
    smallest: Sequence[ShownClass]
    largest: Sequence[ShownClass]
    comparisons: Sequence[tuple[str, Bars | Steps]]
    n_quasi: int
    repeats: Sequence[tuple[str, int, int]] = ()
    """Identifiers that repeat: names, the rows that share a value, and how many values these have."""
    disclosure: Disclosure | None = None
    """For drawn values: what the rows around a record's true place say of its sensitive value."""


def gather_for_owner(release: Release, original: Table | None, measures: Measures) -> OwnersPart:
    """Compare the release with the original."""
    shape = table_shape(release)
    schema, frame, drawn = shape.schema, shape.frame, bool(shape.drawn_columns)
    apart = schema.sensitive if shape.sensitive_apart else []
    smallest, largest = _extreme_classes(frame, schema.quasi if not drawn and not apart else [])
    if original is None:
        return OwnersPart(False, 0, 0, (), smallest, largest, (), len(schema.quasi))
    withheld = [
        (name, "identifier" if name in original.schema.columns else "never declared in the schema")
        for name in original.columns
        if name not in frame.columns and name not in apart
    ]
    losses = measures.by_column.get("ncp", {})
    names = [name for name in schema.quasi if name in release.forms and name in original.columns and not apart]
    if len(names) > _MAX_COMPARED:
        chosen = set(sorted(names, key=lambda name: (-losses.get(name, 0.0), name))[:_MAX_COMPARED])
        names = [name for name in names if name in chosen]
    comparisons = []
    for name in names if shape.change != "rotation" else ():
        column = original.schema.column(name)
        form: Form = "value" if release.forms[name] == "substitute" else release.forms[name]
        shown = place_cells(frame[name], form, original.frame[name], column)
        counts = before_and_after(shown, original.frame[name], column)
        if counts is not None:
            comparisons.append((name, counts))
    n_withheld = max(len(original) - frame.height, 0) if shape.rows_are_records else shape.n_withheld
    return OwnersPart(
        True, len(original), n_withheld, withheld, smallest, largest, comparisons, len(schema.quasi),
        [(each.columns[0], each.n_rows, each.n_values) for each in repeated_identifiers(original)[1] if each],
        _disclosure(release, original) if drawn and shape.rows_are_records else None,
    )  # fmt: skip


def _disclosure(release: Release, original: Table) -> Disclosure | None:
    frame = release.data.frame
    columns = [name for name, form in release.forms.items() if form == "substitute" and holds_numbers(frame[name])]
    secret = next((name for name in original.schema.sensitive if name in frame.columns), None)
    if secret is None or release.owner is None or not columns:
        return None
    rows = release.owner.rows
    shown, true = numbers_of(frame, columns), numbers_of(original.frame, columns)[:, rows]
    complete = ~np.isnan(shown + true).any(axis=0)
    if complete.sum() < 2:
        return None
    labels = frame[secret].cast(pl.String).fill_null("").to_numpy()[complete]
    near = nearest_sensitive(true[:, complete], shown[:, complete], labels, labels, n_neighbours=_MAX_NEAREST)
    looked = len(near.shares)
    quantiles = [(f"{q:.0%}", int(np.quantile(near.first, q, method="lower"))) for q in (0.05, 0.25, 0.5, 0.75)]
    return Disclosure(
        column=secret,
        base=near.base,
        shares=[(k, float(near.shares[k - 1])) for k in (1, 2, 3, 5, 10, 20, 50) if k <= looked],
        first=[(q, f"{k:,}" if k <= looked else f"more than {looked}") for q, k in quantiles],
    )


def _extreme_classes(frame: pl.DataFrame, quasi: Sequence[str]) -> tuple[list[ShownClass], list[ShownClass]]:
    """The smallest and the largest classes, by what they show; of equals, the first in the order of their cells."""
    if not quasi or not frame.height:
        return [], []
    names = {f"c{i}": name for i, name in enumerate(quasi)}
    shown = frame.select(pl.col(name).cast(pl.String).alias(key) for key, name in names.items())
    suppressed = pl.all_horizontal((pl.col(key) == SUPPRESSED).fill_null(value=False) for key in names)
    classes = shown.filter(~suppressed).group_by(list(names)).agg(pl.len().alias("size"))
    rising = classes.sort(["size", *names])
    falling = classes.sort(["size", *names], descending=[True, *([False] * len(names))])
    n = min(_MAX_CLASSES, classes.height)
    smallest = [_shown_class(row, names) for row in rising.head(n).iter_rows(named=True)]
    if classes.height <= _MAX_CLASSES:
        return smallest, []
    return smallest, [_shown_class(row, names) for row in falling.head(n).iter_rows(named=True)]


def _shown_class(row: dict[str, str | int | None], names: dict[str, str]) -> ShownClass:
    cells = [(name, _short(row[key])) for key, name in names.items()]
    return ShownClass(int(row["size"] or 0), cells[:_MAX_CELLS], max(len(cells) - _MAX_CELLS, 0))


def _short(cell: str | int | None) -> str:
    shown = "(empty)" if cell is None else str(cell)
    return shown if len(shown) <= 80 else f"{shown[:77]}…"
