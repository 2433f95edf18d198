"""Rings of records on which every few neighbours carry distinct labels, so that what is published is l-diverse.

The label that a published record carries is that of its true owner, so a check of original labels does not protect
(Xue's thesis, section 3.6.3, does just that). Two kinds of ring do, whichever assignment is drawn: if every l
consecutive labels are distinct, with the l cyclic shifts; if every 2l - 1 are, with any assignments of the ring.

A ring with distinct windows exists if and only if no label is carried by more than one record in `window`. It is found
slot by slot, and no step is taken back. Of the records of a label the last must be placed by the end of the ring, and
each of the others a window before the next: their deadlines. While no stretch of slots from here on has more deadlines
than slots, placing the earliest deadline first completes the ring: records that could not all meet theirs would follow
as many of their labels, placed a window before in too few slots. So a slot may take any label that is not in the window
before it and whose deadline is not past the first stretch that is full. It takes the record that wishes to be first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.rings.ring import cyclic_shifts, random_assignments
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.published.baskets.bits import Packed, hamming, pack

__all__ = [
    "DiverseRing",
    "diverse_assignments",
    "diverse_ring",
    "polish_ring",
    "refuse_frequent",
    "ring_cost",
    "row_deal",
]  # fmt: skip

_FAR, _MAX_FAR = 16, 4  # partners with the same label lie up to 16 windows on; at most 4 of them are tried


@dataclass(frozen=True, eq=False)
class DiverseRing:
    """A ring: which record lies at each position, for which l, and how many consecutive labels are distinct."""

    order: NDArray[np.int64]
    l: int  # noqa: E741
    window: int


def diverse_ring(
    labels: NDArray[np.int64], order: NDArray[np.int64], l: int,  # noqa: E741
    *, window: int | None = None, names: Sequence[str] | None = None,
) -> DiverseRing:  # fmt: skip
    """A ring of records near those they are near in `order`, with every l labels in a row distinct, or 2l - 1.

    `window` chooses one of the two, by default 2l - 1 where that is possible; `names` are those of the labels. It
    always finds a ring if there is one, in O(n log n).
    """
    whole("l", l, least=1)
    n = len(labels)
    if not n:
        raise ParameterError("there are no records to put on a ring")
    if len(order) != n or not np.array_equal(np.sort(order), np.arange(n)):
        raise ParameterError(f"the order must list each of the {n:,} records once")
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes)
    if window is None:
        window = 2 * l - 1 if int(counts.max()) <= n // (2 * l - 1) else l
    if window not in (l, 2 * l - 1):
        raise ParameterError(f"the window must be l={l} or 2l-1={2 * l - 1}, got {window}")
    refuse_frequent(labels, l, window, names)
    laid = codes[order]  # the labels along the order
    members, starts = np.argsort(laid, kind="stable"), np.concatenate([[0], np.cumsum(counts)])
    wishes = _wishes(members, starts, window)
    deadlines = _deadlines(laid, counts, wishes[starts[:-1]], window)
    return DiverseRing(order[members[_fill_slots(starts, wishes, deadlines, window)]], l, window)


def refuse_frequent(labels: NDArray[np.int64], l: int, window: int, names: Sequence[str] | None) -> None:  # noqa: E741
    """Raise where more than one record in `window` carries the same label: then no ring has distinct windows."""
    values, counts = np.unique(labels, return_counts=True)
    n, most = len(labels), int(counts.max())
    if most > n // window:
        value = int(values[counts.argmax()])
        label = repr(names[value]) if names is not None else str(value)
        best = n // most if window == l else (n // most + 1) // 2
        raise InfeasibleError(
            f"label {label} is carried by {most:,} of {n:,} records, more than 1 in {window}; the best is l={best}"
        )


def diverse_assignments(ring: DiverseRing, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
    """The l disjoint assignments of a ring, by position: random ones where its windows allow, or the cyclic shifts.

    One drawn evenly makes each edge the true one with probability 1/l, and is l-diverse on the published labels.
    """
    n = len(ring.order)
    return random_assignments(n, ring.l, random, share) if ring.window >= 2 * ring.l - 1 else cyclic_shifts(n, ring.l)


def row_deal(labels: NDArray[np.int64], window: int) -> NDArray[np.int64]:
    """The plainest ring: records by label, the most frequent first, dealt out to n // window rows, read row by row."""
    _, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    dealt = np.argsort(rank[codes], kind="stable")
    return dealt[np.argsort(np.arange(len(labels)) % (len(labels) // window), kind="stable")]


def _deadlines(
    laid: NDArray[np.int64], counts: NDArray[np.int64], wishes: NDArray[np.float64], window: int
) -> NDArray[np.int64]:
    """The slot by which each record must be placed, label by label.

    `laid` are the labels along the order, `wishes` the places where the first record of each label would best lie.

    The labels of the first window - 1 slots are settled here, because they bound those of the last: the ones that wish
    to be first if the ring can then be closed, with as few as it takes of those that the row deal begins with.
    """
    n, early = len(laid), np.argsort(wishes, kind="stable")
    sure = laid[row_deal(laid, window)[: window - 1]]
    for n_sure in range(window):
        first = np.concatenate([sure[:n_sure], early[~np.isin(early, sure[:n_sure])]])[: window - 1]
        last = np.full(len(counts), n - 1)
        last[first] = n - window + np.arange(window - 1)
        heads = np.cumsum(counts) - counts
        to_come = np.repeat(counts + heads, counts) - np.arange(n) - 1
        found = np.repeat(last, counts) - window * to_come
        found[heads[first]] = np.arange(window - 1)
        if _room(found).min() >= 0:
            break
    return found


def _room(deadlines: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each slot, how many of the slots up to it are not needed by records due by then."""
    n = len(deadlines)
    return np.arange(1, n + 1) - np.cumsum(np.bincount(deadlines, minlength=n))


@kernel
def _wishes(members: NDArray[np.int64], starts: NDArray[np.int64], window: int) -> NDArray[np.float64]:
    """Where records would best lie if those of their own label alone were in the way, a window from each to the next.

    That is nearest to their places in the order, by least squares: neighbours that are too close are pooled.
    """
    wish, mean, weight = np.empty(len(members)), np.empty(len(members)), np.empty(len(members), dtype=np.int64)
    for q in range(starts.shape[0] - 1):
        size = 0
        for h in range(starts[q], starts[q + 1]):
            mean[size], weight[size] = members[h] - window * (h - starts[q]), 1
            while size > 0 and mean[size - 1] >= mean[size]:
                both = weight[size - 1] + weight[size]
                mean[size - 1] += (mean[size] - mean[size - 1]) * weight[size] / both
                weight[size - 1] = both
                size -= 1
            size += 1
        h = starts[q]
        for pool in range(size):
            for _ in range(weight[pool]):
                wish[h] = mean[pool] + window * (h - starts[q])
                h += 1
    return wish


def _fill_slots(
    starts: NDArray[np.int64], wishes: NDArray[np.float64], deadlines: NDArray[np.int64], window: int
) -> NDArray[np.int64]:
    """The record in each slot of the ring; those of label q are `starts[q]` to `starts[q + 1] - 1`, in this order."""
    rank = np.empty(len(wishes), dtype=np.int64)
    rank[np.argsort(deadlines, kind="stable")] = np.arange(len(wishes))
    return _slots(starts, wishes, deadlines, rank, _room(deadlines), window)


@kernel
def _slots(
    starts: NDArray[np.int64], wishes: NDArray[np.float64], deadlines: NDArray[np.int64], rank: NDArray[np.int64],
    room: NDArray[np.int64], window: int,
) -> NDArray[np.int64]:  # fmt: skip
    """The record in each slot, by two trees over slots.

    `least` has the least room below a node, with `more` to be added to all below it; `foremost` the record with the
    foremost wish among those whose deadlines lie below a node.
    """
    n = wishes.shape[0]
    base = 1
    while base <= n:
        base *= 2
    least, more = np.full(2 * base, 2 * n, dtype=np.int64), np.zeros(base, dtype=np.int64)
    least[base : base + n] = room
    for node in range(base - 1, 0, -1):
        least[node] = min(least[2 * node], least[2 * node + 1])
    foremost = np.full(2 * base, -1, dtype=np.int64)
    last_of = np.empty(n, dtype=np.int64)
    for q in range(starts.shape[0] - 1):
        last_of[starts[q] : starts[q + 1]] = starts[q + 1] - 1
        _offer(foremost, wishes, base + rank[starts[q]], starts[q])
    ring = np.empty(n, dtype=np.int64)
    for t in range(n):
        if t >= window and ring[t - window] < last_of[ring[t - window]]:
            follower = ring[t - window] + 1
            _offer(foremost, wishes, base + rank[follower], follower)
        node, value = 1, 0
        while node < base:  # to the first slot with no room to spare
            value -= more[node]
            node = 2 * node if least[2 * node] == value else 2 * node + 1
        limit = node - base
        node, taken = base + limit + 1 - room[limit], -1  # deadlines up to that slot, by rank
        while node > 1:
            if node % 2 == 1:
                taken = _before(foremost[node - 1], taken, wishes)
            node //= 2
        ring[t] = taken
        _offer(foremost, wishes, base + rank[taken], -1)
        node = base + deadlines[taken]  # slots before it have one less to spare
        while node > 1:
            if node % 2 == 1:
                least[node - 1] -= 1
                if node - 1 < base:
                    more[node - 1] -= 1
            node //= 2
            least[node] = min(least[2 * node], least[2 * node + 1]) + more[node]
        node = base + t  # and this one is past
        least[node] += 2 * n
        while node > 1:
            node //= 2
            least[node] = min(least[2 * node], least[2 * node + 1]) + more[node]
    return ring


@kernel
def _before(a: int, b: int, wishes: NDArray[np.float64]) -> int:
    """The record of the two that wishes to be first; -1 is none."""
    if a < 0 or (b >= 0 and wishes[b] <= wishes[a]):
        return b
    return a


@kernel
def _offer(foremost: NDArray[np.int64], wishes: NDArray[np.float64], node: int, record: int) -> None:
    """Put a record (or none, -1) on a leaf of the tree, and renew the nodes above."""
    foremost[node] = record
    while node > 1:
        node //= 2
        foremost[node] = _before(foremost[2 * node], foremost[2 * node + 1], wishes)


# -- cost --------------------------------------------------------------------------------------------------------------
def ring_cost(baskets: Baskets, ring: DiverseRing) -> int:
    """What the ring pays: the Hamming distances of all pairs of positions less than l apart."""
    return int(_bands(pack(baskets), ring.order, ring.l - 1).sum())


def polish_ring(
    baskets: Baskets, labels: NDArray[np.int64], ring: DiverseRing,
    *, sweeps: int = 8, reach: int = 16, share: Share = tell_nobody,
) -> DiverseRing:  # fmt: skip
    """The ring polished: swaps of two records that lower its cost and leave all its windows distinct.

    Partners lie up to `reach` positions on, or carry the same label and lie further. It stops when a sweep gains less
    than a thousandth. O(n (reach + l) (l + items of a record)) for a sweep.
    """
    n, l = len(ring.order), ring.l  # noqa: E741
    if l == 1 or n < 3:
        return ring
    near, order = min(reach, n - 1), ring.order.copy()
    records, own = pack(baskets), labels[order]
    bands = _bands(records, order, min(near + l - 1, n - 1))
    cost = int(bands[:, : l - 1].sum())
    for sweep in range(sweeps):
        gained = _polish_sweep(records, order, own, bands, l, ring.window, near)
        share((sweep + 1) / sweeps)
        cost -= gained
        if 1000 * gained <= cost:
            break
    return replace(ring, order=order)


@kernel
def _bands(records: Packed, order: NDArray[np.int64], width: int) -> NDArray[np.int32]:
    """The distances from each position to the next `width` positions."""
    n = order.shape[0]
    found = np.empty((n, width), dtype=np.int32)
    for i in range(n):
        for s in range(width):
            found[i, s] = hamming(records, order[i], order[(i + s + 1) % n])
    return found


@kernel
def _polish_sweep(  # noqa: C901  a kernel
    records: Packed, order: NDArray[np.int64], own: NDArray[np.int64], bands: NDArray[np.int32],
    l: int, window: int, near: int,  # noqa: E741
) -> int:  # fmt: skip
    """Make the best swap of each position in turn; by how much the cost fell. `own` are the labels by position."""
    n, width = bands.shape
    total = 0
    for i in range(n):
        best, partner, n_far = 0, -1, 0
        for d in range(1, min(_FAR * window, n - 1) + 1):
            j = (i + d) % n
            if d > near:
                if own[i] != own[j]:
                    continue
                n_far += 1
                if n_far > _MAX_FAR:
                    break
            if own[i] != own[j] and not _fits(own, i, j, window):
                continue
            gain = 0
            for s in range(1, l):
                for e in (s, -s):
                    p, r = (i + e) % n, (j + e) % n
                    gain += _apart(records, order, bands, i, p) + _apart(records, order, bands, j, r)
                    if p == j:  # the two of them stay as far apart
                        gain -= 2 * _apart(records, order, bands, i, j)
            for s in range(1, l):
                if gain <= best:
                    break
                for e in (s, -s):
                    p, r = (i + e) % n, (j + e) % n
                    if p != j:
                        gain -= _apart(records, order, bands, j, p)
                    if r != i:
                        gain -= _apart(records, order, bands, i, r)
            if gain > best:
                best, partner = gain, j
        if partner >= 0:
            total += best
            order[i], order[partner] = order[partner], order[i]
            own[i], own[partner] = own[partner], own[i]
            for at in (i, partner):
                for s in range(1, width + 1):
                    back = (at - s) % n
                    bands[at, s - 1] = hamming(records, order[at], order[(at + s) % n])
                    bands[back, s - 1] = hamming(records, order[back], order[at])
    return total


@kernel
def _fits(own: NDArray[np.int64], i: int, j: int, window: int) -> bool:
    """Whether windows stay distinct if two positions with different labels swap."""
    n = own.shape[0]
    for s in range(1, window):
        for e in (s, -s):
            p, r = (i + e) % n, (j + e) % n
            if (p != j and own[p] == own[j]) or (r != i and own[r] == own[i]):
                return False
    return True


@kernel
def _apart(records: Packed, order: NDArray[np.int64], bands: NDArray[np.int32], i: int, j: int) -> int:
    """The distance between the records at two positions, from the bands where they have it."""
    n, width = bands.shape
    ahead = (j - i) % n
    if 0 < ahead <= width:
        return int(bands[i, ahead - 1])
    if 0 < n - ahead <= width:
        return int(bands[j, n - ahead - 1])
    return int(hamming(records, order[i], order[j]))
