"""The lines of a comparison that was kept: whatever is not as it was written is refused, by file and line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.validate import told

__all__ = ["checked_point", "seed_of"]


def seed_of(head: Mapping[str, Any], file: Path) -> bytes:
    """The seed that the first line tells."""
    given = head.get("seed")
    try:
        seed = bytes.fromhex(given) if isinstance(given, str) else b""
    except ValueError:
        seed = b""
    if not seed:  # what was given is not shown: it may be a secret all the same
        raise ParameterError(f"line 1 of '{file}' has no seed that can be read; choose another folder")
    return seed


def checked_point(line: Any, number: int, file: Path) -> str:
    """The key of a point that was kept; the line is refused where it does not hold all that a point needs."""
    if not isinstance(line, dict):
        raise _damaged(number, file, f"it holds {told(line)}, and no point")
    for name, (fits, asked) in _FIELDS.items():
        if name not in line or not fits(line[name]):
            given = f"got {told(line[name])}" if name in line else "and there is none"
            raise _damaged(number, file, f"{name} must be {asked}, {given}")
    if "made_by" in line and not _is_method(line["made_by"]):
        raise _damaged(number, file, f"made_by must be a method with its parameters, got {told(line['made_by'])}")
    return str(line["key"])


def _is_method(value: Any) -> bool:
    try:
        return isinstance(value, dict) and method_from_dict(value) is not None
    except (SfumatoError, TypeError, ValueError):
        return False


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "key": (lambda value: isinstance(value, str) and bool(value), "a text"),
    "came": (lambda value: value in ("done", "refused"), "done or refused"),
    "figures": (lambda value: isinstance(value, dict) and all(map(_is_number, value.values())), "numbers by name"),
    "verdict": (_is_text, "a text"),
    "found": (lambda value: isinstance(value, list) and all(map(_is_text, value)), "a list of texts"),
    "seconds": (lambda value: value is None or _is_number(value), "a number"),
    "digest": (_is_text, "a text"),
    "why": (_is_text, "a text"),
}  # fmt: skip
"""What a line must hold, and how that is called."""


def _damaged(number: int, file: Path, what: str) -> ParameterError:
    return ParameterError(f"line {number} of '{file}' is damaged: {what}; remove the line, or choose another folder")
