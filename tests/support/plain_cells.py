"""Published cells read by hand, for a checker that shares no code with what it checks: text, brackets, quotes."""

from __future__ import annotations

import datetime as dt
import json
import re
from fractions import Fraction
from typing import Any

_BETWEEN = re.compile(r", | \.\. ")
_INTERVAL = re.compile(r"\[(.+), (.+)\)")


def plain_value(text: Any, kind: str | None) -> Any:
    """A cell as what it is by the kind of its column, so that one value has one form: 0 and -0, 5 and '5'."""
    if text is None or (isinstance(text, float) and text != text):
        return None
    if kind in ("integer", "number"):
        return Fraction(str(text))
    if kind == "date" and isinstance(text, str):
        text = dt.date.fromisoformat(text) if len(text) == 10 else dt.datetime.fromisoformat(text)
    if isinstance(text, dt.datetime):
        return text.astimezone(dt.UTC) if text.tzinfo else text
    if isinstance(text, dt.date):
        return dt.datetime(text.year, text.month, text.day)
    if isinstance(text, bool):
        return "true" if text else "false"
    return str(text)


def listed(body: str) -> list[str]:
    """The values in brackets or braces, or the one that stands alone."""
    if body[:1] in "[{" and body[-1:] in "]}":
        body = body[1:-1]
    elif not body.startswith('"'):
        return [body]
    values = []
    while body:
        if body.startswith('"'):
            value, end = json.JSONDecoder().raw_decode(body)
        else:
            found = _BETWEEN.search(body)
            end = found.start() if found else len(body)
            value = body[:end]
        values.append(value)
        found = _BETWEEN.match(body, end)
        if not found and end < len(body):
            raise ValueError(f"{body!r} is no list")
        body = body[found.end() :] if found else ""
    return values


class Column:
    """What a certificate says of a column, and the ancestors of its values where the owner's hierarchy lists them."""

    def __init__(self, said: dict[str, Any], paths: dict[str, tuple[str, ...]] | None = None) -> None:
        self.kind, self.order = said.get("kind"), said.get("order")
        self.hierarchy, self.paths = said.get("hierarchy"), paths
        self.low, self.high, self.weight = said.get("low"), said.get("high"), said.get("weight", 1.0)

    def value(self, cell: Any) -> Any:
        return plain_value(cell, self.kind)

    def place(self, value: Any) -> Any:
        """Where a value stands in the order of its column."""
        return self.order.index(str(value)) if self.order else self.value(value)

    def covers(self, cell: Any, form: str, value: Any) -> bool:
        """Whether a published cell covers a value of the original."""
        if form in ("value", "substitute"):
            return self.value(cell) == self.value(value)
        own = self.value(value)
        if cell is None:
            return own is None
        if cell == "*":
            return True
        body = cell.removesuffix(" or missing")
        if own is None:
            return body != cell
        if form == "range":
            ends = listed(body)
            return self.place(ends[0]) <= self.place(value) <= self.place(ends[-1])
        if form == "set":
            return own in [self.value(member) for member in listed(body)]
        return self.below(own, body)

    def below(self, own: Any, label: str) -> bool:
        """Whether a value is a node of the hierarchy, or lies below it."""
        text = str(own)
        if self.paths is not None:
            return label in self.paths[text]
        kind = (self.hierarchy or {}).get("type")
        if kind == "prefixes":
            return label == text or (
                label.endswith("*") and text.startswith(label.rstrip("*")) and len(label) == len(text)
            )
        found = _INTERVAL.fullmatch(label)
        if kind == "intervals" and found:
            return Fraction(found[1]) <= own < Fraction(found[2])
        if isinstance(own, Fraction):
            return Fraction(label) == own
        if kind == "calendar":
            return _in_calendar(own, label)
        return label == text


def _in_calendar(own: dt.datetime, label: str) -> bool:
    if re.fullmatch(r"\d{4}-Q\d", label):
        return label == f"{own.year}-Q{(own.month + 2) // 3}"
    if re.fullmatch(r"\d{4}s", label):
        return label == f"{own.year // 10 * 10}s"
    if re.fullmatch(r"\d{4}-W\d\d", label):
        return label == "{}-W{:02}".format(*own.isocalendar())
    return own.isoformat().startswith(label)


__all__ = ["Column", "listed", "plain_value"]
