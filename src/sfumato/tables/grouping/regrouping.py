"""Regrouping: take a few neighbouring groups apart, and form their records into groups anew along other orders.

A cut of one line leaves groups that are good for that line. Here a group and some of those nearest to it are taken
together, and their records are formed into groups anew: laid in orders (reflected lexicographic, the columns in random
sequence), each cut optimally, and grown one by one around seeds. The best of these replaces the groups where it loses
less. It is the large neighbourhood search of Shaw (CP 1998): records are exchanged and moved, groups dissolved and
split, all at once. Every new group keeps the promise. A step is one such neighbourhood; with every step the loss falls
or stays, and the gain per step grows smaller.

O(P d + trials (k + u) u d) a step, for u records in the neighbourhood and parts of P groups.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import is_whole, told
from sfumato.privacy.criteria import Criteria
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.boxes import (
    add_record,
    clear_box,
    join_boxes,
    loss_of_box,
    records,
    word_offsets,
)
from sfumato.tables.coding.columns import Columns, flatten
from sfumato.tables.grouping.groups import Groups, groups_from
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.regrouping_kernels import MOST_RECORDS, Room, cut, grow, keep, lay, make_room
from sfumato.tables.grouping.snake import snake_order

__all__ = ["Regrouping", "polish_steps", "regrouped", "regrouping_of"]

_NEAR = 8
"""The groups nearest to one, of which some are taken with it."""
_PART, _PER_GROUP = 512, 2
"""Groups in a part, and steps for each group in a round."""
_LARGE = 20
"""Groups of more records are taken apart by twos and threes, and fewer orders are tried."""
_LEAST_GAIN = 1e-10


class _Book(NamedTuple):
    """The groups: lists of records chained by `after` from `head` on, and a box around each. Empty ones have size 0."""

    head: NDArray[np.int64]
    after: NDArray[np.int64]
    size: NDArray[np.int64]
    extent: NDArray[np.int32]
    seen: NDArray[np.uint64]
    loss: NDArray[np.float64]


def polish_steps(polish: bool | int) -> int:  # noqa: FBT001  a parameter of methods, by its name
    """How many steps of regrouping `polish=` asks for: none where it is true or false, as it mostly is."""
    if isinstance(polish, (bool, np.bool_)):
        return 0
    n_steps = int(polish) if isinstance(polish, np.integer) else polish
    if not is_whole(n_steps) or n_steps < 1:
        raise ParameterError(f"polish must be true, false or a number of steps, 1 or more, got {told(polish)}")
    return n_steps


class Regrouping:
    """Groups that are improved round by round, for as long as anybody likes.

    In a round the groups are laid along an order, the columns in random sequence, and cut into parts, in which
    neighbourhoods are tried side by side, two for each group. What comes out does not depend on how many processors
    there are, and the first rounds are the same however many follow.
    """

    def __init__(self, columns: Columns, criteria: Criteria, group: NDArray[np.int64], random: Randomness) -> None:
        """Go on from groups that keep the criteria; `group` is the group of every record, all from 0 on."""
        self._columns, self._criteria = columns, criteria
        self._data, self._words = records(columns), word_offsets(columns)
        self._book = _make_book(columns, self._words, self._data, criteria, group)
        self._draws = random.spawn("regroup")
        self.n_steps = 0
        """How many steps were made."""

    @property
    def loss(self) -> float:
        """What the groups lose, from 0 to 1."""
        return float(self._book.loss @ self._book.size) / max(len(self._data), 1)

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of every record, as it is now."""
        return _groups_of(self._book, len(self._data))

    def round(self, most: int | None = None, is_over: Callable[[], bool] = lambda: False) -> None:
        """One round, of at most so many steps; `is_over` is asked from time to time whether to stop with what it has.

        Steps of a round that was not finished are those of its first parts.
        """
        book = self._book
        live, free = np.flatnonzero(book.size), np.flatnonzero(book.size == 0)
        parts = _parts(self._columns, book, live, self._draws)
        ends = np.cumsum([_PER_GROUP * len(part) for part in parts])
        seeds = np.split(self._draws.words(int(ends[-1]))[:most], ends[:-1])
        spare = np.array_split(free, len(parts))
        n_threads = os.cpu_count() or 1
        with ThreadPoolExecutor(n_threads) as pool:
            for first in range(0, len(parts), n_threads):
                if first and is_over():
                    return
                at_once = slice(first, first + n_threads)
                jobs = [
                    pool.submit(_improve, self._columns, self._words, self._data, self._criteria, book, *own)
                    for own in zip(parts[at_once], spare[at_once], seeds[at_once], strict=True)
                ]
                for job in jobs:
                    job.result()
                self.n_steps += sum(map(len, seeds[at_once]))


def regrouping_of(groups: Groups, job: Job) -> Regrouping:
    """The groups of a job, to be improved; they must hold all of its records."""
    criteria = criteria_for(job.promise, job.n_rows, job.sensitive)
    return Regrouping(flatten(job.quasi), criteria, groups.of_row, job.random)


def regrouped(groups: Groups, job: Job, n_steps: int) -> Groups:
    """The groups of a job after so many steps."""
    improving = regrouping_of(groups, job)
    while improving.n_steps < n_steps:
        improving.round(n_steps - improving.n_steps)
        job.share(improving.n_steps / n_steps)
    return groups_from(improving.group, groups.disclosed)


def _make_book(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, group: NDArray[np.int64]
) -> _Book:
    """The book of the groups, with room for as many as there can be, in every part of them."""
    n, d = data.shape
    n_groups = int(group.max(initial=-1)) + 1
    capacity = n_groups + n // max(criteria.min_size, 1) + 1
    book = _Book(
        head=np.full(capacity, -1), after=np.full(n, -1), size=np.zeros(capacity, dtype=np.int64),
        extent=np.zeros((capacity, d, 3), dtype=np.int32), seen=np.zeros((capacity, int(words[-1])), dtype=np.uint64),
        loss=np.zeros(capacity),
    )  # fmt: skip
    _fill(columns, words, data, book, group)
    return book


def _parts(columns: Columns, book: _Book, live: NDArray[np.int64], draws: Randomness) -> list[NDArray[np.int64]]:
    """The groups in the order of their first records under a random sequence of columns, cut into parts."""
    sequence = draws.permutation(len(columns.shape))
    order = snake_order(np.ascontiguousarray(columns.codes[:, book.head[live]]), columns.n_codes, sequence, True)
    return np.array_split(live[order], -(-len(live) // _PART))


def _groups_of(book: _Book, n: int) -> NDArray[np.int64]:
    """The group of every record, numbered without gaps."""
    group = np.full(n, -1, dtype=np.int64)
    for number, g in enumerate(np.flatnonzero(book.size)):
        i = book.head[g]
        while i >= 0:
            group[i] = number
            i = book.after[i]
    return group


@kernel
def _fill(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], book: _Book, group: NDArray[np.int64]
) -> None:
    """Write the groups to the book."""
    for g in range(book.head.shape[0]):
        clear_box(columns, book.extent[g], book.seen[g])
    for i in range(data.shape[0]):
        g = group[i]
        book.after[i], book.head[g] = book.head[g], i
        book.size[g] += 1
        add_record(columns, words, book.extent[g], book.seen[g], data[i])
    for g in range(book.head.shape[0]):
        book.loss[g] = loss_of_box(columns, book.extent[g]) if book.size[g] else 0.0


@kernel
def _next_random(state: NDArray[np.uint64], below: int) -> Any:
    """A number from 0 on below `below` (SplitMix64): which neighbourhood is tried next, nothing that must be secret."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64((z >> np.uint64(33)) % np.uint64(below))


@kernel
def _improve(  # noqa: C901  a kernel
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, book: _Book,
    part: NDArray[np.int64], spare: NDArray[np.int64], seeds: NDArray[np.uint64],
) -> None:  # fmt: skip
    """One neighbourhood for each of the seeds."""
    d, k = data.shape[1], criteria.min_size
    near, taken = np.empty(_NEAR, dtype=np.int64), np.empty(MOST_RECORDS, dtype=np.int64)
    priority = np.empty(d, dtype=np.int64)
    state = np.zeros(1, dtype=np.uint64)
    room = make_room(criteria, d, words[-1])
    live = np.empty(part.shape[0] + spare.shape[0], dtype=np.int64)
    live[: part.shape[0]] = part
    live[part.shape[0] :] = spare
    n_live = part.shape[0]
    n_cut, n_grown, most_taken = (min(8, 80 // k), 2, 4) if k <= _LARGE else (2, 1, 2)
    for step in range(seeds.shape[0]):
        state[0] = seeds[step]
        g, other = live[_next_random(state, n_live)], live[_next_random(state, n_live)]
        if book.size[other] * book.loss[other] > book.size[g] * book.loss[g]:
            g = other
        if book.size[g] == 0 or book.loss[g] <= 0.0:
            continue
        n_near = _nearest_groups(columns, words, book, live[:n_live], g, near, room)
        wanted = 1 + _next_random(state, most_taken)
        taken[0], n_taken = g, 1
        while n_taken <= wanted and n_near > 0:
            at = _next_random(state, n_near)
            taken[n_taken] = near[at]
            n_near -= 1
            near[at] = near[n_near]
            n_taken += 1
        u, before = 0, 0.0
        for t in range(n_taken):
            before += book.size[taken[t]] * book.loss[taken[t]]
            if u + book.size[taken[t]] > MOST_RECORDS:
                u = MOST_RECORDS + 1
                break
            i = book.head[taken[t]]
            while i >= 0:
                room.members[u] = i
                u += 1
                i = book.after[i]
        if u > MOST_RECORDS:
            continue
        best = before - _LEAST_GAIN
        n_groups = 0
        for trial in range(n_cut + n_grown):
            if trial < n_cut:
                for c in range(d):
                    priority[c] = c
                for c in range(d - 1, 0, -1):
                    at = _next_random(state, c + 1)
                    priority[c], priority[at] = priority[at], priority[c]
                lay(data, priority, room, u)
                found = cut(columns, words, data, criteria, room, u, best)
            else:
                found = grow(columns, words, data, criteria, room, u, best, _next_random(state, u))
            if found < best:
                best, n_groups = found, keep(room, u)
        if n_groups and n_live + n_groups - n_taken <= live.shape[0]:
            while n_taken < n_groups:
                taken[n_taken] = live[n_live]
                n_live += 1
                n_taken += 1
            _replace(columns, words, data, book, taken, n_taken, room, n_groups)


@kernel
def _nearest_groups(
    columns: Columns, words: NDArray[np.int64], book: _Book, live: NDArray[np.int64], g: int, near: NDArray[np.int64],
    room: Room,
) -> int:  # fmt: skip
    """The groups whose joining with `g` would add least, to `near`; how many."""
    added = np.empty(_NEAR)
    n_near = 0
    for h in live:
        if h == g or book.size[h] == 0:
            continue
        for c in range(room.extent.shape[0]):
            for part in range(3):
                room.extent[c, part] = book.extent[g, c, part]
        for w in range(room.seen.shape[0]):
            room.seen[w] = book.seen[g, w]
        join_boxes(columns, words, room.extent, room.seen, book.extent[h], book.seen[h])
        more = loss_of_box(columns, room.extent) * (book.size[g] + book.size[h]) - book.size[h] * book.loss[h]
        if n_near == _NEAR and more >= added[n_near - 1]:
            continue
        at = n_near if n_near < _NEAR else _NEAR - 1
        while at > 0 and added[at - 1] > more:
            added[at], near[at] = added[at - 1], near[at - 1]
            at -= 1
        added[at], near[at] = more, h
        n_near = min(n_near + 1, _NEAR)
    return n_near


@kernel
def _replace(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], book: _Book, taken: NDArray[np.int64],
    n_taken: int, room: Room, n_groups: int,
) -> None:  # fmt: skip
    """Put the best groups in the place of those that were taken apart; what is left over of these is empty."""
    for t in range(n_taken):
        g = taken[t]
        clear_box(columns, book.extent[g], book.seen[g])
        book.head[g], book.size[g], book.loss[g] = -1, 0, 0.0
        if t >= n_groups:
            continue
        for i in range(room.best_cut[t + 1], room.best_cut[t]):
            record = room.best_order[i]
            book.after[record], book.head[g] = book.head[g], record
            book.size[g] += 1
            add_record(columns, words, book.extent[g], book.seen[g], data[record])
        book.loss[g] = loss_of_box(columns, book.extent[g])
