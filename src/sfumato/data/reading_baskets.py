"""Reading set-valued data: FIMI lines, long tables, columns of lists and one-hot tables.

However the records are written, the same records give the same `Baskets`: blanks around names do not count, items
that are all whole numbers are ordered as numbers, and every other name is kept as it stands.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.delimited import as_utf8, file_content
from sfumato.data.fimi import as_whole_numbers, from_lines
from sfumato.data.plain_files import ending, plain_file
from sfumato.data.reading import read_file
from sfumato.data.schema import Column, Schema
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError, ParameterError, suggest

__all__ = ["holds_lines", "read_baskets"]

_FORMATS = ("fimi", "long", "lists", "one-hot")
_LINES = (".dat", ".fimi")
_TABLES = (
    ".csv", ".tsv", ".tab", ".txt", ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".ndjson", ".jsonl",
)  # fmt: skip
_SAMPLE = 1 << 16


@says_what_it_takes
def read_baskets(
    source: str | os.PathLike[str],
    *,
    labels: str | os.PathLike[str] | Sequence[Any] | pl.Series | None = None,
    format: str | None = None,
    record: str = "record",
    item: str = "item",
    label: str | None = None,
    missing: Sequence[str] = ("",),
) -> Baskets:
    """Read records that are sets of items, and perhaps a sensitive label for each.

    `format` is found where it is not given: `"fimi"` (a line of items for each record), `"long"` (a table with the
    columns `record` and `item`), `"lists"` (a column of lists: the only one, or `item`) or `"one-hot"` (a column of 0
    and 1 for each item). Records stand in the order in which they are first met.

    `label` names the column of the labels. Otherwise `labels` gives them in the order of the records: a sequence, a
    file with one on each line, or a table of one column (or with the column `label`). Cells equal to one of
    `missing` have no value, which is refused.

    `source` is the file.

    >>> import sfumato as sf
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "baskets.txt")
    >>> _ = file.write_text("milk tea\\nmilk\\n")
    >>> sf.read_baskets(file)
    Baskets(2 records, 2 items, 3 present)
    """
    _check_parameters(labels, format, record, item, label, missing)
    missing = tuple(missing or ())
    file = _file(source)
    inside = label if labels is None else None
    if format == "fimi" or (format is None and _is_fimi(file)):
        if inside is not None:
            raise ParameterError(f"label={inside!r} names a column, and '{file}' has none; give the labels by labels=")
        baskets = from_lines(file, _text(file), sure=format == "fimi")
    else:
        frame = _frame(file, [name for name in (record, item, inside) if name is not None], missing)
        try:
            baskets = _from_table(frame, format, record, item, inside, missing)
        except DataError as error:
            raise DataError(f"file '{file}': {error}") from None
    return baskets if labels is None else _with_labels(baskets, labels, label, missing)


def _check_parameters(labels: Any, format: Any, record: Any, item: Any, label: Any, missing: Any) -> None:
    if isinstance(missing, str):
        raise ParameterError(f"missing takes a list of cells, got the text {missing!r}; write [{missing!r}]")
    if format is not None and format not in _FORMATS:
        raise ParameterError(f"format must be one of {', '.join(map(repr, _FORMATS))}, got {format!r}")
    for parameter, name in (("record", record), ("item", item), ("label", label)):
        if not isinstance(name, str) and (name is not None or parameter != "label"):
            raise ParameterError(f"{parameter} must be the name of a column, got {name!r}")
    if record == item or label in (record, item):
        raise ParameterError(f"record, item and label must be different columns, got {record!r}, {item!r}, {label!r}")
    if labels is not None and not isinstance(labels, (str, os.PathLike)):
        if not isinstance(labels, Iterable):
            raise ParameterError(f"labels must be a file or one label for each record, got {type(labels).__name__}")
        if label is not None:
            raise ParameterError(f"label={label!r} names a column, and labels holds them already; leave one out")


# -- files -----------------------------------------------------------------------------------------------------------
def _file(source: Any) -> Path:
    held = "frames go to Baskets.from_one_hot(frame), lists to Baskets.from_lists(records)"
    return plain_file(source, "read_baskets", what="records", otherwise=held)


def holds_lines(source: str) -> bool:
    """Whether a file holds lines of items for certain, by its ending."""
    return "://" not in source and ending(Path(source)) in _LINES


def _is_fimi(file: Path) -> bool:
    """Whether it is FIMI, by the ending; a `.txt` file is where nothing in it could separate the cells of a table."""
    end = ending(file)
    if end not in (*_LINES, *_TABLES):
        raise DataError(
            f"file '{file}' has {f'the ending {end!r}, which is not known' if end else 'no ending'}; say "
            f"format='fimi' if each line holds the items of a record, or save it as .dat, .csv or .parquet"
        )
    return end in _LINES or (end == ".txt" and not any(c in _text(file)[:_SAMPLE] for c in b",;|\t"))


def _text(file: Path) -> bytes:
    """All of a text file as UTF-8, lines ending in a line feed."""
    try:
        content = as_utf8(file, file_content(file), None)
    except OSError as error:
        raise DataError(f"file '{file}' cannot be read: {error.strerror or type(error).__name__}") from None
    except DataError as error:
        raise _no_encoding(file, error) from None
    if not content:
        raise DataError(f"file '{file}' is empty; give a file with one record on each line")
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def _frame(file: Path, as_text: Iterable[str], missing: Sequence[str]) -> pl.DataFrame:
    """Read a table; of a text file, these columns stay as they are written, as 250.0 and 250.00 may be two codes."""
    if ending(file) not in _TABLES:
        raise DataError(f"file '{file}' is no table by its ending; save it as .csv or .parquet, or say format='fimi'")
    schema = Schema.of([Column(name=name, kind="category") for name in as_text])
    try:
        frame = read_file(file, schema, query=None, delimiter=None, encoding=None, missing=missing)
    except DataError as error:
        raise _no_encoding(file, error) from None
    if not frame.height or not frame.width:
        raise DataError(f"file '{file}' has no records; give at least one")
    return frame


def _no_encoding(file: Path, error: DataError) -> DataError:
    unknown = "encoding=" in str(error)
    return DataError(f"the encoding of file '{file}' cannot be told; save it as UTF-8") if unknown else error


# -- tables ----------------------------------------------------------------------------------------------------------
def _from_table(
    frame: pl.DataFrame, format: str | None, record: str, item: str, label: str | None, missing: Sequence[str]
) -> Baskets:
    if label is not None:
        _column(frame, label, "label")
    kind = format or _kind(frame, record, item, label)
    if kind == "long":
        return _from_long(frame, record, item, label, missing)
    labels = None if label is None else _cells(frame[label], missing)
    if kind == "lists":
        return _from_lists(frame[_list_column(frame, item)], labels, missing)
    columns = [_flags(column) for column in frame.iter_columns() if column.name != label]
    if not columns:
        raise DataError(f"there is no column beside the label {label!r}; give a column of 0 and 1 for each item")
    return Baskets.from_one_hot(pl.DataFrame(columns), labels)


def _kind(frame: pl.DataFrame, record: str, item: str, label: str | None) -> str:
    """Find how the records are written; refuse to guess where the columns leave a doubt."""
    nested = _columns_of_lists(frame)
    named = [name for name in (record, item) if name in frame.columns]
    long = len(named) == 2 and item not in nested
    if nested and long:
        raise DataError(
            f"there are columns {record!r} and {item!r}, and {nested[0]!r} holds lists; say format='long' or "
            f"format='lists'"
        )
    if nested or long:
        return "lists" if nested else "long"
    others = [column for column in frame.iter_columns() if column.name != label]
    odd = [column.name for column in others if _as_flags(column) is None]
    if others and not odd:
        return "one-hot"
    if len(named) == 1:
        lacking = item if named == [record] else record
        parameter = "item" if lacking is item else "record"
        left = [name for name in frame.columns if name not in (named[0], label)]
        example = f", as in {parameter}={left[0]!r}" if left else ""
        raise DataError(f"there is no column {lacking!r}; name the column of the {parameter}s{example}")
    if len(odd) == 1 and len(others) > 2:
        raise DataError(
            f"all columns but {odd[0]!r} hold 0 and 1; say label={odd[0]!r} if it is the label, or else leave it out"
        )
    example = f", as in record={frame.columns[0]!r}, item={frame.columns[-1]!r}" if frame.width > 1 else ""
    raise DataError(
        f"there are no columns {record!r} and {item!r}, no column of lists, and not all columns hold 0 and 1; name "
        f"the columns{example}, or say format='fimi' if each line holds the items of a record"
    )


def _from_long(frame: pl.DataFrame, record: str, item: str, label: str | None, missing: Sequence[str]) -> Baskets:
    keys = _cells(_column(frame, record, "record"), missing)
    items = _cells(_column(frame, item, "item"), missing)
    first = np.sort(keys.arg_unique().to_numpy())
    lookup = pl.DataFrame({"key": keys.gather(first), "number": np.arange(len(first))})
    number = keys.alias("key").to_frame().join(lookup, on="key", how="left", maintain_order="left")["number"].to_numpy()
    labels = None
    if label is not None:
        every = _cells(frame[label], missing)
        labels = every.gather(first)
        other = every != labels.gather(number)
        if other.any():
            at = int(other.arg_max() or 0)
            raise DataError(
                f"rows {first[number[at]] + 1} and {at + 1} give one record two labels in column {label!r}; "
                f"give each record one"
            )
    return Baskets.from_pairs(number, _items_as_numbers(items), len(first), labels)


def _from_lists(lists: pl.Series, labels: pl.Series | None, missing: Sequence[str]) -> Baskets:
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    if lists.null_count():
        at = int(lists.is_null().arg_max() or 0)
        raise DataError(f"row {at + 1}: column {lists.name!r} is empty; write an empty list for a record without items")
    lengths = lists.list.len().to_numpy()
    if not lengths.any():
        raise DataError(f"the lists of column {lists.name!r} are all empty; give at least one item")
    record = np.repeat(np.arange(len(lists)), lengths)
    items = _cells(lists.filter(pl.Series(lengths > 0)).explode(), missing, record)
    return Baskets.from_pairs(record, _items_as_numbers(items), len(lists), labels)


def _columns_of_lists(frame: pl.DataFrame) -> list[str]:
    """The names of the columns that hold lists."""
    return [column.name for column in frame.iter_columns() if isinstance(column.dtype, (pl.List, pl.Array))]


def _list_column(frame: pl.DataFrame, item: str) -> str:
    nested = _columns_of_lists(frame)
    if item in nested:
        return item
    if item in frame.columns:
        raise DataError(f"column {item!r} holds no lists; name one that does, or say format='long'")
    if item != "item":
        raise DataError(f"there is no column {item!r} for item{suggest(item, nested)}")
    if len(nested) != 1:
        found = f"columns {nested[0]!r} and {nested[1]!r} both hold lists" if nested else "no column holds lists"
        raise DataError(f"{found}; name the one with the items, as in item={(nested or frame.columns)[0]!r}")
    return nested[0]


def _column(frame: pl.DataFrame, name: str, parameter: str) -> pl.Series:
    if name not in frame.columns:
        raise DataError(f"there is no column {name!r} for {parameter}{suggest(name, frame.columns)}")
    return frame[name]


def _cells(column: pl.Series, missing: Sequence[str], rows: NDArray[np.int64] | None = None) -> pl.Series:
    """Return the values of a column; refuse missing ones."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise DataError(f"column {column.name!r} holds {column.dtype}, which is no name; give text or whole numbers")
    if column.dtype in (pl.Categorical, pl.Enum):
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        column = column.str.strip_chars()
        gone = column.is_null() | column.is_in(["", *missing])
    else:
        gone = column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()
    if gone.any():
        at = int(gone.arg_max() or 0)
        row = at if rows is None else int(rows[at])
        raise DataError(f"row {row + 1}: a value of column {column.name!r} is missing; fill it in, or leave it out")
    return column


def _items_as_numbers(items: pl.Series) -> pl.Series:
    """Return items as whole numbers where all of them are."""
    return as_whole_numbers(items) if items.dtype == pl.String else items


def _as_flags(column: pl.Series) -> pl.Series | None:
    """The column as true and false, or None where it holds something else."""
    if column.null_count():
        return None
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        words = column.cast(pl.String).str.strip_chars().str.to_lowercase()
        return words.is_in(["1", "true"]) if words.is_in(["0", "1", "true", "false"]).all() else None
    if column.dtype == pl.Boolean:
        return column
    return column == 1 if column.dtype.is_numeric() and ((column == 0) | (column == 1)).all() else None


def _flags(column: pl.Series) -> pl.Series:
    flags = _as_flags(column)
    if flags is not None:
        return flags.alias(column.name)
    at = next(i for i in range(len(column)) if _as_flags(column.slice(i, 1)) is None)
    value = "a missing value" if column[at] is None else repr(column[at])
    raise DataError(
        f"row {at + 1}: column {column.name!r} holds {value[:40]}, and not 0 or 1; leave the column out, or say "
        f"label={column.name!r} if it is the label"
    )


# -- labels ----------------------------------------------------------------------------------------------------------
def _with_labels(baskets: Baskets, labels: Any, label: str | None, missing: Sequence[str]) -> Baskets:
    if not isinstance(labels, (str, os.PathLike)):
        return Baskets(baskets.starts, baskets.ids, baskets.items, labels)
    file = _file(labels)
    found, hint = _labels(file, label, missing)
    if len(found) != len(baskets):
        hint = hint if len(found) == len(baskets) - 1 else ""
        raise DataError(
            f"file '{file}': there are {len(found):,} labels for {len(baskets):,} records; give each record one{hint}"
        )
    return Baskets(baskets.starts, baskets.ids, baskets.items, found)


def _labels(file: Path, label: str | None, missing: Sequence[str]) -> tuple[pl.Series, str]:
    """Read the labels from a file; also return a hint for the case that there is one too few."""
    if ending(file) in _TABLES and ending(file) != ".txt":
        frame = _frame(file, [] if label is None else [label], missing)
        if label is None and frame.width > 1:
            raise DataError(
                f"file '{file}' has {frame.width} columns; name the one with the labels, as in "
                f"label={frame.columns[-1]!r}"
            )
        try:
            name = label or frame.columns[0]
            column = _column(frame, name, "label")
            if column.dtype != pl.String:
                column = _frame(file, [name], missing)[name]
            return _cells(column, missing), f" (its first line, {name!r}, is read as the name of the column)"
        except DataError as error:
            raise DataError(f"file '{file}': {error}") from None
    if label is not None:
        raise ParameterError(f"label={label!r} names a column, and '{file}' has one label a line; leave label out")
    lines = _text(file).decode().removesuffix("\n").split("\n")
    found = pl.Series("label", lines).str.strip_chars()
    gone = found.is_in(["", *missing])
    if gone.any():
        raise DataError(f"file '{file}', line {int(gone.arg_max() or 0) + 1}: there is no label; give each record one")
    return found, ""
