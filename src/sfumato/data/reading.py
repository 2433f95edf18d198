"""Reading tables: text files, Parquet, Arrow, JSON, DuckDB and PostgreSQL."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

import polars as pl

from sfumato.data.columnar import read_arrow, read_parquet
from sfumato.data.delimited import read_delimited
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, ParameterError, SchemaError

if TYPE_CHECKING:
    import duckdb

__all__ = ["check_file", "read_file", "read_table"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_JSON = (".json", ".ndjson", ".jsonl")
_DATABASE = (".duckdb", ".ddb", ".db")
_KNOWN = (*_TEXT, *_PARQUET, *_ARROW, *_JSON, *_DATABASE)


def read_table(
    source: str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    query: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
) -> Table:
    """Read a table and give it a schema.

    `source` is a file (CSV, TSV or TXT, also gzipped; Parquet; Arrow or Feather; JSON or NDJSON; DuckDB) or the
    address of a database (`postgresql://user@host/name`, `duckdb:///file.duckdb`). A database needs a `query`.
    `schema` is a `Schema`, the path of a schema file, or None for a table that is yet to be described.

    Of text files, `delimiter` and `encoding` are found where they are not given. Cells equal to one of `missing`
    have no value; every other cell is kept as it stands. A column becomes numbers or dates (ISO) where all its
    values are; codes with leading zeros and columns declared `category` or `ordinal` stay text.
    """
    if isinstance(missing, str):
        raise ParameterError(f"missing takes a list of cells, got the text {missing!r}; write [{missing!r}]")
    if not isinstance(source, (str, os.PathLike)):
        kind = type(source).__name__
        raise DataError(f"read_table takes a file or a database address, got {kind}; frames go to Table(frame, schema)")
    declared = schema if isinstance(schema, Schema) or schema is None else Schema.from_toml(Path(schema))
    address = os.fspath(source)
    scheme = address.split("://", 1)[0].lower() if "://" in address else ""
    if scheme in ("postgresql", "postgres"):
        frame, shown = _read_postgres(address, query), _without_password(address)
    elif scheme == "duckdb":
        file = _duckdb_file(address)
        frame, shown = _read_database(file, query), f"'{file}'"
    elif scheme:
        raise DataError(
            f"addresses with {scheme!r} cannot be read; use postgresql:// or duckdb:///, or save the data to a file"
        )
    else:
        file = Path(address).expanduser()
        frame = read_file(file, declared, query=query, delimiter=delimiter, encoding=encoding, missing=missing)
        shown = f"file '{file}'"
    if frame.width == 0:
        raise DataError(f"{shown} has no columns; check that it holds a table")
    if frame.height == 0:
        raise DataError(f"{shown} has column names but no records; give at least one record")
    try:
        return Table(_plain_types(frame), declared)
    except SchemaError as error:
        raise SchemaError(f"{shown}: {error}") from None
    except DataError as error:
        raise DataError(f"{shown}: {error}") from None


def _plain_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Turn types that only some sources have into those that every method knows."""
    changed = []
    for series in frame.get_columns():
        dtype = series.dtype
        if isinstance(dtype, pl.BaseExtension):  # PostgreSQL's numeric comes as text with a note
            is_number = '"numeric"' in (dtype.ext_metadata() or "")
            changed.append(series.ext.storage().cast(pl.Float64) if is_number else series.ext.storage())
        elif dtype.is_decimal():
            changed.append(series.cast(pl.Float64))
        elif dtype in (pl.Categorical, pl.Enum, pl.Boolean):
            changed.append(series.cast(pl.String))
    return frame.with_columns(changed)


# -- files -------------------------------------------------------------------------------------------------------
def read_file(
    file: Path,
    schema: Schema | None,
    *,
    query: str | None,
    delimiter: str | None,
    encoding: str | None,
    missing: Sequence[str],
) -> pl.DataFrame:
    """Read a frame from a file, by the ending of its name."""
    check_file(file)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    ending = (suffixes[-2:-1] or [""])[0] if gzipped else (suffixes or [""])[-1]
    if ending not in _KNOWN or (gzipped and ending not in (*_TEXT, *_JSON)):
        ending = "".join(suffixes[-2:]) if gzipped else ending
        raise DataError(
            f"file '{file}' has {f'the ending {ending!r}, which is not known' if ending else 'no ending'}; "
            f"save it as one of {', '.join(_KNOWN)}"
        )
    if query is not None and ending not in _DATABASE:
        raise ParameterError(f"query goes with a database, and '{file}' is a file of records; leave query out")
    if (delimiter is not None or encoding is not None) and ending not in _TEXT:
        raise ParameterError(f"delimiter and encoding go with text files, and '{file}' is none; leave them out")
    if ending in _DATABASE:
        return _read_database(file, query)
    try:
        if ending in _TEXT:
            return read_delimited(file, schema, delimiter=delimiter, encoding=encoding, missing=missing)
        if ending in _PARQUET:
            return read_parquet(file)
        if ending in _ARROW:
            return read_arrow(file)
        if file.stat().st_size == 0:
            raise DataError(f"file '{file}' is empty; write it again")
    except OSError as error:
        raise DataError(f"file '{file}' cannot be read: {error.strerror or type(error).__name__}") from None
    return _read_json(file, gzipped=gzipped)


def check_file(file: Path) -> None:
    """Refuse a path that cannot be read as a file, in a sentence that says why."""
    try:
        if file.is_dir():
            raise DataError(f"'{file}' is a folder; give one file in it")
        if not file.exists():
            raise DataError(f"file '{file}' does not exist{_similar(file)}")
        with file.open("rb"):
            pass
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        reason = getattr(error, "strerror", None) or "not a path"
        raise DataError(f"file '{file}' cannot be opened: {reason}; check its path and permissions") from None


def _similar(file: Path) -> str:
    import difflib

    beside = [path.name for path in file.parent.iterdir()] if file.parent.is_dir() else []
    close = difflib.get_close_matches(file.name, beside, n=1)
    return f"; did you mean '{file.with_name(close[0])}'?" if close else "; check its path"


# -- DuckDB ------------------------------------------------------------------------------------------------------
_OFFLINE = {"autoinstall_known_extensions": "false", "temp_directory": ""}  # nothing fetched, nothing spilt


def _read_json(file: Path, *, gzipped: bool) -> pl.DataFrame:
    import duckdb

    with duckdb.connect(config=dict(_OFFLINE)) as connection:
        compression = "gzip" if gzipped else "none"
        try:
            statement = "SELECT * FROM read_json_auto(?, compression = ?)"
            return _fetch(connection, statement, f"file '{file}'", [_literal(file), compression])
        except duckdb.Error:
            raise DataError(f"file '{file}' is not JSON of records, or is damaged; write it again") from None


def _literal(file: Path) -> str:
    """The path as a text in which DuckDB sees no pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in str(file))


def _duckdb_file(address: str) -> Path:
    """`duckdb:///x` is the file x here, or /x where only that exists; `duckdb:////x` is always /x."""
    rest = unquote(address.split("://", 1)[1]).split("?", 1)[0].removeprefix("/")
    here, absolute = Path(rest), Path("/" + rest)
    return absolute if not here.exists() and absolute.exists() else here


def _read_database(file: Path, query: str | None) -> pl.DataFrame:
    import duckdb

    check_file(file)
    try:
        connection = duckdb.connect(str(file), read_only=True, config=dict(_OFFLINE))
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise DataError(f"database '{file}' is in use by another program; close it there first") from None
        raise DataError(f"file '{file}' is no DuckDB database, or is damaged; check its path") from None
    with connection:
        if query is None:
            names = [row[0] for row in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
            there = f"; it holds the tables {', '.join(names[:12])}" if names else ""
            example = f"query='SELECT * FROM {names[0] if names else 'table_name'}'"
            raise DataError(f"database '{file}' needs a query, as in {example}{there}")
        try:
            return _fetch(connection, query, f"database '{file}'")
        except duckdb.Error as error:
            raise DataError(f"database '{file}' refused the query: {_first_line(error)}") from None


def _fetch(
    connection: duckdb.DuckDBPyConnection, query: str, shown: str, values: Sequence[str] | None = None
) -> pl.DataFrame:
    relation = connection.sql(query, params=values)
    if relation is None:
        raise DataError(f"{shown}: the query gives no table; use a SELECT")
    return _from_arrow(relation.to_arrow_table(), shown)


def _from_arrow(arrow: Any, shown: str) -> pl.DataFrame:
    names = list(arrow.schema.names)
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise DataError(f"{shown}: the query gives the column {twice!r} twice; name one of them otherwise, with AS")
    columns = []
    for name, column in zip(names, arrow.columns, strict=True):
        try:
            columns.append(pl.Series(name, column))
        except (pl.exceptions.PolarsError, TypeError):
            raise DataError(f"{shown}: column {name!r} has the type {column.type}; cast it in the query") from None
    return pl.DataFrame(columns)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or ["no reason given"])[0].rstrip(".")


# -- PostgreSQL --------------------------------------------------------------------------------------------------
def _without_password(address: str) -> str:
    """The address as it may be shown: no user, no password, no options."""
    parts = urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"


def _secrets(address: str) -> list[str]:
    parts = urlsplit(address)
    given = [parts.netloc.rpartition("@")[0].partition(":")[2], *parse_qs(parts.query).get("password", [])]
    found = {form for secret in given if secret for form in (secret, unquote(secret))}
    return sorted(found, key=len, reverse=True)


def _read_postgres(address: str, query: str | None) -> pl.DataFrame:
    """Read in a read-only transaction, so that a query cannot change what it reads."""
    shown = _without_password(address)
    if query is None:
        raise DataError(f"{shown} needs a query, as in query='SELECT * FROM patients'")
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise DataError("reading PostgreSQL needs a driver; install it with: pip install 'sfumato[postgres]'") from None
    try:
        connection = dbapi.connect(address)
    except dbapi.Error as error:
        raise DataError(f"{shown} cannot be reached: {_message_without_secrets(error, address)}") from None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            arrow = cursor.fetch_arrow_table()
    except dbapi.Error as error:
        raise DataError(f"{shown} refused the query: {_message_without_secrets(error, address)}") from None
    finally:
        connection.close()
    return _from_arrow(arrow, shown)


def _message_without_secrets(error: Exception, address: str) -> str:
    """The driver's message without the secrets of the address."""
    said = " ".join(str(error).split()).replace(address, _without_password(address))
    server = re.search(r"ERROR: (.*?)(?: LINE \d+:| DETAIL:| HINT:| Query was:| ?\.? SQLSTATE|$)", said)
    said = server[1] if server is not None else said  # what follows may repeat the query, or a record
    for secret in _secrets(address):
        said = said.replace(secret, "***")
    return said.removesuffix(".")[:300]
