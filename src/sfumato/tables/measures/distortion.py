"""Distortion of tables with classes: how far the numbers that cells show lie from the true ones.

Eq. 6 of the pattern-preserving paper (the average of |t - t'| / |t|) is undefined where t is 0 and explodes near it, so
that by default the range of the column stands in place of the value; the printed form takes max(|t|, 1% of the range).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.schema import Column
from sfumato.data.shown import parse_bound
from sfumato.data.values import as_number
from sfumato.ground.errors import DataError
from sfumato.ground.figures import declare
from sfumato.published.tables.cells import ShownColumn
from sfumato.published.tables.class_coverage import ClassCoverage

__all__ = ["DISTORTION", "DISTORTION_RELATIVE", "cell_numbers", "code_numbers", "distortion", "number_domain"]

DISTORTION = declare(
    name="distortion", label="Distortion", group="utility", unit="share", audience="owner",
    meaning="average distance of a number shown from the true one, over the column's range",
)  # fmt: skip
DISTORTION_RELATIVE = declare(
    name="distortion_relative", label="Relative distortion", group="utility", unit="share", audience="owner",
    meaning="average distance of a number shown from the true one, relative to it",
)  # fmt: skip


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
        return rank.get(leaf, np.nan) if kind == "ordinal" else as_number(parse_bound(leaf, kind))
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
            low[i], high[i] = as_number(parse_bound(cell.low, kind)), as_number(parse_bound(cell.high, kind))
        elif column.members is not None:
            low[i], high[i] = _span(numbers[column.members[i]])
        elif column.low[i] <= column.high[i]:
            low[i], high[i] = _span(numbers[column.low[i] : column.high[i] + 1])
    return low, high


def _span(numbers: NDArray[np.float64]) -> tuple[float, float]:
    known = numbers[~np.isnan(numbers)]
    return (float(known.min()), float(known.max())) if known.size else (float("nan"), float("nan"))


def distortion(
    placed: ClassCoverage, rows: NDArray[np.int64], *, relative: bool
) -> tuple[dict[str, float], float | None]:
    """The average distortion by column, and over all entries that have a value; None where there is none.

    The distortion of an entry is |t - t'| over the column's range; if `relative`, over max(|t|, 1% of the range). The
    number shown, t', is the middle of the cell. A constant column is not distorted. A code that is cut into prefixes
    (a ZIP code) is a name, whatever its digits, and is left out. For values without cells, see `usefulness.py`.
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
