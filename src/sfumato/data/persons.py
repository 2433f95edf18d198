"""Whether rows are persons: identifiers that repeat, one by one and taken together.

Every promise counts rows. Where somebody has several, a class of five rows may be five visits of one person, and hides
nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.free_text import is_named_free_text
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import DataError

__all__ = [
    "Codes",
    "Repeats",
    "codes_of",
    "is_nested",
    "is_remark",
    "refuse_repeated_persons",
    "repeated_identifiers",
    "repeats_of",
]

Codes = NDArray[np.int64]
"""Values as numbers from 1; 0 is a missing value."""


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Identifiers that several rows share."""

    columns: tuple[str, ...]
    n_rows: int
    """Rows that share their values with another row; a row without any value shares nothing."""
    n_values: int
    """How many different values, or combinations of values, these rows have."""

    def __bool__(self) -> bool:
        return self.n_rows > 0


def is_nested(series: pl.Series) -> bool:
    """Whether cells hold lists, records or bytes rather than single values."""
    return series.dtype.is_nested() or series.dtype in (pl.Object, pl.Binary)


def codes_of(series: pl.Series) -> Codes:
    """Number the values from 1 on; 0 is a missing value."""
    if series.dtype == pl.Object:
        series = pl.Series(series.name, [None if value is None else str(value) for value in series])
    if is_nested(series):
        series = series.hash().set(series.is_null(), None)
    if series.dtype in (pl.String, pl.Categorical, pl.Enum):
        series = series.cast(pl.String).cast(pl.Categorical).to_physical()
    return series.rank("dense").fill_null(0).to_numpy().astype(np.int64)


def is_remark(series: pl.Series) -> bool:
    """Whether a column is one of remarks: that these repeat says nothing of whose rows they are."""
    return series.dtype in (pl.String, pl.Categorical, pl.Enum) and is_named_free_text(series.name)


def repeats_of(columns: Sequence[str], codes: Sequence[Codes]) -> Repeats:
    """Count the rows that share their values in all of these columns with another row."""
    named = tuple(columns)
    if not named or not len(codes[0]):
        return Repeats(columns=named, n_rows=0, n_values=0)
    there = np.logical_or.reduce([code > 0 for code in codes])
    frame = pl.DataFrame({str(i): code[there] for i, code in enumerate(codes)})
    sizes = frame.group_by(pl.all()).len(name="size")["size"].to_numpy()
    shared = sizes[sizes > 1]
    return Repeats(columns=named, n_rows=int(shared.sum()), n_values=len(shared))


_KNOWN: WeakKeyDictionary[Table, tuple[Repeats, list[Repeats]]] = WeakKeyDictionary()
"""Identifiers are counted once for each table."""


def repeated_identifiers(table: Table) -> tuple[Repeats, list[Repeats]]:
    """How the declared identifiers repeat in the rows that are not withheld: taken together, and one by one."""
    if table not in _KNOWN:
        _KNOWN[table] = _count_identifiers(table)
    return _KNOWN[table]


def _count_identifiers(table: Table) -> tuple[Repeats, list[Repeats]]:
    names = [name for name in table.schema.identifier if name in table.columns]
    if all(is_remark(table.frame[name]) for name in names):
        names = []
    part = table.rows(table.complete) if names else table
    codes = [codes_of(part.frame[name]) for name in names]
    alone = [repeats_of([name], [code]) for name, code in zip(names, codes, strict=True)]
    return repeats_of(names, codes), alone


def refuse_repeated_persons(data: Table | Baskets | Graph) -> None:
    """Refuse a table in which the declared identifiers, taken together, repeat, unless its rows are said to be persons.

    A row that has none of its identifiers repeats nobody's. Sets of items and graphs have no identifiers.
    """
    if not isinstance(data, Table) or data.schema.rows_are_persons:
        return
    together, _ = repeated_identifiers(data)
    if together:
        named = ", ".join(map(repr, together.columns))
        said = f"the identifier {named} repeats" if len(together.columns) == 1 else f"the identifiers {named} repeat"
        raise DataError(
            f"{said}: {together.n_rows:,} rows have {together.n_values:,} of them, so that rows are not persons and a "
            f"class would hide fewer people than its rows; give each person one row, or, if every row is another "
            f"person all the same, say rows_are_persons = true in the schema"
        )
