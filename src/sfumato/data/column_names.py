"""Names for added columns that no other column has, in upper or lower case.

Releases number a name that is taken (`group_2`); answers and the SQL behind them pad it (`group_`).
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["padded_name", "unused_name"]


def unused_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of `name_2`, `name_3`, ... that is not taken; for columns that a release adds."""
    known, number, unused = {each.lower() for each in taken}, 1, name
    while unused.lower() in known:
        number += 1
        unused = f"{name}_{number}"
    return unused


def padded_name(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of `name_`, `name__`, ... that is not taken; for columns of answers and of SQL."""
    known = {each.lower() for each in taken}
    while name.lower() in known:
        name += "_"
    return name
