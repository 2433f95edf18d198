"""Which sensitive columns a promise speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.ground.errors import ParameterError, suggest
from sfumato.privacy.promise import Promise
from sfumato.privacy.words import listed

__all__ = ["check_columns", "chosen", "named", "numbered"]


def check_columns(columns: Any) -> None:
    """Refuse what does not name columns: a promise about none would be empty."""
    if columns is None:
        return
    listed = isinstance(columns, (tuple, list)) and all(isinstance(name, str) for name in columns)
    if not listed or not columns:
        raise ParameterError(f"columns must name sensitive columns, as in columns=('diagnosis',), got {columns!r}")


def chosen(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[str]:
    """The columns named, or all sensitive ones."""
    if not sensitive:
        raise ParameterError(f"{promise!r} needs a sensitive column; declare one in the schema")
    for name in columns or ():
        if name not in sensitive:
            raise ParameterError(f"{promise!r} names {name!r}, which is not sensitive{suggest(name, sensitive)}")
    return list(columns) if columns is not None else list(sensitive)


def named(columns: Sequence[str] | None, sensitive: Sequence[str]) -> str:
    """The columns named, or all sensitive ones, as in a sentence that speaks of a value in one of them."""
    return listed(columns or sensitive, "or") or "the sensitive value"


def numbered(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[int]:
    """The same by number."""
    return [list(sensitive).index(name) for name in chosen(promise, columns, sensitive)]
