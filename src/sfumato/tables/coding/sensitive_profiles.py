"""Records of the same kind: those that agree in all sensitive values that a promise speaks of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["kinds_of"]


def kinds_of(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """A number for every combination of codes that occurs, by row, and how many there are."""
    kinds = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T.astype(np.int64):
        kinds = np.unique(kinds * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    return kinds, int(kinds.max(initial=-1)) + 1
