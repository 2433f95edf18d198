"""Results as they show themselves at a prompt: never more than a screen. `print` shows the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

__all__ = ["brief_number", "brief_repr", "fit_screen", "name_some"]

_LINES, _CHARACTERS, _FIELD = 19, 1_300, 200


def brief_number(value: float) -> str:
    """A number with four places behind the point, one where it is large, and three digits where it is below 0.001.

    >>> brief_number(0.25), brief_number(1234.56), brief_number(0.000123456), brief_number(0.0)
    ('0.2500', '1,234.6', '0.000123', '0.0000')
    """
    size = abs(value)
    if size >= 10:
        return f"{value:,.1f}"
    if size >= 0.001 or size == 0:
        return f"{value:.4f}"
    return f"{value:.{2 - math.floor(math.log10(size))}f}" if size >= 1e-7 else f"{value:.2e}"


def fit_screen(text: str) -> str:
    """The text, or as many of its lines as fit a screen, and how many are left.

    >>> fit_screen("a\\nb")
    'a\\nb'
    """
    lines = text.split("\n")
    kept: list[str] = []
    for line in lines:
        room = _CHARACTERS - sum(map(len, kept)) - len(kept)
        if len(kept) == _LINES or (kept and len(line) > room):
            break
        kept.append(line if len(line) <= room else f"{line[: room - 4]} ...")
    if len(kept) == len(lines):
        return "\n".join(kept)
    return "\n".join([*kept, f"... {len(lines) - len(kept):,} more lines; print() shows them"])


def name_some(names: Sequence[object], most: int = 8) -> str:
    """The names in brackets; of many, the first ones and the number of the others.

    >>> name_some(["age", "zip"]), name_some(["a", "b", "c"], most=2)
    ("['age', 'zip']", "['a', 'b' and 1 more]")
    """
    shown = ", ".join(_cut(repr(name), 40) for name in names[:most])
    return f"[{shown}{f' and {len(names) - most:,} more' if len(names) > most else ''}]"


def brief_repr(value: Any) -> str:
    """A dataclass by its fields, each cut where it is long; those that are as they are by default are left out."""
    said = [
        f"{field.name}={_cut(repr(getattr(value, field.name)), _FIELD)}"
        for field in fields(value)
        if field.repr and getattr(value, field.name) is not field.default
    ]
    return _cut(f"{type(value).__name__}({', '.join(said)})", _CHARACTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 5]} ...{text[-1]}"
