"""Kernel: the smallest spread at which a record is expected to hide among k."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["least_levels"]

_FAR = 5.0
"""Records farther away than this many deviations add less than 3e-7 each and are left out: spreads can only grow."""


@kernel
def least_levels(
    points: NDArray[np.float64], spreads: NDArray[np.float64], k: int, normal: Any, start: int, stop: int, level: int
) -> NDArray[np.int64]:  # fmt: skip
    """For records `start` to `stop`, the first of the rising `spreads` at which k are expected to fit; -1 for none.

    A normal density of deviation s, drawn around x, fits y as well as x with probability Phi(-|x - y| / 2s). A cube of
    half-width s that is drawn so that x lies in it holds y with probability prod(1 - |x - y| / 2s), where positive.
    """
    top = spreads.shape[0]
    levels = np.empty(stop - start, dtype=np.int64)
    apart = np.empty(points.shape[0])
    for i in range(start, stop):
        _measure(points, i, normal, apart)
        if _hides(points, apart, i, spreads[level], k, normal):
            while level > 0 and _hides(points, apart, i, spreads[level - 1], k, normal):
                level -= 1
            levels[i - start] = level
            continue
        low, high = level, top  # double the step, then halve what is left
        step = 1
        while low + step < top and not _hides(points, apart, i, spreads[low + step], k, normal):
            low += step
            step *= 2
        high = min(low + step, top)
        while high - low > 1:
            middle = (low + high) // 2
            if _hides(points, apart, i, spreads[middle], k, normal):
                high = middle
            else:
                low = middle
        levels[i - start] = high if high < top else -1
        level = min(high, top - 1)
    return levels


@kernel
def _measure(points: NDArray[np.float64], i: int, normal: Any, apart: NDArray[np.float64]) -> None:
    """Write to `apart` the squared distance of every record from record i, or for boxes its largest difference."""
    if normal:
        for j in range(points.shape[0]):
            total = 0.0
            for c in range(points.shape[1]):
                step = points[i, c] - points[j, c]
                total += step * step
            apart[j] = total
    else:
        for j in range(points.shape[0]):
            most = 0.0
            for c in range(points.shape[1]):
                most = max(most, abs(points[i, c] - points[j, c]))
            apart[j] = most


@kernel
def _hides(
    points: NDArray[np.float64], apart: NDArray[np.float64], i: int, spread: float, k: int, normal: Any
) -> bool:  # fmt: skip
    """Whether at this spread k records are expected to fit the density of record i, itself among them."""
    far = (2.0 * spread * _FAR) ** 2 if normal else 2.0 * spread
    total = 0.0
    for j in range(apart.shape[0]):
        if apart[j] >= far:
            continue
        if apart[j] == 0.0:
            total += 1.0  # itself, and whoever equals it
        elif normal:
            total += 0.5 * math.erfc(math.sqrt(apart[j] / 8.0) / spread)
        else:
            share = 1.0
            for c in range(points.shape[1]):
                share *= 1.0 - abs(points[i, c] - points[j, c]) / (2.0 * spread)
            total += share
        if total >= k:
            return True
    return False
