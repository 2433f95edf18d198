"""`sfumato inspect`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.options import SETS_ALONE, holds_sets, read_sets, read_source, refuse_unused, say, write_json
from sfumato.data.inspecting import inspect_table
from sfumato.data.inspecting_baskets import inspect_baskets
from sfumato.data.inspecting_graphs import inspect_graph
from sfumato.data.reading_graphs import read_graph
from sfumato.ground.errors import ParameterError, SchemaError

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["run"]


def run(
    source: str,
    *,
    query: str | None,
    sets: SetFile,
    output: Path | None,
    overwrite: bool,
    missing: str,
    as_json: bool,
) -> int:
    """Describe a table and write a schema for it; sets of items and graphs need none."""
    if (graph := sets.direction is not None) or holds_sets(source, sets):
        if output is not None or query is not None:
            what = "graphs" if graph else "sets of items"
            raise ParameterError(f"{what} have no schema and no query; leave --output and --query out")
        refuse_unused(sets, *(("a graph", "direction") if graph else ("sets of items", *SETS_ALONE)))
        return _of_graph(source, sets, as_json=as_json) if graph else _of_sets(source, sets, missing, as_json=as_json)
    refuse_unused(sets, "a table")
    target = output or (Path("schema.toml") if "://" in source else Path(source).parent / "schema.toml")
    if target.exists() and not overwrite:
        raise SchemaError(f"'{target}' exists already; name another file with -o, or say --overwrite")
    inspection = inspect_table(read_source(source, query=query, missing=missing))
    target.write_text(inspection.to_toml(), encoding="utf-8")
    if as_json:
        write_json({**inspection.to_dict(), "schema": str(target)})
        return 0
    say(inspection.render(), "", f"Wrote {target}: edit the roles, then run")
    say(f"  sfumato publish {source} --schema {target} --k 10 -o out")
    return 0


def _of_sets(source: str, sets: SetFile, missing: str, *, as_json: bool) -> int:
    found = inspect_baskets(read_sets(source, sets, missing=missing))
    if as_json:
        write_json(found.to_dict())
        return 0
    given = "".join(f" --{name} {value}" for name, value in vars(sets).items() if value is not None)
    promise = f"--l {min(4, found.most_diverse)}" if found.most_diverse is not None else "--k 10"
    say(*found.lines(), "", "Everything in a basket can be known to somebody. To publish them, run")
    say(f"  sfumato publish {source}{given} {promise} -o out")
    return 0


def _of_graph(source: str, sets: SetFile, *, as_json: bool) -> int:
    found = inspect_graph(read_graph(source, direction=sets.direction or "any"))
    if as_json:
        write_json(found.to_dict())
        return 0
    say(*found.lines(), "", "How much to perturb it, and what that would cost, is told by")
    say(f"  sfumato risk {source} --direction {sets.direction}")
    return 0
