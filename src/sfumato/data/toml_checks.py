"""Mistakes in TOML files as sentences, all of them at once: the same for recipes and surveys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.ground.errors import SfumatoError
from sfumato.ground.validate import told

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["sentences_of", "try_or_note"]

_MUST_BE = {
    "string_type": "a text", "list_type": "a list", "dict_type": "a table", "bool_type": "true or false",
    "int_type": "a whole number", "float_type": "a number", "model_type": "a table",
}  # fmt: skip


def sentences_of(error: ValidationError, wanted: Mapping[str, str]) -> list[str]:
    """What pydantic found in a file, a sentence each; `wanted` says what must stand at some of its places."""
    return list(dict.fromkeys(_problem(dict(each), wanted) for each in error.errors()))


def try_or_note(problems: list[str], build: Any) -> Any:
    """What `build` returns; None where it fails, with its message added to the problems."""
    try:
        return build()
    except SfumatoError as error:
        problems.append(str(error))
        return None


def _is_type(part: Any) -> bool:
    """Whether a part of a place is the type that was tried there, and no key."""
    return part in ("int", "str") or (isinstance(part, str) and part.startswith(("list[", "dict[")))


def _problem(error: dict[str, Any], wanted: Mapping[str, str]) -> str:
    """A mistake that pydantic found, in a sentence."""
    where = ".".join(str(part) for part in error["loc"] if not _is_type(part)) or "the file"
    if error["type"] == "missing":
        return f"{where} is missing"
    if where in wanted:
        return f"{where} must be {wanted[where]}, got {told(error['input'])}"
    if error["type"] in _MUST_BE:
        return f"{where} must be {_MUST_BE[error['type']]}, got {told(error['input'])}"
    if error["type"] == "extra_forbidden":
        return f"{where} is no known key"
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {message[0].lower()}{message[1:]}, got {told(error['input'])}" if error["loc"] else message
