"""Kernels that lay records along the Hilbert curve: keys, and a stable sort by them.

The key is found with Skilling's method (AIP Conf. Proc. 707, 2004, doi:10.1063/1.1751381): undo the curve's
turns bit by bit with exclusive-ors, then read the bits of all axes across. A record costs O(axes x bits), and
no table is needed whatever the number of axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["hilbert_keys", "radix_order"]


@kernel
def hilbert_keys(axes: NDArray[np.uint32], bits: int) -> NDArray[np.uint64]:
    """Keys of the points in `axes` (one row per axis, values below 2**bits), most significant word first."""
    d, n = axes.shape
    n_words = (d * bits + 63) // 64
    keys = np.zeros((n_words, n), dtype=np.uint64)
    x = np.empty(d, dtype=np.uint32)
    top = np.uint32(1) << np.uint32(bits - 1)
    one = np.uint32(1)
    for i in range(n):
        for a in range(d):
            x[a] = axes[a, i]
        q = top
        while q > one:  # inverse undo of the excess work
            p = q - one
            for a in range(d):
                if x[a] & q:
                    x[0] ^= p
                else:
                    t = (x[0] ^ x[a]) & p
                    x[0] ^= t
                    x[a] ^= t
            q >>= one
        for a in range(1, d):  # Gray encode
            x[a] ^= x[a - 1]
        t = np.uint32(0)
        q = top
        while q > one:
            if x[d - 1] & q:
                t ^= q - one
            q >>= one
        for a in range(d):
            x[a] ^= t
        place = d * bits  # read the bits across, highest first
        for b in range(bits - 1, -1, -1):
            for a in range(d):
                place -= 1
                bit = np.uint64((x[a] >> np.uint32(b)) & one)
                keys[n_words - 1 - place // 64, i] |= bit << np.uint64(place % 64)
    return keys


@kernel
def radix_order(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The stable order of `keys` (most significant word first): the same on every machine."""
    n_words, n = keys.shape
    order = np.arange(n)
    other = np.empty(n, dtype=np.int64)
    counts = np.empty(2048, dtype=np.int64)
    for w in range(n_words - 1, -1, -1):
        word = keys[w]
        for shift in range(0, 64, 11):
            for b in range(2048):
                counts[b] = 0
            for i in range(n):
                counts[(word[i] >> np.uint64(shift)) & np.uint64(2047)] += 1
            total = 0
            fullest = 0
            for b in range(2048):
                here = counts[b]
                counts[b] = total
                total += here
                fullest = max(fullest, here)
            if fullest == n:  # all keys agree on these bits
                continue
            for i in range(n):
                row = order[i]
                b = (word[row] >> np.uint64(shift)) & np.uint64(2047)
                other[counts[b]] = row
                counts[b] += 1
            order, other = other, order
    return order
