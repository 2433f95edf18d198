"""Kernels of TopDown: clusters divided around two far records, and small clusters made large enough."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, count_bits, loss_of_box, loss_of_span, loss_with_record
from sfumato.tables.coding.columns import RANGE, SET, Columns

__all__ = ["divide", "enlarge"]

_ROUNDS = 3
"""How often the furthest record is looked for; the original found no gain in more."""
_LOPSIDED = 8
"""How many divisions running may cut off next to nothing before a cluster is halved instead."""


@kernel
def _furthest_record(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    rows: NDArray[np.int64],
    seed: int,
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> tuple[int, float]:
    """The record of `rows` that loses most together with record `seed`, and how much (ties: the earlier one)."""
    clear_box(columns, extent, seen)
    add_record(columns, words, extent, seen, data[seed])
    furthest, most = seed, 0.0
    for row in rows:
        loss = loss_with_record(columns, words, extent, seen, data[row])
        if loss > most:
            furthest, most = row, loss
    return furthest, most


@kernel
def _seed_boxes(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    left: int,
    right: int,
    extents: NDArray[np.int32],
    seens: NDArray[np.uint64],
) -> None:
    """Make two boxes, one around record `left` and one around record `right`."""
    for side in range(2):
        clear_box(columns, extents[side], seens[side])
        add_record(columns, words, extents[side], seens[side], data[left if side == 0 else right])


@kernel
def _send_to_cheaper_side(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    rows: NDArray[np.int64],
    left: int,
    right: int,
    extents: NDArray[np.int32],
    seens: NDArray[np.uint64],
    goes_left: NDArray[np.bool_],
) -> int:
    """Send each record to the side whose loss grows least, sides growing as they fill; returns how many go left."""
    losses = np.zeros(2)
    sizes = np.zeros(2, dtype=np.int64)
    _seed_boxes(columns, words, data, left, right, extents, seens)
    for i in range(rows.shape[0]):
        row = rows[i]
        a = loss_with_record(columns, words, extents[0], seens[0], data[row])
        b = loss_with_record(columns, words, extents[1], seens[1], data[row])
        grows, other = a - losses[0], b - losses[1]
        side = 0
        if row == right or (row != left and (other < grows or (other == grows and sizes[1] < sizes[0]))):
            side = 1
        goes_left[i] = side == 0
        sizes[side] += 1
        if (b if side else a) > losses[side]:
            add_record(columns, words, extents[side], seens[side], data[row])
            losses[side] = b if side else a
    return int(sizes[0])


@kernel
def _send_to_nearer_half(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    rows: NDArray[np.int64],
    left: int,
    right: int,
    extents: NDArray[np.int32],
    seens: NDArray[np.uint64],
    goes_left: NDArray[np.bool_],
) -> int:
    """Send the half of the records that lies nearer to `left` to the left side; returns how many these are."""
    n = rows.shape[0]
    nearer = np.empty(n)
    _seed_boxes(columns, words, data, left, right, extents, seens)
    for i in range(n):
        nearer[i] = loss_with_record(columns, words, extents[0], seens[0], data[rows[i]])
        nearer[i] -= loss_with_record(columns, words, extents[1], seens[1], data[rows[i]])
    middle = np.partition(nearer, n // 2)[n // 2]
    n_left = 0
    for i in range(n):
        goes_left[i] = nearer[i] < middle
        n_left += goes_left[i]
    for i in range(n):
        if nearer[i] == middle and n_left < n // 2:
            goes_left[i] = True
            n_left += 1
    return n_left


@kernel
def divide(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    order: NDArray[np.int64],
    draws: NDArray[np.uint64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Divide clusters of at least 2k records: the rows in the order of their clusters, and where each starts.

    Records are taken in the given (random) order; `draws`, one for each, pick where the search for seeds begins.
    """
    n, d = data.shape
    rows, other = order.copy(), np.empty(n, dtype=np.int64)
    goes_left = np.empty(n, dtype=np.bool_)
    extents, seens = np.empty((2, d, 3), dtype=np.int32), np.empty((2, words[-1]), dtype=np.uint64)
    starts = np.zeros(n + 1, dtype=np.int64)
    pending = np.empty((n + 1, 3), dtype=np.int64)  # start, stop, lopsided divisions that led here
    pending[0, 0], pending[0, 1], pending[0, 2], n_pending = 0, n, 0, 1
    n_groups, n_divided = 0, 0
    while n_pending > 0:
        n_pending -= 1
        start, stop, lopsided = pending[n_pending, 0], pending[n_pending, 1], pending[n_pending, 2]
        size = stop - start
        if size < 2 * k:
            n_groups += 1
            starts[n_groups] = stop
            continue
        cluster = rows[start:stop]
        left = cluster[np.int64(draws[n_divided] % np.uint64(size))]
        n_divided += 1
        right, apart = _furthest_record(columns, words, data, cluster, left, extents[0], seens[0])
        if apart == 0.0:  # all equal: any k of them are as good as any other
            for piece in range(size // k - 1):
                n_groups += 1
                starts[n_groups] = start + (piece + 1) * k
            n_groups += 1
            starts[n_groups] = stop
            continue
        for _ in range(_ROUNDS - 1):
            left = right
            right, apart = _furthest_record(columns, words, data, cluster, left, extents[0], seens[0])
        side = goes_left[:size]
        if lopsided < _LOPSIDED:
            n_left = _send_to_cheaper_side(columns, words, data, cluster, left, right, extents, seens, side)
        else:
            n_left = _send_to_nearer_half(columns, words, data, cluster, left, right, extents, seens, side)
        lopsided = lopsided + 1 if 16 * min(n_left, size - n_left) < size else 0
        a, b = start, start + n_left
        for i in range(size):
            if side[i]:
                other[a] = cluster[i]
                a += 1
            else:
                other[b] = cluster[i]
                b += 1
        rows[start:stop] = other[start:stop]
        pending[n_pending, 0], pending[n_pending, 1], pending[n_pending, 2] = start + n_left, stop, lopsided
        n_pending += 1
        pending[n_pending, 0], pending[n_pending, 1], pending[n_pending, 2] = start, start + n_left, lopsided
        n_pending += 1
    return rows, starts[: n_groups + 1].copy()


# -- clusters that are too small -------------------------------------------------------------------------


class _Clusters(NamedTuple):
    """Clusters that change: the records of each as a chain, its size (0 once it is no more), loss and box."""

    first: NDArray[np.int64]
    following: NDArray[np.int64]
    sizes: NDArray[np.int64]
    losses: NDArray[np.float64]
    extents: NDArray[np.int32]
    seens: NDArray[np.uint64]


@kernel
def _measure_cluster(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], clusters: _Clusters, g: int
) -> None:
    """Compute the box and the loss of cluster g anew."""
    extent, seen = clusters.extents[g], clusters.seens[g]
    clear_box(columns, extent, seen)
    row = clusters.first[g]
    while row >= 0:
        add_record(columns, words, extent, seen, data[row])
        row = clusters.following[row]
    clusters.losses[g] = loss_of_box(columns, extent)


@kernel
def _cheapest_merge(columns: Columns, words: NDArray[np.int64], clusters: _Clusters, g: int) -> tuple[int, float]:
    """The cluster that cluster g joins with the least growth of the total loss, and that growth.

    Clusters are compared column by column and left as soon as they cost more than the best so far. The search goes
    outwards from g, since clusters that were divided last lie near each other.
    """
    extents, seens, sizes, losses = clusters.extents, clusters.seens, clusters.sizes, clusters.losses
    n_all, d = extents.shape[0], extents.shape[1]
    partner, least = -1, np.inf
    for step in range(2, 2 * max(g, n_all - 1 - g) + 2):
        h = g + step // 2 if step % 2 else g - step // 2
        if h < 0 or h >= n_all or sizes[h] == 0:
            continue
        size, before = sizes[g] + sizes[h], sizes[g] * losses[g] + sizes[h] * losses[h]
        most = (least + before) / size
        loss = 0.0
        for c in range(d):
            if columns.shape[c] == SET:
                distinct = 0
                for w in range(words[c], words[c + 1]):
                    distinct += count_bits(seens[g, w] | seens[h, w])
                if distinct > 1:
                    loss += columns.weight[c] * distinct / columns.n_codes[c]
            else:
                low, high = extents[g, c, 0], max(extents[g, c, 1], extents[h, c, 1])
                if low < 0 or 0 <= extents[h, c, 0] < low:
                    low = extents[h, c, 0]
                lacking = extents[g, c, 2] | extents[h, c, 2]
                if low < high or lacking:
                    loss += columns.weight[c] * loss_of_span(columns, c, low, high, lacking)
            if loss >= most:
                break
        else:
            partner, least = h, size * loss - before
    return partner, least


@kernel
def _is_out_of_reach(columns: Columns, clusters: _Clusters, g: int, h: int, most: float) -> bool:
    """Whether cluster g loses more than `most` with any record of cluster h, as the ranges of both tell."""
    extents = clusters.extents
    loss = 0.0
    for c in range(extents.shape[1]):
        if columns.shape[c] == RANGE and extents[g, c, 0] >= 0 and extents[h, c, 0] >= 0 and not extents[h, c, 2]:
            low, high = min(extents[g, c, 0], extents[h, c, 1]), max(extents[g, c, 1], extents[h, c, 0])
            loss += columns.weight[c] * loss_of_span(columns, c, low, high, extents[g, c, 2])
    return loss > most


@kernel
def _nearest_records(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    clusters: _Clusters,
    g: int,
    h: int,
    nearest: NDArray[np.int64],
    apart: NDArray[np.float64],
) -> float:
    """Fill `nearest` with the records of cluster h that cluster g loses least with; returns its loss with them all."""
    n_found, room = 0, nearest.shape[0]
    extent, seen = clusters.extents[g], clusters.seens[g]
    row = clusters.first[h]
    while row >= 0:
        loss = loss_with_record(columns, words, extent, seen, data[row])
        if n_found < room or loss < apart[room - 1]:
            at = n_found if n_found < room else room - 1
            while at > 0 and apart[at - 1] > loss:
                apart[at], nearest[at] = apart[at - 1], nearest[at - 1]
                at -= 1
            apart[at], nearest[at] = loss, row
            n_found = min(n_found + 1, room)
        row = clusters.following[row]
    extent, seen = extent.copy(), seen.copy()
    for row in nearest:
        add_record(columns, words, extent, seen, data[row])
    return loss_of_box(columns, extent)


@kernel
def _cheapest_loan(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    clusters: _Clusters,
    g: int,
    k: int,
    least: float,
    loan: NDArray[np.int64],
) -> int:
    """The cluster that can best spare the records that cluster g lacks to k, where that costs less than `least`.

    They are written to `loan`; -1 if there is no such cluster. What the lender gains by parting with them is not
    counted.
    """
    sizes, losses = clusters.sizes, clusters.losses
    lacking, lender = k - sizes[g], -1
    nearest, apart = np.empty(lacking, dtype=np.int64), np.empty(lacking)
    for h in range(sizes.shape[0]):
        if h == g or sizes[h] < k + lacking:
            continue
        before = sizes[g] * losses[g] + lacking * losses[h]
        if _is_out_of_reach(columns, clusters, g, h, (least + before) / k):
            continue
        growth = k * _nearest_records(columns, words, data, clusters, g, h, nearest, apart) - before
        if growth < least:
            lender, least = h, growth
            loan[:lacking] = nearest
    return lender


@kernel
def enlarge(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give every cluster at least k records: the rows in the order of their clusters, and where each starts.

    A cluster that is too small joins another, or borrows what it lacks from one that keeps k all the same.
    """
    n, d = data.shape
    n_all = starts.shape[0] - 1
    clusters = _Clusters(
        np.full(n_all, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64), np.diff(starts), np.empty(n_all),
        np.empty((n_all, d, 3), dtype=np.int32), np.empty((n_all, words[-1]), dtype=np.uint64),
    )  # fmt: skip
    first, following, sizes = clusters.first, clusters.following, clusters.sizes
    for g in range(n_all):
        for i in range(starts[g], starts[g + 1]):
            following[order[i]] = first[g]
            first[g] = order[i]
        _measure_cluster(columns, words, data, clusters, g)
    loan, is_lent = np.empty(k, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    for g in range(n_all):
        while 0 < sizes[g] < k:
            partner, growth = _cheapest_merge(columns, words, clusters, g)
            lender = _cheapest_loan(columns, words, data, clusters, g, k, growth, loan)
            if lender >= 0:
                lacking = k - sizes[g]
                for row in loan[:lacking]:
                    is_lent[row] = True
                row, first[lender] = first[lender], -1
                while row >= 0:
                    after, to = following[row], g if is_lent[row] else lender
                    following[row] = first[to]
                    first[to] = row
                    row = after
                sizes[g], sizes[lender] = k, sizes[lender] - lacking
                for row in loan[:lacking]:
                    is_lent[row] = False
                _measure_cluster(columns, words, data, clusters, lender)
            else:
                last = first[partner]
                while following[last] >= 0:
                    last = following[last]
                following[last], first[g] = first[g], first[partner]
                sizes[g], sizes[partner] = sizes[g] + sizes[partner], 0
            _measure_cluster(columns, words, data, clusters, g)
    rows, begins, n_groups, i = np.empty(n, dtype=np.int64), np.zeros(n_all + 1, dtype=np.int64), 0, 0
    for g in range(n_all):
        if sizes[g] > 0:
            row = first[g]
            while row >= 0:
                rows[i] = row
                i += 1
                row = following[row]
            n_groups += 1
            begins[n_groups] = i
    return rows, begins[: n_groups + 1].copy()
