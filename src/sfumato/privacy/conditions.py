"""Conditions on the histogram of a class: what promises ask of algorithms. `criteria` decides them in kernels.

Nothing heavy is imported here, so that promises can be made and described without a compiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BOUNDED", "CAPPED", "DISTINCT", "EMD_GROUND", "EMD_ORDERED", "EMD_TREE", "ENTROPY", "FREQUENCY", "KL", "RECURSIVE",
    "TOLERANCE", "VARIATIONAL", "Condition", "condition_on_shares",
]  # fmt: skip

FREQUENCY, DISTINCT, ENTROPY, RECURSIVE, EMD_ORDERED, EMD_TREE, VARIATIONAL, KL, EMD_GROUND, CAPPED, BOUNDED = range(11)
"""Kinds of conditions. Those from EMD_ORDERED on compare a class with the whole table."""

TOLERANCE = 1e-9
"""Slack for entropies and distances, which are not computed exactly."""

_FINEST = 10**15
_NEVER_REACHED = Fraction(2)


class Condition(NamedTuple):
    """One condition on one sensitive column (by its number): a kind, and up to three numbers that the kind explains."""

    kind: int
    column: int
    a: float
    b: float = 1.0
    c: float = 1.0
    ground: NDArray[np.float64] | None = None
    """Of EMD_GROUND: the distances between all values of the column, a square."""
    caps: NDArray[np.int64] | None = None
    """Of CAPPED and BOUNDED: the largest share of each value of the column, a numerator and a denominator."""
    floors: NDArray[np.int64] | None = None
    """Of BOUNDED: the least share of each value, written in the same way."""


def condition_on_shares(
    column: int, floors: Sequence[Fraction], caps: Sequence[Fraction], *, above: bool = False, below: bool = False
) -> Condition:
    """Return the condition that every value has at least its floor and at most its cap as a share of a class.

    In a class of n records with c of value v, `floors[v] * n <= c <= caps[v] * n` for every v that the table holds.
    With `above` the first sign is <, with `below` the second: a floor of 0 that shares must lie above then asks that
    the value occurs. Values are numbered as the column codes them, a missing one first where the column has any. A
    value that no record of the table has is not looked at. Shares are compared as fractions, exactly; bounds with
    denominators past 10^15 are rounded to the nearest that has none.

    Joining two classes that satisfy it satisfies it, so that it can be met where the whole table does.
    """
    if len(floors) != len(caps):
        raise ValueError(f"every value has a floor and a cap, got {len(floors)} and {len(caps)}")
    low = [max(-_NEVER_REACHED, floor) for floor in floors]
    high = [min(_NEVER_REACHED, cap) for cap in caps]
    return Condition(BOUNDED, column, 0.0, float(above), float(below), caps=_pairs(high), floors=_pairs(low))


def _pairs(shares: Sequence[Fraction]) -> NDArray[np.int64]:
    """The shares as numerators and denominators that fit 64 bits."""
    rounded = [share.limit_denominator(_FINEST) for share in shares]
    return np.array([[each.numerator, each.denominator] for each in rounded], dtype=np.int64).reshape(-1, 2)
