"""What a published cell shows, as text and as meaning.

    30                      one value
    [30, 35]                a closed range of numbers or dates (of an ordinal column: `[low .. high]`)
    {Flu, Gastritis}        a set of categories
    "Flu, mild"             a value in any of these that could be misread, quoted as in JSON
    Europe                  a node of the column's hierarchy
    *                       anything at all
    ... or missing          any of these, where some records had no value
    (an empty cell)         no record had a value

Text is the single form in which generalised values travel: frames hold it, files hold it, and whoever checks or
measures a release parses it back with `parse`. `Form` says how a column's text is to be read.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sfumato.data.values import MISSING, SUPPRESSED, text
from sfumato.ground.errors import DataError

__all__ = ["Cell", "Form", "parse", "show_range", "show_set", "with_missing"]

Form: TypeAlias = Literal["range", "set", "node", "value", "substitute"]
"""How a published column shows its values: `value` is a single one (a mean, a mode, an untouched column), `substitute`
one that was drawn anew and is not the record's own."""

_OR_MISSING = f" or {MISSING}"
_SEPARATOR = re.compile(r", | \.\. ")
_NEEDS_QUOTES = re.compile(r"[,{}\"\[\]]|\.\.|^\s|\s$|^$|^\*$| or missing$")


@dataclass(frozen=True)
class Cell:
    """The meaning of a published cell.

    `low` and `high` bound a range (texts of values); `members` are the values of a set; `node` is a label of
    the hierarchy. A single value has `low == high`. `everything` is a cell that shows nothing.
    """

    low: str | None = None
    high: str | None = None
    members: tuple[str, ...] | None = None
    node: str | None = None
    missing: bool = False
    everything: bool = False


def _quote_if_needed(value: str) -> str:
    return json.dumps(value, ensure_ascii=False) if _NEEDS_QUOTES.search(value) else value


def show_range(low: Any, high: Any) -> str:
    """Write a closed range, or the one value it holds.

    >>> show_range(30, 35), show_range(30, 30)
    ('[30, 35]', '30')
    """
    if isinstance(low, str):
        return _quote_if_needed(low) if low == high else f"[{_quote_if_needed(low)} .. {_quote_if_needed(high)}]"
    first, last = text(low), text(high)  # texts, as two moments of one night can be equal when clocks change
    return first if first == last else f"[{first}, {last}]"


def show_set(members: Iterable[str]) -> str:
    """Write a set of categories, or the one it holds.

    >>> show_set(["Flu", "Gastritis"]), show_set(["Flu"])
    ('{Flu, Gastritis}', 'Flu')
    """
    values = list(members)
    if len(values) == 1:
        return _quote_if_needed(values[0])
    return "{" + ", ".join(_quote_if_needed(value) for value in values) + "}"


def with_missing(shown: str) -> str:
    """Return the text of the cell for records of which some had no value."""
    return shown if shown == SUPPRESSED else shown + _OR_MISSING


def parse(shown: str | None, form: Form) -> Cell:
    """Read a published cell back.

    >>> parse("[30, 35] or missing", "range")
    Cell(low='30', high='35', members=None, node=None, missing=True, everything=False)
    """
    if shown is None:
        return Cell(missing=True)
    if form in ("value", "substitute"):
        return Cell(low=shown, high=shown)
    if shown == SUPPRESSED:
        return Cell(missing=True, everything=True)
    missing = shown.endswith(_OR_MISSING)
    body = shown.removesuffix(_OR_MISSING)
    if form == "range":
        ends = _parse_values(body, "[]")
        if len(ends) not in (1, 2) or (len(ends) == 2) != body.startswith("["):
            raise _damaged_cell_error(body)
        return Cell(low=ends[0], high=ends[-1], missing=missing)
    if form == "set":
        return Cell(members=_parse_values(body, "{}"), missing=missing)
    return Cell(node=body, missing=missing)


def _parse_values(body: str, brackets: str) -> tuple[str, ...]:
    """The values between a pair of brackets, or the one value that stands without brackets."""
    if not body.startswith((brackets[0], '"')):
        return (body,)
    values: list[str] = []
    at, stop = 0, len(body)
    if body.startswith(brackets[0]):
        at, stop = 1, len(body) - 1
        if body[stop] != brackets[1]:
            raise _damaged_cell_error(body)
        if at == stop:
            return ()
        if '"' not in body and "" not in (plain := tuple(_SEPARATOR.split(body[at:stop]))):
            return plain  # nothing is quoted, as in most sets
    while True:
        value, at = _parse_value(body, at, stop)
        values.append(value)
        if at == stop:
            return tuple(values)
        between = _SEPARATOR.match(body, at, stop)
        if between is None or stop == len(body):
            raise _damaged_cell_error(body)
        at = between.end()


def _parse_value(body: str, at: int, stop: int) -> tuple[str, int]:
    """The value that begins at `at`, and where it ends."""
    if body.startswith('"', at):
        try:
            value, end = json.JSONDecoder().raw_decode(body, at)
        except json.JSONDecodeError:
            raise _damaged_cell_error(body) from None
        return str(value), end
    between = _SEPARATOR.search(body, at, stop)
    end = between.start() if between is not None else stop
    if end == at:
        raise _damaged_cell_error(body)
    return body[at:end], end


def _damaged_cell_error(body: str) -> DataError:
    return DataError(f"the published cell {body[:60]!r} is not well formed; was the file edited by hand?")


def parse_bound(value: str, kind: str) -> float | int | dt.date | dt.datetime:
    """Read one end of a range as a number or date, by the kind of its column."""
    try:
        if kind == "integer":
            return int(value)
        if kind == "number":
            return float(value)
        return dt.date.fromisoformat(value) if len(value) == 10 else dt.datetime.fromisoformat(value)
    except ValueError:
        raise DataError(f"the published bound {value!r} is no {kind}; was the file edited by hand?") from None
