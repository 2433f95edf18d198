"""The published data of a release as files: Parquet, CSV or Arrow, and how each is read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.data.bounds import add_bounds, drop_bounds
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.data.schema_file import schema_from_dict
from sfumato.errors import ReleaseError
from sfumato.release import Release, published_graph, published_table

__all__ = ["FORMATS", "read_data", "read_files", "write_data"]

FORMATS = ("parquet", "csv", "arrow")
_LISTS = ("base", "differs")
"""The columns of published baskets that hold lists of items."""


def write_data(release: Release, folder: Path, format: str) -> tuple[str, dict[str, Any]]:
    """Write the published data and what is published beside them; the file's name, and what a reader must be told."""
    name = f"data.{format}"
    frame, public = release.data.frame, dict(release.public)
    if isinstance(release.data, Graph):
        pass  # two columns of whole numbers, in every format
    elif isinstance(release.data, PublishedBaskets):
        if format == "csv":
            _refuse_blank_texts(frame)
            frame = frame.with_columns(_as_json(frame[each]) for each in _LISTS)
    elif format == "csv":
        _refuse_blank_texts(frame)
        public["types"] = {name: _type(frame[name].dtype) for name in frame.columns
                           if name in release.forms or frame[name].dtype.is_temporal()}  # fmt: skip
    else:
        frame, public["bounds"] = add_bounds(frame, release.forms, release.schema)
    if format == "csv":
        frame.write_csv(folder / name)
    elif format == "parquet":
        frame.write_parquet(folder / name)
    else:
        frame.write_ipc(folder / name, compression="zstd")
    for beside, table in release.files.items():
        table.write_parquet(folder / f"{beside}.parquet")
    if release.files:
        public["files"] = [f"{beside}.parquet" for beside in release.files]
    return name, public


def _as_json(lists: pl.Series) -> pl.Series:
    """Lists of names as JSON, for formats that hold text alone."""
    return pl.Series(lists.name, [json.dumps(each, ensure_ascii=False) for each in lists.to_list()], dtype=pl.String)


def _refuse_blank_texts(frame: pl.DataFrame) -> None:
    for column in frame.iter_columns():
        if column.dtype == pl.String and bool((column == "").any()):
            raise ReleaseError(
                f"column {column.name!r} holds empty texts, which a CSV file cannot tell from missing values; "
                f"save as parquet"
            )


def read_data(path: Path, public: dict[str, Any]) -> Any:
    """The published data."""
    if "graph" in public:
        frame = pl.read_csv(path) if path.suffix == ".csv" else _columns(path)
        return published_graph(frame, public)
    if "baskets" in public:
        if path.suffix == ".csv":
            lists = pl.read_csv(path, infer_schema=False).with_columns(
                pl.col(_LISTS).str.json_decode(pl.List(pl.String)), pl.col("threshold").cast(pl.Int64)
            )
        else:
            lists = _columns(path)
        return PublishedBaskets.from_frame(lists, public["baskets"]["items"])
    schema = schema_from_dict(public["schema"])
    forms = public.get("forms", {})
    if path.suffix == ".csv":
        frame = pl.read_csv(path, infer_schema=False)
        frame = frame.with_columns(_typed(frame[name], kind) for name, kind in public.get("types", {}).items())
    else:
        frame = _columns(path)
        frame = drop_bounds(frame, public.get("bounds", {}), forms, schema)
    return published_table(frame, schema, public)


def _columns(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ipc(path)


def read_files(path: Path, public: dict[str, Any]) -> dict[str, pl.DataFrame]:
    """The tables published beside the data, by name."""
    return {Path(name).stem: pl.read_parquet(path / Path(name).name) for name in public.get("files", [])}


def _type(dtype: pl.DataType) -> str:
    """The type of a column as a certificate names it, for formats that hold text alone."""
    if isinstance(dtype, pl.Datetime):
        return " ".join(["time", dtype.time_unit, *([dtype.time_zone] if dtype.time_zone else [])])
    return "number" if dtype.is_float() else "integer" if dtype.is_integer() else "date" if dtype == pl.Date else "text"


def _typed(shown: pl.Series, kind: str) -> pl.Series:
    """A column of a text file as numbers or dates again."""
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
