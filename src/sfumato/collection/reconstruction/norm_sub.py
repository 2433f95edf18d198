"""Norm-sub: the distribution that is nearest to unbiased shares.

Unbiased shares of randomized answers may lie below 0. To set those to 0 and divide by the sum moves every other share
towards 0, by a fifth where few values hold everything. Here the same amount is taken from all that stay above 0, over
and over until the rest sums to 1: the projection on the simplex (Wang, Duchi & others give it in several forms).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["norm_sub"]


def norm_sub(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point of the simplex nearest to some shares.

    >>> norm_sub(np.array([0.9, 0.3, -0.1, -0.3])).round(6).tolist()
    [0.8, 0.2, 0.0, 0.0]
    """
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1.0) / np.arange(1, len(falling) + 1)
    last = int(np.flatnonzero(falling > excess)[-1])
    return np.asarray(np.maximum(shares - excess[last], 0.0))
