"""Arguments of the wrong kind: one sentence that names the parameter, what it takes and what was given.

What a parameter takes is read from its annotation, as far as that says it simply: a text, a path, true or false, a
list, a mapping, or one of a few classes. Everything else, and what a value may be, is for the function itself to say.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.validate import told

__all__ = ["checked_arguments", "kinds_of"]

_TEXTS = frozenset({"str", "Role", "Kind", "Missing", "Source", "AttackName"})
_CLASSES = {
    "Progress": "a Progress", "Cells": "a Cells", "EstimateErrors": "an EstimateErrors", "Schema": "a Schema",
    "Hierarchy": "a Hierarchy",
}  # fmt: skip
_LEFT = "str | os.PathLike[str]"
"""What readers take: they look at it themselves, and say where frames go."""
_COLUMNS = frozenset({"record", "item", "label", "column", "source_column", "target_column"})
_WORDS = {"text": "a text", "path": "a path", "flag": "true or false", "list": "a list", "mapping": "a mapping"}


def kinds_of(annotation: object) -> tuple[str, ...]:
    """The kinds that an annotation allows; none where it says what is not checked here.

    >>> kinds_of("str | Path | None"), kinds_of("Table | None"), kinds_of("Sequence[str]")
    (('text', 'path', 'none'), (), ('list',))
    """
    simple = isinstance(annotation, str) and annotation != _LEFT
    found = [_kind(part) for part in _split(str(annotation))] if simple else [""]
    return tuple(dict.fromkeys(found)) if all(found) and found != ["none"] else ()


def _split(annotation: str) -> list[str]:
    parts, depth = [""], 0
    for letter in annotation:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _kind(part: str) -> str:
    if part in _CLASSES:
        return part
    simple = {"None": "none", "bool": "flag", "Path": "path", "os.PathLike[str]": "path"}
    if part in _TEXTS:
        return "text"
    if part == "Iterable[Any]" or (part.startswith("Sequence[") and not part.endswith(("[Any]", "[Release]"))):
        return "list"
    return "mapping" if part.startswith("Mapping[") else simple.get(part, "")


_IS: Mapping[str, Callable[[Any], bool]] = {
    "none": lambda value: value is None,
    "text": lambda value: isinstance(value, str),
    "path": lambda value: isinstance(value, os.PathLike),
    "flag": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, Iterable) and not isinstance(value, (bytes, type)) and not _is_frame(value),
    "mapping": lambda value: isinstance(value, Mapping),
}


def _is_frame(value: Any) -> bool:
    return len(getattr(value, "shape", (0,))) != 1


def _fits(kind: str, value: Any) -> bool:
    if kind in _CLASSES:
        return any(each.__name__ == kind for each in type(value).__mro__)
    return _IS[kind](value)


def checked_arguments(
    kinds: Mapping[str, tuple[str, ...]], given: Mapping[str, Any], error: type[SfumatoError] = ParameterError
) -> dict[str, Any]:
    """Return the arguments, arrays in place of lists as lists; refuse one that is of no kind its parameter takes."""
    checked = dict(given)
    for name, value in given.items():
        allowed = kinds.get(name, ())
        if not allowed:
            continue
        if not any(_fits(kind, value) for kind in allowed):
            words = [_CLASSES.get(kind) or _WORDS[kind] for kind in allowed if kind != "none"]
            asked = "the name of a column" if name in _COLUMNS else " or ".join(dict.fromkeys(words))
            raise error(f"{name} must be {asked}, got {told(value)}")
        if "list" in allowed and hasattr(value, "__array__"):
            checked[name] = list(value)
    return checked
