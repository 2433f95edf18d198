"""Names for columns that a release adds."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["free_name"]


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, ... that no column has, in upper or lower case."""
    known, number, free = {each.lower() for each in taken}, 1, name
    while free.lower() in known:
        number += 1
        free = f"{name}_{number}"
    return free
