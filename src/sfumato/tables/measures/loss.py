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
from sfumato.ground.errors import ParameterError, SchemaError, suggest
from sfumato.ground.figures import About, Audience, Figure, Measures, Note, declare, figures_of
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.class_coverage import ClassCoverage, place_classes
from sfumato.published.tables.class_loss import class_loss
from sfumato.tables.measures.distortion import DISTORTION, DISTORTION_RELATIVE, distortion

__all__ = ["CLASSIFICATION", "GCP", "NCP", "WITHHELD_ROWS", "class_sizes", "published_part", "utility"]

# Losses are public where anybody can read them off published ranges; where means are shown they follow the records
# behind them, and are the owner's.
GCP = declare(
    name="gcp", label="Global certainty penalty", group="utility", unit="share", audience="public",
    meaning="average loss of a cell, weighted: 0 is the original, 1 shows nothing",
)  # fmt: skip
NCP = declare(
    name="ncp", label="Normalised certainty penalty", group="utility", unit="share", audience="public",
    meaning="average loss of a cell, every column counting the same",
)  # fmt: skip
_IL1 = declare(
    name="il1", label="Average loss of a class (IL1)", group="utility", unit="share", audience="public",
    meaning="average normalised certainty penalty over the classes",
)  # fmt: skip
_IL_INF = declare(
    name="il_inf", label="Largest loss of a class (IL∞)", group="utility", unit="share", audience="public",
    meaning="normalised certainty penalty of the class that lost most",
)  # fmt: skip
_VOLUME = declare(
    name="volume", label="Average volume", group="utility", audience="public",
    meaning="product of a class's extents in every column, averaged over rows",
)  # fmt: skip
_DISCERNIBILITY = declare(
    name="discernibility", label="Discernibility", group="utility", unit="count", audience="public",
    meaning="sum of squared class sizes; a row not shown counts as many as there are rows",
)  # fmt: skip
_N_CLASSES = declare(
    name="n_classes", label="Classes", group="utility", unit="count", audience="public",
    meaning="sets of rows that show the same", smaller_is_better=None,
)  # fmt: skip
_AVERAGE_CLASS_SIZE = declare(
    name="average_class_size", label="Average class size", group="utility", audience="public",
    meaning="rows in a class, on average",
)  # fmt: skip
_C_AVG = declare(
    name="c_avg", label="Average class size over k", group="utility", audience="public",
    meaning="how many times larger classes are than k asks for; 1 is best",
)  # fmt: skip
CLASSIFICATION = declare(
    name="classification", label="Classification metric", group="utility", unit="share", audience="public",
    meaning="share of rows whose label is not the most frequent of their class",
)  # fmt: skip
_SUPPRESSED_ROWS = declare(
    name="suppressed_rows", label="Suppressed rows", group="utility", unit="count", audience="public",
    meaning="published rows that show nothing in any quasi-identifier",
)  # fmt: skip
_SUPPRESSED_CELLS = declare(
    name="suppressed_cells", label="Suppressed cells", group="utility", unit="count", audience="public",
    meaning="quasi-identifying cells that show nothing",
)  # fmt: skip
WITHHELD_ROWS = declare(
    name="withheld_rows", label="Withheld rows", group="utility", unit="count", audience="public",
    meaning="rows of the original that were not published",
)  # fmt: skip


def utility(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None = None,
    *,
    label: str | None = None,
    k: int | None = None,
    relative: bool = False,
    classes: ClassCoverage | None = None,
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
    rows = _check_rows(rows, published.height, len(original))
    hidden = int(placed.sizes[placed.is_suppressed].sum())
    shown = placed.sizes[~placed.is_suppressed]
    found = Measures(notes=_notes(placed, rows)) | _losses(placed, rows, means="value" in forms.values())
    found |= Measures(figures_of(_size_figures(shown, hidden + placed.n_withheld, placed.n_rows, k)))
    found |= Measures(_classification_metric(published, forms, original, rows, label, placed))
    if rows is not None:
        found |= _distortions(placed, rows, relative=relative)
    counts = {
        _SUPPRESSED_ROWS: hidden, _SUPPRESSED_CELLS: placed.n_suppressed_cells, WITHHELD_ROWS: placed.n_withheld,
    }  # fmt: skip
    return found | Measures(figures_of(counts))


def published_part(
    original: Table, rows: NDArray[np.int64] | None, n_published: int
) -> tuple[Table, NDArray[np.int64] | None, int]:
    """The records behind published rows, the row map into them, and how many records are behind no row.

    The domain of a column is that of these records: a value that only withheld records have must not show in a figure.
    Without a map, or with one that does not fit, all records are returned.
    """
    behind = rows[rows >= 0] if rows is not None else np.empty(0, dtype=np.int64)
    if rows is None or not 0 < len(behind) < len(original) or behind.max() >= len(original):
        return original, rows, max(0, len(original) - n_published)
    kept = np.unique(behind)
    return original.rows(kept), np.where(rows >= 0, np.searchsorted(kept, rows), -1), len(original) - len(kept)


def class_sizes(
    published: pl.DataFrame, quasi: list[str], *, k: int | None = None, n_withheld: int = 0
) -> Measures:  # fmt: skip
    """The figures that need no original: how many classes there are, and how large; the release tells `n_withheld`."""
    classes = PublishedClasses(published, quasi)
    values = _size_figures(classes.sizes, classes.n_suppressed + n_withheld, classes.n_rows + n_withheld, k)
    values[_SUPPRESSED_ROWS] = classes.n_suppressed
    values[_SUPPRESSED_CELLS] = classes.n_cells_suppressed
    return Measures(figures_of(values))


def _size_figures(sizes: NDArray[np.int64], n_not_shown: int, n: int, k: int | None) -> dict[About, float | None]:
    """The figures of class sizes; `sizes` are those of classes that show something, `n` is the number of all rows."""
    if k is not None and k < 1:
        raise ParameterError(f"k must be >= 1, got {k}")
    average = float(sizes.mean()) if len(sizes) else None
    return {
        _N_CLASSES: len(sizes),
        _AVERAGE_CLASS_SIZE: average,
        _C_AVG: average / k if average is not None and k is not None else None,
        _DISCERNIBILITY: sum(size * size for size in sizes.tolist()) + n_not_shown * n,
    }


def _check_rows(rows: NDArray[np.int64] | None, n_published: int, n_original: int) -> NDArray[np.int64] | None:
    if rows is None:
        return None
    rows = np.asarray(rows, dtype=np.int64)
    if rows.shape != (n_published,):
        raise ParameterError(f"rows must name a row of the original for each of {n_published:,}, got {rows.shape}")
    if len(rows) and rows.max() >= n_original:
        raise ParameterError(f"rows must be below {n_original:,}, the rows of the original, got {rows.max():,}")
    return rows


def _notes(placed: ClassCoverage, rows: NDArray[np.int64] | None) -> list[Note]:
    notes = []
    n_suppressed = int(placed.sizes[placed.is_suppressed].sum())
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
    return [Note(note, "public") for note in notes]


# -- classes ------------------------------------------------------------------------------------------


def _losses(placed: ClassCoverage, rows: NDArray[np.int64] | None, *, means: bool) -> Measures:
    """The losses of cells and classes; where `means` are shown these depend on the records, and are for the owner."""
    n = placed.n_rows
    if not placed.columns or not n:
        return Measures()
    loss = np.stack([class_loss(placed, c, rows) for c in range(len(placed.columns))])
    ncp = (loss @ placed.sizes + placed.n_withheld) / n
    values: dict[About, float | None] = {GCP: float(placed.weighted_mean(ncp)), NCP: float(ncp.mean())}
    if placed.n_classes:
        of_class = placed.weighted_mean(loss)
        values[_IL1] = float(of_class.mean())
        values[_IL_INF] = float(of_class.max())
        values[_VOLUME] = float(_volumes(placed, loss) @ placed.sizes / placed.sizes.sum())
    by_column = {column.name: float(x) for column, x in zip(placed.columns, ncp, strict=True)}
    return Measures(figures_of(values, audience="owner" if means else None), by_column={NCP.name: by_column})


def _volumes(placed: ClassCoverage, loss: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product of the extents of each class; one value has the extent 1 / (number of values)."""
    volumes = np.ones(placed.n_classes)
    for column, extents in zip(placed.columns, loss, strict=True):
        n_values = max(column.coded.n_codes + column.coded.has_missing, 1)
        volumes *= np.where(extents > 0, extents, 1.0 / n_values)
    return volumes


# -- labels ----------------------------------------------------------------------------------------------


def _classification_metric(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None,
    label: str | None,
    placed: ClassCoverage,
) -> list[Figure]:
    """The classification metric, where labels are known, from the published column or by the owner's row map."""
    if label is None:
        label = next(iter(original.schema.sensitive), None)
    elif label not in published.columns and label not in original.columns:
        raise SchemaError(f"label names the column {label!r}, which the data lack{suggest(label, original.columns)}")
    if label is None or not placed.n_rows:
        return []
    audience: Audience = "public"
    if label in published.columns and label not in forms:
        labels = published[label]
    elif rows is not None and label in original.columns and not (rows < 0).any():
        labels, audience = original.frame[label].gather(rows), "owner"
    else:
        return []
    counts = pl.DataFrame({"class": placed.of_row, "label": labels}).group_by("class", "label").len()
    majority = int(counts.group_by("class").agg(pl.col("len").max())["len"].sum())
    return [CLASSIFICATION.of((placed.n_rows - majority) / placed.n_rows, audience=audience)]


# -- numbers ---------------------------------------------------------------------------------------------


def _distortions(placed: ClassCoverage, rows: NDArray[np.int64], *, relative: bool) -> Measures:
    """The distortion over the range of a column and, if `relative`, over the value itself."""
    values: dict[About, float | None] = {}
    by_column: dict[str, dict[str, float]] = {}
    for about in (DISTORTION, DISTORTION_RELATIVE) if relative else (DISTORTION,):
        split, values[about] = distortion(placed, rows, relative=about is DISTORTION_RELATIVE)
        if values[about] is not None:
            by_column[about.name] = split
    notes = []
    if values.get(DISTORTION_RELATIVE) is not None:
        note = (
            "distortion_relative divides by the value itself, or by 1% of the column's range where that is more; "
            "it depends on where 0 lies, so dates and ordered categories have no part in it"
        )
        notes.append(Note(note, "owner"))
    return Measures(figures_of(values), by_column=by_column, notes=notes)
