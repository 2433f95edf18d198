"""Schema files: a `[columns.NAME]` table for each column, in TOML."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import MISSING_RULES, ROLES, Column, Schema, wrong_rule
from sfumato.data.toml_file import read_toml
from sfumato.ground.errors import SchemaError, suggest
from sfumato.ground.validate import told

__all__ = ["read_schema", "schema_from_dict", "schema_to_dict", "toml_value", "write_schema"]

_TABLE_KEYS = ("missing", "rest", "rows_are_persons")
_COLUMN_KEYS = ("role", "kind", "low", "high", "weight", "hierarchy", "order", "missing", "missing_values",
                "date_format", "labels")  # fmt: skip


_OTHER_WORDS = {
    "missing_values": ("na", "na_values", "nan", "null", "nulls", "null_values", "missing_codes", "missing_value",
                       "missing_cells", "codes", "user_missing"),
    "date_format": ("format", "dates", "date_formats", "dateformat", "date_form", "datetime_format"),
    "labels": ("label", "value_labels", "names"),
}  # fmt: skip


def _meant(key: str) -> str:
    """Say which key of a column is called so elsewhere."""
    meant = next((known for known, others in _OTHER_WORDS.items() if key.lower().replace("-", "_") in others), None)
    return f"; did you mean {meant!r}?" if meant is not None else ""


def _belongs(key: str) -> str:
    """Say that a key of the file belongs to a column."""
    return "; it belongs to a column, under [columns.NAME]" if key in _COLUMN_KEYS else ""


def read_schema(path: str | Path) -> Schema:
    """Read a schema file; every mistake in it is reported at once. Hierarchy files are found beside it."""
    file = Path(path)
    given = read_toml(file, "schema file", SchemaError, "`sfumato inspect DATA` writes one")
    try:
        return schema_from_dict(given, base=file.parent)
    except SchemaError as error:
        raise SchemaError(f"schema file '{file}': {error}") from None


def schema_from_dict(given: dict[str, Any], *, base: Path = Path()) -> Schema:
    """Make a schema from plain data, as in a schema file or the `[schema]` part of a recipe."""
    known = (*_TABLE_KEYS, "columns")
    problems = [f"unknown key {key!r}{_belongs(key) or suggest(key, known)}" for key in given if key not in known]
    described = given.get("columns", {})
    if not isinstance(described, dict) or not described:
        problems.append("no columns; write a table [columns.NAME] for each")
        described = {}
    rest = given.get("rest", "identifier")
    if rest not in ROLES:
        problems.append(f"rest must be one of {', '.join(ROLES)}, got {rest!r}")
    missing = given.get("missing", "value")
    if missing not in MISSING_RULES:
        problems.append(wrong_rule(missing))
        missing = "value"
    persons = given.get("rows_are_persons", False)
    if not isinstance(persons, bool):
        problems.append(f"rows_are_persons must be true or false, got {told(persons)}")
    columns = []
    for name, fields in described.items():
        try:
            columns.append(_column(name, fields, missing, base))
        except SchemaError as error:
            problems.append(str(error))
    if problems:
        raise SchemaError("; ".join(problems))
    return Schema.of(columns, rest=rest, rows_are_persons=persons)


def _column(name: str, fields: Any, missing: Any, base: Path) -> Column:
    if not isinstance(fields, dict):
        raise SchemaError(f"column {name!r} must be a table with a role, got {fields!r}")
    where = f"column {name!r}"
    problems = [
        f"{where}: unknown key {key!r}{_meant(key) or suggest(key, _COLUMN_KEYS)}"
        for key in fields
        if key not in _COLUMN_KEYS
    ]
    if "role" not in fields:
        problems.append(f"{where} has no role; give one of {', '.join(ROLES)}")
    hierarchy = None
    try:
        hierarchy = _hierarchy(fields.get("hierarchy"), base)
    except SchemaError as error:
        problems.append(f"{where}: {error}")
    try:
        column = Column(
            name=name, role=fields.get("role", "plain"), kind=fields.get("kind"), low=fields.get("low"),
            high=fields.get("high"), weight=fields.get("weight", 1.0), hierarchy=hierarchy,
            order=fields.get("order"), missing=fields.get("missing", missing),
            missing_values=fields.get("missing_values", ()), date_format=fields.get("date_format"),
            labels=fields.get("labels"),
        )  # fmt: skip
    except SchemaError as error:
        problems.append(str(error))
    if problems:
        raise SchemaError("; ".join(problems))
    return column


def _hierarchy(given: Any, base: Path) -> Hierarchy | None:
    if isinstance(given, str):
        return Hierarchy.from_csv(base / given)
    if isinstance(given, dict):
        if given.get("type") == "csv" and "path" in given:
            given = {**given, "path": base / str(given["path"])}
        return Hierarchy.from_dict(given)
    if given is not None:
        raise SchemaError(f"hierarchy must be a file or a table with a type, got {given!r}")
    return None


def schema_to_dict(schema: Schema) -> dict[str, Any]:
    """Return plain data that `schema_from_dict` reads back, without what is at its default."""
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
        if column.missing_values:
            fields["missing_values"] = list(column.missing_values)
        if column.date_format is not None:
            fields["date_format"] = column.date_format
        if column.labels is not None:
            fields["labels"] = dict(column.labels)
        if column.hierarchy is not None:
            fields["hierarchy"] = column.hierarchy.to_dict()
        columns[name] = fields
    persons = {"rows_are_persons": True} if schema.rows_are_persons else {}
    return {"rest": schema.rest, **persons, "columns": columns}


def toml_value(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (dt.date, dt.datetime)):
        return value.isoformat()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_toml_key(key)} = {toml_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return _toml_string(str(value))


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_string(key)


def _toml_string(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one escape that JSON does without


def write_schema(
    schema: Schema, comments: dict[str, list[str]] | None = None, head: str = "", below: Sequence[str] = ()
) -> str:
    """Return the text of a schema file; `comments` are put above the column they belong to, `below` under the keys."""
    given = schema_to_dict(schema)
    lines = [f"# {line}".rstrip() for line in head.splitlines()]
    lines += [f"rest = {toml_value(given['rest'])}  # the role of columns not named below"]
    lines += ["rows_are_persons = true  # every row is another person, although identifiers repeat"] * (
        schema.rows_are_persons
    )
    lines += [f"# {line}" for line in below]
    for name, fields in given["columns"].items():
        above = [line for comment in (comments or {}).get(name, []) for line in comment.splitlines()]
        lines += ["", *(f"# {line}" for line in above)]
        lines.append(f"[columns.{_toml_string(name)}]")
        lines += [f"{key} = {toml_value(value)}" for key, value in fields.items()]
    return "\n".join(lines) + "\n"
