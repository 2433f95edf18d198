"""Leftovers of local recoding: records that no class took are given to the groups that they cost least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.privacy.criteria import Criteria, all_hold
from sfumato.tables.coding.boxes import records, word_offsets
from sfumato.tables.coding.columns import Columns
from sfumato.tables.grouping.mondrian_kernels import partition
from sfumato.tables.grouping.snake import snake_order
from sfumato.tables.lattice.divide_groups import divide_groups, reunite_groups
from sfumato.tables.lattice.polish import BUDGET, Book, cheapest_group, join_group, make_book

__all__ = ["place_leftovers"]

_FEWEST = 200
"""How many groups on both sides of a leftover are looked at, at least."""
_AT_ONCE = 1_000
"""How many records are given a group between two reports of progress."""


def place_leftovers(
    columns: Columns, criteria: Criteria, group: NDArray[np.int64], share: Share = tell_nobody
) -> NDArray[np.int64]:  # fmt: skip
    """Give every record a group: a leftover (-1) joins the group that it costs least and that still keeps the promise.

    It joins only a part of a large group. Many leftovers that keep the promise among themselves are cut into groups of
    their own by Mondrian. Leftovers that fit into no group are merged with the groups that lose most.
    """
    rest = np.flatnonzero(group < 0)
    group = group.copy()
    if not len(rest):
        return group
    n_groups = int(group.max(initial=-1)) + 1
    if len(rest) >= 4 * criteria.min_size and all_hold(criteria, rest, np.array([0, len(rest)])):
        first = np.concatenate([rest, np.flatnonzero(group >= 0)])
        order, starts = partition(
            columns._replace(codes=np.ascontiguousarray(columns.codes[:, rest])),
            criteria._replace(codes=np.ascontiguousarray(criteria.codes[first])), True,
        )  # fmt: skip
        group[rest[order]] = n_groups + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return group
    if n_groups:
        parts, of_group = divide_groups(columns.codes, criteria, group)
        reach, places = len(of_group), np.zeros(len(rest), dtype=np.int64)
        if len(rest) * len(of_group) > BUDGET:
            reach = max(BUDGET // len(rest), _FEWEST)
            parts, of_group, places = _beside_each_other(columns, parts, of_group, rest)
        data, words = records(columns), word_offsets(columns)
        book = make_book(columns, words, data, parts, len(of_group))
        lost = 0
        for start in range(0, len(rest), _AT_ONCE):
            share(start / len(rest))
            some = slice(start, start + _AT_ONCE)
            lost += _place_records(columns, words, data, criteria, book, rest[some], places[some], reach)
        return reunite_groups(parts, of_group, _merge_leftovers(criteria, book) if lost else book.group)
    group[:] = 0
    return group


def _beside_each_other(
    columns: Columns, parts: NDArray[np.int64], of_group: NDArray[np.int64], rest: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Number parts along an order of the records, and say between which of them each leftover lies.

    Where there are too many parts to look at all of them, those around a leftover are looked at.
    """
    n_parts = len(of_group)
    first = np.full(n_parts, -1, dtype=np.int64)
    inside = np.flatnonzero(parts >= 0)
    first[parts[inside[::-1]]] = inside[::-1]
    both = np.ascontiguousarray(columns.codes[:, np.concatenate([first, rest])])
    order = snake_order(both, columns.n_codes, np.argsort(columns.n_codes, kind="stable"), True)
    number = np.empty(n_parts, dtype=np.int64)
    number[order[order < n_parts]] = np.arange(n_parts)
    before = np.cumsum(order < n_parts)
    places = np.empty(len(rest), dtype=np.int64)
    places[order[order >= n_parts] - n_parts] = before[order >= n_parts]
    renumbered = parts.copy()
    renumbered[inside] = number[parts[inside]]
    groups = np.empty_like(of_group)
    groups[number] = of_group
    return renumbered, groups, places


def _merge_leftovers(criteria: Criteria, book: Book) -> NDArray[np.int64]:
    """Merge the records without a group with the groups that lose most, one by one, until they keep the promise.

    Returns the group of every record.
    """
    group = book.group.copy()
    for g in np.argsort(-book.loss, kind="stable").tolist():
        group[group == g] = -1
        together = np.flatnonzero(group < 0)
        if all_hold(criteria, together, np.array([0, len(together)])):
            break
    group[group < 0] = group.max() + 1
    return group


@kernel
def _place_records(
    columns: Columns, words: NDArray[np.int64], data: NDArray[np.int32], criteria: Criteria, book: Book,
    rest: NDArray[np.int64], places: NDArray[np.int64], reach: int,
) -> int:  # fmt: skip
    """Put each record of `rest` into the group that it costs least, of those in `reach` of its place.

    Where none of these takes it, all are looked at. Returns how many fit into none.
    """
    counts = np.zeros(criteria.total.shape[0], dtype=np.int64)
    room = np.zeros(criteria.n_nodes)
    lost = 0
    n_groups = book.head.shape[0]
    for at in range(rest.shape[0]):
        i, first, last = rest[at], max(places[at] - reach, 0), min(places[at] + reach, n_groups)
        g, _ = cheapest_group(columns, words, data, criteria, book, i, np.inf, counts, room, first, last)
        if g < 0 and last - first < n_groups:
            g, _ = cheapest_group(columns, words, data, criteria, book, i, np.inf, counts, room, 0, n_groups)
        if g < 0:
            lost += 1
        else:
            join_group(columns, words, data, book, i, g)
    return lost
