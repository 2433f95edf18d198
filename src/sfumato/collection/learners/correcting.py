"""Records put into cells by order, so that each cell gets the share that was reconstructed.

Agrawal & Srikant, SIGMOD 2000: reports are sorted, the smallest go to the first cell, as many as its share says, and so
on. A record keeps its rank and not its value, and where it is done class by class the class is in the corrected value:
this is for teaching, and is never published.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["cells_by_order"]


def cells_by_order(reports: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cell of each record: the smallest reports in the first, so many in each as its share says.

    >>> cells_by_order(np.array([5.0, 1.0, 9.0, 2.0]), np.array([0.5, 0.0, 0.5])).tolist()
    [2, 0, 2, 0]
    """
    n = len(reports)
    ends = np.round(np.cumsum(shares) / max(shares.sum(), 1e-300) * n).astype(np.int64)
    cells = np.empty(n, dtype=np.int64)
    cells[np.argsort(reports, kind="stable")] = np.searchsorted(ends, np.arange(n), side="right")
    return np.minimum(cells, len(shares) - 1)
