"""What a published table lost, measured on the published cells and the original alone.

Knows nothing of the method or its groups: classes are the rows that show the same. Rows that show nothing (every
quasi-identifier `*`) form a class that lost everything, and rows of the original that were not published are lost
altogether: wherever a figure is an average over rows, they count with the largest loss.

NCP, GCP, IL1, IL_inf and the volume: Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 2.1 and 7.2
(weights sum to 1, and GCP is not divided by the number of columns once more). Discernibility: Bayardo & Agrawal,
ICDE 2005. Classification metric: Iyengar, KDD 2002. C_avg: LeFevre, DeWitt & Ramakrishnan, ICDE 2006. Distortion:
see `distortion.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.errors import ParameterError, SchemaError, suggest
from sfumato.figures import Figure, Measures, Unit
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.class_loss import class_loss
from sfumato.published.tables.placed import PlacedClasses, place_classes
from sfumato.tables.distortion import distortion

__all__ = ["class_sizes", "figures_of", "utility"]

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
    "n_groups": ("Groups", "sets of rows whose sensitive values are told together", "count", None),
    "average_group_size": ("Average group size", "rows in a group, on average", "number", True),
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


def figures_of(values: Mapping[str, float | None]) -> list[Figure]:
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
        loss = np.stack([class_loss(placed, c, rows) for c in range(len(placed.columns))])
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
            by_column[name], values[name] = distortion(placed, rows, relative=only_ratio)
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
    return Measures(figures_of(values), by_column=by_column, notes=notes)


def class_sizes(published: pl.DataFrame, quasi: list[str], *, k: int | None = None) -> Measures:
    """What can be said without the original: how many classes there are, and how large."""
    classes = PublishedClasses(published, quasi)
    values = _size_values(classes.sizes, classes.n_suppressed, classes.n_rows, k)
    values["suppressed_rows"] = classes.n_suppressed
    values["suppressed_cells"] = classes.n_cells_suppressed
    return Measures(figures_of(values))


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


# -- classes ------------------------------------------------------------------------------------------


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
