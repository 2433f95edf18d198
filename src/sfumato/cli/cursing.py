"""`sfumato inspect --curse`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.options import holds_sets, read_source, say, split_names, write_json
from sfumato.data.inspecting import inspect_table
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.report.curse_chart import SUFFIXES, save_curse
from sfumato.verbs.curse import curse

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["run"]


def run(
    source: str,
    *,
    query: str | None,
    sets: SetFile,
    output: Path | None,
    schema: Path | None,
    ks: str | None,
    max_loss: float | None,
    plot: Path | None,
    missing: str,
    as_json: bool,
) -> int:
    """Say how many quasi-identifiers a table can stand; draw it where a file is named."""
    if sets.direction is not None or holds_sets(source, sets):
        raise ParameterError("--curse is about the columns of a table; sets of items and graphs have none")
    if output is not None:
        raise ParameterError("--curse writes no schema; leave --output out, or name a picture with --plot")
    if plot is not None and plot.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"--plot draws to {', '.join(SUFFIXES)}, got '{plot.name}'")
    table = read_source(source, schema, query=query, sheet=sets.sheet, missing=missing)
    if schema is None:
        table = table.with_schema(inspect_table(table).schema)
        if not table.schema.quasi:
            raise SchemaError(
                "no column looks like a quasi-identifier; name them in a schema and give it with --schema"
            )
    asked: dict[str, Any] = {"ks": [_whole(k) for k in split_names(ks)]} if ks is not None else {}
    if max_loss is not None:
        asked["max_loss"] = max_loss
    found = curse(table, **asked)
    drawn = save_curse(found, plot) if plot is not None else None
    if as_json:
        write_json({**found.to_dict(), **({"plot": str(drawn)} if drawn is not None else {})})
        return 0
    say(found.render())
    if schema is None:
        say("", "Which columns are quasi-identifiers was guessed; give a schema to decide it.")
    if drawn is not None:
        say("", f"Drew {drawn}")
    return 0


def _whole(given: str) -> int:
    try:
        return int(given)
    except ValueError:
        raise ParameterError(
            f"--k takes whole numbers separated by commas, as in 2,5,10 with --curse; got {given!r}"
        ) from None
