"""Kernels of regrouping: the records of a few groups, laid in an order and cut, or grown into groups one by one.

`lay` and `cut` are the line and its optimal cut, for some hundred records; `grow` forms one group after the other
around seeds, each as far as can be from the last group (as MDAV does for points). Both leave their groups in
`Room.order` and `Room.cut`, and `keep` writes them down where they are the best so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria, holds
from sfumato.tables.coding.boxes import add_record, clear_box, loss_of_box, loss_with_record
from sfumato.tables.coding.columns import Columns

__all__ = ["MOST_RECORDS", "Room", "cut", "grow", "keep", "lay", "make_room"]

MOST_RECORDS = 640
"""Neighbourhoods of more records than this are left alone."""


class Room(NamedTuple):
    """Space for one neighbourhood: its records in an order, the best order so far, and what cutting needs."""

    members: NDArray[np.int64]
    order: NDArray[np.int64]
    best_order: NDArray[np.int64]
    key: NDArray[np.int64]
    run: NDArray[np.int64]
    cost: NDArray[np.float64]
    cut: NDArray[np.int64]
    best_cut: NDArray[np.int64]
    counts: NDArray[np.int64]
    scratch: NDArray[np.float64]
    extent: NDArray[np.int32]
    seen: NDArray[np.uint64]


@kernel
def make_room(criteria: Criteria, d: int, n_words: int) -> Room:
    """Space for neighbourhoods of a table with `d` columns."""
    most = MOST_RECORDS + 1
    return Room(
        np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64), np.empty(most),
        np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64),
        np.empty(criteria.total.shape[0], dtype=np.int64), np.empty(criteria.n_nodes),
        np.empty((d, 3), dtype=np.int32), np.empty(n_words, dtype=np.uint64),
    )  # fmt: skip


@kernel
def lay(data: NDArray[np.int32], priority: NDArray[np.int64], room: Room, u: int) -> None:
    """Lay the members in the reflected lexicographic order of the columns in `priority`."""
    order, key, run = room.order, room.key, room.run
    for i in range(u):
        order[i] = room.members[i]
        run[i] = 0
    n_runs = 1
    for turn in range(priority.shape[0]):
        c = priority[turn]
        for i in range(u):
            code = np.int64(data[order[i], c]) + 1
            key[i] = (run[i] << 32) + (code if run[i] & 1 == 0 else 0x7FFFFFFF - code)
        gap = 1
        while gap < u:
            gap = gap * 9 // 4 + 1
        while gap > 1:
            gap = max(gap * 4 // 9, 1)
            for i in range(gap, u):
                value, record, at = key[i], order[i], i
                while at >= gap and key[at - gap] > value:
                    key[at], order[at] = key[at - gap], order[at - gap]
                    at -= gap
                key[at], order[at] = value, record
        n_runs = 0
        for i in range(u):
            if i > 0 and key[i] != key[i - 1]:
                n_runs += 1
            run[i] = n_runs
        if n_runs + 1 == u:
            break


@kernel
def cut(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, room: Room, u: int,
    most: float,
) -> float:  # fmt: skip
    """The least loss of the order cut into groups that keep the promise; infinite where no cut loses less than `most`.

    By dynamic programming from the first record on: groups of up to twice the least size, or of any size where the
    promise asks for more than that.
    """
    only_size = criteria.kind.shape[0] == 0
    least, largest = criteria.min_size, 2 * criteria.min_size - 1 if only_size else u
    cost, order = room.cost, room.order
    cost[0] = 0.0
    for stop in range(1, u + 1):
        cost[stop], room.cut[stop] = np.inf, -1
        if stop < least:
            continue
        clear_box(columns, room.extent, room.seen)
        room.counts[:] = 0
        for start in range(stop - 1, max(stop - largest, 0) - 1, -1):
            add_record(columns, words, room.extent, room.seen, data[order[start]])
            for s in range(criteria.codes.shape[1]):
                room.counts[criteria.offset[s] + criteria.codes[order[start], s]] += 1
            size = stop - start
            if size < least or cost[start] == np.inf:
                continue
            total = cost[start] + size * loss_of_box(columns, room.extent)
            if total < min(cost[stop], most) and (only_size or holds(criteria, size, room.counts, room.scratch)):
                cost[stop], room.cut[stop] = total, start
    return float(cost[u])


@kernel
def grow(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, room: Room, u: int,
    most: float, seed: int,
) -> float:  # fmt: skip
    """Groups grown one by one: from a seed, by the record that widens the group least, until it has the least size.

    Each next seed is the record that would widen the last group most. The last group takes whoever is left. Infinite
    where a group breaks the promise, or where all lose `most` or more.
    """
    order, k = room.order, criteria.min_size
    for i in range(u):
        order[i] = room.members[i]
    total, start = 0.0, 0
    room.cut[0] = -1
    while start < u:
        stop = u if u - start < 2 * k else start + k
        order[start], order[seed] = order[seed], order[start]
        clear_box(columns, room.extent, room.seen)
        add_record(columns, words, room.extent, room.seen, data[order[start]])
        for at in range(start + 1, stop):
            best, least = at, np.inf
            if stop < u:
                for i in range(at, u):
                    loss = loss_with_record(columns, words, room.extent, room.seen, data[order[i]])
                    if loss < least:
                        best, least = i, loss
            order[at], order[best] = order[best], order[at]
            add_record(columns, words, room.extent, room.seen, data[order[at]])
        total += (stop - start) * loss_of_box(columns, room.extent)
        if total >= most or not _keeps_promise(criteria, room, start, stop):
            return np.inf
        room.cut[stop] = start
        seed, widest = stop, -1.0
        for i in range(stop, u):
            loss = loss_with_record(columns, words, room.extent, room.seen, data[order[i]])
            if loss > widest:
                seed, widest = i, loss
        start = stop
    return total


@kernel
def _keeps_promise(criteria: Criteria, room: Room, start: int, stop: int) -> bool:
    """Whether the records from `start` to `stop` in the order are allowed as a group."""
    if criteria.kind.shape[0] == 0:
        return bool(stop - start >= criteria.min_size)
    room.counts[:] = 0
    for i in range(start, stop):
        for s in range(criteria.codes.shape[1]):
            room.counts[criteria.offset[s] + criteria.codes[room.order[i], s]] += 1
    return bool(holds(criteria, stop - start, room.counts, room.scratch))


@kernel
def keep(room: Room, u: int) -> int:
    """Write the order, and where its groups stop, down as the best, the last group first; how many there are."""
    room.best_order[:u] = room.order[:u]
    n_groups, stop = 0, u
    while stop > 0:
        room.best_cut[n_groups] = stop
        stop = room.cut[stop]
        n_groups += 1
    room.best_cut[n_groups] = 0
    return n_groups
