"""What a published table lost, measured on the published cells and the original alone.

Knows nothing of the method or its groups: classes are the rows that show the same. Rows that show nothing (every
quasi-identifier `*`) form a class that lost everything, and rows of the original that were not published are lost
altogether: wherever a figure is an average over rows, they count with the largest loss.

NCP, GCP, IL1, IL_inf and the volume: Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 2.1 and 7.2
(weights sum to 1, and GCP is not divided by the number of columns once more). Discernibility: Bayardo & Agrawal,
ICDE 2005. Classification metric: Iyengar, KDD 2002. C_avg: LeFevre, DeWitt & Ramakrishnan, ICDE 2006. Distortion:
Eq. 6 of the
pattern-preserving paper, with the range of the column in place of the value, which may be 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.schema import Column
from sfumato.data.shown import Form, bound
from sfumato.data.table import Table
from sfumato.data.values import SUPPRESSED, as_number
from sfumato.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.figures import Figure, Measures, Unit
from sfumato.privacy.published import Cells, PublishedClasses
from sfumato.tables.cells import ShownColumn, place

__all__ = ["PlacedClasses", "class_sizes", "place_classes", "utility"]

# label, meaning, unit, whether smaller is better
_ABOUT: dict[str, tuple[str, str, Unit, bool | None]] = {
    "gcp": ("Global certainty penalty", "average loss of a cell, weighted: 0 is the original, 1 shows nothing",
            "share", True),
    "ncp": ("Normalised certainty penalty", "average loss of a cell, every column counting the same", "share", True),
    "il1": ("Average loss of a class (IL1)", "average normalised certainty penalty over the classes", "share", True),
    "il_inf": ("Largest loss of a class (IL∞)", "normalised certainty penalty of the class that lost most",
               "share", True),
    "volume": ("Average volume", "product of a class's extents in every column, averaged over rows", "number", True),
    "discernibility": ("Discernibility", "sum of squared class sizes; a row not shown counts as many as there are rows",
                       "count", True),
    "n_classes": ("Classes", "sets of rows that show the same", "count", None),
    "average_class_size": ("Average class size", "rows in a class, on average", "number", True),
    "c_avg": ("Average class size over k", "how many times larger classes are than k asks for; 1 is best",
              "number", True),
    "classification": ("Classification metric", "share of rows whose label is not the most frequent of their class",
                       "share", True),
    "distortion": ("Distortion", "average distance of a number shown from the true one, over the column's range",
                   "share", True),
    "distortion_relative": ("Relative distortion", "average distance of a number shown from the true one, relative "
                            "to it", "share", True),
    "suppressed_rows": ("Suppressed rows", "published rows that show nothing in any quasi-identifier", "count", True),
    "suppressed_cells": ("Suppressed cells", "quasi-identifying cells that show nothing", "count", True),
    "withheld_rows": ("Withheld rows", "rows of the original that were not published", "count", True),
}  # fmt: skip


def _figures(values: Mapping[str, float | None]) -> list[Figure]:
    """The known ones among `values`, with their meaning."""
    figures = []
    for name, value in values.items():
        if value is not None:
            label, meaning, unit, smaller = _ABOUT[name]
            figures.append(
                Figure(
                    name=name, value=value, label=label, group="utility", meaning=meaning, unit=unit,
                    smaller_is_better=smaller,
                )
            )  # fmt: skip
    return figures


@dataclass(frozen=True, eq=False)
class PlacedClasses:
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
        """Published rows, and those withheld."""
        return len(self.of_row) + self.n_withheld

    @cached_property
    def suppressed(self) -> NDArray[np.bool_]:
        """Whether a class shows nothing at all."""
        hidden = np.ones(self.n_classes, dtype=bool) if self.columns else np.zeros(self.n_classes, dtype=bool)
        for column, cell in zip(self.columns, self.cell, strict=True):
            hidden &= np.array([c.everything for c in column.cells], dtype=bool)[cell]
        return hidden

    def weighted(self, by_column: NDArray[np.float64]) -> NDArray[np.float64]:
        """The average over columns (the first axis), by their weights."""
        weights = np.array([column.coded.weight for column in self.columns])
        return np.asarray(weights @ by_column / weights.sum(), dtype=np.float64)


def place_classes(published: pl.DataFrame, forms: Mapping[str, Form], original: Table) -> PlacedClasses:
    """Read the classes off the published cells and place them on the domain of the original."""
    for name in forms:
        if name not in original.columns:
            raise SchemaError(f"column {name!r} is published, but the original lacks it")
    quasi = [*forms, *(name for name in original.schema.quasi if name not in forms)]
    dropped = tuple(name for name in quasi if name not in published.columns)
    stars = pl.repeat(SUPPRESSED, published.height, eager=True)
    frame = pl.DataFrame([stars.alias(q) if q in dropped else _without_nan(published[q]) for q in quasi])
    classes = PublishedClasses(frame, quasi, cells=Cells(suppressed_rows="class"))
    columns = tuple(
        place(frame[name], forms.get(name, "value"), original.frame[name], original.schema.column(name))
        for name in quasi
    )
    of_row = classes.of_row
    example = np.empty(classes.n_classes, dtype=np.int64)
    example[of_row] = np.arange(len(of_row))
    cell = np.array([column.number[example] for column in columns], dtype=np.int64).reshape(len(columns), -1)
    return PlacedClasses(
        columns=columns,
        specs=tuple(original.schema.column(name) for name in quasi),
        of_row=of_row,
        sizes=classes.sizes,
        cell=cell,
        n_suppressed_cells=classes.n_cells_suppressed,
        n_withheld=max(0, len(original) - published.height),
        dropped=dropped,
    )


def _without_nan(series: pl.Series) -> pl.Series:
    return series.fill_nan(None) if series.dtype.is_float() else series


def utility(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None = None,
    *,
    label: str | None = None,
    k: int | None = None,
    relative: bool = False,
    classes: PlacedClasses | None = None,
) -> Measures:
    """What the published table lost against the original.

    `rows` is the owner's map (published row i is original row `rows[i]`; negative where no record is behind it).
    With it `distortion` is known, and a column that shows single values (means, modes) is charged what the tightest
    cover of each class would cost; without it, such a column seems to lose nothing, and a note says so. `label` is
    the column that the classification metric goes by, the first sensitive one by default. `k` adds `c_avg`.
    `relative` adds the distortion as it was first printed, relative to the value itself. `classes` saves placing
    the cells again. O(rows x columns).
    """
    placed = classes if classes is not None else place_classes(published, forms, original)
    rows = _checked_rows(rows, published.height, len(original))
    notes = _notes(placed, rows)
    values: dict[str, float | None] = {}
    by_column: dict[str, dict[str, float]] = {}
    n = placed.n_rows
    if placed.columns and n:
        loss = np.stack([_loss(placed, c, rows) for c in range(len(placed.columns))])
        ncp = (loss @ placed.sizes + placed.n_withheld) / n
        of_class = placed.weighted(loss)
        by_column["ncp"] = {column.name: float(x) for column, x in zip(placed.columns, ncp, strict=True)}
        values["gcp"] = float(placed.weighted(ncp))
        values["ncp"] = float(ncp.mean())
        if placed.n_classes:
            values["il1"] = float(of_class.mean())
            values["il_inf"] = float(of_class.max())
            values["volume"] = float(_volumes(placed, loss) @ placed.sizes / placed.sizes.sum())
    aside = placed.suppressed
    values |= _size_values(placed.sizes[~aside], int(placed.sizes[aside].sum()) + placed.n_withheld, n, k)
    values["classification"] = _misclassified(published, forms, original, rows, label, placed)
    if rows is not None:
        for name, only_ratio in (("distortion", False), ("distortion_relative", True)):
            if only_ratio and not relative:
                continue
            by_column[name], values[name] = _distortion(placed, rows, relative=only_ratio)
            if values[name] is None:
                del by_column[name]
        if relative and values.get("distortion_relative") is not None:
            notes.append(
                "distortion_relative divides by the value itself, or by 1% of the column's range where that is more; "
                "it depends on where 0 lies, so dates and ordered categories have no part in it"
            )
    values["suppressed_rows"] = int(placed.sizes[aside].sum())
    values["suppressed_cells"] = placed.n_suppressed_cells
    values["withheld_rows"] = placed.n_withheld
    return Measures(_figures(values), by_column=by_column, notes=notes)


def class_sizes(published: pl.DataFrame, quasi: list[str], *, k: int | None = None) -> Measures:
    """What can be said without the original: how many classes there are, and how large."""
    classes = PublishedClasses(published, quasi)
    values = _size_values(classes.sizes, classes.n_suppressed, classes.n_rows, k)
    values["suppressed_rows"] = classes.n_suppressed
    values["suppressed_cells"] = classes.n_cells_suppressed
    return Measures(_figures(values))


def _size_values(sizes: NDArray[np.int64], n_not_shown: int, n: int, k: int | None) -> dict[str, float | None]:
    """Figures of the sizes of those classes that show something, among `n` rows."""
    if k is not None and k < 1:
        raise ParameterError(f"k must be >= 1, got {k}")
    average = float(sizes.mean()) if len(sizes) else None
    return {
        "n_classes": len(sizes),
        "average_class_size": average,
        "c_avg": average / k if average is not None and k is not None else None,
        "discernibility": sum(size * size for size in sizes.tolist()) + n_not_shown * n,
    }


def _checked_rows(rows: NDArray[np.int64] | None, n_published: int, n_original: int) -> NDArray[np.int64] | None:
    if rows is None:
        return None
    rows = np.asarray(rows, dtype=np.int64)
    if rows.shape != (n_published,):
        raise ParameterError(f"rows must name a row of the original for each of {n_published:,}, got {rows.shape}")
    if len(rows) and rows.max() >= n_original:
        raise ParameterError(f"rows must be below {n_original:,}, the rows of the original, got {rows.max():,}")
    return rows


def _notes(placed: PlacedClasses, rows: NDArray[np.int64] | None) -> list[str]:
    notes = []
    n_suppressed = int(placed.sizes[placed.suppressed].sum())
    if n_suppressed:
        notes.append(f"{n_suppressed:,} rows show nothing: they count as wholly lost")
    if placed.n_withheld:
        notes.append(f"{placed.n_withheld:,} rows of the original are not published: they count as wholly lost")
    if placed.dropped:
        notes.append(f"not published, and so wholly lost: {', '.join(placed.dropped)}")
    single = [column.name for column in placed.columns if column.form == "value"]
    if single and rows is None:
        notes.append(
            f"{', '.join(single)}: single values are shown, which seem to lose nothing; "
            f"what they lost can only be measured with the owner's row map"
        )
    elif single:
        notes.append(
            f"{', '.join(single)}: single values are shown; the loss is that of the tightest cover of each class"
        )
    return notes


# -- the loss of a class ---------------------------------------------------------------------------------


def _loss(placed: PlacedClasses, c: int, rows: NDArray[np.int64] | None) -> NDArray[np.float64]:
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


def _volumes(placed: PlacedClasses, loss: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of the extents of each class; one value has the extent 1 / (number of values)."""
    volumes = np.ones(placed.n_classes)
    for column, extents in zip(placed.columns, loss, strict=True):
        n_values = max(column.coded.n_codes + column.coded.has_missing, 1)
        volumes *= np.where(extents > 0, extents, 1.0 / n_values)
    return volumes


# -- labels ----------------------------------------------------------------------------------------------


def _misclassified(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None,
    label: str | None,
    placed: PlacedClasses,
) -> float | None:
    if label is None:
        label = next(iter(original.schema.sensitive), None)
    elif label not in published.columns and label not in original.columns:
        raise SchemaError(f"label names the column {label!r}, which the data lack{suggest(label, original.columns)}")
    if label is None or not placed.n_rows:
        return None
    if label in published.columns and label not in forms:
        labels = published[label]
    elif rows is not None and label in original.columns and not (rows < 0).any():
        labels = original.frame[label].gather(rows)
    else:
        return None
    counts = pl.DataFrame({"class": placed.of_row, "label": labels}).group_by("class", "label").len()
    majority = int(counts.group_by("class").agg(pl.col("len").max())["len"].sum())
    return (placed.n_rows - majority) / placed.n_rows


# -- numbers ---------------------------------------------------------------------------------------------


def code_numbers(coded: Coded, spec: Column) -> NDArray[np.float64] | None:
    """The number behind each code: itself, days since 1970, or its rank; None for a column without numbers."""
    ordered = spec.order if spec.kind == "ordinal" else None
    if coded.tree is None:
        if coded.shape != "range":
            return None
        return coded.numbers if ordered is None else np.arange(coded.n_codes, dtype=np.float64)
    if spec.kind == "category":
        return None
    rank = {value: float(i) for i, value in enumerate(ordered or ())}
    return np.array([_leaf_number(leaf, str(spec.kind), rank) for leaf in coded.tree.leaves], dtype=np.float64)


def _leaf_number(leaf: str, kind: str, rank: Mapping[str, float]) -> float:
    try:
        return rank.get(leaf, np.nan) if kind == "ordinal" else as_number(bound(leaf, kind))
    except (DataError, ValueError):  # a leaf such as `unknown`, which no record of this kind can have
        return float("nan")


def number_domain(numbers: NDArray[np.float64], spec: Column) -> tuple[float, float]:
    """The ends of a column's domain, in the numbers of `code_numbers`."""
    if spec.kind == "ordinal" and spec.order is not None:
        return 0.0, float(len(spec.order) - 1)
    known = numbers[~np.isnan(numbers)]
    low = as_number(spec.low) if spec.low is not None else float(known.min(initial=np.inf))
    high = as_number(spec.high) if spec.high is not None else float(known.max(initial=-np.inf))
    return (low, high) if low <= high else (0.0, 0.0)


def cell_numbers(
    column: ShownColumn, spec: Column, numbers: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and largest number that each cell shows; NaN where it shows none."""
    low, high = np.full(len(column.cells), np.nan), np.full(len(column.cells), np.nan)
    domain = number_domain(numbers, spec)
    by_text = spec.kind in ("integer", "number", "date") and column.form in ("range", "value")
    kind = "number" if column.form == "value" and spec.kind == "integer" else str(spec.kind)
    for i, cell in enumerate(column.cells):
        if cell.everything:
            low[i], high[i] = domain
        elif by_text and cell.low is not None and cell.high is not None:
            low[i], high[i] = as_number(bound(cell.low, kind)), as_number(bound(cell.high, kind))
        elif column.members is not None:
            low[i], high[i] = _span(numbers[column.members[i]])
        elif column.low[i] <= column.high[i]:
            low[i], high[i] = _span(numbers[column.low[i] : column.high[i] + 1])
    return low, high


def _span(numbers: NDArray[np.float64]) -> tuple[float, float]:
    known = numbers[~np.isnan(numbers)]
    return (float(known.min()), float(known.max())) if known.size else (float("nan"), float("nan"))


def _distortion(
    placed: PlacedClasses, rows: NDArray[np.int64], *, relative: bool
) -> tuple[dict[str, float], float | None]:
    """By column and over all entries that have a value: |t - t'| over the column's range, or over max(|t|, 1% of it).

    The number shown is the middle of the cell. A constant column is not distorted. A code that is cut into prefixes
    (a ZIP code) is a name, whatever its digits, and has no part in it.
    """
    by_column: dict[str, float] = {}
    total, n_entries = 0.0, 0
    behind = rows >= 0
    for column, spec in zip(placed.columns, placed.specs, strict=True):
        numbers = code_numbers(column.coded, spec)
        a_name = spec.hierarchy is not None and spec.hierarchy.kind == "prefixes"
        if numbers is None or a_name or (relative and spec.kind not in ("integer", "number")):
            continue
        low, high = cell_numbers(column, spec, numbers)
        shown = (low + (high - low) / 2)[column.number[behind]]
        true = np.append(numbers, np.nan)[column.coded.codes[rows[behind]]]
        known = ~(np.isnan(shown) | np.isnan(true))
        first, last = number_domain(numbers, spec)
        span = last - first
        scale = np.maximum(np.abs(true[known]), 0.01 * span) if relative else np.full(int(known.sum()), span)
        apart = np.abs(true[known] - shown[known])
        errors = np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)
        if errors.size:
            by_column[column.name] = float(errors.mean())
        total += float(errors.sum())
        n_entries += errors.size
    return by_column, total / n_entries if n_entries else None
