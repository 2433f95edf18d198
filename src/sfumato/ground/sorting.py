"""Kernel: sort a few whole numbers. numba's own sort takes a second to compile, longer than most first runs sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["sort_in_place"]


@kernel
def sort_in_place(values: NDArray[np.int32], n: int) -> None:
    """Sort the first `n` of `values`: Shell's sort, with gaps that grow by 2.25 (Tokuda 1992)."""
    gap = 1
    while gap < n:
        gap = gap * 9 // 4 + 1
    while gap > 1:
        gap = max(gap * 4 // 9, 1)
        for i in range(gap, n):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
