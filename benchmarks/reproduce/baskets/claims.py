"""How lines are compared in words."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from benchmarks.reproduce.figures import Claim

__all__ = ["below", "pairs"]


def pairs(first: Mapping[Any, float], second: Mapping[Any, float]) -> str:
    """Both lines where both have values, `a against b` at every x."""
    return ", ".join(f"{first[x]:.3g} against {second[x]:.3g} at {x}" for x in sorted(first.keys() & second.keys()))


def below(
    paper: str, first: Mapping[Any, float], second: Mapping[Any, float], *, ours: bool = False, why: str = ""
) -> Claim:
    """That one line lies below another wherever both have values, and by how much on average."""
    shared = sorted(first.keys() & second.keys())
    above = [x for x in shared if first[x] >= second[x]]
    ratio = statistics.fmean(first[x] / second[x] for x in shared)
    not_at = f"; not at {', '.join(map(str, above))}" if above else ""
    return Claim(
        paper=paper, holds=not above, ours=ours, why=why,
        seen=f"{ratio:.3f} times on average{not_at}; {pairs(first, second)}",
    )  # fmt: skip
