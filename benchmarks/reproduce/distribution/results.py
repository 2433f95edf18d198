"""What an experiment found, and how it is compared with what the paper says of it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.reproduce.figures import Figure

__all__ = ["Figure", "Panel", "line", "mean_of", "steps", "tolerances"]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One diagram: for every line which rows it shows, and what is drawn against what."""

    title: str
    x: str
    lines: dict[str, dict[str, Any]]
    y: str = "err"


def line(rows: Iterable[Mapping[str, Any]], x: str, y: str = "err", **where: Any) -> dict[Any, float]:
    """Values by x, of the rows that have all that is asked for; None asks for rows that lack it."""
    return {row[x]: row[y] for row in rows if all(row.get(key) == value for key, value in where.items()) and x in row}


def mean_of(values: Mapping[Any, float]) -> float:
    """The mean of a line; a line without values is an error."""
    return statistics.fmean(values.values())


def steps(values: Mapping[Any, float], form: str = ".3g") -> str:
    """All values of a line in words, by x."""
    return ", ".join(f"{values[x]:{form}}" for x in sorted(values))


def tolerances(withins: Sequence[float], check: Callable[[float], tuple[bool, str]]) -> tuple[bool, str]:
    """Whether something is so at every tolerance above 0, and what is seen at each; at 0 it is only told."""
    holds, parts = True, []
    for within in withins:
        so, seen = check(within)
        holds &= so or within == 0
        parts.append(f"{'exact' if within == 0 else f'within {within:g}'} {'yes' if so else 'no'} ({seen})")
    return holds, "; ".join(parts)
