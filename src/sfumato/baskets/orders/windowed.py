"""An order polished for what a ring of k pays: the sum of distances between records up to k - 1 places apart.

The thesis shortens the path from record to record; but each published record stands for k in a row, so that all lags 1
to k - 1 count, round the end of the order too. From chains of near records, single records are moved beside others that
are near them, and stretches reversed so that near records come to lie side by side, as long as the whole sum falls
(Or-opt and 2-opt with lists of neighbours, in sweeps over the records whose surroundings changed). Of many lags the
first are looked at, which the others follow. Every step is exact in integers, and the order is never worse than the one
given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.orders.neighbours import chains, near_records
from sfumato.data.baskets import Baskets
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import Packed, hamming, pack

__all__ = ["polish_windows", "windowed_sum"]

_FARTHEST = 25_000  # how many records one step may shift at most
_MOST_LAGS = 128  # what a step is judged by at most
_NO_LIMIT = 1 << 62


def windowed_sum(baskets: Baskets, order: NDArray[np.int64], k: int) -> int:
    """What a ring of k pays: all distances between records 1 to k - 1 places apart, round the end too."""
    return int(_windowed_sum(pack(baskets, order), np.arange(len(order)), k - 1))


def polish_windows(
    baskets: Baskets, order: NDArray[np.int64], k: int, random: Randomness,
    *, neighbours: int, sweeps: int, share: Share = tell_nobody,
) -> NDArray[np.int64]:  # fmt: skip
    """An order with a lower windowed sum than the given one, which should have equal records side by side.

    Each record is tried beside its nearest `neighbours`. It stops after `sweeps` sweeps, or when one gains less than
    0.1 %. O(n min(k, 128)^2 neighbours) distances a sweep at worst, most of which are not needed.
    """
    n = len(order)
    if k < 2 or n < max(k + 1, 4):
        return order  # every order of these costs the same
    records, lags = pack(baskets, order), min(k - 1, _MOST_LAGS)
    given = int(_windowed_sum(records, np.arange(n), k - 1))
    near = near_records(records, baskets.n_items, neighbours, random, portion(share, 0.0, 0.15))
    path = chains(records, near)
    share(0.2)
    place = np.empty(n, dtype=np.int64)
    place[path] = np.arange(n)
    better, near = order[path], np.where(near >= 0, place[near], -1)[path].astype(np.int32)
    records, path = pack(baskets, better), np.arange(n)  # records that are near lie near in memory
    total = int(_windowed_sum(records, path, lags))
    active = np.ones(n, dtype=np.bool_)
    for sweep in range(sweeps):
        gain = _sweep(records, path, lags, near, active)
        share(0.2 + 0.8 * (sweep + 1) / sweeps)
        total -= gain
        if 1000 * gain < total:
            break
    if lags < k - 1:
        total = int(_windowed_sum(records, path, k - 1))
    return better[path] if total < given else order


# -- steps -----------------------------------------------------------------------------------------------------------
@kernel
def _windowed_sum(records: Packed, path: NDArray[np.int64], lags: int) -> int:
    """The sum of distances between records 1 to `lags` places apart, round the end too."""
    total, n = 0, path.shape[0]
    for i in range(n):
        for s in range(1, lags + 1):
            total += hamming(records, path[i], path[(i + s) % n])
    return total


@kernel
def _gather(path: NDArray[np.int64], start: int, step: int, found: NDArray[np.int64]) -> None:
    """Fill `found` with the records from a position on, forwards or backwards round the ring."""
    n = path.shape[0]
    at = start % n
    for a in range(found.shape[0]):
        found[a] = path[at]
        at += step
        if at == n:
            at = 0
        elif at < 0:
            at = n - 1


@kernel
def _joint_sum(records: Packed, left: NDArray[np.int64], right: NDArray[np.int64], lags: int, most: int) -> int:
    """The sum of all distances across a joint, both sides listed from the joint on; may stop once it is >= `most`."""
    total = 0
    for a in range(min(lags, left.shape[0])):
        for b in range(min(lags - a, right.shape[0])):
            total += hamming(records, left[a], right[b])
        if total >= most:
            return total
    return total


@kernel
def _span_sum(records: Packed, left: NDArray[np.int64], right: NDArray[np.int64]) -> int:
    """The sum of distances across a gap that one more record in the gap would push further apart than `lags`."""
    total, lags = 0, left.shape[0]
    for a in range(lags):
        total += hamming(records, left[a], right[lags - 1 - a])
    return total


@kernel
def _beside_sum(records: Packed, left: NDArray[np.int64], x: int, right: NDArray[np.int64], most: int) -> int:
    """The sum of distances from a record to those on both its sides; may stop once it is >= `most`."""
    total = 0
    for a in range(left.shape[0]):
        total += hamming(records, left[a], x) + hamming(records, right[a], x)
        if total >= most:
            return total
    return total


@kernel
def _sides(path: NDArray[np.int64], p: int, gap: int, left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
    """Fill `left` and `right` with the records on both sides of a gap, in the ring without the record at position p.

    Gap 0 is where that record was; gap g lies g records further on.
    """
    n = path.shape[0]
    for a in range(left.shape[0]):
        at = gap - 1 - a
        if at < 0:
            at += n - 1
        at += p + 1
        if at >= n:
            at -= n
        left[a] = path[at]
        at = gap + a
        if at >= n - 1:
            at -= n - 1
        at += p + 1
        if at >= n:
            at -= n
        right[a] = path[at]


@kernel
def _move(path: NDArray[np.int64], place: NDArray[np.int64], p: int, gap: int) -> None:
    """Move the record at position p into a gap, the shorter way round."""
    n, x = path.shape[0], path[p]
    back = gap > n - 1 - gap
    at = p
    for _ in range(n - 1 - gap if back else gap):
        source = at - 1 if back else at + 1
        if source == n:
            source = 0
        elif source < 0:
            source = n - 1
        path[at] = path[source]
        place[path[at]] = at
        at = source
    path[at], place[x] = x, at


@kernel
def _reverse(path: NDArray[np.int64], place: NDArray[np.int64], p: int, size: int) -> None:
    """Reverse the order of positions p to p + size - 1."""
    n = path.shape[0]
    a, b = p, (p + size - 1) % n
    for _ in range(size // 2):
        path[a], path[b] = path[b], path[a]
        place[path[a]], place[path[b]] = a, b
        a, b = a + 1, b - 1
        if a == n:
            a = 0
        if b < 0:
            b = n - 1


@kernel
def _wake(
    path: NDArray[np.int64], active: NDArray[np.bool_], known: NDArray[np.int64], centre: int, reach: int
) -> None:
    """Mark records near a changed position to be looked at again, and forget the sums kept for them."""
    n = path.shape[0]
    at = (centre - reach) % n
    for _ in range(min(n, 2 * reach + 1)):
        active[path[at]] = True
        known[path[at], 0] = -1
        known[path[at], 2] = -1
        at += 1
        if at == n:
            at = 0


@kernel
def _kept_joint_sum(
    records: Packed, path: NDArray[np.int64], lags: int, p: int, known: NDArray[np.int64], sides: NDArray[np.int64]
) -> int:
    """The joint sum before position p, kept in `known` with the record there until its surroundings change."""
    n = path.shape[0]
    a, b = path[p - 1 if p > 0 else n - 1], path[p]
    if known[a, 0] == b:
        return int(known[a, 1])
    if known[b, 0] == a:
        return int(known[b, 1])
    _gather(path, p - 1 + n, -1, sides[0])
    _gather(path, p, 1, sides[1])
    total = _joint_sum(records, sides[0], sides[1], lags, _NO_LIMIT)
    known[a, 0], known[a, 1] = b, total
    return total


@kernel
def _reversal_gain(
    records: Packed, path: NDArray[np.int64], lags: int, p: int, size: int, first: int, least: int,
    known: NDArray[np.int64], sides: NDArray[np.int64],
) -> int:  # fmt: skip
    """By how much the windowed sum falls if positions p to p + size - 1 are reversed; or anything <= `least`.

    `first` says which of the two new joints to look at first: 0 that before the stretch, 1 that behind it.
    """
    n = path.shape[0]
    outside, inside = min(lags, n - size), min(lags, size)
    whole = outside == lags and inside == lags
    fall = 0
    if whole:
        fall = _kept_joint_sum(records, path, lags, p, known, sides)
        fall += _kept_joint_sum(records, path, lags, (p + size) % n, known, sides)
        if fall <= least:
            return least
    before, head, tail, behind = sides[0, :outside], sides[1, :inside], sides[2, :inside], sides[3, :outside]
    _gather(path, p - 1 + n, -1, before)
    _gather(path, p, 1, head)
    _gather(path, p + size - 1, -1, tail)
    _gather(path, p + size, 1, behind)
    if not whole:
        fall = _joint_sum(records, before, head, lags, _NO_LIMIT) + _joint_sum(records, tail, behind, lags, _NO_LIMIT)
    if first == 0:
        fall -= _joint_sum(records, before, tail, lags, fall - least)
    if fall > least:
        fall -= _joint_sum(records, head, behind, lags, fall - least)
    if fall > least and first == 1:
        fall -= _joint_sum(records, before, tail, lags, fall - least)
    return fall


@kernel
def _kept_span_sum(records: Packed, left: NDArray[np.int64], right: NDArray[np.int64], known: NDArray[np.int64]) -> int:
    """The span sum of a gap of the whole ring, kept in `known` with the record before it while nothing near changes."""
    a, b = left[0], right[0]
    if known[a, 2] == b:
        return int(known[a, 3])
    if known[b, 2] == a:
        return int(known[b, 3])
    known[a, 2], known[a, 3] = b, _span_sum(records, left, right)
    return int(known[a, 3])


@kernel
def _insertion_cost(
    records: Packed, path: NDArray[np.int64], p: int, gap: int, most: int, known: NDArray[np.int64],
    left: NDArray[np.int64], right: NDArray[np.int64],
) -> int:  # fmt: skip
    """What the record at position p adds to the windowed sum if it is moved to a gap; or anything >= `most`."""
    lags = left.shape[0]
    _sides(path, p, gap, left, right)
    if lags <= gap < path.shape[0] - lags:  # the same as in the whole ring
        spanned = _kept_span_sum(records, left, right, known)
    else:
        spanned = _span_sum(records, left, right)
    return _beside_sum(records, left, path[p], right, most + spanned) - spanned


@kernel
def _sweep(  # noqa: C901  a kernel
    records: Packed, path: NDArray[np.int64], lags: int, near: NDArray[np.int32], active: NDArray[np.bool_]
) -> int:
    """Move or reverse around each active record where that gains most, in one sweep; by how much the sum fell."""
    n = path.shape[0]
    place = np.empty(n, dtype=np.int64)
    for i in range(n):
        place[path[i]] = i
    known = np.full((n, 4), -1, dtype=np.int64)
    sides = np.empty((4, lags), dtype=np.int64)
    left, right = sides[0], sides[1]
    gained = 0
    for x in range(n):
        if not active[x]:
            continue
        active[x] = False
        p = place[x]
        _sides(path, p, 0, left, right)
        around = _beside_sum(records, left, x, right, _NO_LIMIT)
        now = around - _span_sum(records, left, right)
        best, best_gap, best_start, best_size = 0, 0, 0, 0
        for c in range(near.shape[1]):
            y = near[x, c]
            if y < 0 or 2 * lags * hamming(records, x, y) >= around:
                break  # no nearer than those around it are on average
            for behind in range(2):
                # x moves beside y
                gap = place[y] - p - 1 + behind
                if gap < 0:
                    gap += n
                if 0 < gap < n - 1 and min(gap, n - 1 - gap) <= _FARTHEST:
                    gain = now - _insertion_cost(records, path, p, gap, now - best, known, left, right)
                    if gain > best:
                        best, best_gap, best_size = gain, gap, 0
                # or what lies between them is turned round, one of them with it; or all the rest, which is the same
                start = p + behind
                size = place[y] - p
                if size < 0:
                    size += n
                if size > n - size:
                    start, size = start + size, n - size
                if 2 <= size <= _FARTHEST:
                    gain = _reversal_gain(records, path, lags, start % n, size, behind, best, known, sides)
                    if gain > best:
                        best, best_start, best_size = gain, start % n, size
        if best == 0:
            continue
        gained += best
        if best_size > 0:
            _reverse(path, place, best_start, best_size)
            _wake(path, active, known, best_start, lags)
            _wake(path, active, known, best_start + best_size, lags)
        else:
            _wake(path, active, known, p, lags + 1)
            _move(path, place, p, best_gap)
            _wake(path, active, known, place[x], lags + 1)
    return gained
