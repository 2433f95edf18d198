"""Which sensitive columns a promise speaks of."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.errors import ParameterError, suggest
from sfumato.privacy.promise import Promise

__all__ = ["chosen", "numbered"]


def chosen(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[str]:
    """The columns named, or all sensitive ones."""
    if not sensitive:
        raise ParameterError(f"{promise!r} needs a sensitive column; declare one in the schema")
    for name in columns or ():
        if name not in sensitive:
            raise ParameterError(f"{promise!r} names {name!r}, which is not sensitive{suggest(name, sensitive)}")
    return list(columns) if columns is not None else list(sensitive)


def numbered(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[int]:
    """The same by number."""
    return [list(sensitive).index(name) for name in chosen(promise, columns, sensitive)]
