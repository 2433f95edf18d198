"""How to read the cells of a published table, in words, with examples taken from the published rows themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

import numpy as np
import polars as pl

from sfumato.data.schema import Column, Schema
from sfumato.data.values import MISSING, SUPPRESSED
from sfumato.ground.errors import DataError
from sfumato.privacy.words import join_names
from sfumato.published.tables.changed import ChangedShape
from sfumato.published.tables.condensed import CondensedShape
from sfumato.published.tables.redrawn import RedrawnShape
from sfumato.published.tables.sequence import SequenceShape
from sfumato.published.tables.table import TableShape
from sfumato.report.extents import read_extents
from sfumato.report.value_labels import labels_in_words
from sfumato.report.wording import CHANGED

__all__ = ["Entry", "legend_of", "legend_of_codes"]

Entry = tuple[str, str]
"""What a cell looks like, and what it says."""

_SAMPLE = 2_000
_EMPTY: Entry = ("empty", "No value was recorded.")


@singledispatch
def legend_of(shape: TableShape) -> list[Entry]:
    """How to read the cells of a release of this shape: what a cell looks like, and what it says."""
    return _of_cells(_Cells.of(shape.frame.head(_SAMPLE), shape.forms, shape.schema)) if shape.forms else []


@legend_of.register
def _(shape: SequenceShape) -> list[Entry]:
    number = (
        f"Rows with one number are a class. Some rows may be counterfeits, which stand for nobody; "
        f"{shape.parameters['table']}.parquet says how many are in which class."
    )
    return [*legend_of.dispatch(TableShape)(shape), (shape.group, number)]


@legend_of.register
def _(shape: CondensedShape) -> list[Entry]:
    words = (
        f"In {join_names(shape.drawn_columns)}: drawn at random from the mean and the spread, or the frequencies, of a "
        f"group of records. The other columns are those of one record of the group, picked at random: the row as a "
        f"whole is nobody’s."
    )
    return [("a value", words), _EMPTY]


@legend_of.register
def _(shape: RedrawnShape) -> list[Entry]:
    words = f"In {join_names(shape.drawn_columns)}: "
    if shape.has_noise:
        words += "the value of the record with noise added."
    else:
        words += (
            "drawn at random among all that keep the properties below. It is not the value of the record, and the row "
            "as a whole is nobody’s."
        )
    return [("a value", words), _EMPTY]


@legend_of.register
def _(shape: ChangedShape) -> list[Entry]:
    return [("a value", f"In {join_names(shape.drawn_columns)}: {CHANGED[shape.change][1]}"), _EMPTY]


def legend_of_codes(shape: TableShape) -> list[Entry]:
    """What the codes in published cells mean, for columns whose values the schema labels."""
    entries = []
    for name in shape.frame.columns:
        column = shape.schema.columns.get(name)
        if column is None or column.labels is None:
            continue
        said = labels_in_words(column, _values_shown(shape, column))
        if said is not None:
            entries.append(("a code", said))
    return entries


def _values_shown(shape: TableShape, column: Column) -> list[str]:
    """The values of a column that its cells name, or that lie within the ranges they show."""
    series, form = shape.frame[column.name], shape.forms.get(column.name, "value")
    try:
        extents = read_extents(series, form, column)
    except DataError:
        return []
    if extents.in_numbers and form == "range":
        low, high = np.nanmin(extents.low), np.nanmax(extents.high)
        return [value for value in column.labels or () if _is_between(value, low, high)]
    if extents.members is not None:
        return [value for cell in extents.members for value in cell]
    return [value for cell in extents.cells if (value := cell.node or cell.low) is not None]


def _is_between(value: str, low: float, high: float) -> bool:
    try:
        return low <= float(value) <= high
    except ValueError:
        return False


_KEYS = ("range", "steps", "set", "node", "mean", "mode")
"""The ways in which a cell can be read."""


@dataclass(frozen=True)
class _Cells:
    """Cells of the published rows, and the columns that they are from, by how they are to be read."""

    cells: Mapping[str, list[str]] = field(default_factory=lambda: {key: [] for key in _KEYS})
    columns: Mapping[str, list[str]] = field(default_factory=lambda: {key: [] for key in _KEYS})
    mixed: list[str] = field(default_factory=list)
    """Those that cover missing values too."""

    @classmethod
    def of(cls, head: pl.DataFrame, forms: Mapping[str, str], schema: Schema) -> _Cells:
        found = cls()
        for name, form in forms.items():
            key = _key(form, schema.column(name))
            texts = head[name].cast(pl.String).drop_nulls().unique().sort().to_list()
            plain = [cell for cell in texts if not cell.endswith(f" or {MISSING}")]
            found.mixed.extend(cell for cell in texts if cell.endswith(f" or {MISSING}"))
            found.cells[key].extend(cell for cell in plain if cell and cell != SUPPRESSED)
            found.columns[key].append(name)
        return found

    def starting(self, key: str, mark: str) -> list[str]:
        return [cell for cell in self.cells[key] if cell.startswith(mark)]


def _key(form: str, column: Column) -> str:
    if form == "range" and column.kind == "ordinal":
        return "steps"
    if form == "value":
        return "mean" if column.kind in ("integer", "number", "date") else "mode"
    return str(form)


def _of_cells(seen: _Cells) -> list[Entry]:
    nodes, modes = join_names(seen.columns["node"]), join_names(seen.columns["mode"])
    known: list[tuple[object, Entry]] = [
        (ranges := seen.starting("range", "["), (_example(ranges, "[30, 35]"),
         "A value between these two, both included. The narrower, the more is told.")),
        (steps := seen.starting("steps", "["), (_example(steps, "[low .. high]"),
         "A value from the first to the last, in the order of the column.")),
        (sets := seen.starting("set", "{"), (_example(sets, "{a, b}"),
         "One of the values named; the cell does not say which.")),
        (nodes, (_example(seen.cells["node"], "a heading"),
         f"Any value below this heading of the hierarchy of {nodes}.")),
        (seen.columns["mean"], (_example(seen.cells["mean"], "34.6"),
         "The mean over the records that look the same: not the value of any one of them.")),
        (modes, (_example(seen.cells["mode"], "a value"),
         f"In {modes}: the most frequent value among the records that look the same.")),
        (seen.columns["range"] or seen.columns["set"] or seen.columns["steps"],
         ("one value", "A cell that holds one plain value: all records of the class have it.")),
        (True, (SUPPRESSED, "Nothing is told: any value of the column, or none.")),
        (True, (_example(seen.mixed, f"… or {MISSING}"),
         "As before, and some of the records that look the same have no value.")),
        (True, _EMPTY),
    ]  # fmt: skip
    return [entry for there, entry in known if there]


def _example(cells: Sequence[str], otherwise: str) -> str:
    """The cell to show as an example: a range or a set if there is one, the shortest; else `otherwise`."""
    found = min(cells, key=lambda cell: (cell[0] not in "[{", len(cell), cell), default=otherwise)
    return found if len(found) <= 60 else f"{found[:57]}…"
