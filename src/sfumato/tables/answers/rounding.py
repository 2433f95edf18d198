"""Numbers that are rounded the safe way."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

__all__ = ["at_least", "at_most", "capped", "clipped", "ratio"]


def at_most(exact: Fraction) -> float:
    """The largest float that is not above."""
    near = _near(exact)
    return near if math.isinf(near) or Fraction(near) <= exact else math.nextafter(near, -math.inf)


def at_least(exact: Fraction) -> float:
    """The smallest float that is not below."""
    near = _near(exact)
    return near if math.isinf(near) or Fraction(near) >= exact else math.nextafter(near, math.inf)


def ratio(low: Any, high: Any, n: int) -> tuple[float, float]:
    """Two totals over `n`, rounded apart; to the nearest where they are one."""
    if low == high:
        near = _near(Fraction(low) / n)
        return near, near
    return at_most(Fraction(low) / n), at_least(Fraction(high) / n)


def clipped(value: Any, low: Any, high: Any) -> Any:
    """The value, moved into its bounds."""
    return low if low == high or value is None or value < low else high if value > high else value


def _near(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def capped(spread: float | None, low: Any, high: Any) -> float | None:
    """A standard deviation, no more than values between two bounds can have."""
    if spread is None or low == high:
        return 0.0 if low == high else spread
    try:
        return min(spread, float(high - low) / 2)
    except TypeError:  # dates
        return spread
