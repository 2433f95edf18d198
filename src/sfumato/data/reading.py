"""Reading tables: text files, Excel, SPSS, Stata, SAS, Parquet, Arrow, JSON, SQLite, DuckDB and PostgreSQL."""

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
from sfumato.data.excel import read_excel
from sfumato.data.schema import Schema
from sfumato.data.sqlite import is_sqlite, read_sqlite
from sfumato.data.statistical import STATISTICAL, Labels, read_statistical
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from sfumato.ground.optional import load_optional

if TYPE_CHECKING:
    import duckdb

__all__ = ["check_file", "message_without_secrets", "read_file", "read_table", "without_password"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PARQUET = (".parquet", ".pq")
_ARROW = (".arrow", ".feather", ".ipc")
_JSON = (".json", ".ndjson", ".jsonl")
_EXCEL = (".xlsx", ".xlsm", ".xls")
_SQLITE = (".sqlite", ".sqlite3", ".db3")
_DATABASE = (".duckdb", ".ddb", ".db", *_SQLITE)
_OTHERS = (".dat", ".fimi", ".edges", ".edgelist", ".el")
_KNOWN = (*_TEXT, *_PARQUET, *_ARROW, *_JSON, *_EXCEL, *STATISTICAL, *_DATABASE)


@says_what_it_takes
def read_table(
    source: str | os.PathLike[str],
    schema: Schema | str | os.PathLike[str] | None = None,
    *,
    query: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
) -> Table:
    """Read a table and give it a schema.

    `source` is a file (CSV, TSV or TXT, also gzipped; Excel; SPSS, Stata or SAS; Parquet; Arrow or Feather; JSON or
    NDJSON; SQLite or DuckDB) or the address of a database (`postgresql://user@host/name`, `duckdb:///file.duckdb`,
    `sqlite:///file.db`). A database needs a `query`, but for an SQLite file with one table; a workbook with several
    sheets needs a `sheet`. `schema` is a `Schema`, the path of a schema file, or None for a table that is yet to be
    described. What values mean is taken from the file where it says so and the schema does not: see `Table.labels`.

    Of text files, `delimiter` and `encoding` are found where they are not given. Cells equal to one of `missing`
    have no value, nor have those that the schema declares by `missing_values`; every other cell is kept as it stands.
    A column becomes numbers or dates where all its values are, in one way of writing them and in no other; codes with
    leading zeros and columns declared `category` or `ordinal` stay text.

    >>> import sfumato as sf
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "people.csv")
    >>> _ = file.write_text("age,zip\\n31,53715\\n,53710\\n")
    >>> sf.read_table(file, sf.Schema(quasi=["age", "zip"]))
    Table(2 rows x 2 columns: 2 quasi)
    """
    if isinstance(missing, str):
        raise ParameterError(f"missing takes a list of cells, got the text {missing!r}; write [{missing!r}]")
    missing = tuple(text(each) for each in missing)
    if not isinstance(source, (str, os.PathLike)):
        kind = type(source).__name__
        raise DataError(f"read_table takes a file or a database address, got {kind}; frames go to Table(frame, schema)")
    declared = schema if isinstance(schema, Schema) or schema is None else Schema.from_toml(Path(schema))
    address = os.fspath(source)
    scheme = address.split("://", 1)[0].lower() if "://" in address else ""
    labels: Labels = {}
    if sheet is not None and scheme:
        raise ParameterError("sheet goes with Excel files, and the source is a database; leave it out")
    if scheme in ("postgresql", "postgres"):
        frame, shown = _read_postgres(address, query), without_password(address)
    elif scheme == "duckdb":
        file = _duckdb_file(address)
        frame, shown = _read_database(file, query), f"'{file}'"
    elif scheme == "sqlite":
        file = _duckdb_file(address)
        check_file(file)
        frame, shown = read_sqlite(file, query), f"'{file}'"
    elif scheme:
        raise DataError(
            f"addresses with {scheme!r} cannot be read; use postgresql://, duckdb:/// or sqlite:///, or save the data "
            f"to a file"
        )
    else:
        file = Path(address).expanduser()
        frame, labels = _read_file(
            file, declared, query=query, sheet=sheet, delimiter=delimiter, encoding=encoding, missing=missing
        )
        shown = f"file '{file}'"
    if frame.width == 0:
        raise DataError(f"{shown} has no columns; check that it holds a table")
    if frame.height == 0:
        raise DataError(f"{shown} has column names but no records; give at least one record")
    try:
        return Table(_plain_types(frame), declared, labels=labels)
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
    return _read_file(
        file, schema, query=query, sheet=None, delimiter=delimiter, encoding=encoding, missing=missing
    )[0]  # fmt: skip


def _read_file(
    file: Path,
    schema: Schema | None,
    *,
    query: str | None,
    sheet: str | None,
    delimiter: str | None,
    encoding: str | None,
    missing: Sequence[str],
) -> tuple[pl.DataFrame, Labels]:
    """Read a frame from a file, and what its values mean where the file says so."""
    check_file(file)
    suffixes = [suffix.lower() for suffix in file.suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    ending = (suffixes[-2:-1] or [""])[0] if gzipped else (suffixes or [""])[-1]
    if ending not in _KNOWN or (gzipped and ending not in (*_TEXT, *_JSON)):
        ending = "".join(suffixes[-2:]) if gzipped else ending
        raise DataError(
            f"file '{file}' has {f'the ending {ending!r}, which is not known' if ending else 'no ending'}; "
            f"save it as CSV"
        )
    if query is not None and ending not in _DATABASE:
        raise ParameterError(f"query goes with a database, and '{file}' is a file of records; leave query out")
    if (delimiter is not None or encoding is not None) and ending not in _TEXT:
        raise ParameterError(f"delimiter and encoding go with text files, and '{file}' is none; leave them out")
    if sheet is not None and ending not in _EXCEL:
        raise ParameterError(f"sheet goes with Excel files, and '{file}' is none; leave it out")
    labels: Labels = {}
    try:
        if ending in _DATABASE:
            frame = _read_database(file, query) if not _holds_sqlite(file, ending) else read_sqlite(file, query)
        elif ending in _TEXT:
            frame = read_delimited(file, schema, delimiter=delimiter, encoding=encoding, missing=missing)
        elif ending in _PARQUET:
            frame = read_parquet(file)
        elif ending in _ARROW:
            frame = read_arrow(file)
        elif file.stat().st_size == 0:
            raise DataError(f"file '{file}' is empty; write it again")
        elif ending in _EXCEL:
            frame = read_excel(file, sheet=sheet, missing=missing)
        elif ending in STATISTICAL:
            frame, labels = read_statistical(file, missing=missing)
        else:
            frame = _read_json(file, gzipped=gzipped)
    except OSError as error:
        raise DataError(f"file '{file}' cannot be read: {error.strerror or type(error).__name__}") from None
    return frame, labels


def _holds_sqlite(file: Path, ending: str) -> bool:
    """Whether a database is one of SQLite: by its ending, and of `.db` and others by its first bytes."""
    return ending in _SQLITE or is_sqlite(file)


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


def _holds_data(file: Path) -> bool:
    """Whether a file is one of data, by its name."""
    endings = [ending.lower() for ending in file.suffixes if ending.lower() != ".gz"]
    return bool(endings) and endings[-1] in (*_KNOWN, *_OTHERS)


def _similar(file: Path) -> str:
    import difflib

    beside = [path.name for path in file.parent.iterdir() if _holds_data(path)] if file.parent.is_dir() else []
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
def without_password(address: str) -> str:
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
    shown = without_password(address)
    if query is None:
        raise DataError(f"{shown} needs a query, as in query='SELECT * FROM patients'")
    dbapi = load_optional("adbc_driver_postgresql.dbapi", to="reading PostgreSQL", install="sfumato[postgres]")
    try:
        connection = dbapi.connect(address)
    except dbapi.Error as error:
        raise DataError(f"{shown} cannot be reached: {message_without_secrets(error, address)}") from None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            cursor.execute(query)
            arrow = cursor.fetch_arrow_table()
    except dbapi.Error as error:
        raise DataError(f"{shown} refused the query: {message_without_secrets(error, address)}") from None
    finally:
        connection.close()
    return _from_arrow(arrow, shown)


def message_without_secrets(error: Exception, address: str) -> str:
    """The driver's message without the secrets of the address."""
    said = " ".join(str(error).split()).replace(address, without_password(address))
    server = re.search(r"ERROR: (.*?)(?: LINE \d+:| DETAIL:| HINT:| Query was:| ?\.? SQLSTATE|$)", said)
    said = server[1] if server is not None else said  # what follows may repeat the query, or a record
    for secret in _secrets(address):
        said = said.replace(secret, "***")
    return said.removesuffix(".")[:300]
