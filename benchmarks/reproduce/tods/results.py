"""What an experiment found, and how it is compared with what the paper says of it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.reproduce.figures import Claim, Figure, Row

__all__ = ["Claim", "Figure", "Panel", "Row", "at", "below", "ends", "extremes", "lines", "ratios", "rises"]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One diagram: which rows, and what is drawn against what."""

    title: str
    x: str
    y: str
    where: dict[str, Any] = field(default_factory=dict)
    log: bool = False

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> list[Row]:
        """The rows it shows."""
        return [dict(row) for row in rows if all(row.get(key) == value for key, value in self.where.items())]


def lines(rows: Sequence[Row], x: str, y: str, **where: Any) -> dict[str, dict[Any, float]]:
    """For every method its values by x; gaps left out."""
    found: dict[str, dict[Any, float]] = {}
    for row in rows:
        if row.get(y) is not None and all(row.get(key) == value for key, value in where.items()):
            found.setdefault(row["method"], {})[row[x]] = row[y]
    return found


def ratios(of: Mapping[str, Mapping[Any, float]], one: str, other: str) -> dict[Any, float]:
    """One method over another, by x, where both have a value."""
    here, there = of.get(one, {}), of.get(other, {})
    return {x: here[x] / there[x] if there[x] else math.inf for x in here if x in there}


def extremes(values: Mapping[Any, float]) -> str:
    """The range of some ratios in words."""
    if not values:
        return "no value"
    low, high = min(values.values()), max(values.values())
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def below(
    of: Mapping[str, Mapping[Any, float]], one: str, others: Sequence[str], slack: float = 1.0
) -> tuple[bool, str]:
    """Whether one method is below `slack` times the others everywhere, and where it is."""
    parts, everywhere = [], True
    for other in others:
        found = ratios(of, one, other)
        under = sum(ratio < slack for ratio in found.values())
        everywhere &= bool(found) and under == len(found)
        parts.append(f"{one}/{other} {extremes(found)} ({under} of {len(found)} below {slack:g})")
    return everywhere, "; ".join(parts)


def at(values: Mapping[Any, float], x: Any) -> str:
    """One value in words."""
    return f"{values[x]:.3g} at {x:,}" if isinstance(x, int) else f"{values[x]:.3g} at {x:g}"


def rises(values: Mapping[Any, float], *, falls: bool = False) -> bool:
    """Whether values grow along x (or fall), step by step."""
    steps = [values[x] for x in sorted(values)]
    pairs = itertools.pairwise(steps)
    return len(steps) > 1 and all((b < a) if falls else (b > a) for a, b in pairs)


def ends(values: Mapping[Any, float]) -> str:
    """The first and the last value along x in words."""
    if not values:
        return "no value"
    first, last = min(values), max(values)
    return f"{at(values, first)}, {at(values, last)}"
