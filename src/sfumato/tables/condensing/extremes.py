"""Refusal of numbers too large, too small or too close together to compute moments and distances with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError

__all__ = ["refuse_extremes"]

_LARGEST, _SMALLEST = 1e150, 1e-150
_NEAR = 1e-9
"""Values whose range is a smaller share of their size than this differ in their last digits alone."""


def refuse_extremes(name: str, numbers: NDArray[np.float64], method: str) -> None:
    """Refuse numbers whose squares have no room, or whose differences are lost in their size."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return
    size = float(np.abs(known).max())
    span = float(known.max() / 2 - known.min() / 2) * 2
    if size > _LARGEST or 0 < span < max(_SMALLEST, _NEAR * size):
        raise DataError(
            f"column {name!r} holds numbers too large, too small or too near each other for their size for {method} "
            f"to compute with; give it another unit or origin"
        )
