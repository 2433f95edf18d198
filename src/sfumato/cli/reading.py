"""Data as commands read them: a table with its schema, sets of items, or a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.cli.options import SETS_ALONE, read_sets, read_source, refuse_unused
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import read_graph
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["check_schema", "read_data", "reading_words"]


def check_schema(source: str, takes: type, schema: Path | None, query: str | None, sets: SetFile) -> Schema | None:
    """Refuse options that say nothing of such data, before any are read; return the schema of a table."""
    if takes is Table:
        if schema is None:
            edges = "; if its lines are the edges of a graph, say --direction any" if _may_be_edges(source) else ""
            raise ParameterError(f"--schema is missing; `sfumato inspect {source}` writes one to edit{edges}")
        refuse_unused(sets, "a table")
        return Schema.from_toml(schema)
    if schema is not None or query is not None:
        what = "a graph has" if takes is Graph else "sets of items have"
        raise ParameterError(f"{what} no schema and no query; leave --schema and --query out")
    refuse_unused(sets, *(("a graph", "direction") if takes is Graph else ("sets of items", *SETS_ALONE)))
    return None


def _may_be_edges(source: str) -> bool:
    """Whether a file is of a kind that lists of edges are often written to, and tables more seldom."""
    return Path(source.removesuffix(".gz")).suffix.lower() == ".txt"


def read_data(
    source: str, takes: type, schema: Schema | None, query: str | None, sets: SetFile, missing: str
) -> Table | Baskets | Graph:
    """Read the data from their source."""
    if takes is Table:
        return read_source(source, schema, query=query, sheet=sets.sheet, missing=missing)
    if takes is Graph:
        return read_graph(source, direction=sets.direction or "any")
    return read_sets(source, sets, missing=missing)


def reading_words(query: str | None, sets: SetFile, missing: str) -> list[str]:
    """The options that say how data are read, as words of another command that is to read the same."""
    given = {"query": query, **vars(sets), "missing": missing or None}
    words = []
    for name, value in given.items():
        if value is not None:
            words += [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
    return words
