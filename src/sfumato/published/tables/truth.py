"""Whether a published table tells the truth about the original: every row covers the record behind it.

Knows nothing of the method: it reads the published cells, parses them, and compares them with the original.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.numbers import as_numbers
from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import DataError
from sfumato.published.tables.cells import ShownColumn, place_cells

__all__ = ["untruths"]

_MAX_COMPARISONS = 4_000_000_000


def untruths(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table,
    rows: NDArray[np.int64] | None,
    *,
    drawn_anew: bool = True,
) -> list[str]:
    """What the original contradicts, a clause each; nothing if the published rows are true.

    With the owner's row map every row is compared with its own record. Without it no untouched column may show a
    value more often than the original holds it, and no class may hold more rows than records it covers.
    Values that were `drawn_anew` must not be the records' own.
    """
    strangers = [name for name in published.columns if name not in original.columns]
    if strangers:
        return [f"column {strangers[0]!r} is published, but the original lacks it"]
    leaked = [name for name in published.columns if original.schema.role(name) == "identifier"]
    if leaked:
        return [f"column {leaked[0]!r} is an identifier, and is published"]
    lost = [name for name in forms if name not in published.columns]
    if lost:
        return [f"column {lost[0]!r} is missing from the published table"]
    kept = [name for name in published.columns if name not in forms]
    drawn = [name for name, form in forms.items() if form == "substitute"]  # not the record's own, and not said to be
    forms = {name: form for name, form in forms.items() if form != "substitute"}
    if rows is None:
        complete = original.complete  # no other row can be behind a published one
        there = original if len(complete) == len(original) else original.rows(complete)
        return [*_kept_too_often(published, kept, there), *_overfull_classes(published, forms, there)]
    if len(rows) != published.height:
        return [f"{published.height:,} rows are published, the owner's map has {len(rows):,}"]
    inside = not len(rows) or 0 <= rows.min() <= rows.max() < len(original)
    if not inside or (np.bincount(rows, minlength=1) > 1).any():
        return ["the owner's row map is no map: some record is published twice or does not exist"]
    if len(rows) < len(original):
        behind = np.sort(rows)
        original, rows = original.rows(behind), np.searchsorted(behind, rows)
    return [
        *_kept_differently(published, kept, original, rows),
        *_uncovered_values(published, forms, original, rows),
        *_lacking(published, drawn, original, rows),
        *(_not_drawn(published, drawn, original, rows) if drawn_anew else ()),
    ]


def _lacking(published: pl.DataFrame, drawn: list[str], original: Table, rows: NDArray[np.int64]) -> list[str]:
    wrong = []
    for name in drawn:
        n = int((published[name].is_null() != original.frame[name].gather(rows).is_null()).sum())
        if n:
            wrong.append(f"column {name!r} has values where the original has none, or none where it has, in {n:,} rows")
    return wrong


def _not_drawn(published: pl.DataFrame, drawn: list[str], original: Table, rows: NDArray[np.int64]) -> list[str]:
    numbers = [name for name in drawn if published[name].dtype != pl.String and original.frame[name].dtype != pl.String]
    varied = [name for name in numbers if original.frame[name].n_unique() > 2]
    pairs = [(as_numbers(published[name]), as_numbers(original.frame[name].gather(rows))) for name in varied]
    if varied and len(rows) >= 10 and all(np.allclose(*pair, rtol=1e-9, equal_nan=True) for pair in pairs):
        return ["the values that should be drawn anew are those of the original"]
    return []


def _kept_differently(published: pl.DataFrame, kept: list[str], original: Table, rows: NDArray[np.int64]) -> list[str]:
    wrong = []
    for name in kept:
        behind = original.frame[name].gather(rows).cast(published[name].dtype, strict=False)
        n = int((~published[name].eq_missing(behind)).sum())
        if n:
            wrong.append(f"column {name!r} differs from the original in {n:,} rows")
    return wrong


def _place_columns(published: pl.DataFrame, forms: Mapping[str, Form], original: Table) -> Iterator[ShownColumn]:
    for name, form in forms.items():
        yield place_cells(published[name], form, original.frame[name], original.schema.column(name))


def _uncovered_values(
    published: pl.DataFrame, forms: Mapping[str, Form], original: Table, rows: NDArray[np.int64]
) -> list[str]:
    wrong = []
    try:
        for column in _place_columns(published, forms, original):  # one at a time: codes and numbers of all take room
            if column.form == "value":
                behind = original.frame[column.name].gather(rows)
                truthful = _central(published, list(forms), column.name, behind)
            else:
                truthful = column.covers(column.number, column.coded.codes[rows])
            if not truthful.all():
                n = int((~truthful).sum())
                wrong.append(f"column {column.name!r} does not cover the original in {n:,} rows")
    except DataError as error:
        return [*wrong, str(error)]
    return wrong


def _central(published: pl.DataFrame, quasi: list[str], name: str, behind: pl.Series) -> NDArray[np.bool_]:
    """For each row, whether a single value shown is the mean of its class, or one of its most frequent values."""
    frame = published.select(pl.struct(quasi).alias("class"), pl.col(name).alias("shown")).with_columns(
        behind.alias("behind")
    )
    shown = published[name]
    if shown.dtype.is_numeric() or shown.dtype.is_temporal():
        number = pl.col("behind").to_physical().cast(pl.Float64)
        slack = pl.lit(1.0) if shown.dtype.is_temporal() else 1e-9 * (1 + number.abs().max().over("class"))
        apart = (number.mean().over("class") - pl.col("shown").to_physical().cast(pl.Float64)).abs()
        near = (apart <= slack).fill_null(number.count().over("class") == 0)
        return frame.select(near).to_series().to_numpy()
    if behind.dtype.is_float():  # codes that were read as numbers
        frame = frame.with_columns(behind.map_elements(text, return_dtype=pl.String).alias("behind"))
    same = (pl.col("behind").cast(pl.String) == pl.col("shown").cast(pl.String)).sum().over("class")
    largest = pl.col("behind").count().over("class", "behind").max().over("class")
    empty = pl.col("behind").count().over("class") == 0
    return (
        frame.select(pl.when(empty).then(pl.col("shown").is_null()).otherwise(same == largest)).to_series().to_numpy()
    )


def _kept_too_often(published: pl.DataFrame, kept: list[str], original: Table) -> list[str]:
    wrong = []
    if published.height > len(original):
        wrong.append(f"{published.height:,} rows are published, the original has {len(original):,}")
    for name in kept:
        ours = published[name].alias("value").value_counts(name="ours")
        behind = original.frame[name].alias("value").cast(published[name].dtype, strict=False)
        joined = ours.join(behind.value_counts(name="theirs"), on="value", how="left", nulls_equal=True)
        n = joined.filter(pl.col("ours") > pl.col("theirs").fill_null(0)).height
        if n:
            wrong.append(f"column {name!r} shows {n:,} values more often than the original holds them")
    return wrong


def _overfull_classes(published: pl.DataFrame, forms: Mapping[str, Form], original: Table) -> list[str]:
    """Classes with more rows than the records they cover, a clause each; not decided where that would take too long."""
    try:
        shown = {column.name: column for column in _place_columns(published, forms, original)}
    except DataError as error:
        return [str(error)]
    if "value" in forms.values() or not shown:
        return []
    numbers = pl.DataFrame({name: column.number for name, column in shown.items()})
    classes = numbers.group_by(list(shown), maintain_order=True).len()
    if classes.height * len(original) * len(shown) > _MAX_COMPARISONS:
        return []
    n_short = 0
    for row in classes.iter_rows(named=True):
        inside = np.arange(len(original))
        for name, column in shown.items():
            inside = inside[column.covers(np.full(len(inside), row[name]), column.coded.codes[inside])]
        n_short += len(inside) < row["len"]
    if not n_short:
        return []
    return [f"{n_short:,} of {classes.height:,} classes hold more rows than records of the original that they cover"]
