"""Functions that several commands share: promises, data and parameters from options, and printing."""

from __future__ import annotations

import functools
import json
import operator
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.baskets import Baskets
from sfumato.data.reading import read_table
from sfumato.data.reading_baskets import holds_lines, read_baskets
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.privacy.option import options_in_order, promises_asked_for
from sfumato.privacy.promise import Promise, known_promises
from sfumato.privacy.words import join_names

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile
    from sfumato.cli.promised import Promised
    from sfumato.release.release import Release

__all__ = [
    "asking_flags",
    "holds_sets",
    "parameters_from",
    "promise_from",
    "read_sets",
    "read_source",
    "releases_from",
    "say",
    "seed_from",
    "split_names",
    "write_json",
]  # fmt: skip


def split_names(given: str | None) -> list[str]:
    """The names in a list such as `age,zip`."""
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def asking_flags() -> str:
    """The options that ask for a promise by themselves, joined as in a sentence."""
    promises = known_promises().values()
    alone = {each.option.flag for each in promises if each.option is not None and not each.option.takes}
    return join_names([option.flag for option in options_in_order(promises) if option.flag in alone], "or")


def promise_from(options: Promised) -> Promise | None:
    """The promise that options ask for; None where none of them is given."""
    parts = promises_asked_for(known_promises().values(), vars(options))
    return functools.reduce(operator.and_, parts) if parts else None


def read_source(
    source: str, schema: Schema | Path | None = None, *, query: str | None = None, missing: str = ""
) -> Table:
    """Read a table from a file or database; cells that are empty or one of `--missing` have no value."""
    marks = ("", *(mark for mark in missing.split(",") if mark))
    return read_table(source, schema, query=query, missing=marks)


def holds_sets(source: str, sets: SetFile) -> bool:
    """Whether a file holds sets of items: the options say so, or its name does."""
    return sets.baskets is not None or holds_lines(source)


def read_sets(source: str, sets: SetFile, *, missing: str = "") -> Baskets:
    """Read sets of items in the form that the options name."""
    columns = {name: given for name in ("record", "item") if (given := getattr(sets, name)) is not None}
    marks = ("", *(mark for mark in missing.split(",") if mark))
    return read_baskets(
        source, format=sets.baskets, labels=sets.labels, label=sets.label, missing=marks, **columns
    )  # fmt: skip


def releases_from(folders: Sequence[Path], *, check: bool = True) -> list[Release]:
    """Load earlier releases from their folders."""
    from sfumato.release.bundle import load_release

    return [load_release(folder, check=check) for folder in folders]


def seed_from(given: str | int | None) -> str | int | None:
    """A seed as a number where it is one."""
    return int(given) if isinstance(given, str) and given.lstrip("-").isdigit() else given


def parameters_from(given: list[str]) -> dict[str, Any]:
    """Parameters of a method or an attack from `name=value`, the value as TOML writes it, or as plain text."""
    found: dict[str, Any] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or name.strip() in ("", "name"):
            raise ParameterError(f"--param takes name=value, as in --param strict=false; got {each!r}")
        try:
            found[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            found[name.strip()] = value.strip()
    return found


def write_json(result: Any) -> None:
    """Print the result as JSON."""
    print(json.dumps(result, indent=2, ensure_ascii=False, default=str))


def say(*renderables: Any) -> None:
    """Print text, or tables of rich, for people."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    for each in renderables:
        console.print(each, markup=False) if isinstance(each, str) else console.print(each)
