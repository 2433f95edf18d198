"""Grow and adjust: the paper's heuristic for the dual problem of l-diversity (most privacy within a bound on the loss).

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, sections 5.3 and 6.3 (Fig. 17). Privacy is the smallest over all
groups of size / (records with the group's most frequent sensitive value). Groups are first grown along the line as far
as the bound allows (`longest_starts`). Then neighbours exchange records, nearest in all columns first, while the
smaller privacy of the two rises and both stay within the bound (`adjust_groups`); inside one adjustment a sensitive
value moves one way only, and in the pass along the line a record moves once.

Beyond the paper: a group whose most frequent values tie gives up one record of each at once (one alone never helps),
a group can also take in records of values it has few of, and after the pass the least private group is adjusted
again with its neighbours, until it can gain no more. `solve_dual.py` lets it compete with `dual_l_raise.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, loss_with_record
from sfumato.tables.coding.columns import Columns

__all__ = ["adjust_groups", "longest_starts"]

_SLACK = 1e-9
_MOST_TIES = 32
_AGAIN, _MOST_AGAIN = 8, 4000
"""How often a group may be adjusted again after the pass: on average, and all together."""


@kernel
def longest_starts(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], max_loss: float
) -> NDArray[np.int64]:
    """Where each group starts when groups are grown along the line as far as the bound allows; and the end."""
    n, d = data.shape
    starts = np.empty(n + 1, dtype=np.int64)
    extent, seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    clear_box(columns, extent, seen)
    n_groups = 0
    starts[0] = 0
    for i in range(n):
        if i > starts[n_groups] and loss_with_record(columns, words, extent, seen, data[i]) > max_loss + _SLACK:
            n_groups += 1
            starts[n_groups] = i
            clear_box(columns, extent, seen)
        add_record(columns, words, extent, seen, data[i])
    starts[n_groups + 1] = n
    return starts[: n_groups + 2].copy()


class Records(NamedTuple):
    """The records in the order of the line, what binds them, and where each stands now."""

    columns: Columns
    words: NDArray[np.int64]
    data: NDArray[np.int32]
    labels: NDArray[np.int64]
    max_loss: float
    group: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    """Whether a record may not move (again)."""


class Side(NamedTuple):
    """One of two neighbouring groups: its records by sensitive value, those that may move in front of the others."""

    members: NDArray[np.int64]
    begin: NDArray[np.int64]
    """Where the records of each value begin that may move; `movable` counts them."""
    movable: NDArray[np.int64]
    counts: NDArray[np.int64]
    """How many records of each value the group has, movable or not."""
    extent: NDArray[np.int32]
    seen: NDArray[np.uint64]
    size: NDArray[np.int64]
    """How many records in all, and how many of the most frequent value."""


@kernel
def _empty_side(n: int, n_labels: int, d: int, n_words: int) -> Side:
    """Room for one group of up to `n` records."""
    return Side(
        np.empty(n, dtype=np.int64), np.zeros(n_labels, dtype=np.int64), np.zeros(n_labels, dtype=np.int64),
        np.zeros(n_labels, dtype=np.int64), np.empty((d, 3), dtype=np.int32), np.empty(n_words, dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
    )  # fmt: skip


@kernel
def _fill_side(
    line: Records,
    members: NDArray[np.int64],
    side: Side,
) -> None:
    """Fill `side` with the members of a group: sorted by value, counted, with their box."""
    clear_box(line.columns, side.extent, side.seen)
    side.movable[:] = 0
    side.counts[:] = 0
    for i in range(members.shape[0]):
        add_record(line.columns, line.words, side.extent, side.seen, line.data[members[i]])
        side.counts[line.labels[members[i]]] += 1
        if not line.fixed[members[i]]:
            side.movable[line.labels[members[i]]] += 1
    at: Any = 0
    top: Any = 0
    for value in range(side.counts.shape[0]):
        side.begin[value] = at
        at += side.movable[value]
        side.movable[value] = 0
        top = max(top, side.counts[value])
    side.size[0], side.size[1] = members.shape[0], top
    for i in range(members.shape[0]):
        if not line.fixed[members[i]]:
            value = line.labels[members[i]]
            side.members[side.begin[value] + side.movable[value]] = members[i]
            side.movable[value] += 1


@kernel
def _closest_record(
    line: Records,
    giver: Side,
    value: int,
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> tuple[int, float]:
    """Which movable record of `value` widens a box least: its place in `giver.members`, and the loss with it."""
    best, least = -1, np.inf
    begin = giver.begin[value]
    for i in range(begin, begin + giver.movable[value]):
        loss = loss_with_record(line.columns, line.words, extent, seen, line.data[giver.members[i]])
        if loss < least:
            best, least = i, loss
    return best, least


@kernel
def _would_raise(a: Any, a_top: Any, b: Any, b_top: Any, size: Any, top: Any) -> bool:
    """Whether the smaller of a / a_top and b / b_top is above size / top."""
    return bool(a > 0 and b > 0 and a * top > size * a_top and b * top > size * b_top)


@kernel
def _move_record(
    line: Records,
    giver: Side,
    taker: Side,
    at: int,
    to: int,
) -> None:
    """Move the record at place `at` of the giver to group `to`, the taker; it may not move again in this pass.

    The giver's box is left as it was, too wide at worst.
    """
    record = giver.members[at]
    value = line.labels[record]
    last = giver.begin[value] + giver.movable[value] - 1
    giver.members[at] = giver.members[last]
    giver.movable[value] -= 1
    giver.counts[value] -= 1
    taker.counts[value] += 1
    add_record(line.columns, line.words, taker.extent, taker.seen, line.data[record])
    giver.size[0] -= 1
    taker.size[0] += 1
    taker.size[1] = max(taker.size[1], taker.counts[value])
    line.group[record] = to
    line.fixed[record] = True


@kernel
def _give_top(
    line: Records,
    giver: Side,
    taker: Side,
    direction: NDArray[np.int8],
    way: int,
    to: int,
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> bool:
    """Let the less private group give up one record of each of its most frequent values; whether that was done.

    It is done where the smaller privacy of the two groups rises and the taker stays within the bound.
    """
    top, n_ties = giver.size[1], 0
    ties = np.empty(_MOST_TIES, dtype=np.int64)
    for value in range(giver.counts.shape[0]):
        if giver.counts[value] == top:
            if n_ties == _MOST_TIES or giver.movable[value] == 0 or direction[value] == -way:
                return False
            ties[n_ties] = value
            n_ties += 1
    taker_top = taker.size[1]
    for i in range(n_ties):
        taker_top = max(taker_top, taker.counts[ties[i]] + 1)
    if not _would_raise(giver.size[0] - n_ties, top - 1, taker.size[0] + n_ties, taker_top, giver.size[0], top):
        return False
    extent[:], seen[:] = taker.extent, taker.seen
    places = np.empty(_MOST_TIES, dtype=np.int64)
    for i in range(n_ties):
        places[i], loss = _closest_record(line, giver, ties[i], extent, seen)
        if loss > line.max_loss + _SLACK:
            return False
        add_record(line.columns, line.words, extent, seen, line.data[giver.members[places[i]]])
    for i in range(n_ties):
        _move_record(line, giver, taker, places[i], to)
        direction[ties[i]] = way
    giver.size[1] = top - 1
    return True


@kernel
def _take_rare(
    line: Records,
    giver: Side,
    taker: Side,
    direction: NDArray[np.int8],
    way: int,
    to: int,
    barred: NDArray[np.bool_],
) -> bool:
    """Let the less private group take in a record of a value that it has few of; whether that was done.

    Of such values it is the one that the giver has most of.
    """
    while True:
        best, most = -1, 0
        for value in range(giver.counts.shape[0]):
            free = giver.movable[value] > 0 and direction[value] != -way and not barred[value]
            if free and taker.counts[value] < taker.size[1] and giver.counts[value] > most:
                best, most = value, giver.counts[value]
        if best < 0:
            return False
        giver_top = giver.size[1]
        if most == giver_top:
            giver_top -= 1
            for value in range(giver.counts.shape[0]):
                if value != best and giver.counts[value] > giver_top:
                    giver_top = giver.counts[value]
                    break
        if not _would_raise(
            giver.size[0] - 1, giver_top, taker.size[0] + 1, taker.size[1], taker.size[0], taker.size[1]
        ):  # fmt: skip
            return False
        at, loss = _closest_record(line, giver, best, taker.extent, taker.seen)
        if loss <= line.max_loss + _SLACK:
            _move_record(line, giver, taker, at, to)
            giver.size[1] = giver_top
            direction[best] = way
            return True
        barred[best] = True  # its nearest record lies too far, and the box never shrinks


@kernel
def _adjust_pair(
    line: Records,
    one: Side,
    two: Side,
    first: int,
    second: int,
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> bool:
    """Move records between two groups while the smaller privacy of the two rises; whether it did."""
    direction = np.zeros(one.counts.shape[0], dtype=np.int8)
    barred = np.zeros((2, direction.shape[0]), dtype=np.bool_)
    rose = False
    while True:
        if one.size[0] * two.size[1] <= two.size[0] * one.size[1]:
            moved = _give_top(line, one, two, direction, 1, second, extent, seen)
            moved = moved or _take_rare(line, two, one, direction, -1, first, barred[0])
        else:
            moved = _give_top(line, two, one, direction, -1, first, extent, seen)
            moved = moved or _take_rare(line, one, two, direction, 1, second, barred[1])
        if not moved:
            return rose
        rose = True


@kernel
def _list_members(group: NDArray[np.int64], g: int, low: int, high: int, out: NDArray[np.int64]) -> int:
    """Write to `out` the records of group `g` among places `low` to `high` of the line; returns how many they are."""
    found = 0
    for i in range(low, high):
        if group[i] == g:
            out[found] = i
            found += 1
    return found


@kernel
def adjust_groups(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    labels: NDArray[np.int64],
    starts: NDArray[np.int64],
    max_loss: float,
) -> NDArray[np.int64]:
    """Adjust groups of consecutive records within the bound; returns the group of every record.

    `starts` says where each group starts. A record only ever moves to the group before or behind its first one, so that
    a group's records lie between the starts of its neighbours.
    """
    n, d = data.shape
    n_groups = starts.shape[0] - 1
    group, fixed = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    longest = 0
    for g in range(n_groups):
        group[starts[g] : starts[g + 1]] = g
        longest = max(longest, starts[min(g + 2, n_groups)] - starts[max(g - 1, 0)])
    n_labels = labels.max() + 1
    line = Records(columns, words, data, labels, max_loss, group, fixed)
    one, two = _empty_side(longest, n_labels, d, words[-1]), _empty_side(longest, n_labels, d, words[-1])
    extent, seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    listed = np.empty(longest, dtype=np.int64)
    sizes, tops = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    for g in range(n_groups):
        found = _list_members(group, g, starts[max(g - 1, 0)], starts[min(g + 2, n_groups)], listed)
        _fill_side(line, listed[:found], two)
        sizes[g], tops[g] = two.size[0], two.size[1]
        if g == 0:
            continue
        found = _list_members(group, g - 1, starts[max(g - 2, 0)], starts[g + 1], listed)
        _fill_side(line, listed[:found], one)
        _adjust_pair(line, one, two, g - 1, g, extent, seen)
        sizes[g - 1], tops[g - 1] = one.size[0], one.size[1]
        sizes[g], tops[g] = two.size[0], two.size[1]
    for _ in range(min(_AGAIN * n_groups, _MOST_AGAIN) if n_groups > 1 else 0):
        worst = 0
        for g in range(1, n_groups):
            if sizes[g] * tops[worst] < sizes[worst] * tops[g]:
                worst = g
        rose = False
        for first in range(max(worst - 1, 0), min(worst, n_groups - 2) + 1):
            for side, g in ((one, first), (two, first + 1)):
                low, high = starts[max(g - 1, 0)], starts[min(g + 2, n_groups)]
                found = _list_members(group, g, low, high, listed)
                for i in range(found):  # it may move again, but stays beside its first group
                    home = np.searchsorted(starts, listed[i], side="right") - 1
                    to = 2 * first + 1 - g
                    fixed[listed[i]] = to < home - 1 or to > home + 1
                _fill_side(line, listed[:found], side)
            rose |= _adjust_pair(line, one, two, first, first + 1, extent, seen)
            sizes[first], tops[first] = one.size[0], one.size[1]
            sizes[first + 1], tops[first + 1] = two.size[0], two.size[1]
        if not rose:
            break
    return group
