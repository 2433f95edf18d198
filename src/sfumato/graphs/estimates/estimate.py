"""`Estimate`: what one estimate from a perturbed graph says. `menu.py` lists all estimates.

Every pair of vertices was flipped with probability mu. `Z = (A - mu)/(1 - 2 mu)` is unbiased for each pair, with the
same variance `v = mu (1 - mu)/(1 - 2 mu)^2`, independently over pairs. Sums of large counts nearly cancel, so they are
taken in exact fractions and become floats at the end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.graphs.flip_rate import Number

__all__ = ["LEVEL", "Z95", "Estimate", "normal_estimate"]

LEVEL = 0.95
Z95 = 1.959963984540054


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A number of the original graph, estimated from the perturbed one. It may lie outside of what a graph can have."""

    name: str
    value: float | None
    """None where there is too much noise to say anything."""
    stderr: float | None
    low: float | None
    """The 95% interval, or None."""
    high: float | None
    method: str
    note: str = ""
    least: float = -math.inf
    """No graph has less than this, nor more than `most`."""
    most: float = math.inf

    @property
    def possible_value(self) -> float | None:
        """The value, moved to `least` or `most` where no graph can have it."""
        return None if self.value is None else min(max(self.value, self.least), self.most)


def normal_estimate(
    name: str,
    value: Number,
    variance: Number,
    method: str,
    *,
    note: str = "",
    least: float = -math.inf,
    most: float = math.inf,
) -> Estimate:
    """An estimate with the interval of a normal error."""
    centre, stderr = float(value), math.sqrt(max(float(variance), 0.0))
    return Estimate(
        name=name, value=centre, stderr=stderr, low=centre - Z95 * stderr, high=centre + Z95 * stderr,
        method=method, note=note, least=least, most=most,
    )  # fmt: skip
