"""What several commands share: promises and tables from options, and printing."""

from __future__ import annotations

import functools
import json
import operator
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.errors import ParameterError
from sfumato.privacy import AccuracyBound, KAnonymity, LDiversity, Promise, TCloseness

if TYPE_CHECKING:
    from sfumato.cli.app import Promised

__all__ = ["names", "promise_from", "read", "say", "write_json"]


def names(given: str | None) -> list[str]:
    """Column names from `age,zip`."""
    return [name.strip() for name in (given or "").split(",") if name.strip()]


def promise_from(options: Promised) -> Promise | None:
    """The promise that --k, --l, --t and --max-ncp ask for."""
    parts: list[Promise] = []
    if options.k is not None:
        parts.append(KAnonymity(_whole(options.k)))  # type: ignore[arg-type]  # a fraction is refused there
    if options.l is not None:
        parts.append(LDiversity(_whole(options.l), kind=options.l_kind, c=options.c))
    elif options.c is not None or options.l_kind != "frequency":
        raise ParameterError("--c and --l-kind speak of l-diversity; give --l too")
    if options.t is not None:
        parts.append(TCloseness(options.t, distance=options.distance))
    if options.max_ncp is not None:
        parts.append(AccuracyBound(options.max_ncp))
    return functools.reduce(operator.and_, parts) if parts else None


def _whole(number: float) -> float:
    return int(number) if number.is_integer() else number


def read(source: str, schema: Schema | Path | None = None, *, query: str | None = None, missing: str = "") -> Table:
    """A table, with the missing marks of `--missing` beside the empty cell."""
    marks = ("", *(mark for mark in missing.split(",") if mark))
    return read_table(source, schema, query=query, missing=marks)


def write_json(result: Any) -> None:
    """The result as JSON on standard output."""
    print(json.dumps(result, indent=2, ensure_ascii=False, default=str))


def say(*renderables: Any) -> None:
    """Text or tables for people on standard output."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    for each in renderables:
        console.print(each, markup=False) if isinstance(each, str) else console.print(each)
