"""Published data in files: what each format can hold, and how it is read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.ground.errors import ReleaseError
from sfumato.published.shape import Shape, shape_type

__all__ = [
    "FORMATS",
    "lists_as_json",
    "read_columns",
    "read_data",
    "read_files",
    "refuse_blank_texts",
    "restore_type",
    "type_of",
    "write_data",
]  # fmt: skip

FORMATS = ("parquet", "csv", "arrow")


def write_data(shape: Shape, folder: Path, format: str) -> tuple[str, dict[str, Any]]:
    """Write the published data and the tables beside them; return the file's name and what readers must be told."""
    name, files = f"data.{format}", shape.release.files
    frame, public = shape.frame_to_write(format)
    if format == "csv":
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
    return {Path(name).stem: pl.read_parquet(path / Path(name).name) for name in public.get("files", [])}


def read_columns(path: Path) -> pl.DataFrame:
    """Read a file of a format that keeps the types of columns."""
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ipc(path)


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


def restore_type(shown: pl.Series, kind: str) -> pl.Series:
    """Return a column that was read as text in the type that the certificate names."""
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
