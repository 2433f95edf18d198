"""The thesis's Gray-TSP order: the Gray order, cut into segments that are then polished as paths with fixed ends.

Xue's thesis, section 3.6.1. A segment is made shorter by reversals and by moving up to three records (2-opt and Or-opt)
until nothing helps, in place of the thesis's genetic algorithm. What falls is the sum of distances between neighbours,
which is not what a ring of k pays: this order is here to be compared with.

Called by the class `GrayTSP`, which is in `order.py`; the same rule, reversals and moves that shorten, also stands in
`windowed.py`, for the sum that a ring of k pays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.orders.segments import segment_starts
from sfumato.data.baskets import Baskets
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.published.baskets.bits import Packed, distances, hamming, pack

__all__ = ["polish_segments"]

_SEGMENTS = 64  # polished between two reports of progress


def polish_segments(
    baskets: Baskets, order: NDArray[np.int64], least: int, most: int, share: Share = tell_nobody
) -> NDArray[np.int64]:
    """The order with every segment of `least` to `most` records made a shorter path between its two ends."""
    if len(order) < 4:
        return order
    records = pack(baskets, order)
    at = np.arange(len(order))
    starts = segment_starts(distances(records, at[:-1], at[1:]), least, most)
    path, n_segments = np.empty_like(at), len(starts) - 1
    for first in range(0, n_segments, _SEGMENTS):
        some = starts[first : first + _SEGMENTS + 1]
        path[some[0] : some[-1]] = _polish_segments(records, some)[some[0] :]
        share(min(first + _SEGMENTS, n_segments) / n_segments)
    return order[path]


@kernel
def _polish_segments(records: Packed, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions up to the end of the last segment, those of these segments in a better order."""
    path = np.arange(starts[-1])
    for s in range(starts.shape[0] - 1):
        low, high = starts[s], starts[s + 1]
        size = high - low
        apart = np.zeros((size, size), dtype=np.int64)
        for i in range(size):
            for j in range(i):
                apart[i, j] = hamming(records, low + i, low + j)
                apart[j, i] = apart[i, j]
        own = np.arange(size)
        while _polish_by_reversals(apart, own) or _polish_by_moves(apart, own):
            pass
        for i in range(size):
            path[low + i] = low + own[i]
    return path


@kernel
def _polish_by_reversals(apart: NDArray[np.int64], path: NDArray[np.int64]) -> bool:
    """Reverse stretches of a path in place wherever that makes it shorter (2-opt), in one pass; whether any did."""
    helped = False
    for i in range(1, path.shape[0] - 2):
        for j in range(i + 1, path.shape[0] - 1):
            before, first, last, behind = path[i - 1], path[i], path[j], path[j + 1]
            if apart[before, last] + apart[first, behind] < apart[before, first] + apart[last, behind]:
                a, b = i, j
                while a < b:
                    path[a], path[b] = path[b], path[a]
                    a, b = a + 1, b - 1
                helped = True
    return helped


@kernel
def _polish_by_moves(apart: NDArray[np.int64], path: NDArray[np.int64]) -> bool:
    """Move one to three records of a path in place, either way round (Or-opt), in one pass; whether that helped."""
    n, helped = path.shape[0], False
    for size in range(1, 4):
        for i in range(1, n - size):
            before, first, last, behind = path[i - 1], path[i], path[i + size - 1], path[i + size]
            saved = apart[before, first] + apart[last, behind] - apart[before, behind]
            best, best_gap, turned = saved, -1, False
            for gap in range(n - 1):  # between this position and the next
                if i - 1 <= gap < i + size:
                    continue
                a, b = path[gap], path[gap + 1]
                straight = apart[a, first] + apart[last, b] - apart[a, b]
                around = apart[a, last] + apart[first, b] - apart[a, b]
                if straight < best:
                    best, best_gap, turned = straight, gap, False
                if around < best:
                    best, best_gap, turned = around, gap, True
            if best_gap < 0:
                continue
            block = path[i : i + size].copy()
            if turned:
                block = block[::-1].copy()
            if best_gap < i:
                for t in range(i - 1, best_gap, -1):
                    path[t + size] = path[t]
                to = best_gap + 1
            else:
                for t in range(i + size, best_gap + 1):
                    path[t - size] = path[t]
                to = best_gap + 1 - size
            for t in range(size):
                path[to + t] = block[t]
            helped = True
    return helped
