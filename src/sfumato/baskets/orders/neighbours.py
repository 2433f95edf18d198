"""Which records are near each other, without looking at all pairs: those side by side in Gray orders of random items.

Half of the orders take 64 items, rather those that split the records evenly; the other half compare the three first
items of each record in a random order of all, which brings together records that share a rare one. Equal records count
as one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import Packed, distances, hamming

__all__ = ["chains", "near_records"]

_ORDERS, _REACH = 24, 3


def near_records(
    records: Packed, n_items: int, count: int, random: Randomness, share: Share = tell_nobody
) -> NDArray[np.int32]:
    """For every record up to `count` others that are near, the nearest first, then -1.

    Equal records are expected side by side. O((items present + records) x orders), and sorting.
    """
    _, starts, ids, _ = records
    first = _runs(records)
    m = len(first) - 1
    held = np.bincount(ids, minlength=n_items) / max(len(starts) - 1, 1)
    spread = held * (1 - held) + 1e-9
    best, apart = np.full((m, count), -1, dtype=np.int32), np.zeros((m, count), dtype=np.int32)
    _offer_all(records, first, np.arange(m), best, apart)
    for turn in range(_ORDERS):
        place = np.empty(n_items, dtype=np.int64)
        if turn % 2:
            place[random.permutation(n_items)] = np.arange(n_items)
            keys = _rank_of_items(starts, ids, first, place)
        else:
            place[np.argsort(random.exponential(n_items) / spread, kind="stable")] = np.arange(n_items)
            keys = _rank_of_bits(starts, ids, first, place)
        _offer_all(records, first, np.argsort(keys, kind="stable"), best, apart)
        share((turn + 1) / _ORDERS)
    return _spread_out(first, best)


def chains(records: Packed, near: NDArray[np.int32]) -> NDArray[np.int64]:
    """An order made of chains of near records: links are taken by distance as long as they close no circle.

    Chains follow each other by their lower end.
    """
    n, count = near.shape
    to = near.ravel()
    kept = np.flatnonzero(to >= 0)
    first, second = kept // max(count, 1), to[kept].astype(np.int64)
    by = np.argsort(distances(records, first, second), kind="stable")
    return _link(n, first[by], second[by])


@kernel
def _runs(records: Packed) -> NDArray[np.int64]:
    """Where runs of equal records start, and after them the number of records."""
    n = records[1].shape[0] - 1
    first = np.empty(n + 1, dtype=np.int64)
    found = 0
    for i in range(n):
        if i == 0 or hamming(records, i - 1, i) > 0:
            first[found] = i
            found += 1
    first[found] = n
    return first[: found + 1]


@kernel
def _rank_of_bits(
    starts: NDArray[np.int64], ids: NDArray[np.int32], first: NDArray[np.int64], place: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The Gray rank of each run of equal records, by the 63 items with the lowest `place`."""
    keys = np.zeros(first.shape[0] - 1, dtype=np.int64)
    for r in range(keys.shape[0]):
        key = 0
        for e in range(starts[first[r]], starts[first[r] + 1]):
            if place[ids[e]] < 63:
                key |= 1 << (62 - place[ids[e]])
        for half in (1, 2, 4, 8, 16, 32):
            key ^= key >> half
        keys[r] = key
    return keys


@kernel
def _rank_of_items(
    starts: NDArray[np.int64], ids: NDArray[np.int32], first: NDArray[np.int64], place: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rank of each run by its three items with the lowest `place`; the second counts the other way round."""
    top = min(place.shape[0] + 1, 1 << 20)
    keys = np.zeros(first.shape[0] - 1, dtype=np.int64)
    for r in range(keys.shape[0]):
        a, b, c = top, top, top
        for e in range(starts[first[r]], starts[first[r] + 1]):
            at = min(place[ids[e]], top - 1)
            if at < a:
                a, b, c = at, a, b
            elif at < b:
                b, c = at, b
            elif at < c:
                c = at
        keys[r] = ((top - a) << 42) + (b << 21) + (top - c)
    return keys


@kernel
def _offer_all(
    records: Packed, first: NDArray[np.int64], order: NDArray[np.int64], best: NDArray[np.int32],
    apart: NDArray[np.int32],
) -> None:  # fmt: skip
    """Offer each run of equal records the runs next to it in an order as neighbours."""
    m = order.shape[0]
    for p in range(m):
        for q in range(p + 1, min(m, p + _REACH + 1)):
            d = hamming(records, first[order[p]], first[order[q]])
            _offer(best[order[p]], apart[order[p]], order[q], d)
            _offer(best[order[q]], apart[order[q]], order[p], d)


@kernel
def _offer(best: NDArray[np.int32], apart: NDArray[np.int32], other: int, d: int) -> None:
    """Insert a run into a list of the nearest ones, if it is near enough and not in it yet."""
    last = best.shape[0] - 1
    if best[last] >= 0 and d >= apart[last]:
        return
    at = 0
    while at <= last and best[at] >= 0 and apart[at] <= d:
        if best[at] == other:
            return
        at += 1
    for h in range(last, at, -1):
        best[h], apart[h] = best[h - 1], apart[h - 1]
    best[at], apart[at] = other, d


@kernel
def _spread_out(first: NDArray[np.int64], best: NDArray[np.int32]) -> NDArray[np.int32]:
    """The neighbours of every record from those of its run: first an equal record, then one end of each near run."""
    count = best.shape[1]
    near = np.full((first[-1], count), -1, dtype=np.int32)
    for r in range(first.shape[0] - 1):
        low, high = first[r], first[r + 1]
        for i in range(low, high):
            at = 0
            if high - low > 1:
                near[i, 0] = i - 1 if i > low else high - 1
                at = 1
            for h in range(count - at):
                if best[r, h] < 0:
                    break
                near[i, at + h] = first[best[r, h]] if (i + h) % 2 == 0 else first[best[r, h] + 1] - 1
    return near


@kernel
def _link(n: int, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Take links in turn, unless an end has two already or a circle would close; the chains, one after another."""
    links = np.full((n, 2), -1, dtype=np.int64)
    root = np.arange(n)
    for e in range(first.shape[0]):
        a, b = first[e], second[e]
        if links[a, 1] >= 0 or links[b, 1] >= 0:
            continue
        x, y = a, b
        while root[x] != x:
            root[x] = root[root[x]]
            x = root[x]
        while root[y] != y:
            root[y] = root[root[y]]
            y = root[y]
        if x != y:
            root[x] = y
            links[a, 1 if links[a, 0] >= 0 else 0] = b
            links[b, 1 if links[b, 0] >= 0 else 0] = a
    path = np.empty(n, dtype=np.int64)
    seen = np.zeros(n, dtype=np.bool_)
    at = 0
    for end in range(n):
        if seen[end] or links[end, 1] >= 0:
            continue
        before, here = -1, end
        while here >= 0:
            path[at], seen[here] = here, True
            at += 1
            onward = links[here, 1] if links[here, 0] == before else links[here, 0]
            before, here = here, onward
    return path
