"""Functions that several commands share: promises, data and parameters from options, and printing."""

from __future__ import annotations

import functools
import json
import operator
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.json_file import MOST_DIGITS, parse_json
from sfumato.data.reading import read_table
from sfumato.data.reading_baskets import holds_lines, read_baskets
from sfumato.data.reading_graphs import holds_edges
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.data.toml_file import parse_toml
from sfumato.ground.errors import ParameterError, shortened
from sfumato.privacy.option import options_in_order, promises_asked_for
from sfumato.privacy.promise import Promise, known_promises
from sfumato.privacy.words import join_names

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile
    from sfumato.cli.promised import Promised
    from sfumato.release.release import Release

__all__ = [
    "SETS_ALONE",
    "asking_flags",
    "holds_sets",
    "in_columns",
    "kind_of",
    "parameters_from",
    "promise_from",
    "read_sets",
    "read_source",
    "refuse_unused",
    "releases_from",
    "say",
    "seed_from",
    "split_list",
    "split_names",
    "write_json",
]  # fmt: skip


_NUMBER = re.compile(r"-?[0-9]+")


def split_names(given: str | None) -> list[str]:
    """The names in a list such as `age,zip`."""
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def split_list(flag: str, given: str, what: str = "a value") -> list[str]:
    """The values of an option such as `--k 5,10`; refused where one of them is empty."""
    values = [value.strip() for value in given.split(",")]
    if values == [""]:
        raise ParameterError(f"{flag} is given without {what}; give one, or leave {flag} out")
    if "" in values:
        raise ParameterError(f"{flag} has a comma without {what} beside it, got {given!r}; leave the comma out")
    return values


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
    source: str, schema: Schema | Path | None = None, *, query: str | None = None, sheet: str | None = None,
    missing: str = "",
) -> Table:  # fmt: skip
    """Read a table from a file or database; cells that are empty or one of `--missing` have no value."""
    marks = ("", *(mark for mark in missing.split(",") if mark))
    return read_table(source, schema, query=query, sheet=sheet, missing=marks)


def holds_sets(source: str, sets: SetFile) -> bool:
    """Whether a file holds sets of items: the options say so, or its name does."""
    return kind_of(source, sets) is Baskets


def kind_of(source: str, sets: SetFile) -> type[Table] | type[Baskets] | type[Graph]:
    """What a source holds: as the options say, or else by how its file is called and how it begins."""
    if sets.baskets is not None:
        return Baskets
    if sets.direction is not None or holds_edges(source):
        return Graph
    return Baskets if holds_lines(source) else Table


SETS_ALONE = ("baskets", "record", "item", "label", "labels")
"""The options of files of sets that are for nothing else."""


def refuse_unused(sets: SetFile, data: str, *used: str) -> None:
    """Refuse options on how sets or edges are written that say nothing of such data."""
    if data == "a table":
        used = (*used, "sheet")
    for name, value in vars(sets).items():
        if value is not None and name not in used:
            of = {"direction": "graphs", "sheet": "tables in Excel files"}.get(name, "sets of items")
            raise ParameterError(f"--{name} is for {of}, and the data are {data}; leave it out")


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


def seed_from(given: str | int | None, kept_in: Path | None = None) -> str | int | bytes | None:
    """A seed as a number where it is one; or the one that lies in the owner's folder of a release."""
    if kept_in is not None:
        if given is not None:
            raise ParameterError("--seed and --seed-of each say the seed; leave one out")
        return owners_seed(kept_in)
    if not isinstance(given, str) or not _NUMBER.fullmatch(given):
        return given
    if len(given) > MOST_DIGITS:
        raise ParameterError(f"--seed takes a number of at most {MOST_DIGITS} digits, or a text; got {len(given):,}")
    return int(given)


def owners_seed(folder: Path) -> bytes:
    """The seed of the release that an owner's folder belongs to."""
    kept = folder / "owner.json"
    if not kept.is_file():
        raise ParameterError(
            f"'{folder}' is no owner's folder of a release (it has no owner.json); give one as owner/out"
        )
    said = parse_json(kept.read_bytes(), str(kept))
    try:
        return bytes.fromhex(said["seed"])
    except (KeyError, TypeError, ValueError):
        raise ParameterError(f"'{kept}' has no seed that can be read; give the folder of another release") from None


def parameters_from(given: list[str]) -> dict[str, Any]:
    """Parameters of a method or an attack from `name=value`, the value as TOML writes it, or as plain text."""
    found: dict[str, Any] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or name.strip() in ("", "name"):
            raise ParameterError(f"--param takes name=value, as in --param strict=false; got {each!r}")
        found[name.strip()] = _parameter(name.strip(), value.strip())
    return found


def _parameter(name: str, value: str) -> Any:
    """The value as TOML writes it; as plain text where it is no TOML."""
    try:
        parsed = parse_toml(f"value = {value}", f"--param {name}", ParameterError)
    except ParameterError as error:
        if " is not TOML" in str(error) and value.startswith(("{", "[")):
            raise ParameterError(
                f'--param {name} takes lists and tables as TOML writes them, as in \'values={{sex = ["f", "m"]}}\'; '
                f"got {value!r}"
            ) from None
        if " is not TOML" in str(error):
            return value
        raise
    if set(parsed) != {"value"}:
        raise ParameterError(f"--param takes one name=value at a time; got several lines for {name!r}")
    return parsed["value"]


def write_json(result: Any) -> None:
    """Print the result as JSON."""
    print(json.dumps(result, indent=2, ensure_ascii=False, default=str))


def in_columns(rows: Iterable[tuple[str, ...]], right: Sequence[int] = ()) -> list[str]:
    """Rows as lines, their cells below each other; on a terminal the last cell is folded where it is too long.

    The cells at `right` are aligned there.
    """
    made = list(rows)
    widths = [max(map(len, column)) for column in zip(*((*row[:-1], "") for row in made), strict=True)][:-1]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    lines = []
    for row in made:
        cells = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))]
        head = "  " + "".join(f"{cell}  " for cell in cells)
        folded = textwrap.wrap(row[-1], room - len(head)) if room > len(head) + 20 else [row[-1]]
        lines += [(head + (folded or [""])[0]).rstrip(), *(" " * len(head) + rest for rest in folded[1:])]
    return lines


def say(*renderables: Any) -> None:
    """Print text, or tables of rich, for people."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    for each in renderables:
        if isinstance(each, str):
            console.print("\n".join(shortened(line) for line in each.split("\n")), markup=False)
        else:
            console.print(each)
