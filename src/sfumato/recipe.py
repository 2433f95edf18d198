"""A release as a TOML file.

    [input]
    path = "patients.csv"          # or a database: uri = "postgresql://...", query = "SELECT ..."
    schema = "schema.toml"         # or [schema] with the columns, in this file

    [method]
    name = "Mondrian"

    [[promise]]
    name = "KAnonymity"
    k = 10

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

from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict
from sfumato.data.table import Table
from sfumato.data.toml_file import read_toml
from sfumato.errors import RecipeError, SfumatoError
from sfumato.method import Method, method_from_dict
from sfumato.privacy import Promise, promise_from_dict

__all__ = ["Recipe", "read_recipe"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Input(_Part):
    path: str | None = None
    uri: str | None = None
    query: str | None = None
    schema_file: str | None = Field(default=None, alias="schema")
    delimiter: str | None = None
    encoding: str | None = None
    missing: list[str] = Field(default=[""])

    @model_validator(mode="after")
    def _one_source(self) -> _Input:
        if (self.path is None) == (self.uri is None):
            raise ValueError("give either path or uri")
        return self


class _Output(_Part):
    folder: str | None = None
    format: Literal["parquet", "csv", "arrow"] = "parquet"
    report: bool = True
    overwrite: bool = False


class _File(_Part):
    input: _Input
    method: dict[str, Any]
    promise: list[dict[str, Any]] | dict[str, Any] = Field(default=[])
    schema_part: dict[str, Any] | None = Field(default=None, alias="schema")
    output: _Output = Field(default=_Output())
    seed: int | str | None = None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything that one release needs."""

    source: str
    query: str | None
    options: dict[str, Any]
    schema: Schema
    method: Method
    promise: Promise | None
    folder: Path | None
    save: dict[str, Any]
    seed: int | str | None

    def table(self) -> Table:
        """Read the data that the recipe names."""
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
        problems += [_problem(dict(each)) for each in error.errors()]
    schema: Any = _attempt(problems, lambda: _schema(parsed, file.parent)) if parsed is not None else None
    method: Any = _attempt(problems, lambda: method_from_dict(given["method"])) if _named(given.get("method")) else None
    promise = _attempt(problems, lambda: _promise(given.get("promise", [])))
    if problems or parsed is None:
        raise RecipeError(f"recipe '{file}': {'; '.join(problems)}")
    source, folder = parsed.input, parsed.output.folder
    return Recipe(
        source=str(file.parent / source.path) if source.path is not None else str(source.uri),
        query=source.query,
        options={"delimiter": source.delimiter, "encoding": source.encoding, "missing": tuple(source.missing)},
        schema=schema, method=method, promise=promise,
        folder=file.parent / folder if folder is not None else None,
        save=parsed.output.model_dump(exclude={"folder"}), seed=parsed.seed,
    )  # fmt: skip


def _problem(error: dict[str, Any]) -> str:
    where = ".".join(str(part) for part in error["loc"]) or "the file"
    if error["type"] == "extra_forbidden":
        return f"{where} is no known key"
    if error["type"] == "missing":
        return f"{where} is missing"
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {message[0].lower()}{message[1:]}, got {error['input']!r}" if error["loc"] else message


def _attempt(problems: list[str], build: Any) -> Any:
    try:
        return build()
    except SfumatoError as error:
        problems.append(str(error))
        return None


def _schema(parsed: _File, base: Path) -> Schema:
    if (parsed.schema_part is None) == (parsed.input.schema_file is None):
        raise RecipeError("give the schema once: as a file in input.schema, or as [schema] in the recipe")
    if parsed.schema_part is not None:
        return schema_from_dict(parsed.schema_part, base=base)
    return Schema.from_toml(base / str(parsed.input.schema_file))


def _named(part: Any) -> bool:
    return isinstance(part, dict)


def _promise(given: Any) -> Promise | None:
    listed = given if isinstance(given, list) else [given]
    promises = [promise_from_dict(each) for each in listed if _named(each)]
    return functools.reduce(operator.and_, promises) if promises else None
