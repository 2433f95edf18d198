"""Reading graphs: lists of edges as lines, as SNAP and others write them, and tables with a row for each edge.

However edges are written, the same edges give the same `Graph`: it is undirected and simple, vertices that are all
whole numbers are ordered as numbers, and every other name is kept as it stands.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.delimited import as_utf8, file_content
from sfumato.data.edge_lines import COMMENTS, are_edges, columns_of_ends, ends_of_lines, has_edge_lines
from sfumato.data.fimi import as_whole_numbers
from sfumato.data.graph import Graph
from sfumato.data.plain_files import ending, plain_file
from sfumato.data.reading import read_file
from sfumato.data.schema import Column, Schema
from sfumato.data.values import text
from sfumato.ground.calls import says_what_it_takes
from sfumato.ground.errors import DataError, ParameterError, suggest

__all__ = ["holds_edges", "read_graph"]

_DIRECTIONS = ("any", "both")
_EDGES = (".edges", ".edgelist", ".el")
_LINES = (".txt", *_EDGES, ".dat")
_DELIMITED = (".csv", ".tsv", ".tab")
_TABLES = (*_DELIMITED, ".parquet", ".pq", ".arrow", ".feather", ".ipc", ".json", ".ndjson", ".jsonl")


@says_what_it_takes
def read_graph(
    source: str | os.PathLike[str],
    *,
    direction: str = "any",
    source_column: str | None = None,
    target_column: str | None = None,
    delimiter: str | None = None,
    vertices: str | os.PathLike[str] | Sequence[Any] | pl.Series | None = None,
) -> Graph:
    """Read edges: two names on each line, or a table with a row for each edge; text may be gzipped.

    Lines (`.txt`) have no header but one such as `source` and `target`; those that begin with # or % are comments, and
    what stands behind the two names is left out. Of a table (CSV, TSV, Parquet, Arrow, JSON) the columns are the two
    named, or those called as ends are (`source` and `target`, `from` and `to`, `von` and `nach`, `node1` and `node2`),
    or else the first two. A CSV file whose first line holds numbers is read as lines.

    The graph is undirected: of edges that have a direction, one either way is enough (`direction="any"`), or only pairs
    that are listed both ways count (`"both"`). Loops are dropped, and edges that are listed twice count once.
    `vertices` names vertices that may have no edge: a sequence, a file with one on each line, or a table whose first
    column they are.

    `source_column` and `target_column` name the columns of both ends; `delimiter` is what stands between cells of text,
    and is found where it is not given.

    >>> import sfumato as sf
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "edges.txt")
    >>> _ = file.write_text("1 2\\n2 3\\n")
    >>> sf.read_graph(file)
    Graph(3 vertices, 2 edges)
    """
    _check_parameters(direction, source_column, target_column, delimiter, vertices)
    file = _file(source)
    ends = _from_lines(file, delimiter) if source_column is None and _is_lines(file) else None
    if ends is None:
        ends = _from_table(file, source_column, target_column, delimiter)
    alone = _vertices(vertices)
    if not len(ends) and not len(alone):
        raise DataError(f"file '{file}' has no edges; give at least one, or name the vertices by vertices=")
    codes, names = _number_vertices(ends, alone)
    u, v = codes[: len(ends) // 2], codes[len(ends) // 2 : len(ends)]
    if direction == "both":
        u, v = _mutual(u, v, len(names))
        if not len(u) and len(ends):
            raise DataError(f"file '{file}' lists no pair both ways; say direction='any' if one way is enough")
    return Graph.from_edges(u, v, len(names), names)


_SAMPLE = 1 << 16  # bytes at the beginning that tell what a file holds


def holds_edges(source: str | os.PathLike[str]) -> bool:
    """Whether a file holds the edges of a graph, by its ending or by how it begins; not where it may hold a table.

    A `.dat` file holds sets of items unless it begins with a comment.
    """
    address = os.fspath(source)
    file = Path(address).expanduser()
    end = ending(file)
    if "://" in address or end not in (*_LINES, *_DELIMITED) or not file.is_file():
        return False
    if end in _EDGES:
        return True
    try:
        begin = _begin(file)
    except OSError:
        return False  # whoever reads it says what is wrong
    text = begin.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if end == ".dat" and not text.lstrip().startswith(tuple(COMMENTS)):
        return False
    lines = text.split("\n")
    return are_edges(lines[:-1] if len(begin) == _SAMPLE else lines)


def _begin(file: Path) -> bytes:
    """The first bytes of a file, unpacked where they are gzipped."""
    with file.open("rb") as raw:
        begin = raw.read(_SAMPLE)
    if begin[:2] != b"\x1f\x8b":
        return begin
    unpacked = zlib.decompressobj(wbits=31)
    try:
        return unpacked.decompress(begin, _SAMPLE)
    except zlib.error:
        return b""


def _check_parameters(direction: Any, source: Any, target: Any, delimiter: Any, vertices: Any) -> None:
    if direction not in _DIRECTIONS:
        raise ParameterError(f"direction must be one of {', '.join(map(repr, _DIRECTIONS))}, got {direction!r}")
    for parameter, name in (("source_column", source), ("target_column", target)):
        if name is not None and not isinstance(name, str):
            raise ParameterError(f"{parameter} must be the name of a column, got {name!r}")
    if (source is None) != (target is None):
        raise ParameterError(f"give both source_column and target_column, got {source!r} and {target!r}")
    if source is not None and source == target:
        raise ParameterError(f"source_column and target_column are both {source!r}; name two columns")
    odd = delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1)
    if odd or (delimiter is not None and (delimiter in '"\r\n\0' or not delimiter.isascii())):
        raise ParameterError(f"delimiter must be one ASCII character other than a quote, got {delimiter!r}")
    if vertices is not None and not isinstance(vertices, (str, os.PathLike, Iterable)):
        raise ParameterError(f"vertices must be a file or a sequence of names, got {type(vertices).__name__}")


# -- files -----------------------------------------------------------------------------------------------------------
def _file(source: Any) -> Path:
    return plain_file(
        source, "read_graph", what="edges", otherwise="use Graph.from_edges, from_networkx, from_igraph or from_scipy"
    )


def _is_lines(file: Path) -> bool:
    """Whether it holds lines of edges, by the ending; a table does where it begins with an edge and not with names."""
    end = ending(file)
    if end not in (*_LINES, *_TABLES):
        raise DataError(
            f"file '{file}' has {f'the ending {end!r}, which is not known' if end else 'no ending'}; save it as "
            f".txt with an edge on each line, or as one of {', '.join(_TABLES)}"
        )
    return end in _LINES or (end in _DELIMITED and has_edge_lines(_text(file)))


def _text(file: Path) -> bytes:
    """All of a text file as UTF-8, lines ending in a line feed."""
    try:
        content = as_utf8(file, file_content(file), None)
    except OSError as error:
        raise DataError(f"file '{file}' cannot be read: {error.strerror or type(error).__name__}") from None
    except DataError as error:
        unknown = "encoding=" in str(error)
        raise (
            DataError(f"the encoding of file '{file}' cannot be told; save it as UTF-8") if unknown else error
        ) from None
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content


def _from_lines(file: Path, delimiter: str | None) -> pl.Series:
    content = _text(file)
    try:
        return ends_of_lines(content, delimiter)
    except DataError as error:
        raise DataError(f"file '{file}'{error}") from None


# -- tables ----------------------------------------------------------------------------------------------------------
def _from_table(file: Path, source: str | None, target: str | None, delimiter: str | None) -> pl.Series:
    frame = _frame(file, (), delimiter)
    if source is None or target is None:
        source, target = _two_columns(file, frame)
    columns = [_names(file, _column(file, frame, name), delimiter) for name in (source, target)]
    return pl.concat(_to_one_type(columns))


def _frame(file: Path, as_text: Sequence[str], delimiter: str | None) -> pl.DataFrame:
    schema = Schema.of([Column(name=name, kind="category") for name in as_text])
    frame = read_file(file, schema, query=None, delimiter=delimiter, encoding=None, missing=("",))
    if not frame.width:
        raise DataError(f"file '{file}' has no columns; check that it holds a table")
    return frame


def _two_columns(file: Path, frame: pl.DataFrame) -> tuple[str, str]:
    called = columns_of_ends(frame.columns)
    if called is not None:
        return called
    if frame.width < 2:
        raise DataError(
            f"file '{file}' has the column {frame.columns[0]!r} alone, and an edge has two ends; give two columns, or "
            f"the delimiter if they are not told apart"
        )
    if all(name.strip().isdecimal() for name in frame.columns[:2]):
        raise DataError(
            f"file '{file}' has the columns {frame.columns[0]!r} and {frame.columns[1]!r}, which look like an edge; "
            f"put a line with the names of the columns first"
        )
    return frame.columns[0], frame.columns[1]


def _column(file: Path, frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        raise DataError(f"file '{file}' has no column {name!r}{suggest(name, frame.columns)}")
    return frame[name]


def _names(file: Path, column: pl.Series, delimiter: str | None) -> pl.Series:
    """Return the cells of a column as whole numbers or text; refuse missing ones."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise DataError(f"file '{file}': column {column.name!r} holds {column.dtype}, which is no name of a vertex")
    of_text = ending(file) in (*_LINES, *_DELIMITED)
    if of_text and not (column.dtype.is_integer() or column.dtype == pl.String):  # 1.50 and 1.5 are two names
        column = _frame(file, [column.name], delimiter)[column.name]
    if column.dtype.is_float() and (column.drop_nulls() % 1 == 0).all():
        column = column.cast(pl.Int64, strict=False)
    if not column.dtype.is_integer():
        column = column.cast(pl.String).str.strip_chars()
        gone = column.is_null() | (column == "")
    else:
        gone = column.is_null()
    if gone.any():
        at = int(gone.arg_max() or 0)
        raise DataError(
            f"file '{file}', row {at + 1}: a value of column {column.name!r} is missing; fill it in, or leave the "
            f"row out"
        )
    return column


# -- vertices --------------------------------------------------------------------------------------------------------
def _vertices(given: Any) -> pl.Series:
    if given is None:
        return pl.Series("name", [], dtype=pl.Int64)
    if not isinstance(given, (str, os.PathLike)):
        names = pl.Series("name", [text(name).strip() for name in given], dtype=pl.String)
        if (names == "").any():
            raise ParameterError("vertices holds a name without a letter; give every vertex one")
        return as_whole_numbers(names)
    file = _file(given)
    if ending(file) in _TABLES:
        frame = _frame(file, (), None)
        return _to_one_type([_names(file, frame.to_series(0), None)])[0]
    lines = pl.Series("name", _text(file).decode().split("\n")).str.strip_chars()
    return as_whole_numbers(lines.filter((lines != "") & ~lines.str.head(1).is_in(list(COMMENTS))))


def _to_one_type(columns: Sequence[pl.Series]) -> list[pl.Series]:
    """Return all columns as whole numbers where all can be, or else all as text."""
    found = [as_whole_numbers(column) if column.dtype == pl.String else column for column in columns]
    numbers = [column.cast(pl.Int64, strict=False) if column.dtype.is_integer() else column for column in found]
    if all(column.dtype == pl.Int64 and not column.null_count() for column in numbers):
        return [column.alias("name") for column in numbers]
    return [column.cast(pl.String).alias("name") for column in columns]


def _number_vertices(ends: pl.Series, alone: pl.Series) -> tuple[NDArray[np.int64], list[str]]:
    """Number the vertices in the order of their names; return the number of each end listed, and all names."""
    listed = pl.concat(_to_one_type([ends, alone] if len(alone) else [ends]))
    if listed.dtype == pl.String:
        known = listed.unique().sort()
        lookup = pl.DataFrame({"name": known, "number": np.arange(len(known))})
        return listed.to_frame().join(lookup, on="name", how="left", maintain_order="left")[
            "number"
        ].to_numpy(), known.to_list()
    values = listed.to_numpy()
    first, last = int(values.min()), int(values.max())
    if last - first >= 8 * len(values) + 1024:
        known_values, codes = np.unique(values, return_inverse=True)
        return codes.reshape(-1), [str(value) for value in known_values.tolist()]
    there = np.zeros(last - first + 1, dtype=np.bool_)
    there[values - first] = True
    return (np.cumsum(there) - 1)[values - first], [str(value) for value in (np.flatnonzero(there) + first).tolist()]


def _mutual(
    source: NDArray[np.int64], target: NDArray[np.int64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs that are listed in both directions."""
    up, down = source < target, source > target
    both = np.intersect1d(source[up] * n + target[up], target[down] * n + source[down])
    return both // n, both % n
