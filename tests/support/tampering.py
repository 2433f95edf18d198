"""Tamperings with releases on disk, generated, each with what must become of it.

A tampering edits a reader's copy. Whoever edits data or tables mends the hashes of the certificate too, so that only
the content is wrong. `caught`: the release is damaged or its verdict broken, exit code 1. `open`: not decided, exit
code 1 too. `stands`: it passes by design, with the reason; then the plain checker must find the promise true of the
bytes.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

import sfumato as sf
from support.house import SEED, mixed, published

Edit = Callable[[Path], None]


@dataclass(frozen=True)
class Tampering:
    """An edit of a copy of `base`, and what must become of it; `why` where it stands."""

    base: str
    name: str
    edit: Edit
    outcome: str = "caught"
    why: str = ""

    def __str__(self) -> str:
        return f"{self.base}: {self.name}"


# -- releases that are tampered with ---------------------------------------------------------------------------------


@cache
def made(name: str) -> sf.Release:
    if name == "classes":
        return sf.publish(mixed(), sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=SEED)
    if name == "means":
        return sf.publish(mixed(), sf.Hilbert(show="means"), sf.KAnonymity(5), seed=SEED)
    if name == "two tables":
        return sf.publish(mixed(), sf.Mondrian(show="permutation"), sf.LDiversity(2), seed=SEED)
    if name == "subdomains":
        method = sf.TargetDistribution(groups=sf.Hilbert(), group_size=15, within=0.3)
        return sf.publish(mixed(), method, seed=SEED)
    if name == "sequence":
        first = sf.publish(mixed(), sf.Republishing(), sf.MInvariance(5), seed=SEED)
        kept = (
            mixed()
            .frame.filter(pl.col("illness") != "flu")
            .vstack(mixed().frame.filter(pl.col("illness") == "flu").head(2))
        )
        return sf.publish(
            sf.Table(kept, mixed().schema), sf.Republishing(), sf.MInvariance(5), previous=[first], seed=SEED
        )
    return published(name)[0]


@cache
def _root() -> Path:
    root = Path(tempfile.mkdtemp(prefix="sfumato-tampered-"))
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    return root


@cache
def saved(base: str) -> Path:
    """The folder of a base, such as `classes.csv`, saved once; a reader's copy of it is edited."""
    name, format = base.split(".")
    folder = _root() / base.replace(" ", "_")
    made(name).save(folder, format=format, report=False)
    return folder


def copy_of(base: str, where: Path) -> Path:
    """A reader's copy, without the owner's part; the one before it is gone."""
    folder = where / "copy"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved(base), folder)
    return folder


# -- edits ----------------------------------------------------------------------------------------------------------


def rehash(folder: Path, **changes: Any) -> None:
    """Write the certificate with hashes that fit the files, and with these changes."""
    certificate = json.loads((folder / "release.json").read_text(encoding="utf-8")) | changes
    for name in certificate["files"]:
        content = (folder / name).read_bytes()
        certificate["files"][name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (folder / "release.json").write_text(json.dumps(certificate), encoding="utf-8")


def data_file(folder: Path) -> Path:
    [path] = folder.glob("data.*")
    return path


def read_arrow_table(path: Path) -> pa.Table:
    return pq.read_table(path) if path.suffix == ".parquet" else ipc.open_file(path).read_all()


def write_arrow_table(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)


def columnar(change: Callable[[pa.Table], pa.Table], file: str | None = None, **told: Any) -> Edit:
    """Rewrite a Parquet or Arrow file, by default that of the data, and mend the hashes."""

    def edit(folder: Path) -> None:
        path = folder / file if file is not None else data_file(folder)
        write_arrow_table(change(read_arrow_table(path)), path)
        rehash(folder, **told)

    return edit


def cells(
    name: str, change: Callable[[int, Any], Any], type: pa.DataType | None = None
) -> Callable[[pa.Table], pa.Table]:
    """Change the cells of a column by row number and value; in another type where one is given."""

    def edit(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(name)
        values = [change(i, value) for i, value in enumerate(table.column(at).to_pylist())]
        return table.set_column(at, name, pa.array(values, type=type or table.schema.field(at).type))

    return edit


def text_of_data(change: Callable[[str], str]) -> Edit:
    """Rewrite a CSV file, and mend the hashes."""

    def edit(folder: Path) -> None:
        path = data_file(folder)
        path.write_bytes(change(path.read_bytes().decode()).encode())
        rehash(folder)

    return edit


def line_of_data(n: int, change: Callable[[str], str]) -> Edit:
    """Rewrite a line of a CSV file."""

    def edit(text: str) -> str:
        lines = text.split("\n")
        lines[n] = change(lines[n])
        return "\n".join(lines)

    return text_of_data(edit)


def told(*keys: str, value: Any) -> Edit:
    """Write another value at a place of the certificate; `...` leaves the key out."""

    def edit(folder: Path) -> None:
        certificate = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        inside = certificate
        for key in keys[:-1]:
            inside = inside[key]
        if value is ...:
            del inside[keys[-1]]
        else:
            inside[keys[-1]] = value(inside.get(keys[-1])) if callable(value) else value
        (folder / "release.json").write_text(json.dumps(certificate), encoding="utf-8")

    return edit


def both(*edits: Edit) -> Edit:
    def edit(folder: Path) -> None:
        for each in edits:
            each(folder)

    return edit


def mark(i: int, value: Any) -> Any:
    """A text that tells every row from the others."""
    return f"{value}{' ' * i}"


def first_row(change: Callable[[Any], Any]) -> Callable[[int, Any], Any]:
    return lambda i, value: change(value) if i == 0 else value


def backwards(table: pa.Table) -> pa.Table:
    return pa.Table.from_pylist(table.to_pylist()[::-1], schema=table.schema)


def append(table: pa.Table, name: str, values: Any) -> pa.Table:
    return table.append_column(name, pa.array(values))


def unused_values(name: str, *, listed: bool = True) -> Callable[[pa.Table], pa.Table]:
    """A column of text with a dictionary of more values than rows show; `listed`: as a type that lists them."""

    def edit(table: pa.Table) -> pa.Table:
        at = table.schema.get_field_index(name)
        texts = table.column(at).to_pylist()
        known = [*sorted(set(texts)), "p001", "p002"]
        codes = pa.array([known.index(text) for text in texts], pa.uint32())
        coded = pa.DictionaryArray.from_arrays(codes, pa.array(known))
        note = {"_PL_ENUM_VALUES2": "".join(f"{len(text.encode())};{text}" for text in known)} if listed else None
        return table.set_column(at, pa.field(name, coded.type, metadata=note), coded)

    return edit


def everything() -> Iterator[Tampering]:
    """All tamperings."""
    from support.tampered_certificates import certificate_edits
    from support.tampered_data import data_edits
    from support.tampered_files import file_edits
    from support.tampered_tables import table_edits

    yield from data_edits()
    yield from table_edits()
    yield from certificate_edits()
    yield from file_edits()


__all__ = [
    "Edit",
    "Tampering",
    "append",
    "backwards",
    "both",
    "cells",
    "columnar",
    "copy_of",
    "data_file",
    "everything",
    "first_row",
    "line_of_data",
    "mark",
    "read_arrow_table",
    "rehash",
    "saved",
    "text_of_data",
    "told",
    "unused_values",
    "write_arrow_table",
]  # fmt: skip
