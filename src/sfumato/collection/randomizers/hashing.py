"""A family of hash functions under which any three values are independent: random polynomials of degree 2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["PRIME", "count_supports", "hashed"]

PRIME = 2**31 - 1
"""Products with a value below 2**22 stay below 2**53, where a browser's numbers are exact."""


def hashed(a: Any, b: Any, c: Any, codes: Any, cells: int) -> NDArray[np.int64]:
    """The cell of each code under the polynomial a x^2 + b x + c modulo the prime, modulo the number of cells."""
    return np.asarray(((a * codes + b) % PRIME * codes + c) % PRIME % cells, dtype=np.int64)


@kernel
def count_supports(reports: NDArray[np.int64], k: int, cells: int) -> NDArray[np.int64]:
    """How many reports (a, b, c, cell) hash each code below k to their cell."""
    counts = np.zeros(k, np.int64)
    for i in range(reports.shape[0]):
        a, b, c, cell = reports[i, 0], reports[i, 1], reports[i, 2], reports[i, 3]
        for x in range(k):
            counts[x] += ((a * x + b) % 2147483647 * x + c) % 2147483647 % cells == cell
    return counts
