"""Raise the least private group, again and again: our heuristic for the dual problem of l-diversity.

Goes further than the adjustment of neighbouring groups (`dual_l_adjust.py`). Groups start well inside the bound on the
loss, so that all have room; then, again and again, the group with the least privacy (size over the count of its most
frequent sensitive value) takes in the record that widens it least among the nearest on the line of each value it has
few of, from whichever group can spare it: one that stays more private than the taker was. Where nothing fits, it
gives one record of each of its most frequent values to groups near by. The least privacy of all never falls, and
each step leaves one group fewer at it. O((N + steps) (m + log G)) in practice. `solve_dual.py` calls it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, loss_with_record
from sfumato.tables.coding.columns import Columns

__all__ = ["raise_privacy"]

_SLACK = 1e-9
_NEAR = 8
"""How many records of a value are looked at to each side of a group, at least."""
_TRIED = 6
"""How many values with a record that fits are found before the best record is taken, at least."""
_NEIGHBOURS = 8
"""How many groups to each side may be given records."""
_WIDER = 4
"""How many times farther a group looks once it found nothing."""
_MOST_LOOKS, _LOOKS_PER_RECORD = 100_000_000, 200
"""How many records may be looked at in all, or for each record of the table: whichever is more."""


class Partition(NamedTuple):
    """A partition that changes record by record; a group may become empty."""

    labels: NDArray[np.int64]
    group: NDArray[np.int64]
    size: NDArray[np.int64]
    counts: NDArray[np.int32]
    """Records by group and sensitive value."""
    top: NDArray[np.int64]
    """The largest count of each group, and in `ties` how many values have it."""
    ties: NDArray[np.int64]
    extent: NDArray[np.int32]
    seen: NDArray[np.uint64]
    following: NDArray[np.int64]
    """Members of a group are linked, from `head` on."""
    previous: NDArray[np.int64]
    head: NDArray[np.int64]
    loose: NDArray[np.bool_]
    """Whether the box may be too wide, since a record left."""


class Ranking(NamedTuple):
    """The groups as a heap, the least private in front."""

    heap: NDArray[np.int64]
    place: NDArray[np.int64]


@kernel
def _make_partition(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    labels: NDArray[np.int64],
    n_labels: int,
    group: NDArray[np.int64],
    n_groups: int,
) -> Partition:
    """The partition in which record i is in group `group[i]`."""
    n, d = data.shape
    parts = Partition(
        labels, group.copy(), np.zeros(n_groups, dtype=np.int64),
        np.zeros((n_groups, n_labels), dtype=np.int32), np.zeros(n_groups, dtype=np.int64),
        np.zeros(n_groups, dtype=np.int64), np.empty((n_groups, d, 3), dtype=np.int32),
        np.empty((n_groups, words[-1]), dtype=np.uint64), np.full(n, -1, dtype=np.int64),
        np.full(n, -1, dtype=np.int64), np.full(n_groups, -1, dtype=np.int64), np.zeros(n_groups, dtype=np.bool_),
    )  # fmt: skip
    for g in range(n_groups):
        clear_box(columns, parts.extent[g], parts.seen[g])
    for record in range(n):
        _enter(columns, words, data, parts, record, group[record])
    return parts


@kernel
def _enter(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], parts: Partition, record: Any, g: Any
) -> None:
    """Put a record into a group."""
    value = parts.labels[record]
    parts.group[record] = g
    parts.size[g] += 1
    parts.counts[g, value] += 1
    if parts.counts[g, value] > parts.top[g]:
        parts.top[g], parts.ties[g] = parts.counts[g, value], 1
    elif parts.counts[g, value] == parts.top[g]:
        parts.ties[g] += 1
    old = parts.head[g]
    parts.following[record], parts.previous[record] = old, -1
    if old >= 0:
        parts.previous[old] = record
    parts.head[g] = record
    add_record(columns, words, parts.extent[g], parts.seen[g], data[record])


@kernel
def _leave(parts: Partition, record: Any) -> None:
    """Take a record out of its group; the box of the group stays too wide until `_tighten_box`."""
    g, value = parts.group[record], parts.labels[record]
    before, after = parts.previous[record], parts.following[record]
    if before >= 0:
        parts.following[before] = after
    else:
        parts.head[g] = after
    if after >= 0:
        parts.previous[after] = before
    parts.size[g] -= 1
    if parts.counts[g, value] == parts.top[g]:
        parts.ties[g] -= 1
    parts.counts[g, value] -= 1
    if parts.ties[g] == 0:
        parts.top[g] -= 1
        for v in range(parts.counts.shape[1]):
            parts.ties[g] += parts.counts[g, v] == parts.top[g]
    parts.loose[g] = True


@kernel
def _tighten_box(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], parts: Partition, g: Any
) -> bool:  # fmt: skip
    """Make the box of a group as narrow as its records are; False where it was so already."""
    if not parts.loose[g]:
        return False
    clear_box(columns, parts.extent[g], parts.seen[g])
    record = parts.head[g]
    while record >= 0:
        add_record(columns, words, parts.extent[g], parts.seen[g], data[record])
        record = parts.following[record]
    parts.loose[g] = False
    return True


@kernel
def _is_less_private(parts: Partition, a: Any, b: Any) -> bool:
    """Whether group `a` is less private than `b`; an empty group is as private as can be."""
    if parts.size[a] == 0 or parts.size[b] == 0:
        return bool(parts.size[a] > 0)
    return bool(parts.size[a] * parts.top[b] < parts.size[b] * parts.top[a])


@kernel
def _sift(parts: Partition, ranking: Ranking, g: Any) -> None:
    """Move a group up or down to its place in the heap after its privacy changed."""
    heap, place = ranking.heap, ranking.place
    at = place[g]
    while at > 0 and _is_less_private(parts, g, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        place[heap[at]] = at
        at = (at - 1) // 2
    while True:
        child = 2 * at + 1
        if child >= heap.shape[0]:
            break
        if child + 1 < heap.shape[0] and _is_less_private(parts, heap[child + 1], heap[child]):
            child += 1
        if not _is_less_private(parts, heap[child], g):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = g
    place[g] = at


@kernel
def _can_spare(parts: Partition, record: Any, size: Any, top: Any) -> bool:
    """Whether the record's group stays more private than size / top without it; it may also become empty."""
    g = parts.group[record]
    if parts.size[g] == 1:
        return True
    left = parts.top[g]
    if parts.ties[g] == 1 and parts.counts[g, parts.labels[record]] == left:
        left -= 1
    return bool((parts.size[g] - 1) * top > size * left)


@kernel
def _record_to_take(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    parts: Partition,
    g: Any,
    home: Any,
    domains: NDArray[np.int64],
    edges: NDArray[np.int64],
    turn: Any,
    near: Any,
    tried: int,
    max_loss: float,
) -> int:
    """The record that group `g` should take: one of a value that it has few of, within the bound; -1 where none fits.

    Of every such value the `near` records nearest to place `home` on each side are looked at, and of those that their
    groups can spare the one that widens the group least is returned. Values are gone through from number `turn` on,
    until `tried` of them had a record that fits.
    """
    best, least, n_fit = -1, max_loss + _SLACK, 0
    n_labels = edges.shape[0] - 1
    for step in range(n_labels):
        value = (turn + step) % n_labels
        if parts.counts[g, value] >= parts.top[g]:
            continue
        start, stop = edges[value], edges[value + 1]
        middle = start + np.searchsorted(domains[start:stop], home)
        fits = False
        for i in range(max(start, middle - near), min(stop, middle + near)):
            record = domains[i]
            if parts.group[record] != g and _can_spare(parts, record, parts.size[g], parts.top[g]):
                loss = loss_with_record(columns, words, parts.extent[g], parts.seen[g], data[record])
                if loss <= max_loss + _SLACK:
                    fits = True
                    if loss < least or best < 0:
                        best, least = record, loss
        n_fit += fits
        if n_fit == tried:
            break
    return best


@kernel
def _give_top_values(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    parts: Partition,
    ranking: Ranking,
    g: Any,
    max_loss: float,
) -> bool:
    """Give one record of each most frequent value of group `g` to groups near by; whether any was given."""
    size, top, ties = parts.size[g], parts.top[g], parts.ties[g]
    if size - ties > 0 and (size - ties) * top <= size * (top - 1):
        return False
    records, takers = np.empty(ties, dtype=np.int64), np.empty(ties, dtype=np.int64)
    found = 0
    low, high = max(0, g - _NEIGHBOURS), min(parts.size.shape[0], g + _NEIGHBOURS + 1)
    for value in range(parts.counts.shape[1]):
        if parts.counts[g, value] != top:
            continue
        best, taker, least = -1, -1, np.inf
        record = parts.head[g]
        while record >= 0:
            if parts.labels[record] == value:
                for h in range(low, high):
                    most = max(parts.top[h], parts.counts[h, value] + 1)
                    if h == g or parts.size[h] == 0 or (parts.size[h] + 1) * top <= size * most:
                        continue
                    loss = loss_with_record(columns, words, parts.extent[h], parts.seen[h], data[record])
                    if loss <= max_loss + _SLACK and loss < least:
                        best, taker, least = record, h, loss
            record = parts.following[record]
        if best < 0:
            return False
        records[found], takers[found] = best, taker
        found += 1
    for i in range(ties):
        h = takers[i]
        most = max(parts.top[h], parts.counts[h, parts.labels[records[i]]] + 1)
        fits = loss_with_record(columns, words, parts.extent[h], parts.seen[h], data[records[i]]) <= max_loss + _SLACK
        if not fits or (parts.size[h] + 1) * top <= size * most:  # an earlier one took its room
            return i > 0
        _leave(parts, records[i])
        _enter(columns, words, data, parts, records[i], h)
        _sift(parts, ranking, h)
    return True


@kernel
def raise_privacy(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    labels: NDArray[np.int64],
    n_labels: int,
    group: NDArray[np.int64],
    n_groups: int,
    max_loss: float,
    effort: int,
) -> NDArray[np.int64]:
    """Raise the least privacy of the groups in `group`, step by step; returns the new group of every record.

    Groups are numbered along the line and within the bound; some may be empty in the end. About `effort` records are
    compared in each step.
    """
    n = data.shape[0]
    parts = _make_partition(columns, words, data, labels, n_labels, group, n_groups)
    home = np.zeros(n_groups, dtype=np.int64)  # where each group lies on the line
    for i in range(n):
        home[group[i]] += i
    for g in range(n_groups):
        home[g] //= max(parts.size[g], 1)
    ranking = Ranking(np.arange(n_groups), np.arange(n_groups))
    for g in range(n_groups - 1, -1, -1):
        _sift(parts, ranking, g)
    edges = np.zeros(n_labels + 1, dtype=np.int64)  # the records of each value, in the order of the line
    for i in range(n):
        edges[labels[i] + 1] += 1
    for value in range(n_labels):
        edges[value + 1] += edges[value]
    domains, filled = np.empty(n, dtype=np.int64), edges[:-1].copy()
    for i in range(n):
        domains[filled[labels[i]]] = i
        filled[labels[i]] += 1
    tried = max(_TRIED, min(n_labels, effort // (2 * _NEAR)))
    nearest = max(_NEAR, effort // (2 * tried))
    turn, near = np.zeros(n_groups, dtype=np.int64), np.full(n_groups, nearest, dtype=np.int64)
    looks = max(_MOST_LOOKS, _LOOKS_PER_RECORD * n)
    while looks > 0:
        g = ranking.heap[0]
        if parts.size[g] == 0:
            break
        looks -= 2 * min(near[g], n // n_labels + 1) * tried + n_labels
        record = _record_to_take(
            columns, words, data, parts, g, home[g], domains, edges, turn[g], near[g], tried, max_loss
        )
        if record < 0 and _tighten_box(columns, words, data, parts, g):
            continue
        if record >= 0:
            turn[g] = labels[record] + 1
            giver = parts.group[record]
            _leave(parts, record)
            _enter(columns, words, data, parts, record, g)
            _sift(parts, ranking, giver)
        else:
            looks -= parts.ties[g] * parts.size[g] * 2 * _NEIGHBOURS
            if not _give_top_values(columns, words, data, parts, ranking, g, max_loss):
                if near[g] >= n:
                    break
                near[g] = min(near[g] * _WIDER, n)
        _sift(parts, ranking, g)
    return parts.group
