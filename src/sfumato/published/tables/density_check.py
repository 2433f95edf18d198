"""How many records a published density is expected to fit as well as its own, worked out from the published spreads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["expected_fits"]

_NO_SPREAD = 1e150
_FAR = 121.0
"""Beyond 5.5 deviations from the middle a record adds less than 2e-8, and is left out: the check is stricter for it."""


@kernel
def expected_fits(
    true: NDArray[np.float64], spreads: NDArray[np.float64], uniform: Any
) -> NDArray[np.float64]:  # fmt: skip
    """The expected number for each record; `true` and `spreads` have a line for each column, in the column's units.

    Normal: a centre drawn around x is nearer to y, in deviations, with probability Phi(-|x - y| / 2). Uniform: the box
    covers y in a column with probability 1 - |x - y| / width. A record fits as well as itself and as its equals do.
    """
    d, n = true.shape
    points = np.ascontiguousarray(true.T)
    expected, per = np.zeros(n), np.empty(d)
    for i in range(n):
        for c in range(d):
            per[c] = 1.0 / spreads[c, i] if spreads[c, i] > 0.0 else _NO_SPREAD
        total = 0.0
        if uniform:
            for j in range(n):
                share = 1.0
                for c in range(d):
                    share *= max(1.0 - 0.5 * abs(points[i, c] - points[j, c]) * per[c], 0.0)
                total += share
        else:
            for j in range(n):
                squared = 0.0
                for c in range(d):
                    gap = (points[i, c] - points[j, c]) * per[c]
                    squared += gap * gap
                if squared == 0.0:
                    total += 1.0
                elif squared < _FAR:
                    total += 0.5 * math.erfc(math.sqrt(squared / 8.0))
        expected[i] = total
    return expected
