"""Which sensitive columns a promise speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.ground.errors import ParameterError, suggest
from sfumato.privacy.promise import Promise
from sfumato.privacy.words import join_names

__all__ = ["check_columns", "chosen_columns", "column_numbers", "columns_in_words"]


def check_columns(columns: Any) -> None:
    """Refuse anything that does not name columns: a promise about none would be empty."""
    if columns is None:
        return
    listed = isinstance(columns, (tuple, list)) and all(isinstance(name, str) for name in columns)
    if not listed or not columns:
        raise ParameterError(f"columns must name sensitive columns, as in columns=('diagnosis',), got {columns!r}")


def chosen_columns(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[str]:
    """Return the columns that the promise names, or all sensitive ones; refuse names that are not sensitive."""
    if not sensitive:
        raise ParameterError(f"{promise!r} needs a sensitive column; declare one in the schema")
    for name in columns or ():
        if name not in sensitive:
            raise ParameterError(f"{promise!r} names {name!r}, which is not sensitive{suggest(name, sensitive)}")
    return list(columns) if columns is not None else list(sensitive)


def columns_in_words(columns: Sequence[str] | None, sensitive: Sequence[str]) -> str:
    """The columns that a promise speaks of, joined by "or" for a sentence about a value in one of them."""
    return join_names(columns or sensitive, "or") or "the sensitive value"


def column_numbers(promise: Promise, columns: Sequence[str] | None, sensitive: Sequence[str]) -> list[int]:
    """Return the numbers of the columns that the promise speaks of, among the sensitive ones."""
    return [list(sensitive).index(name) for name in chosen_columns(promise, columns, sensitive)]
