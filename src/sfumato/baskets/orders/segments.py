"""Where to cut an order into segments: the cheapest cuts with all segments between a least and a most length.

Equation 3.1 of Xue's thesis with what it leaves open: C(0) = 0, no cost before the first record, and cuts j between
max(0, i - most) and i - least. Where no such segments exist, the most length becomes 2 x least - 1, with which every
order of at least `least` records can be cut; a shorter one is a single segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel

__all__ = ["segment_starts"]


def segment_starts(gaps: NDArray[np.int64], least: int, most: int) -> NDArray[np.int64]:
    """Where segments start, and the end: the sum of `gaps` cut (between each record and the next) is the least.

    >>> segment_starts(np.array([2, 1, 3, 1, 2, 1]), 2, 3)
    array([0, 2, 4, 7])
    """
    if not 1 <= least <= most:
        raise ParameterError(f"segments must have a least length >= 1 and <= the most, got least={least}, most={most}")
    n = len(gaps) + 1
    if n <= least:
        return np.array([0, n])
    costs = np.asarray(gaps, dtype=np.int64)
    found = _cuts(costs, least, most)
    return found if len(found) else _cuts(costs, least, 2 * least - 1)


@kernel
def _cuts(gaps: NDArray[np.int64], least: int, most: int) -> NDArray[np.int64]:
    """The starts and the end; nothing where no segments of these lengths make up the whole."""
    n = gaps.shape[0] + 1
    cost, last = np.full(n + 1, -1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)  # -1: cannot be cut so
    cost[0] = 0
    for i in range(least, n + 1):
        for j in range(max(0, i - most), i - least + 1):
            if cost[j] < 0:
                continue
            candidate = cost[j] + (gaps[j - 1] if j > 0 else 0)
            if cost[i] < 0 or candidate < cost[i]:
                cost[i], last[i] = candidate, j
    if cost[n] < 0:
        return last[:0]
    n_segments, i = 0, n
    while i > 0:
        n_segments, i = n_segments + 1, last[i]
    starts = np.empty(n_segments + 1, dtype=np.int64)
    starts[n_segments], i = n, n
    for s in range(n_segments - 1, -1, -1):
        i = last[i]
        starts[s] = i
    return starts
