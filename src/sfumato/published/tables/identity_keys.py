"""Who is who across releases: people are known by the columns that the original declares identifiers."""

from __future__ import annotations

import json

import polars as pl

from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import DataError, SchemaError

__all__ = ["identity_keys", "value_texts"]


def identity_keys(table: Table) -> pl.Series:
    """Return one text for each person, made from the columns declared identifier; for the owner alone.

    Refused where no column is declared so, where a row lacks one, and where two rows share them.
    """
    names = [name for name in table.schema.identifier if name in table.columns]
    if not names:
        raise SchemaError(
            "people are followed from release to release by their identifier, and no column is declared identifier; "
            "declare one, as in Schema(identifier=['id'])"
        )
    for name in names:
        n = table.frame[name].null_count()
        if n:
            raise DataError(f"column {name!r} identifies people, and {n:,} rows have no value in it; fill them in")
    columns = [value_texts(table.frame[name]) for name in names]
    keys = columns[0] if len(names) == 1 else [json.dumps(row) for row in zip(*columns, strict=True)]
    n_twice = len(keys) - len(set(keys))
    if n_twice:
        said = f"column {names[0]!r} identifies" if len(names) == 1 else f"columns {', '.join(names)} identify"
        raise DataError(f"{said} people, and {n_twice:,} rows repeat an earlier one; give each person one row")
    return pl.Series("person", keys, dtype=pl.String)


def value_texts(values: pl.Series) -> list[str | None]:
    """Return the text of every value; None for a missing one."""
    if values.dtype == pl.String or values.dtype.is_integer():
        return values.cast(pl.String).to_list()
    if values.dtype.is_float():
        values = values.fill_nan(None)
    return [None if value is None else text(value) for value in values.to_list()]
