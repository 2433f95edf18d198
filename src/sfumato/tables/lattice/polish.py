"""Polish of local recoding: records are moved to another group where that lowers the loss, and groups dissolved.

A group is a list of records with a box around them. Every change keeps the promise in both groups. What a record would
cost a group is found by looking at all groups, most of which are out of the question after a column or two; with a
budget, so that large tables are polished where most is lost and not everywhere.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.criteria import Criteria, holds
from sfumato.tables.coding.boxes import add_record, clear_box, loss_of_box, records, word_offsets
from sfumato.tables.coding.columns import RANGE, SET, Columns

__all__ = ["BUDGET", "Book", "cheapest_group", "join_group", "make_book", "polish_groups"]

BUDGET = 250_000_000
"""How many pairs of a record and a group may be looked at."""
_ROUNDS = 4
_WORTHWHILE = 1e-3
"""A round that gains a smaller share of the loss is the last."""
_LARGE = 64
"""Nobody is moved out of groups of more records than this and twice the least: there is little to be gained."""
_LEAST = 1e-12


class Book(NamedTuple):
    """The groups: lists of records chained by `after`, from `head` on, and a box around each."""

    group: NDArray[np.int64]
    head: NDArray[np.int64]
    after: NDArray[np.int64]
    size: NDArray[np.int64]
    extent: NDArray[np.int32]
    seen: NDArray[np.uint64]
    loss: NDArray[np.float64]


def polish_groups(
    columns: Columns, criteria: Criteria, group: NDArray[np.int64], share: Share = tell_nobody
) -> NDArray[np.int64]:  # fmt: skip
    """Move records and dissolve groups while that lowers the loss; returns the group of every record.

    Numbers of dissolved groups are left out.
    """
    data, words = records(columns), word_offsets(columns)
    book = make_book(columns, words, data, group, int(group.max(initial=-1)) + 1)
    budget = np.array([BUDGET], dtype=np.int64)
    total = float(book.loss @ book.size)
    for turn in range(_ROUNDS):
        share(turn / _ROUNDS)
        _move_records(columns, words, data, criteria, book, budget)
        share((turn + 0.5) / _ROUNDS)
        order = np.argsort(-book.loss * book.size, kind="stable")
        _dissolve_groups(columns, words, data, criteria, book, order, budget)
        before, total = total, float(book.loss @ book.size)
        if before - total <= _WORTHWHILE * before or budget[0] <= 0:
            break
    return book.group


def make_book(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], group: NDArray[np.int64], n_groups: int
) -> Book:
    """The book of the groups in which record i is in group `group[i]` (-1: none)."""
    d = data.shape[1]
    book = Book(
        group=group.copy(), head=np.full(n_groups, -1), after=np.full(len(group), -1),
        size=np.zeros(n_groups, dtype=np.int64),
        extent=np.zeros((n_groups, d, 3), dtype=np.int32), seen=np.zeros((n_groups, int(words[-1])), dtype=np.uint64),
        loss=np.zeros(n_groups),
    )  # fmt: skip
    _fill_book(columns, words, data, book)
    return book


@kernel
def _fill_book(columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], book: Book) -> None:
    """Chain the records of each group, and compute its size, box and loss."""
    for g in range(book.head.shape[0]):
        clear_box(columns, book.extent[g], book.seen[g])
    for i in range(data.shape[0]):
        g = book.group[i]
        if g >= 0:
            book.after[i], book.head[g] = book.head[g], i
            book.size[g] += 1
            add_record(columns, words, book.extent[g], book.seen[g], data[i])
    for g in range(book.head.shape[0]):
        book.loss[g] = loss_of_box(columns, book.extent[g])


@kernel
def _keeps_promise(criteria: Criteria, book: Book, g: int, joins: Any, leaves: Any, counts: Any, room: Any) -> bool:
    """Whether a group keeps the promise once a record joined and another left it (-1: none)."""
    size = book.size[g] + (joins >= 0) - (leaves >= 0)
    if size < criteria.min_size:
        return False
    if criteria.kind.shape[0] == 0:
        return True
    counts[:] = 0
    i = book.head[g]
    while i >= 0:
        if i != leaves:
            for s in range(criteria.codes.shape[1]):
                counts[criteria.offset[s] + criteria.codes[i, s]] += 1
        i = book.after[i]
    if joins >= 0:
        for s in range(criteria.codes.shape[1]):
            counts[criteria.offset[s] + criteria.codes[joins, s]] += 1
    return bool(holds(criteria, size, counts, room))


@kernel
def cheapest_group(  # noqa: C901  a kernel
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, book: Book, i: int,
    most: float, counts: NDArray[np.int64], room: NDArray[np.float64], first_group: int, last_group: int,
) -> tuple[int, float]:  # fmt: skip
    """The group, other than its own, to which record `i` adds least loss, if less than `most`; and that loss. Or -1.

    Groups from `first_group` up to `last_group` are looked at.

    The growth of each box is worked out in place: this is where the time goes, and calls would double it.
    """
    shape, weight, n_codes, offset, position = (
        columns.shape, columns.weight, columns.n_codes, columns.offset, columns.position
    )  # fmt: skip
    leaf_node, node_offset, parent = columns.leaf_node, columns.node_offset, columns.parent
    node_last, node_first, node_loss = columns.last, columns.first, columns.node_loss
    extent, seen, sizes, losses = book.extent, book.seen, book.size, book.loss
    record, d = data[i].copy(), data.shape[1]
    best, target, own = most, -1, book.group[i]
    for g in range(first_group, last_group):
        size, loss = sizes[g], losses[g]
        if loss >= best or size == 0 or g == own:
            continue
        spare, grown = (best - loss) / (size + 1), 0.0
        for c in range(d):
            code, low, high = record[c], extent[g, c, 0], extent[g, c, 1]
            if shape[c] == SET:
                if not seen[g, words[c] + (code >> 6)] & (np.uint64(1) << np.uint64(code & 63)):
                    step = 2.0 if low == 1 else 1.0  # one value costs nothing, and two cost twice what a third adds
                    grown += weight[c] * step / n_codes[c]
            elif low < 0 or (low <= code and code <= high):
                if low < 0 <= code:  # so far all lack a value
                    grown += 0.5 * weight[c]
            else:
                lacking = extent[g, c, 2] != 0
                if code < 0 and lacking:
                    continue
                first, last = min(low, code) if code >= 0 else low, max(high, code)
                if shape[c] == RANGE:
                    before = position[offset[c] + high] - position[offset[c] + low]
                    after = position[offset[c] + last] - position[offset[c] + first]
                else:
                    base = node_offset[c]
                    node = base + leaf_node[offset[c] + low]
                    while node_last[node] < high:
                        node = base + parent[node]
                    before = node_loss[node]
                    while node_last[node] < last or node_first[node] > first:
                        node = base + parent[node]
                    after = node_loss[node]
                if lacking:
                    grown += 0.5 * weight[c] * (after - before)
                elif code < 0:
                    grown += weight[c] * (0.5 - 0.5 * before)
                else:
                    grown += weight[c] * (after - before)
            if grown >= spare:
                break
        if grown < spare and _keeps_promise(criteria, book, g, i, -1, counts, room):
            best, target = size * grown + loss + grown, g
    return target, best


@kernel
def join_group(columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], book: Book, i: int, g: int) -> None:
    """Put record `i` into group `g`."""
    book.group[i] = g
    book.after[i], book.head[g] = book.head[g], i
    book.size[g] += 1
    add_record(columns, words, book.extent[g], book.seen[g], data[i])
    book.loss[g] = loss_of_box(columns, book.extent[g])


@kernel
def _leave_group(columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], book: Book, i: int) -> None:
    """Take record `i` out of its group."""
    g = book.group[i]
    if book.head[g] == i:
        book.head[g] = book.after[i]
    else:
        j = book.head[g]
        while book.after[j] != i:
            j = book.after[j]
        book.after[j] = book.after[i]
    book.size[g] -= 1
    book.group[i] = -1
    clear_box(columns, book.extent[g], book.seen[g])
    j = book.head[g]
    while j >= 0:
        add_record(columns, words, book.extent[g], book.seen[g], data[j])
        j = book.after[j]
    book.loss[g] = loss_of_box(columns, book.extent[g])


@kernel
def _move_records(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, book: Book,
    budget: NDArray[np.int64],
) -> None:  # fmt: skip
    """Move records that widen their group to a group that they cost less, while `budget` lasts."""
    counts = np.zeros(criteria.total.shape[0], dtype=np.int64)
    room = np.zeros(criteria.n_nodes)
    extent, seen = np.empty((data.shape[1], 3), dtype=np.int32), np.empty(book.seen.shape[1], dtype=np.uint64)
    for i in range(data.shape[0]):
        g = book.group[i]
        size = book.size[g]
        if size <= criteria.min_size or book.loss[g] <= 0.0 or size > _LARGE + 2 * criteria.min_size:
            continue
        clear_box(columns, extent, seen)
        j = book.head[g]
        while j >= 0:
            if j != i:
                add_record(columns, words, extent, seen, data[j])
            j = book.after[j]
        without = loss_of_box(columns, extent)
        if without >= book.loss[g] - _LEAST:
            continue
        budget[0] -= book.head.shape[0]
        if budget[0] < 0:
            break
        if not _keeps_promise(criteria, book, g, -1, i, counts, room):
            continue
        saved = size * book.loss[g] - (size - 1) * without
        target, _ = cheapest_group(
            columns, words, data, criteria, book, i, saved - _LEAST, counts, room, 0, book.head.shape[0]
        )
        if target >= 0:
            _leave_group(columns, words, data, book, i)
            join_group(columns, words, data, book, i, target)


@kernel
def _dissolve_groups(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, book: Book,
    order: NDArray[np.int64], budget: NDArray[np.int64],
) -> None:  # fmt: skip
    """Dissolve groups, in this order, whose records cost other groups less in all, while `budget` lasts."""
    counts = np.zeros(criteria.total.shape[0], dtype=np.int64)
    room = np.zeros(criteria.n_nodes)
    most = _LARGE + 2 * criteria.min_size
    members = np.empty(most, dtype=np.int64)
    for g in order:
        size, lost = book.size[g], book.loss[g]
        if size == 0 or lost <= 0.0 or size > most:
            continue
        i, m = book.head[g], 0
        while i >= 0:
            members[m] = i
            m += 1
            i = book.after[i]
        book.head[g], book.size[g] = -1, 0  # the box stays, for those who come back
        left, n_gone = size * lost - _LEAST, 0
        for m in range(size):
            budget[0] -= book.head.shape[0]
            target, cost = cheapest_group(
                columns, words, data, criteria, book, members[m], left, counts, room, 0, book.head.shape[0]
            )
            if target < 0:
                break
            left -= cost
            join_group(columns, words, data, book, members[m], target)
            n_gone += 1
        if n_gone == size:
            book.loss[g] = 0.0
        else:
            for m in range(size):
                if m < n_gone:
                    _leave_group(columns, words, data, book, members[m])
                join_group(columns, words, data, book, members[m], g)
        if budget[0] < 0:
            break
