"""A release as a TOML file.

    [input]
    path = "patients.csv"          # or a database: uri = "postgresql://...", query = "SELECT ..."
    schema = "schema.toml"         # or [schema] with the columns, in this file; sets of items have none

    [method]                       # left out: Best, which tries those that fit and keeps what loses least
    name = "Mondrian"

    [[promise]]
    name = "KAnonymity"
    k = 10

    [report]                       # what stands at the head of the report; every key may be left out
    title = "Patients of 2024"

    [output]
    folder = "out"

Paths are relative to the recipe. Every mistake in the file is reported at once.
"""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from sfumato.contracts.method import Method, method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.reading import read_table
from sfumato.data.reading_baskets import holds_lines, read_baskets
from sfumato.data.reading_graphs import holds_edges, read_graph
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict
from sfumato.data.table import Table
from sfumato.data.toml_checks import sentences_of, try_or_note
from sfumato.data.toml_file import read_toml
from sfumato.ground.errors import RecipeError
from sfumato.ground.validate import told
from sfumato.privacy.of_population import population_schema
from sfumato.privacy.promise import Promise, promise_from_dict
from sfumato.report.identity import identity_of

__all__ = ["Recipe", "read_recipe"]


_NOTHING_ASKED = (
    'neither a method nor a promise is there; add a promise, as in [[promise]] with name = "KAnonymity" and k = 10, '
    "and the method goes by the data"
)


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Input(_Part):
    path: str | None = None
    uri: str | None = None
    query: str | None = None
    sheet: str | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    delimiter: str | None = None
    encoding: str | None = None
    missing: list[str] = Field(default=[""])
    baskets: Literal["fimi", "long", "lists", "one-hot"] | None = None
    record: str | None = None
    item: str | None = None
    label: str | None = None
    labels: str | None = None
    direction: Literal["any", "both"] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> _Input:
        if (self.path is None) == (self.uri is None):
            raise ValueError("give either path or uri")
        return self


class _Output(_Part):
    folder: str | None = None
    format: Literal["auto", "parquet", "csv", "arrow"] = "auto"
    report: bool = True
    overwrite: bool = False


class _File(_Part):
    input: _Input
    method: dict[str, Any] | None = None
    promise: list[dict[str, Any]] | dict[str, Any] = Field(default=[])
    schema_part: dict[str, Any] | None = Field(default=None, alias="schema")
    output: _Output = Field(default=_Output())
    report: dict[str, Any] = Field(default={})
    previous: list[str] = Field(default=[])
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that one release needs."""

    source: str
    query: str | None
    options: dict[str, Any]
    schema: Schema | None
    """None for sets of items and graphs."""
    takes: type[Table] | type[Baskets] | type[Graph]
    """What the data are."""
    method: Method | None
    """None for the default one, which goes by the data and the promise."""
    promise: Promise | None
    folder: Path | None
    save: dict[str, Any]
    previous: tuple[Path, ...]
    """The folders of earlier releases that this one goes on from, oldest first."""
    seed: int | str | None

    def data(self) -> Table | Baskets | Graph:
        """Read the data that the recipe names."""
        if self.takes is Graph:
            return read_graph(self.source, **self.options)
        if self.takes is Baskets:
            return read_baskets(self.source, **self.options)
        return read_table(self.source, self.schema, query=self.query, **self.options)


def read_recipe(path: str | Path) -> Recipe:
    """Read and check a recipe."""
    file = Path(path)
    given = read_toml(file, "recipe", RecipeError, "check its path")
    problems: list[str] = []
    parsed: _File | None = None
    try:
        parsed = _File.model_validate(given)
    except ValidationError as error:
        problems += sentences_of(error, _WANTED)
    of_method: list[str] = []  # the method is needed first; its problems are listed after those of the schema
    method: Any = (
        try_or_note(of_method, lambda: method_from_dict(_with_hierarchy_path(given["method"], file.parent)))
        if _is_table(given.get("method"))
        else None
    )
    takes = _takes(parsed, method, file.parent) if parsed is not None else Table
    kind = _KINDS[takes]
    schema: Any = try_or_note(problems, lambda: _schema(parsed, file.parent, kind)) if parsed is not None else None
    problems += of_method
    promise = try_or_note(problems, lambda: _promise(given.get("promise", []), file.parent, schema, parsed))
    if "method" not in given and not given.get("promise"):
        problems.append(_NOTHING_ASKED)
    about: Any = try_or_note(problems, lambda: _about(parsed.report)) if parsed is not None else None
    if problems or parsed is None:
        raise RecipeError(f"recipe '{file}': {'; '.join(problems)}")
    source, folder = parsed.input, parsed.output.folder
    return Recipe(
        source=str(file.parent / source.path) if source.path is not None else str(source.uri),
        query=source.query,
        options=_options(source, file.parent, kind),
        schema=schema, takes=takes, method=method, promise=promise,
        folder=file.parent / folder if folder is not None else None,
        save=parsed.output.model_dump(exclude={"folder"}) | about,
        previous=tuple(file.parent / each for each in parsed.previous), seed=parsed.seed,
    )  # fmt: skip


def _about(given: dict[str, Any]) -> dict[str, Any]:
    """What `Release.save` takes of the part on the report, checked."""
    said = {key: value for key, value in given.items() if key != "attack"}
    attack = given.get("attack", False)
    if not isinstance(attack, bool):
        raise RecipeError(f"report.attack must be true or false, got {told(attack)}")
    identity_of(said, where="report")
    return ({"about": said} if said else {}) | ({"attack": attack} if attack else {})


_WANTED = {"seed": "a whole number or a text", "promise": "a table, or a list of tables"}


def _says_sets(source: _Input) -> bool:
    """Whether the input is sets of items, whatever the method."""
    return source.baskets is not None or (source.path is not None and holds_lines(source.path))


def _takes(parsed: _File, method: Method | None, base: Path) -> type[Table] | type[Baskets] | type[Graph]:
    """What the data are: as the method or the keys say; without a method, edges are known by how their file begins."""
    if method is not None and method.takes is Graph:
        return Graph
    if _says_sets(parsed.input) or (method is not None and method.takes is Baskets):
        return Baskets
    source, described = parsed.input, parsed.schema_part is not None or parsed.input.schema_file is not None
    by_contents = source.path is not None and not described and holds_edges(base / source.path)
    return Graph if parsed.method is None and (source.direction is not None or by_contents) else Table


def _options(source: _Input, base: Path, kind: str) -> dict[str, Any]:
    """The options of the function that reads this kind of data."""
    missing = tuple(source.missing)
    if kind == "graphs":
        return {"direction": source.direction or "any", "delimiter": source.delimiter}
    if kind == "tables":
        return {
            "sheet": source.sheet, "delimiter": source.delimiter, "encoding": source.encoding, "missing": missing,
        }  # fmt: skip
    named = {name: given for name in ("record", "item", "label") if (given := getattr(source, name)) is not None}
    labels = base / source.labels if source.labels is not None else None
    return {"format": source.baskets, "labels": labels, "missing": missing, **named}


def _with_hierarchy_path(method: dict[str, Any], base: Path) -> dict[str, Any]:
    """The method's parameters, with the path of a hierarchy file made relative to the recipe."""
    beside = method.get("hierarchy")
    return {**method, "hierarchy": str(base / beside)} if isinstance(beside, str) else method


_KINDS: dict[type, str] = {Table: "tables", Baskets: "sets of items", Graph: "graphs"}

_KEYS = {
    "tables": ("uri", "query", "sheet", "delimiter", "encoding"),
    "sets of items": ("baskets", "record", "item", "label", "labels"),
    "graphs": ("direction", "delimiter"),
}
"""The keys of [input] for each kind of data, beside `path`, `missing` and the schema of tables."""


def _schema(parsed: _File, base: Path, kind: str) -> Schema | None:
    """The schema of a table, or None for other data; keys that are for another kind of data are refused."""
    source = parsed.input
    for other, keys in _KEYS.items():
        for name in keys:
            if name not in _KEYS[kind] and getattr(source, name) is not None:
                raise RecipeError(f"input.{name} is for {other}, and the data are {kind}; leave it out")
    if kind != "tables":
        if parsed.schema_part is not None or source.schema_file is not None:
            raise RecipeError(f"{kind} have no schema; leave it out")
        return None
    if (parsed.schema_part is None) == (parsed.input.schema_file is None):
        raise RecipeError("give the schema once: as a file in input.schema, or as [schema] in the recipe")
    if parsed.schema_part is not None:
        return schema_from_dict(parsed.schema_part, base=base)
    return Schema.from_toml(base / str(parsed.input.schema_file))


def _with_files(promise: dict[str, Any], base: Path, schema: Schema | None, missing: tuple[str, ...]) -> dict[str, Any]:
    """A promise's parameters, with paths made relative to the recipe, and its population read."""
    placed = dict(promise)
    if isinstance(placed.get("ground"), str):
        placed["ground"] = str(base / placed["ground"])
    if isinstance(placed.get("population"), str):
        described = population_schema(schema) if schema is not None else None
        placed["population"] = read_table(str(base / placed["population"]), described, missing=missing)
    return placed


def _is_table(part: Any) -> bool:
    """Whether a part of the file is a table of TOML."""
    return isinstance(part, dict)


def _promise(given: Any, base: Path, schema: Schema | None, parsed: _File | None) -> Promise | None:
    listed = given if isinstance(given, list) else [given]
    missing = tuple(parsed.input.missing) if parsed is not None else ("",)
    promises = [promise_from_dict(_with_files(each, base, schema, missing)) for each in listed if _is_table(each)]
    return functools.reduce(operator.and_, promises) if promises else None
