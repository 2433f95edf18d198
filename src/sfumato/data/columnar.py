"""Reading Parquet and Arrow files that may be damaged, or made to harm.

Files are decoded by pyarrow, which checks what it reads, and only what passed the check is given to polars, whose own
readers end the process at some damaged files. Every failure is one sentence.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from sfumato.data.dates import check_dates
from sfumato.ground.errors import DataError

__all__ = ["read_arrow", "read_parquet"]

_ENUM = b"_PL_ENUM_VALUES2"
_DEEPEST = 16
_FEW = 1.6
"""Bytes per value below which a column of texts must have few of them."""


def read_parquet(path: Path) -> pl.DataFrame:
    """Read a Parquet file; one that cannot be read, or is damaged, raises `DataError`."""
    return _read(path, "Parquet", _parquet)


def read_arrow(path: Path) -> pl.DataFrame:
    """Read an Arrow (or Feather) file or stream; one that cannot be read, or is damaged, raises `DataError`."""
    return _read(path, "Arrow or Feather", _arrow)


def _read(path: Path, what: str, decode: Callable[[Path], tuple[pa.Table, list[str]]]) -> pl.DataFrame:
    try:
        with path.open("rb") as stream:
            if not stream.read(1):
                raise DataError(f"file '{path}' is empty; write it again")
    except (OSError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"file '{path}' cannot be read: {getattr(error, 'strerror', None) or 'not a path'}") from None
    try:
        table, coded = decode(path)
        table.validate(full=True)
        frame = _frame(table, coded)
        check_dates(frame)
    except DataError as error:
        raise DataError(f"file '{path}': {error}") from None
    except MemoryError:
        raise DataError(f"file '{path}' is damaged, or too large for the memory of this machine") from None
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError,
            TypeError, OverflowError):  # fmt: skip
        raise DataError(f"file '{path}' is not {what}, or is damaged; check its ending or write it again") from None
    return frame


def _open(path: Path) -> Any:
    opener: Any = pa.OSFile  # takes bytes, whatever its types say: a name need not be text
    return opener(os.fsencode(path), "rb")


def _parquet(path: Path) -> tuple[pa.Table, list[str]]:
    """Decode a file; texts with few values come as codes, named in the list, which takes a third of the time."""
    with _open(path) as source, pq.ParquetFile(source) as file:
        coded = _texts_of_few_values(file)
        if not coded:
            return file.read(), []
    with _open(path) as source, pq.ParquetFile(source, read_dictionary=coded) as file:
        return file.read(), coded


def _texts_of_few_values(file: pq.ParquetFile) -> list[str]:
    said, names = file.metadata, file.schema_arrow.names
    if not said.num_row_groups or said.num_columns != len(names) or len(set(names)) < len(names):
        return []
    first = said.row_group(0)
    few = []
    for number, field in enumerate(file.schema_arrow):
        column = first.column(number)
        is_text = pa.types.is_large_string(field.type) or pa.types.is_string(field.type)
        if is_text and column.has_dictionary_page and column.total_uncompressed_size < _FEW * column.num_values:
            few.append(field.name)
    return few


def _arrow(path: Path) -> tuple[pa.Table, list[str]]:
    with _open(path) as source:
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        with (ipc.open_file if is_file else ipc.open_stream)(source) as reader:
            return reader.read_all(), []


def _frame(table: pa.Table, coded: list[str]) -> pl.DataFrame:
    """Give checked columns to polars, without the notes to it that a file may carry, which it trusts."""
    names = table.column_names
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise DataError(f"the column {twice!r} is there twice; name one of them otherwise")
    series, as_codes = [], set(coded)
    for field, column in zip(table.schema, table.columns, strict=True):
        plain = _plain(field.name, column)
        note = (field.metadata or {}).get(_ENUM)
        if field.name in as_codes:
            series.append(_decoded(field.name, plain, pl.String()))
        elif note is not None and pa.types.is_dictionary(plain.type):
            series.append(_decoded(field.name, plain, pl.Enum(_values_of_enum(note))))
        else:
            series.append(pl.Series(field.name, pl.from_arrow(plain)))
    return pl.DataFrame(series)


def _decoded(name: str, column: Any, dtype: pl.DataType) -> pl.Series:
    """The values behind codes, in the type `dtype`."""
    parts = [
        pl.Series(name, pl.from_arrow(chunk.dictionary)).cast(dtype).gather(pl.Series(pl.from_arrow(chunk.indices)))
        for chunk in column.chunks
    ]
    return pl.concat(parts) if parts else pl.Series(name, [], dtype=dtype)


def _plain(name: str, column: Any) -> Any:
    """The column in a type that polars takes, without names and notes in it."""
    kind = column.type
    wanted = _taken(kind, 0)
    if wanted is None:
        raise DataError(f"column {name!r} has the type {str(kind)[:80]}, which is not read; write it as another")
    if isinstance(kind, pa.BaseExtensionType):
        storage: Any = kind.storage_type
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], storage)
    return column if column.type.equals(wanted, check_metadata=True) else column.cast(wanted)


def _taken(kind: Any, depth: int) -> Any:
    """The type as polars takes it, or None."""
    test = pa.types
    if depth > _DEEPEST:
        return None
    if isinstance(kind, pa.BaseExtensionType):
        return _taken(kind.storage_type, depth + 1)
    if test.is_timestamp(kind):
        return pa.timestamp("ms" if kind.unit == "s" else kind.unit, kind.tz)  # the zone is decoded, or refused
    if test.is_duration(kind):
        return pa.duration("ms") if kind.unit == "s" else kind
    if test.is_decimal(kind):
        return kind if 0 <= kind.scale <= kind.precision <= 38 else None
    if test.is_dictionary(kind):
        return (
            kind
            if _taken(kind.value_type, depth + 1) == kind.value_type and not test.is_nested(kind.value_type)
            else None
        )
    if test.is_fixed_size_list(kind):
        inside = _taken(kind.value_type, depth + 1) if kind.list_size else None
        return inside and pa.list_(pa.field("item", inside), kind.list_size)
    if test.is_list(kind) or test.is_large_list(kind):
        inside = _taken(kind.value_type, depth + 1)
        return inside and pa.large_list(pa.field("item", inside))
    if test.is_struct(kind):
        inside = [(field.name, _taken(field.type, depth + 1)) for field in kind]
        return None if any(found is None for _, found in inside) else pa.struct(inside)
    simple = (test.is_null, test.is_boolean, test.is_integer, test.is_floating, test.is_date, test.is_time,
              test.is_string, test.is_large_string, test.is_string_view, test.is_binary, test.is_large_binary,
              test.is_binary_view, test.is_fixed_size_binary)  # fmt: skip
    return kind if any(is_kind(kind) for is_kind in simple) else None


def _values_of_enum(note: bytes) -> list[str]:
    """The values that polars notes for a column of a fixed set of them, each as its length, a semicolon and itself."""
    values, at = [], 0
    while at < len(note):
        length, found, _ = note[at : at + 20].partition(b";")
        if not found or not length.isdigit():
            raise ValueError("no list of values")
        start = at + len(length) + 1
        at = start + int(length)
        if at > len(note):
            raise ValueError("no list of values")
        values.append(note[start:at].decode())
    return values
