"""Groups of l records with l different labels, cut from a ring on which any l in a row differ.

Where labels are frequent, groups that are formed one after the other leave a remainder in which nothing is alike. A
ring has none: it is laid and polished as a whole. It is cut where the vote changes the fewest bits. The
records that are over, fewer than l, join the groups that lack their labels and are nearest: there always is one, as a
label is carried by no more than one record in l.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.rings.diverse_ring import diverse_ring, polish_ring
from sfumato.data.baskets import Baskets
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.published.baskets.bits import distances, pack

__all__ = ["ring_groups", "turned_bits"]


def ring_groups(
    baskets: Baskets, labels: NDArray[np.int64], order: NDArray[np.int64], l: int,  # noqa: E741
    share: Share = tell_nobody,
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record: l of them, or a few more. O(l x items) after the ring is laid."""
    laid = diverse_ring(labels, order, l, window=l)
    ring = polish_ring(baskets, labels, laid, share=portion(share, 0.0, 0.5)).order
    n, n_groups = len(ring), len(ring) // l
    best, least = np.empty(0, dtype=np.int64), -1
    for begin in range(l):
        turned = np.roll(ring, -begin)
        group = np.empty(n, dtype=np.int64)
        group[turned[: n_groups * l]] = np.repeat(np.arange(n_groups), l)
        _join_leftovers(baskets, labels, group, turned[: n_groups * l].reshape(n_groups, l), turned[n_groups * l :])
        bits = turned_bits(baskets, group)
        if least < 0 or bits < least:
            best, least = group, bits
        share(0.5 + 0.5 * (begin + 1) / l)
    return best


def _join_leftovers(
    baskets: Baskets, labels: NDArray[np.int64], group: NDArray[np.int64], members: NDArray[np.int64],
    over: NDArray[np.int64],
) -> None:  # fmt: skip
    """Put each record that is left over into the nearest group without its label, in place; their own labels differ."""
    if not len(over):
        return
    records, firsts = pack(baskets), members[:, 0]
    for record in over.tolist():
        lacks = np.flatnonzero((labels[members] != labels[record]).all(axis=1))
        apart = distances(records, np.full(len(lacks), record), firsts[lacks])
        group[record] = lacks[int(np.argmin(apart))]


def turned_bits(baskets: Baskets, group: NDArray[np.int64]) -> int:
    """How many bits of records differ from the vote of their group; ties count the same either way."""
    m = max(baskets.n_items, 1)
    keys, held = np.unique(np.repeat(group, baskets.sizes) * m + baskets.ids, return_counts=True)
    return int(np.minimum(held, np.bincount(group)[keys // m] - held).sum())
