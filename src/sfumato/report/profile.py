"""A profile of data before they are published: what singles people out, how values lie, and what to ask oneself.

The page shows values. It is for the owner alone, and is written so that nobody else may read it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import sfumato
from sfumato.data.inspecting import Inspection
from sfumato.data.inspecting_columns import ColumnLook, look_at
from sfumato.data.persons import is_nested
from sfumato.data.table import Table
from sfumato.ground.errors import ReleaseError
from sfumato.report.charts import skip_validation, value_chart
from sfumato.report.counting import Bars, Steps, value_counts
from sfumato.report.standalone import page_template, style_sheet

__all__ = ["render_profile", "save_profile"]

_MOST_CHARTS = 60
_MOST_BARS = 10
_OWN = 0.5


@dataclass(frozen=True)
class _Drawn:
    """A column, and how its values lie: a picture, and what is said below it."""

    look: ColumnLook
    svg: Any
    notes: list[str]


def save_profile(table: Table, found: Inspection, path: str | Path, *, name: str) -> Path:
    """Write the page to a file that its owner alone may read."""
    target = Path(path)
    page = render_profile(table, found, name=name).encode()
    try:
        target.unlink(missing_ok=True)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(page)
    except OSError as error:
        raise ReleaseError(f"could not write '{target}': {error.strerror or error}; name another file") from None
    return target


def render_profile(table: Table, found: Inspection, *, name: str) -> str:
    """One HTML page without scripts or anything fetched from elsewhere; the same input gives the same bytes."""
    with skip_validation():
        drawn = [_drawn(table, look, chart=i < _MOST_CHARTS) for i, look in enumerate(found.columns)]
    alone = sorted((look for look in found.columns if look.role == "quasi"), key=lambda look: -look.unique_share)
    page: str = page_template("profile").render(
        found=found, name=name, drawn=drawn, alone=alone, style=style_sheet(), version=sfumato.__version__,
        most_charts=_MOST_CHARTS,
    )  # fmt: skip
    return page


def _drawn(table: Table, look: ColumnLook, *, chart: bool) -> _Drawn:
    from markupsafe import Markup

    _, series, codes = look_at(table, look.name, look.date_format)
    n_present = int((codes > 0).sum())
    notes = []
    if look.suspected is not None:
        notes.append(f"without {look.suspected.named} in {look.suspected.n_rows:,} cells")
    if look.code is not None:
        notes.append(f"whole numbers that seem to be codes ({look.code})")
    counts = None
    is_text = not (series.dtype.is_numeric() or series.dtype.is_temporal())
    if look.role == "identifier" or is_nested(series) or isinstance(series.dtype, (pl.Time, pl.Duration)):
        notes.append("identifiers are not drawn" if look.role == "identifier" else "not drawn")
    elif is_text and look.distinct > max(_OWN * n_present, 20):
        notes.append("most rows have a text of their own, which is not drawn")
    elif chart:
        counted = series.cast(pl.String) if look.kind == "category" and look.code is not None else series
        counts = _shortened(value_counts(_with_labels(counted, look), look.column))
    if isinstance(counts, Bars) and counts.n_rest:
        notes.append(f"{counts.n_rest:,} more values, in {counts.rest[0]:,.0f} rows")
    if isinstance(counts, Steps) and look.missing:
        notes.append(f"{look.missing:,} rows without a value are not drawn")
    svg = Markup(value_chart(counts, title=f"Distribution of {look.name}")) if counts is not None else None
    return _Drawn(look, svg, notes)


def _shortened(counts: Bars | Steps | None) -> Bars | Steps | None:
    """The first bars of many, with how many more there are."""
    if not isinstance(counts, Bars) or len(counts.labels) <= _MOST_BARS + 2:
        return counts
    left = list(counts.before[_MOST_BARS:])
    return Bars(
        labels=counts.labels[:_MOST_BARS], before=counts.before[:_MOST_BARS], n_rest=counts.n_rest + len(left),
        rest=(counts.rest[0] + sum(left), 0.0),
    )  # fmt: skip


def _with_labels(series: pl.Series, look: ColumnLook) -> pl.Series:
    """The values with what they mean, as in `1 male`."""
    if not look.labels or series.dtype != pl.String:
        return series
    return series.replace({value: f"{value} {label}" for value, label in look.labels.items()})
