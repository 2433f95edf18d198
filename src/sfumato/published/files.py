"""Published data in files: what each format can hold, and how it is read back.

What is certified is what readers see. So a file holds columns and nothing else (no notes, no unused categories), and
text that stands for numbers or dates is written in one way for each value: else the way in which a row writes its value
would be a mark that tells it from others which show the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from sfumato.data.columnar import read_arrow, read_parquet
from sfumato.data.delimited import read_cells
from sfumato.ground.errors import DataError, ReleaseError
from sfumato.published.shape import Shape, shape_type

__all__ = [
    "FORMATS",
    "formats_to_try",
    "lists_as_json",
    "read_columns",
    "read_data",
    "read_files",
    "read_texts",
    "refuse_blank_texts",
    "refuse_unused_values",
    "restore_types",
    "type_of",
    "write_data",
]  # fmt: skip

FORMATS = ("parquet", "csv", "arrow")
_MOST_CSV_ROWS = 100_000
"""Larger tables are written as Parquet where nobody says otherwise."""


def formats_to_try(shape: Shape) -> tuple[str, ...]:
    """The formats to write data in where nobody says which, the first that holds them being the one.

    It is CSV for tables of up to 100,000 rows, as everybody can open it. Baskets and graphs, which are read by
    programs, and tables with others beside them, which are Parquet, are written as Parquet.
    """
    small = shape.room == "tables" and not shape.release.files and len(shape.release.data) <= _MOST_CSV_ROWS
    return ("csv", "parquet") if small else ("parquet",)


def write_data(
    shape: Shape, folder: Path, format: str, *, escape_formulas: bool = False
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    """Write the published data and the tables beside them; return the file's name and what readers must be told.

    With `escape_formulas`, texts in a CSV file that a spreadsheet would take for a formula begin with an apostrophe.
    """
    name, files = f"data.{format}", shape.release.files
    frame, public = shape.frame_to_write(format)
    public.pop("escaped", None)  # of the file that the release was loaded from
    if format != "csv":
        public.pop("types", None)
    if format == "csv":
        if escape_formulas:
            frame, public["escaped"] = _escape(frame), True
        frame.write_csv(folder / name)
    elif format == "parquet":
        frame.write_parquet(folder / name)
    else:
        frame.write_ipc(folder / name, compression="zstd")
    for beside, table in files.items():
        table.write_parquet(folder / f"{beside}.parquet")
    if files:
        public["files"] = [f"{beside}.parquet" for beside in files]
    return name, public


def read_data(path: Path, public: Mapping[str, Any]) -> Any:
    """Read the published data from their file, by the shape that the release says it has."""
    return shape_type(public).read(path, public)


def read_files(path: Path, public: Mapping[str, Any]) -> dict[str, pl.DataFrame]:
    """Read the tables published beside the data, by name."""
    return {Path(name).stem: read_columns(path / Path(name).name) for name in public.get("files", [])}


def read_columns(path: Path) -> pl.DataFrame:
    """Read a file of a format that keeps the types of columns; refuse one that holds more than columns."""
    parquet = path.suffix == ".parquet"
    frame = read_parquet(path) if parquet else read_arrow(path)
    _refuse_notes(path, parquet=parquet)
    _refuse_unused_codes(path, parquet=parquet)
    return frame


def _refuse_notes(path: Path, *, parquet: bool) -> None:
    """Refuse a file that carries notes beside its columns: nobody looks at them, and they may hold anything."""
    try:
        if parquet:
            said = pq.read_metadata(path)
            noted = set(said.metadata or {}) - {b"ARROW:schema"}
            schema = said.schema.to_arrow_schema()
        else:
            with pa.OSFile(str(path), "rb") as source, ipc.open_file(source) as reader:
                schema, noted = reader.schema, set()
    except (OSError, pa.ArrowException):
        raise DataError(f"file '{path.name}' is damaged; ask its owner for a new copy") from None
    noted |= set(schema.metadata or {}) - {b"ARROW:schema"}
    noted |= {key for field in schema for key in field.metadata or {} if not key.startswith((b"_PL_", b"PARQUET:"))}
    if noted:
        raise DataError(f"file '{path.name}' carries notes beside its columns, and a release has none")


def _refuse_unused_codes(path: Path, *, parquet: bool) -> None:
    """Refuse a column whose values are listed apart from its rows, with some among them that no row has."""
    try:
        for name, column in _coded_columns(path, parquet=parquet).items():
            chunks: list[Any] = column.unify_dictionaries().chunks
            used = {code for chunk in chunks for code in chunk.indices.unique().to_pylist()} - {None}
            if chunks and len(chunks[0].dictionary) > len(used):
                raise DataError(f"column {name!r} lists values that no row shows; a release lists none")
    except (OSError, pa.ArrowException):
        raise DataError(f"file '{path.name}' is damaged; ask its owner for a new copy") from None


def _coded_columns(path: Path, *, parquet: bool) -> dict[str, Any]:
    """The columns of a file whose values are listed apart from its rows."""
    if parquet:
        coded = [field.name for field in pq.read_schema(path) if pa.types.is_dictionary(field.type)]
        return {name: pq.read_table(path, columns=[name]).column(name) for name in coded}
    with pa.OSFile(str(path), "rb") as source, ipc.open_file(source) as reader:
        coded = [field.name for field in reader.schema if pa.types.is_dictionary(field.type)]
        return {name: reader.read_all().column(name) for name in coded}


def refuse_unused_values(frame: pl.DataFrame) -> None:
    """Refuse a column whose type lists values that no row has."""
    for column in frame.iter_columns():
        if isinstance(column.dtype, pl.Enum) and len(column.dtype.categories) > column.drop_nulls().n_unique():
            raise DataError(f"column {column.name!r} lists values that no row shows; a release lists none")


_FORMULA = r"^[=+\-@\t\r']"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"


def _escape(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before texts that begin as a formula does, and before those that begin with one; no numbers."""
    text = pl.col(pl.String)
    formula = text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER)
    return frame.with_columns(pl.when(formula).then("'" + text).otherwise(text).name.keep())


def read_texts(path: Path, public: Mapping[str, Any]) -> pl.DataFrame:
    """Read a CSV file as the text that it stands for; refuse one that is not written as releases are."""
    frame = read_cells(path)
    if frame.write_csv().encode() != path.read_bytes():
        raise DataError(
            f"file '{path.name}' is not written as a release is (quotes only where they are needed, lines that end in "
            f"a line feed, no blanks around)"
        )
    if public.get("escaped") is not True:
        return frame
    plain = frame.with_columns(pl.col(pl.String).str.strip_prefix("'"))
    if not _escape(plain).equals(frame):
        raise DataError(f"file '{path.name}' does not put an apostrophe before formulas as the certificate says")
    return plain


def lists_as_json(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return the frame with these columns of lists as JSON, for formats that hold text alone."""
    return frame.with_columns(
        pl.Series(name, [json.dumps(each, ensure_ascii=False) for each in frame[name].to_list()], dtype=pl.String)
        for name in names
    )


def refuse_blank_texts(frame: pl.DataFrame) -> None:
    """Refuse empty texts, which a CSV file cannot tell from missing values."""
    for column in frame.iter_columns():
        if column.dtype == pl.String and bool((column == "").any()):
            raise ReleaseError(
                f"column {column.name!r} holds empty texts, which a CSV file cannot tell from missing values; "
                f"save as parquet"
            )


def type_of(dtype: pl.DataType) -> str:
    """The type of a column as a certificate names it, for formats that hold text alone."""
    if isinstance(dtype, pl.Datetime):
        return " ".join(["time", dtype.time_unit, *([dtype.time_zone] if dtype.time_zone else [])])
    return "number" if dtype.is_float() else "integer" if dtype.is_integer() else "date" if dtype == pl.Date else "text"


def restore_types(frame: pl.DataFrame, types: Mapping[str, str]) -> pl.DataFrame:
    """Return columns that were read as text in the types that the certificate names."""
    return frame.with_columns(_restore_type(frame[name], kind) for name, kind in types.items())


def _restore_type(shown: pl.Series, kind: str) -> pl.Series:
    """Return a column in its type; refuse values that are written in several ways, which would tell rows apart."""
    values = _parse(shown, kind)
    ways = pl.DataFrame([shown.alias("text"), values.alias("value")]).unique()
    twice = ways.filter(pl.col("value").is_duplicated()).sort("text")
    if twice.height:
        a, b = twice["text"].head(2).to_list()
        raise DataError(f"column {shown.name!r} writes one value in two ways, {a!r} and {b!r}")
    return values


def _parse(shown: pl.Series, kind: str) -> pl.Series:
    if kind in ("number", "integer"):
        return shown.cast(pl.Float64 if kind == "number" else pl.Int64)
    if kind == "date":
        return shown.str.to_date()
    if not kind.startswith("time"):
        return shown
    unit, zone = (*kind.split(" ")[1:], None, None)[:2]
    if zone is None:
        return shown.str.to_datetime(time_unit=unit or "us")  # type: ignore[arg-type]
    moments = shown.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", time_unit=unit)  # type: ignore[arg-type]
    return moments.dt.convert_time_zone(zone)
