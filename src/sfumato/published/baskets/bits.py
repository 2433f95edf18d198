"""Hamming distances between sparse records: 64 items to a word where that is compact, merged lists where it is not."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.ground.kernels import kernel

__all__ = ["Packed", "distances", "hamming", "pack"]

Packed: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32], bool]
"""Words of bits by record, the lists of items (starts and items), and whether the words hold a bit for every item.

Where they do not, items share bits: records without a common bit have no common item, and others are compared by list.
"""

_ROOM = 16  # how many times the memory of the lists the words may take
_SHARED = 8  # words where items share bits


def pack(baskets: Baskets, order: NDArray[np.int64] | None = None, *, compact: bool | None = None) -> Packed:
    """Return the records, in this order, as kernels take them; memory goes with the records and the items present.

    `compact` says whether words hold a bit for every item, for records that are compared with those of other lists.
    """
    rows = baskets if order is None else baskets.rows(order)
    n, words = len(rows), (rows.n_items + 63) // 64
    if compact is None:
        compact = words <= _SHARED or 8 * words * n <= _ROOM * (4 * len(rows.ids) + 8 * n)
    return _words(rows.starts, rows.ids, words if compact else _SHARED), rows.starts, rows.ids, compact


def distances(records: Packed, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """The Hamming distances between pairs of records."""
    return _distances(records, first, second)


@kernel
def _words(starts: NDArray[np.int64], ids: NDArray[np.int32], words: int) -> NDArray[np.uint64]:
    n = starts.shape[0] - 1
    bits = np.zeros((n, words), dtype=np.uint64)
    for i in range(n):
        for e in range(starts[i], starts[i + 1]):
            bits[i, (ids[e] >> 6) % words] |= np.uint64(1) << np.uint64(ids[e] & 63)
    return bits


@kernel
def hamming(records: Packed, i: int, j: int) -> int:
    """How many items one of two records has and the other has not."""
    bits, starts, ids, exact = records
    if not exact:
        return _by_lists(bits, starts, ids, i, j)
    total = np.int64(0)
    for w in range(bits.shape[1]):
        x = bits[i, w] ^ bits[j, w]  # ones are counted by halves; compilers know it for one instruction
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return int(total)


@kernel
def _by_lists(bits: NDArray[np.uint64], starts: NDArray[np.int64], ids: NDArray[np.int32], i: int, j: int) -> int:
    """The distance by merging the two lists of items; records without a common bit are not merged."""
    a, b = starts[i], starts[j]
    a_end, b_end = starts[i + 1], starts[j + 1]
    total = a_end - a + b_end - b
    w = 0  # stops early, and stays short: a wide loop here would keep `hamming` out of its callers, at twice the time
    while w < bits.shape[1] and bits[i, w] & bits[j, w] == 0:
        w += 1
    if w == bits.shape[1]:
        return int(total)
    while a < a_end and b < b_end:
        left, right = ids[a], ids[b]
        if left == right:
            total -= 2
        a += left <= right
        b += right <= left
    return int(total)


@kernel
def _distances(records: Packed, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    found = np.empty(first.shape[0], dtype=np.int64)
    for t in range(first.shape[0]):
        found[t] = hamming(records, first[t], second[t])
    return found
