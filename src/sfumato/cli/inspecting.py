"""`sfumato inspect`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.cli.options import SETS_ALONE, holds_sets, kind_of, read_sets, read_source, refuse_unused, say, write_json
from sfumato.data.baskets import Baskets
from sfumato.data.date_formats import recognise_dates
from sfumato.data.graph import Graph
from sfumato.data.inspecting import Inspection, inspect_table
from sfumato.data.inspecting_baskets import inspect_baskets
from sfumato.data.inspecting_graphs import inspect_graph
from sfumato.data.persons import codes_of
from sfumato.data.reading_graphs import read_graph
from sfumato.data.recognising_contents import has_lines_of_items, record_and_item
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SchemaError

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["run"]

_MOST_DIVERSE = 3
_TEXT = (".csv", ".tsv", ".tab", ".txt")


def run(
    source: str,
    *,
    query: str | None,
    sets: SetFile,
    output: Path | None,
    overwrite: bool,
    missing: str,
    as_json: bool,
    html: Path | None = None,
    wide: bool = False,
) -> int:
    """Describe a table and write a schema for it; sets of items and graphs need none."""
    kind = Table if query is not None and not holds_sets(source, sets) else kind_of(source, sets)
    recognised = ""
    if kind is Table and query is None and has_lines_of_items(source):
        kind, sets = Baskets, replace(sets, baskets="fimi")
        recognised = "The lines hold whole numbers, not as many on each, so they are read as sets of items."
    if kind is Table:
        shown: dict[str, Any] = {"as_json": as_json, "html": html, "wide": wide}
        return _of_table(source, query, sets, output, missing, overwrite=overwrite, **shown)
    graph = kind is Graph
    if output is not None or query is not None or html is not None:
        what = "graphs" if graph else "sets of items"
        raise ParameterError(f"{what} have no schema, no query and no profile; leave --output, --query and --html out")
    refuse_unused(sets, *(("a graph", "direction") if graph else ("sets of items", *SETS_ALONE)))
    if graph:
        if sets.direction is None:
            recognised = "The lines hold two vertices each, so they are read as the edges of a graph."
        return _of_graph(source, sets, recognised, as_json=as_json)
    return _of_sets(source, sets, missing, recognised, as_json=as_json)


def _of_table(
    source: str, query: str | None, sets: SetFile, output: Path | None, missing: str, *, overwrite: bool, as_json: bool,
    html: Path | None, wide: bool,
) -> int:  # fmt: skip
    refuse_unused(sets, "a table")
    target = output or (Path("schema.toml") if "://" in source else Path(source).parent / "schema.toml")
    for file, option in ((target, "-o"), *([(html, "--html")] if html is not None else [])):
        if file.exists() and not overwrite:
            raise SchemaError(f"'{file}' exists already; name another file with {option}, or say --overwrite")
    table = read_source(source, query=query, sheet=sets.sheet, missing=missing)
    if output is None and html is None and (pair := record_and_item(table)) is not None:
        sets = replace(sets, baskets="long", record=pair[0], item=pair[1])
        told = f"The rows pair {pair[0]} with {pair[1]}, so they are read as sets of items"
        recognised = f"{told}; -o schema.toml makes them a table."
        return _of_sets(source, sets, missing, recognised, as_json=as_json)
    inspection = inspect_table(table, date_formats=_date_formats(source, table, missing))
    target.write_text(inspection.to_toml(), encoding="utf-8")
    if html is not None:
        from sfumato.report.profile import save_profile

        save_profile(table, inspection, html, name=Path(source).name if "://" not in source else "the query")
    sheet = ["--sheet", sets.sheet] if sets.sheet is not None else []
    command = _publish(source, ["--schema", str(target), *sheet], query, missing, _promise(table, inspection.schema))
    if as_json:
        write_json({**inspection.to_dict(), "schema": str(target), "next": command})
        return 0
    wrote = f"Wrote {target} and {html}" if html is not None else f"Wrote {target}"
    say(inspection.render(wide=wide), "", f"{wrote}: {_first(inspection)}", f"  {command}")
    return 0


def _first(found: Inspection) -> str:
    """What is to be done before `publish` is run."""
    if not found.schema.quasi:
        return "declare what an outsider may know as quasi, then run"
    if found.refused:
        return "answer the first question there, then edit the roles and run"
    return "edit the roles, then run"


def _date_formats(source: str, table: Table, missing: str) -> dict[str, str]:
    """How the dates of a text file are written; it is read once more, as the table holds dates and not their text."""
    named = [name for name in table.columns if table.frame[name].dtype in (pl.Date, pl.Datetime)]
    if not named or "://" in source or not {*_TEXT} & {each.lower() for each in Path(source).suffixes}:
        return {}
    as_text = Schema.of([Column(name=name, kind="category") for name in named])
    texts = read_source(source, as_text, missing=missing).frame
    found = {name: recognise_dates(texts[name]).certain for name in named}
    return {name: form for name, form in found.items() if form is not None and not form.startswith("yyyy-mm-dd")}


def _k(n_rows: int) -> int:
    """The usual k; less where there are too few rows for it."""
    return 10 if n_rows >= 20 else max(2, n_rows // 2)


def _promise(table: Table, schema: Schema) -> str:
    """The options that ask for k, and for as much diversity, up to 3, as each sensitive column has as a whole."""
    shares = [len(table) // int(np.bincount(codes_of(table.frame[name])).max()) for name in schema.sensitive]
    diverse = min(_MOST_DIVERSE, *shares) if shares else 1
    return f"--k {_k(len(table))}" + (f" --l {diverse}" if diverse > 1 else "")


def _publish(source: str, options: Sequence[str], query: str | None, missing: str, promise: str) -> str:
    """The command that goes on, as a shell takes it, with all that was said of the data."""
    words = ["sfumato", "publish", _without_password(source), *options]
    words += ["--query", query] if query is not None else []
    words += ["--missing", missing] if missing else []
    return f"{shlex.join(words)} {promise} -o {_free_folder()}"


def _without_password(source: str) -> str:
    """The source as it may stand in a log; drivers find the password in the environment.

    >>> _without_password("postgresql://steward:secret@db.example/hospital")
    'postgresql://steward@db.example/hospital'
    """
    scheme, sign, rest = source.partition("://")
    user, at, host = rest.rpartition("@")
    return f"{scheme}{sign}{user.partition(':')[0]}{at}{host}" if sign and at else source


def _free_folder() -> str:
    """A folder that is not there yet."""
    return next(name for n in range(1, 10_000) if not Path(name := "out" if n == 1 else f"out{n}").exists())


def _of_sets(source: str, sets: SetFile, missing: str, recognised: str, *, as_json: bool) -> int:
    found = inspect_baskets(read_sets(source, sets, missing=missing))
    options = [word for name, value in vars(sets).items() if value is not None for word in (f"--{name}", str(value))]
    promise = f"--l {min(4, found.most_diverse)}" if found.most_diverse is not None else f"--k {_k(found.n_records)}"
    command = _publish(source, options, None, missing, promise)
    if as_json:
        write_json({**found.to_dict(), "next": command})
        return 0
    say(*([recognised, ""] if recognised else []), *found.lines(), "")
    say("Everything in a basket can be known to somebody. To publish them, run", f"  {command}")
    return 0


def _of_graph(source: str, sets: SetFile, recognised: str, *, as_json: bool) -> int:
    found = inspect_graph(read_graph(source, direction=sets.direction or "any"))
    direction = ["--direction", sets.direction] if sets.direction is not None else []
    command = shlex.join(["sfumato", "risk", source, *direction])
    if as_json:
        write_json({**found.to_dict(), "next": command})
        return 0
    if recognised:
        say(f"{recognised} If these are a table, give it a line of column names other than those of two ends.", "")
    say(*found.lines(), "", "How much to perturb it, and what that would cost, is told by", f"  {command}")
    return 0
