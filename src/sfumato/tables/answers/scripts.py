"""Scripts that create the tables of `bound_tables.py` in a reader's own database, from the published files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.contracts.answer import Dialect
from sfumato.contracts.answerer import refuse_counterfeits
from sfumato.contracts.dialects import quote
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.published.shape import Shape
from sfumato.published.tables.table import table_shape
from sfumato.tables.answers.bound_tables import bound_tables
from sfumato.tables.answers.listed_values import Listing, listing_of, plain_types, refuse_twins
from sfumato.tables.answers.withheld import withheld_of

__all__ = ["SCRIPT", "script"]

SCRIPT = "views.sql"


def script(
    shape: Shape,
    dialect: Dialect = "duckdb",
    folder: str | Path | None = None,
) -> str:
    """SQL that creates `release` and the bound tables, to be run where the published files lie.

    With a `folder`, the script is written there as `views.sql`, with the files it reads that are not there yet: Parquet
    for DuckDB, CSV for PostgreSQL (`psql -f views.sql`).
    """
    if dialect not in ("duckdb", "postgres"):
        raise ParameterError(f"dialect must be duckdb or postgres, got {dialect!r}")
    if shape.original_type is not Table:
        raise ParameterError("only a release of a table can be asked in a database; use ask for baskets")
    refuse_counterfeits(shape)
    listing = listing_of(shape)
    if folder is None and shape.is_text and dialect == "duckdb":
        raise ParameterError(
            "this release was saved as CSV; give a folder, and the files that the script reads go there"
        )
    tables = {"data": plain_types(shape.release.data.frame), **listing.tables}
    refuse_twins([*tables["data"].columns, *listing.secret])
    names = {"data": "data", **listing.names}
    text = _duckdb(listing, names) if dialect == "duckdb" else _postgres(listing, names, tables)
    n = withheld_of(table_shape(shape.release)).n
    if n:
        text = f"-- {n:,} records of the original are withheld: they are in none of these tables.\n{text}"
    if folder is not None:
        _write(Path(folder), text, {names[part]: table for part, table in tables.items()}, dialect)
    return text


def _duckdb(listing: Listing, names: Mapping[str, str]) -> str:
    sources = {part: f"read_parquet({_text(f'{name}.parquet')})" for part, name in names.items()}
    return _as_script(bound_tables(listing, sources))


def _postgres(listing: Listing, names: Mapping[str, str], tables: Mapping[str, pl.DataFrame]) -> str:
    sources = {part: quote(f"published_{name}") for part, name in names.items()}
    lines = []
    for part, table in tables.items():
        columns = ", ".join(f"{quote(name)} {_type(dtype)}" for name, dtype in table.schema.items())
        lines += [
            f"DROP TABLE IF EXISTS {sources[part]};", f"CREATE TABLE {sources[part]} ({columns});",
            f"\\copy {sources[part]} FROM {_text(f'{names[part]}.csv')} WITH (FORMAT csv, HEADER true)",
        ]  # fmt: skip
    made = _as_script(bound_tables(listing, sources, "postgres"))
    ranks = [quote(f"release_ranks{listing.suffix(name)}") for name in listing.secret if listing.has_bounds(name)]
    indexes = [f"CREATE INDEX ON {table} (group_number, rank);" for table in ranks]
    gone = [f"DROP TABLE {source};" for source in sources.values()]
    return "\n".join(["SET client_min_messages = warning;", *lines, made.rstrip(), *indexes, *gone, ""])


def _as_script(statements: Any) -> str:
    return "".join(f"{statement};\n" for statement in statements)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _type(dtype: pl.DataType) -> str:
    if dtype.is_integer():
        return "BIGINT"
    if dtype.is_float():
        return "DOUBLE PRECISION"
    if isinstance(dtype, pl.Datetime):
        return "TIMESTAMP" if dtype.time_zone is None else "TIMESTAMPTZ"
    return {pl.Date: "DATE", pl.Time: "TIME", pl.Boolean: "BOOLEAN"}.get(dtype.base_type(), "TEXT")


def _write(folder: Path, text: str, tables: Mapping[str, pl.DataFrame], dialect: Dialect) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / SCRIPT).write_text(text, encoding="utf-8")
        for name, table in tables.items():
            if dialect == "postgres":
                table.write_csv(folder / f"{name}.csv", quote_style="non_numeric")
            elif not (folder / f"{name}.parquet").exists():
                table.write_parquet(folder / f"{name}.parquet")
    except OSError as error:
        raise ReleaseError(
            f"could not write to '{folder.name}': {error.strerror or error}; choose another folder"
        ) from None
