"""`sfumato compare`."""

from __future__ import annotations

import functools
import itertools
import operator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from sfumato.cli.options import kind_of, say, seed_from, split_names, write_json
from sfumato.cli.reading import check_schema, read_data, reading_words
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.privacy.option import Option, options_in_order, promises_asked_for
from sfumato.privacy.promise import Promise, known_promises
from sfumato.verbs.compare import compare

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
    """Compare, print what to take and why, and write the page where a folder is named."""
    promises = promises_from(strengths)
    kind = kind_of(source, sets)
    if kind is Graph and (schema is not None or query is not None):
        kind = Table
    declared = check_schema(source, kind, schema, query, sets)
    data = read_data(source, kind, declared, query, sets, missing)
    found = compare(
        data, split_names(methods) if methods is not None else None, promises or None, risk=risk, utility=utility,
        within=within, each=each, sample=sample, folder=output, seed=seed_from(seed),
    )  # fmt: skip
    schema_file, reading = str(schema) if schema is not None else None, reading_words(query, sets, missing)
    page = None
    if output is not None:
        page = found.save(output / "compare.html", source=source, schema=schema_file, reading=reading)
    if as_json:
        write_json({**found.to_dict(), **({"page": str(page)} if page is not None else {})})
        return 0
    say(str(found))
    if found.has_best:
        command = found.best.command(source, schema_file, reading=reading)
        say("", f"To publish it:\n  {command}" if command else f"To publish it, by a recipe with:\n{found.best.recipe}")
    if page is not None:
        say(f"For the owner alone: {page}")
    return 0


def promises_from(strengths: Strengths) -> list[Promise]:
    """A promise for each combination of the values that options list."""
    options = [each for each in options_in_order(known_promises().values()) if vars(strengths).get(each.field)]
    listed = [[_value(option, text) for text in split_names(vars(strengths)[option.field])] for option in options]
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
