"""Rounding that keeps bounds bounds: lower ones are rounded down, upper ones up."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

__all__ = ["cap_spread", "clip", "mean_bounds", "round_down", "round_up"]


def round_down(exact: Fraction) -> float:
    """The largest float that is not above the exact number."""
    near = _near(exact)
    return near if math.isinf(near) or Fraction(near) <= exact else math.nextafter(near, -math.inf)


def round_up(exact: Fraction) -> float:
    """The smallest float that is not below the exact number."""
    near = _near(exact)
    return near if math.isinf(near) or Fraction(near) >= exact else math.nextafter(near, math.inf)


def mean_bounds(low: Any, high: Any, n: int) -> tuple[float, float]:
    """The bounds of AVG over `n` rows from those of the sum, rounded outwards; to the nearest where these are equal."""
    if low == high:
        near = _near(Fraction(low) / n)
        return near, near
    return round_down(Fraction(low) / n), round_up(Fraction(high) / n)


def clip(value: Any, low: Any, high: Any) -> Any:
    """The value, or the bound that it lies beyond."""
    return low if low == high or value is None or value < low else high if value > high else value


def _near(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def cap_spread(spread: float | None, low: Any, high: Any) -> float | None:
    """A standard deviation, cut off at the largest that values between two bounds can have."""
    if spread is None or low == high:
        return 0.0 if low == high else spread
    try:
        return min(spread, float(high - low) / 2)
    except TypeError:  # dates
        return spread
