"""`sfumato inspect`."""

from __future__ import annotations

from pathlib import Path

from sfumato.cli.options import read, say, write_json
from sfumato.data.inspecting import inspect_table
from sfumato.errors import SchemaError

__all__ = ["run"]


def run(source: str, *, query: str | None, output: Path | None, overwrite: bool, missing: str, as_json: bool) -> int:
    """Describe a table and write a schema for it."""
    target = output or (Path("schema.toml") if "://" in source else Path(source).parent / "schema.toml")
    if target.exists() and not overwrite:
        raise SchemaError(f"'{target}' exists already; name another file with -o, or say --overwrite")
    inspection = inspect_table(read(source, query=query, missing=missing))
    target.write_text(inspection.to_toml(), encoding="utf-8")
    if as_json:
        write_json({**inspection.to_dict(), "schema": str(target)})
        return 0
    say(inspection.render(), "", f"Wrote {target}: edit the roles, then run")
    say(f"  sfumato publish {source} --schema {target} --k 10 -o out")
    return 0
