"""The Gray order of records, by comparing ranks and without building the code.

Records as rows of bits, ordered by the rank of the row in the reflected binary code, so that neighbours differ in few
bits (Ghinita, Tao & Kalnis, ICDE 2008; Xue's thesis, section 3.6.1). Two records that share their first t items differ
first where the next item of one of them lies: the one that has it comes later if t is even, and earlier if t is odd. So
the rank compares like a text of positions, in the opposite direction at every other place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets

__all__ = ["frequency_ranks", "gray_order"]


def frequency_ranks(baskets: Baskets) -> NDArray[np.int64]:
    """The rank of every item by how many records have it, the most frequent first; ties by number."""
    place = np.empty(baskets.n_items, dtype=np.int64)
    place[np.argsort(-baskets.counts, kind="stable")] = np.arange(baskets.n_items)
    return place


def gray_order(baskets: Baskets, place: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """The records in the order of their Gray ranks; `place` is the bit of each item, 0 the highest.

    Records with the same items keep their order. O(items present x log records) at worst, mostly much less.
    """
    n, m = len(baskets), baskets.n_items
    record = np.repeat(np.arange(n), baskets.sizes)
    bits = baskets.ids.astype(np.int64) if place is None else place[baskets.ids]
    order = np.argsort(record * max(m, 1) + bits, kind="stable")
    bits = bits[order]
    at = np.arange(len(bits)) - np.repeat(baskets.starts[:-1], baskets.sizes)
    # the higher the later: an even place counts from the end; the end of a record lies below all, or above all
    keys = np.where(at % 2 == 0, m - bits, bits).astype(">u4")
    low, high = np.zeros(1, dtype=">u4").tobytes(), np.full(1, m + 1, dtype=">u4").tobytes()
    whole = keys.tobytes()
    texts = [
        whole[4 * a : 4 * b] + (low if (b - a) % 2 == 0 else high)
        for a, b in zip(baskets.starts[:-1].tolist(), baskets.starts[1:].tolist(), strict=True)
    ]
    return np.array(sorted(range(n), key=texts.__getitem__), dtype=np.int64)
