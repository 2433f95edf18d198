"""What the classes of a published table cover of the original's domain: what every measure starts from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.schema import Column
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED
from sfumato.ground.errors import SchemaError
from sfumato.published.equivalence import Cells, PublishedClasses
from sfumato.published.tables.cells import ShownColumn, place_cells

__all__ = ["ClassCoverage", "place_classes"]


@dataclass(frozen=True, eq=False)
class ClassCoverage:
    """The classes of a published table, and what each covers of the original's domain, column by column."""

    columns: tuple[ShownColumn, ...]
    specs: tuple[Column, ...]
    """The same columns as the original's schema describes them."""
    of_row: NDArray[np.int64]
    """The class of every published row."""
    sizes: NDArray[np.int64]
    cell: NDArray[np.int64]
    """For every column (first axis) and class, which of the column's cells it shows."""
    n_suppressed_cells: int
    n_withheld: int
    dropped: tuple[str, ...]
    """Quasi-identifiers that were not published at all: they count as `*` everywhere."""

    @property
    def n_classes(self) -> int:
        """How many classes there are, with that of the suppressed rows."""
        return len(self.sizes)

    @property
    def n_rows(self) -> int:
        """How many rows there are, published or withheld."""
        return len(self.of_row) + self.n_withheld

    @cached_property
    def is_suppressed(self) -> NDArray[np.bool_]:
        """For each class, whether it shows nothing at all."""
        hidden = np.ones(self.n_classes, dtype=bool) if self.columns else np.zeros(self.n_classes, dtype=bool)
        for column, cell in zip(self.columns, self.cell, strict=True):
            hidden &= np.array([c.everything for c in column.cells], dtype=bool)[cell]
        return hidden

    def weighted_mean(self, by_column: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean over columns (the first axis), by the weights of the columns."""
        weights = np.array([column.coded.weight for column in self.columns])
        return np.asarray(weights @ by_column / weights.sum(), dtype=np.float64)


def place_classes(
    published: pl.DataFrame, forms: Mapping[str, Form], original: Table, n_withheld: int | None = None
) -> ClassCoverage:
    """Read the classes off the published cells, and find what each covers of the domain of the original.

    `n_withheld` rows of the original stand behind no published one; by default as many as are not published.
    """
    for name in forms:
        if name not in original.columns:
            raise SchemaError(f"column {name!r} is published, but the original lacks it")
    quasi = [*forms, *(name for name in original.schema.quasi if name not in forms)]
    dropped = tuple(name for name in quasi if name not in published.columns)
    stars = pl.repeat(SUPPRESSED, published.height, eager=True)
    frame = pl.DataFrame([stars.alias(q) if q in dropped else _without_nan(published[q]) for q in quasi])
    classes = PublishedClasses(frame, quasi, cells=Cells(suppressed_rows="class"))

    def form_of(name: str) -> Form:
        return "range" if name in dropped else forms.get(name, "value")

    columns = tuple(
        place_cells(frame[name], form_of(name), original.frame[name], original.schema.column(name)) for name in quasi
    )
    of_row = classes.of_row
    example = np.empty(classes.n_classes, dtype=np.int64)
    example[of_row] = np.arange(len(of_row))
    cell = np.array([column.number[example] for column in columns], dtype=np.int64).reshape(len(columns), -1)
    return ClassCoverage(
        columns=columns,
        specs=tuple(original.schema.column(name) for name in quasi),
        of_row=of_row,
        sizes=classes.sizes,
        cell=cell,
        n_suppressed_cells=classes.n_cells_suppressed,
        n_withheld=max(0, len(original) - published.height) if n_withheld is None else n_withheld,
        dropped=dropped,
    )


def _without_nan(series: pl.Series) -> pl.Series:
    return series.fill_nan(None) if series.dtype.is_float() else series
