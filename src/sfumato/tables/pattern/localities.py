"""Localities: which of two values lies nearer to a third.

Xue, Karras, Raissi & Pung, "Utility-driven anonymization in data publishing", CIKM 2011, section 3. For values
u_i < u_j < u_k the statement u_j - u_i <= u_k - u_j (or >=) is a locality. All n-choose-3 of them follow from the
corners of a staircase per centre j, found with a moving pointer in O(n^2); the printed algorithm applies only half of
its own pruning rules and keeps about twice as many. Equal values are one value here: with duplicates the printed
algorithm names indices that do not exist.

Called by `Localities` and `Between` in `properties.py`; the same rule as printed also stands in
`benchmarks/baselines/printed_localities.py`, to be compared with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["staircase"]


@kernel
def staircase(u: NDArray[np.float64]) -> NDArray[np.int64]:
    """Rows (i, j, k, sign) of the distinct, rising values `u`: sign 1 says 2 u_j - u_i - u_k <= 0, -1 says >= 0.

    Together with the order u_1 <= u_2 <= ... they imply every true locality, and nothing else. A tie is recorded as
    <= alone.
    """
    p = u.shape[0]
    rows = np.empty((16, 4), dtype=np.int64)
    n = 0
    for j in range(1, p - 1):
        before = -1  # where the pointer stood for i + 1
        here = j + 1
        i = j - 1
        while i >= 0:
            while here < p and u[here] < 2 * u[j] - u[i]:
                here += 1
            following = here  # where it will stand for i - 1
            if i > 0:
                while following < p and u[following] < 2 * u[j] - u[i - 1]:
                    following += 1
            if n + 2 > rows.shape[0]:
                grown = np.empty((2 * rows.shape[0], 4), dtype=np.int64)
                grown[:n] = rows[:n]
                rows = grown
            if here - 1 > j and (i == j - 1 or before < here):
                rows[n] = i, j, here - 1, -1
                n += 1
            if here < p and (i == 0 or following > here):
                rows[n] = i, j, here, 1
                n += 1
            before = here
            i -= 1
    return rows[:n].copy()
