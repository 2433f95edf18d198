"""How to read the cells of a published table, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from sfumato.data.schema import Schema
from sfumato.data.values import MISSING, SUPPRESSED
from sfumato.report.wording import CHANGED, listed

__all__ = ["legend"]

_SAMPLE = 2_000


def legend(
    frame: pl.DataFrame, forms: Mapping[str, str], schema: Schema, public: Mapping[str, Any]
) -> list[tuple[str, str]]:
    """How to read a cell, with examples taken from the published rows themselves."""
    head = frame.head(_SAMPLE)
    drawn = [name for name, form in forms.items() if form == "substitute"]
    if drawn:
        words = (
            f"In {listed(drawn)}: drawn at random among all that keep the properties below. It is not the value of the "
            f"record, and the row as a whole is nobody’s."
        )
        if "condensed" in public:
            words = (
                f"In {listed(drawn)}: drawn at random from the mean and the spread, or the frequencies, of a group of "
                f"records. The other columns are those of one record of the group, picked at random: the row as a "
                f"whole is nobody’s."
            )
        if "noise" in public:
            words = f"In {listed(drawn)}: the value of the record with noise added."
        words = next((f"In {listed(drawn)}: {said}" for key, (_, said) in CHANGED.items() if key in public), words)
        entries = [("a value", words)]
        return [*entries, ("empty", "No value was recorded.")]
    cells: dict[str, list[str]] = {"range": [], "steps": [], "set": [], "node": [], "mean": [], "mode": []}
    columns: dict[str, list[str]] = {key: [] for key in cells}
    all_texts: list[str] = []
    for name, form in forms.items():
        column = schema.column(name)
        key = str(form)
        if form == "range" and column.kind == "ordinal":
            key = "steps"
        elif form == "value":
            key = "mean" if column.kind in ("integer", "number", "date") else "mode"
        texts = head[name].cast(pl.String).drop_nulls().unique().sort().to_list()
        all_texts += texts
        cells[key] += [cell for cell in texts if cell and cell != SUPPRESSED and not cell.endswith(f" or {MISSING}")]
        columns[key].append(name)
    ranges = [cell for cell in cells["range"] if cell.startswith("[")]
    steps = [cell for cell in cells["steps"] if cell.startswith("[")]
    sets = [cell for cell in cells["set"] if cell.startswith("{")]
    entries = []
    if ranges:
        entries.append((_example(ranges, "[30, 35]"), "A value between these two, both included. The narrower, the "
                        "more is told."))  # fmt: skip
    if steps:
        entries.append((_example(steps, "[low .. high]"), "A value from the first to the last, in the order of the "
                        "column."))  # fmt: skip
    if sets:
        entries.append((_example(sets, "{a, b}"), "One of the values named; the cell does not say which."))
    if columns["node"]:
        entries.append((_example(cells["node"], "a heading"), f"Any value below this heading of the hierarchy of "
                        f"{listed(columns['node'])}."))  # fmt: skip
    if columns["mean"]:
        entries.append((_example(cells["mean"], "34.6"), "The mean over the records that look the same: not the "
                        "value of any one of them."))  # fmt: skip
    if columns["mode"]:
        entries.append((_example(cells["mode"], "a value"), f"In {listed(columns['mode'])}: the most frequent value "
                        f"among the records that look the same."))  # fmt: skip
    if forms:
        if columns["range"] or columns["set"] or columns["steps"]:
            entries.append(("one value", "A cell that holds one plain value: all records of the class have it."))
        entries.append((SUPPRESSED, "Nothing is told: any value of the column, or none."))
        mixed = [cell for cell in all_texts if cell.endswith(f" or {MISSING}")]
        entries.append((_example(mixed, f"… or {MISSING}"), "As before, and some of the records that look the same "
                        "have no value."))  # fmt: skip
        entries.append(("empty", "No value was recorded."))
    if "republication" in public:
        told = public["republication"]
        entries.append((str(told["group"]), f"Rows with one number are a class. Some rows may be counterfeits, which "
                        f"stand for nobody; {told['table']}.parquet says how many are in which class."))  # fmt: skip
    return entries


def _example(cells: Sequence[str], otherwise: str) -> str:
    """The shortest cell, before all a range or a set."""
    found = min(cells, key=lambda cell: (cell[0] not in "[{", len(cell), cell), default=otherwise)
    return found if len(found) <= 60 else f"{found[:57]}…"
