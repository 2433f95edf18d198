"""What methods that change values share: which columns and records are published, and in what order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.method import Outcome
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, SchemaError, suggest
from sfumato.ground.randomness import Randomness

__all__ = ["columns_to_change", "complete_numbers", "complete_part", "named_columns", "outcome_of", "random_order"]


def named_columns(given: Any) -> tuple[str, ...] | None:
    """The parameter `columns` as a tuple of names, or None."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError(f"columns must be a list of names, got {given!r}")
    names = tuple(given)
    if not names or any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ParameterError(f"columns must be a list of names, each once, got {given!r}")
    return names


def columns_to_change(
    table: Table, columns: Sequence[str] | None, kinds: Collection[str], method: str, *, what: str
) -> list[str]:
    """The `columns` named, or by default the quasi-identifiers of these kinds; refused where one cannot be changed.

    `what` says in messages what the method can change.
    """
    schema = table.schema
    if columns is None:
        if not schema.quasi:
            raise SchemaError("no column is declared quasi; name those an outsider may know, as in quasi=['age']")
        names = [name for name in schema.quasi if schema.column(name).kind in kinds]
        if not names:
            raise SchemaError(f"no quasi-identifier holds {what}, and {method} changes nothing else; name columns")
        return names
    for name in columns:
        if name not in table.columns:
            raise SchemaError(f"the table has no column {name!r}{suggest(name, table.columns)}")
        if schema.role(name) == "identifier":
            raise SchemaError(f"column {name!r} is an identifier, and is not published; leave it out")
        if schema.column(name).kind not in kinds:
            raise SchemaError(
                f"column {name!r} is of kind {schema.column(name).kind}, and {method} changes {what} only; leave it out"
            )
    return [name for name in table.columns if name in columns]


def complete_part(table: Table) -> tuple[Table, NDArray[np.int64]]:
    """The records that are published, and their rows in the table."""
    kept = table.complete
    if not len(kept):
        raise DataError("there is no complete record to publish; declare missing = 'value', or give records")
    return (table if len(kept) == len(table) else table.rows(kept)), kept


def complete_numbers(part: Table, names: Sequence[str], method: str) -> None:
    """Refuse missing values where every record must have all its numbers."""
    lacking = next((name for name in names if part.frame[name].null_count()), None)
    if lacking is not None:
        raise DataError(
            f"column {lacking!r} has missing values, and {method} needs every number; declare missing = 'withhold'"
        )


def outcome_of(
    table: Table,
    kept: NDArray[np.int64],
    changed: Mapping[str, pl.Series],
    public: dict[str, Any],
    arrangement: NDArray[np.int64],
    files: dict[str, pl.DataFrame] | None = None,
) -> Outcome:
    """The outcome of a method: rows in the order `arrangement`, the `changed` columns, and all others as recorded."""
    names = [name for name in table.columns if table.schema.role(name) != "identifier"]
    columns = [changed[name] if name in changed else table.frame[name].gather(kept) for name in names]
    disclosed: dict[str, Any] = {"forms": {name: "substitute" for name in names if name in changed}, **public}
    if len(kept) < len(table):
        disclosed["withheld_rows"] = len(table) - len(kept)
    frame = pl.DataFrame([column.gather(arrangement) for column in columns])
    return Outcome(frame=frame, rows=kept[arrangement], public=disclosed, files=files or {})


def random_order(n: int, random: Randomness) -> NDArray[np.int64]:
    """A random order of the published rows."""
    return random.spawn("arrangement").permutation(n)
