"""`sfumato compare`."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from sfumato.cli.options import kind_of, say, seed_from, split_list, write_json
from sfumato.cli.reading import check_schema, read_data, reading_words
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.privacy.option import Option, options_in_order, promises_asked_for
from sfumato.privacy.promise import Promise, known_promises
from sfumato.verbs.compare import compare
from sfumato.verbs.comparing.kept import FILE, checked_folder

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile
    from sfumato.cli.promised import Strengths

__all__ = ["promises_from", "run"]


def run(
    source: str,
    *,
    output: Path | None,
    schema: Path | None,
    query: str | None,
    methods: str | None,
    strengths: Strengths,
    risk: str | None,
    utility: str | None,
    within: float | None,
    each: float | None,
    sample: int | None,
    sets: SetFile,
    seed: str | None,
    missing: str,
    as_json: bool,
) -> int:
    """Compare, print what to take and why, and write the page where a folder is named; 2 where nothing came of it."""
    promises = promises_from(strengths)
    names = split_list("--methods", methods, "a name") if methods is not None else None
    checked_folder(output)
    kind = kind_of(source, sets)
    if kind is Graph and (schema is not None or query is not None):
        kind = Table
    declared = check_schema(source, kind, schema, query, sets)
    data = read_data(source, kind, declared, query, sets, missing)
    schema_file, reading = str(schema) if schema is not None else None, reading_words(query, sets, missing)
    page = None
    with _going_on(output):
        found = compare(
            data, names, promises or None, risk=risk, utility=utility, within=within, each=each, sample=sample,
            folder=output, seed=seed_from(seed),
        )  # fmt: skip
        if output is not None:
            page = found.save(output / "compare.html", source=source, schema=schema_file, reading=reading)
    came = 0 if found.done else 2
    if as_json:
        write_json({**found.to_dict(), **({"page": str(page)} if page is not None else {})})
        return came
    say(str(found))
    if found.has_best:
        command = found.best.command(source, schema_file, reading=reading)
        say("", f"To publish it:\n  {command}" if command else f"To publish it, by a recipe with:\n{found.best.recipe}")
    if page is not None:
        say(f"For the owner alone: {page}")
    return came


@contextmanager
def _going_on(folder: Path | None) -> Iterator[None]:
    """Have an interruption say that what was found so far is there."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None or not (folder / FILE).exists():
            raise
        said = f"what was found so far is in '{folder}', and the same command goes on from there"
        raise KeyboardInterrupt(said) from None


def promises_from(strengths: Strengths) -> list[Promise]:
    """A promise for each combination of the values that options list."""
    given = vars(strengths)
    options = [each for each in options_in_order(known_promises().values()) if given.get(each.field) is not None]
    listed = [[_value(option, text) for text in split_list(option.flag, given[option.field])] for option in options]
    found = []
    for values in itertools.product(*listed) if options else ():
        parts = promises_asked_for(
            known_promises().values(), {option.field: value for option, value in zip(options, values, strict=True)}
        )
        found.append(functools.reduce(operator.and_, parts))
    return found


def _value(option: Option, text: str) -> Any:
    """One value of an option, read as its type says."""
    words = get_args(option.type)
    if words:
        if text not in words:
            raise ParameterError(f"{option.flag} takes one of {', '.join(words)}, got {text!r}")
        return text
    if option.type is Path:
        return Path(text)
    try:
        return option.type(text)
    except ValueError:
        raise ParameterError(f"{option.flag} takes numbers separated by commas, got {text!r}") from None
