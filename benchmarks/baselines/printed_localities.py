"""The localities of section 3 of Xue, Karras, Raissi & Pung (CIKM 2011) as printed: half of its own pruning rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["printed_localities"]


@kernel
def printed_localities(d: NDArray[np.float64]) -> NDArray[np.int64]:
    """Algorithm 1 word for word, for comparison: rows (i, j, k, sign), counted from 0."""
    n = d.shape[0]
    rows = np.empty((n * n, 4), dtype=np.int64)
    found = 0
    for j in range(1, n):
        for i in range(j):
            mu = 2 * d[j] - d[i]
            if mu <= d[n - 1]:
                k = 0
                while d[k] < mu:
                    k += 1
                rows[found] = i, j, k - 1, -1
                rows[found + 1] = i, j, k, 1
                found += 2
            else:
                rows[found] = i, j, n - 1, -1
                found += 1
    return rows[:found].copy()
