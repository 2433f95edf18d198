"""What each column still tells, in a sentence: how exactly a reader of the release knows it, from its cells alone.

A width is told such that half of the rows are at least as exact, and nine of ten. A cell that tells nothing is wider
than any other, and so is never left out of these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.privacy.words import join_names
from sfumato.published.tables.table import TableShape
from sfumato.report.extents import Extents, kept_characters, read_extents
from sfumato.report.wording import CHANGED, day_text, short_number

__all__ = ["Known", "columns_known", "sentence_of"]

_MOST = 40


@dataclass(frozen=True)
class Known:
    """What is still known of one or more columns."""

    columns: Sequence[str]
    sentence: str


def columns_known(shape: TableShape, changes: Mapping[str, float]) -> list[Known]:
    """A sentence for each quasi-identifier, and one for all columns that are published as recorded.

    `changes` are the average changes of values that were drawn or changed, where they may be told.
    """
    drawn, forms = set(shape.drawn_columns), {} if shape.sensitive_apart else shape.forms
    said: dict[str, list[str]] = {}
    for name in shape.schema.quasi:
        if name not in shape.frame.columns or (name not in forms and name not in drawn):
            continue
        try:
            clause = _of_drawn(name, shape, changes) if name in drawn else _clause(
                read_extents(shape.frame[name], forms[name], shape.schema.column(name))
            )  # fmt: skip
        except DataError:
            continue
        said.setdefault(clause, []).append(name)
    told = {name for names in said.values() for name in names}
    whole = [name for name in shape.frame.columns if name in shape.schema.columns and name not in told]
    if whole:
        said.setdefault("is published as recorded", []).extend(whole)
    if shape.sensitive_apart:
        said.setdefault("is told for each group together, not row by row", []).extend(shape.schema.sensitive)
    known = [Known(names, _sentence(names, clause)) for clause, names in said.items()]
    left_out = len(known) - _MOST
    return known if left_out <= 0 else [*known[:_MOST], Known([], f"{left_out:,} more columns are in the table above.")]


def _sentence(names: Sequence[str], clause: str) -> str:
    """A clause that begins with `is`, said of one column or of several."""
    plural = "are" + clause.removeprefix("is") if len(names) > 1 else clause
    return f"{join_names(names, 'and')} {plural}."


def sentence_of(extents: Extents) -> str:
    """How exactly a generalised column is known."""
    return _sentence([extents.column.name], _clause(extents))


def _clause(extents: Extents) -> str:
    n = float(extents.n_rows.sum())
    if not n:
        return "is told of no row"
    hidden = float(extents.n_rows[extents.hidden].sum()) / n
    if hidden > 0.5:
        return f"is not told in {_share(hidden)} of the rows"
    return f"{_how_exact(extents)}{f'; it is not told in {_share(hidden)}' if hidden else ''}"


def _how_exact(extents: Extents) -> str:
    if extents.form == "value":
        what = "the mean" if extents.column.kind in ("integer", "number", "date") else "the most frequent value"
        return f"is told as {what} of the class"
    if extents.form == "node" and extents.column.kind == "date":
        by_part = _by_part(extents)
        if by_part is not None:
            return by_part
    if extents.in_numbers:
        return _by_width(extents)
    if extents.members is not None:
        return _by_members(extents)
    codes = kept_characters(extents)
    if codes is not None:
        return _by_characters(extents, *codes)
    rows: dict[str, float] = {}
    for cell, number in zip(extents.cells, extents.n_rows.tolist(), strict=True):
        if cell.node is not None:
            rows[cell.node] = rows.get(cell.node, 0.0) + number
    if not rows:
        return "is empty"
    most = min(rows, key=lambda node: (-rows[node], node))
    share = _share(rows[most] / float(extents.n_rows.sum()))
    often = f"{most if len(most) <= 40 else most[:37] + '…'} ({share} of the rows)"
    if len(rows) == 1:
        return f"is told as {often}"
    return f"is told as one of {len(rows):,} values and headings of its hierarchy, most often {often}"


def _by_width(extents: Extents) -> str:
    told = ~(extents.hidden | extents.blank)
    low, high = extents.low[told], extents.high[told]
    first, last = float(low.min()), float(high.max())
    widths = np.where(extents.hidden, np.inf, 0.0)
    widths[told] = high - low
    half, most = _quantiles(widths, extents.n_rows, extents.blank)
    between = f"its ranges lie between {_value(first, extents)} and {_value(last, extents)}"
    if not np.isfinite(half) or half >= last - first > 0:
        return f"is hardly told in half of the rows; {between}"
    if half == 0 == most:
        return "is told exactly in nine of ten rows or more" if widths.any() else "is told exactly"
    here = "exactly" if half == 0 else f"to within {_width(half, extents)}"
    wider = f", to within {_width(most, extents)} in nine of ten" if half < most < np.inf else ""
    return f"is known {here} in half of the rows{wider}; {between}"


def _by_members(extents: Extents) -> str:
    members = extents.members or []
    named = len({each for cell in members for each in cell})
    whole = len(extents.column.order) if extents.form == "range" and extents.column.order is not None else named
    counts = np.array([len(cell) for cell in members], dtype=np.float64)
    counts[extents.hidden] = np.inf
    half, most = _quantiles(counts, extents.n_rows, extents.blank)
    of = f"of {whole:,} in its order" if extents.form == "range" else f"of {named:,} that are named in all"
    if half == 1 == most:
        return "is told exactly" + ("" if not (counts > 1).any() else " in nine of ten rows or more")
    one_of = "told exactly" if half == 1 else f"one of {half:,.0f} values"
    wider = f", one of {most:,.0f} in nine of ten" if half < most < np.inf else ""
    return f"is {one_of} in half of the rows{wider}, {of}"


def _by_characters(extents: Extents, kept: NDArray[np.float64], length: int) -> str:
    cut = np.where(extents.hidden, np.inf, length - kept)
    half, most = _quantiles(cut, extents.n_rows, extents.blank)
    if half == 0 == most:
        return "is told whole" + ("" if not (cut > 0).any() else " in nine of ten rows or more")
    if length - half <= 0:
        return "is hardly told in half of the rows"
    first = "whole" if half == 0 else f"by the first{_several(length - half)} of its {length} characters"
    wider = f", by the first{_several(length - most)} in nine of ten" if half < most < length else ""
    return f"is told {first} in half of the rows{wider}"


def _several(number: float) -> str:
    return "" if number == 1 else f" {number:.0f}"


def _by_part(extents: Extents) -> str | None:
    """To which part of the calendar a date is told; None where cells are no such parts."""
    parts = extents.part
    order = ("day", "week", "month", "quarter", "year", "decade", "century")
    if any(part is None for part, other in zip(parts, extents.hidden | extents.blank, strict=True) if not other):
        return None
    ranks = np.array([np.inf if part is None else order.index(part) for part in parts])
    half, most = _quantiles(ranks, extents.n_rows, extents.blank)
    if not np.isfinite(half):
        return None
    wider = f", to the {order[int(most)]} in nine of ten" if half < most < np.inf else ""
    return f"is told to the {order[int(half)]} in half of the rows{wider}"


def _quantiles(widths: NDArray[np.float64], rows: NDArray[np.float64], blank: NDArray[np.bool_]) -> tuple[float, float]:
    """The smallest width that half of the rows with a value do not exceed, and that nine of ten do not."""
    kept = ~blank
    widths, rows = widths[kept], rows[kept]
    if not len(widths):
        return 0.0, 0.0
    rank = np.argsort(widths, kind="stable")
    below = np.cumsum(rows[rank])
    at = [int(np.searchsorted(below, share * below[-1] - 1e-9)) for share in (0.5, 0.9)]
    return float(widths[rank[at[0]]]), float(widths[rank[at[1]]])


def _value(number: float, extents: Extents) -> str:
    if extents.column.kind == "date":
        return day_text(number)
    return short_number(number)


def _width(width: float, extents: Extents) -> str:
    if extents.column.kind != "date":
        return short_number(width)
    if width < 1:
        return "a day"
    days = width + 1 if extents.form == "node" else width
    for unit, length in (("year", 365.25), ("month", 30.44)):
        if days >= 2 * length - 1:
            return f"{days / length:.2g} {unit}s"
    return f"{days:.0f} day{'s' if round(days) != 1 else ''}"


def _of_drawn(name: str, shape: TableShape, changes: Mapping[str, float]) -> str:
    how = CHANGED[shape.change][0] if shape.change is not None else "drawn anew"
    off = f"; on average it is off by {_share(changes[name])} of the column’s range" if name in changes else ""
    return f"is {how}: no value need be that of the record{off}"


def _share(share: float) -> str:
    percent = 100 * share
    return f"{percent:.1f}%" if percent >= 0.05 else "less than 0.1%"
