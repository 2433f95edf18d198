"""Schema files: a `[columns.NAME]` table for each column, in TOML."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from pathlib import Path
from typing import Any

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import KINDS, MISSING_RULES, ROLES, Column, Schema
from sfumato.errors import SchemaError, suggest

__all__ = ["read_schema", "schema_from_dict", "schema_to_dict", "toml_value", "write_schema"]

_TABLE_KEYS = ("missing", "rest")
_COLUMN_KEYS = ("role", "kind", "low", "high", "weight", "hierarchy", "order", "missing")


def read_schema(path: str | Path) -> Schema:
    """Read a schema file; every mistake in it is reported at once. Hierarchy files are found beside it."""
    file = Path(path)
    try:
        given = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise SchemaError(f"schema file '{file}' does not exist; `sfumato inspect DATA` writes one") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"schema file '{file}' is not TOML: {error}") from None
    try:
        return schema_from_dict(given, base=file.parent)
    except SchemaError as error:
        raise SchemaError(f"schema file '{file}': {error}") from None


def schema_from_dict(given: dict[str, Any], *, base: Path = Path()) -> Schema:
    """A schema from plain data, as in a schema file or the `[schema]` part of a recipe."""
    known = (*_TABLE_KEYS, "columns")
    problems = [f"unknown key {key!r}{suggest(key, known)}" for key in given if key not in known]
    described = given.get("columns", {})
    if not isinstance(described, dict) or not described:
        problems.append("no columns; write a table [columns.NAME] for each")
        described = {}
    rest = given.get("rest", "identifier")
    if rest not in ROLES:
        problems.append(f"rest must be one of {', '.join(ROLES)}, got {rest!r}")
    missing = given.get("missing", "value")
    if missing not in MISSING_RULES:
        problems.append(f"missing must be one of {', '.join(MISSING_RULES)}, got {missing!r}")
        missing = "value"
    columns = []
    for name, fields in described.items():
        try:
            columns.append(_column(name, fields, missing, base))
        except SchemaError as error:
            problems.append(str(error))
    if problems:
        raise SchemaError("; ".join(problems))
    return Schema.of(columns, rest=rest)


def _column(name: str, fields: Any, missing: Any, base: Path) -> Column:
    if not isinstance(fields, dict):
        raise SchemaError(f"column {name!r} must be a table with a role, got {fields!r}")
    for key in fields:
        if key not in _COLUMN_KEYS:
            raise SchemaError(f"column {name!r}: unknown key {key!r}{suggest(key, _COLUMN_KEYS)}")
    if "role" not in fields:
        raise SchemaError(f"column {name!r} has no role; give one of {', '.join(ROLES)}")
    if "kind" in fields and fields["kind"] not in KINDS:
        raise SchemaError(f"column {name!r}: kind must be one of {', '.join(KINDS)}, got {fields['kind']!r}")
    hierarchy = fields.get("hierarchy")
    try:
        if isinstance(hierarchy, str):
            hierarchy = Hierarchy.from_csv(base / hierarchy)
        elif isinstance(hierarchy, dict):
            if hierarchy.get("type") == "csv" and "path" in hierarchy:
                hierarchy = {**hierarchy, "path": base / str(hierarchy["path"])}
            hierarchy = Hierarchy.from_dict(hierarchy)
        elif hierarchy is not None:
            raise SchemaError(f"hierarchy must be a file or a table with a type, got {hierarchy!r}")
    except SchemaError as error:
        raise SchemaError(f"column {name!r}: {error}") from None
    order = fields.get("order")
    return Column(
        name=name, role=fields["role"], kind=fields.get("kind", "ordinal" if order else None),
        low=fields.get("low"), high=fields.get("high"), weight=fields.get("weight", 1.0), hierarchy=hierarchy,
        order=tuple(order) if order else None, missing=fields.get("missing", missing),
    )  # fmt: skip


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """Plain data that `schema_from_dict` reads back; what is at its default is left out."""
    columns: dict[str, Any] = {}
    for name, column in schema.columns.items():
        fields: dict[str, Any] = {"role": column.role}
        if column.kind is not None:
            fields["kind"] = column.kind
        for key in ("low", "high"):
            bound = getattr(column, key)
            if bound is not None:
                fields[key] = bound
        if column.weight != 1.0:
            fields["weight"] = column.weight
        if column.order is not None:
            fields["order"] = list(column.order)
        if column.missing != "value":
            fields["missing"] = column.missing
        if column.hierarchy is not None:
            fields["hierarchy"] = column.hierarchy.to_dict()
        columns[name] = fields
    return {"rest": schema.rest, "columns": columns}


def toml_value(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return json.dumps(str(value), ensure_ascii=False)


def write_schema(schema: Schema, comments: dict[str, list[str]] | None = None, head: str = "") -> str:
    """The text of a schema file; `comments` are put above the column they belong to."""
    given = schema_to_dict(schema)
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    lines += [f"rest = {toml_value(given['rest'])}  # the role of columns not named below"]
    for name, fields in given["columns"].items():
        lines += ["", *(f"# {comment}" for comment in (comments or {}).get(name, []))]
        lines.append(f"[columns.{json.dumps(name, ensure_ascii=False)}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in fields.items()]
    return "\n".join(lines) + "\n"
