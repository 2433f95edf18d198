"""The linear heuristic for l-diversity: in one pass along the line, groups of l or more different sensitive values.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, section 4.3 (Fig. 13 and 14). The records of each sensitive
value form a domain, in the order of the line; the first open record of every domain is the frontier. A group takes
at most one record of a value, so that l records make it l-diverse:

- greedy step: records of the frontier, nearest first, until there are l and what is left is still eligible (no
  value has more than 1/l of it);
- fall-back step, where that fails: records of the most frequent values left, which always succeeds on an eligible
  table;
- look-ahead: the next open record joins the group if it would lie closer there than in the group to come.

Nearness is the order of the line; the look-ahead compares losses in all columns. The greedy step stops at 2l - 1
records (an optimal group is never larger). Eligibility is kept in lists of the values that have each count, so that
it costs O(1) per record, in integers: O(N (l d + l log m)) in all with the look-ahead, whatever the number of values.

`solve_direct.py` calls it for l-diversity, `solve_dual.py` for every l it tries, `l_dealt.py` inside a stretch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, loss_of_box, loss_with_record
from sfumato.tables.coding.columns import Columns
from sfumato.tables.grouping.cutting.frontier import OpenDomains, advance, open_domains, pop_nearest, push

__all__ = ["diverse_groups"]

_SCANNED = 1024
"""Values of one frequency that the fall-back step compares by nearness."""


class Counts(NamedTuple):
    """How many open records each sensitive value has, and which values have each count."""

    records: NDArray[np.int64]
    first: NDArray[np.int64]
    """For each count a value that has it, or -1; `after` and `before` link it to the others."""
    after: NDArray[np.int64]
    before: NDArray[np.int64]


@kernel
def _count_values(labels: NDArray[np.int64], n_labels: int) -> Counts:
    """The counts of all values, every record open."""
    count = np.zeros(n_labels, dtype=np.int64)
    for i in range(labels.shape[0]):
        count[labels[i]] += 1
    largest = 0
    for value in range(n_labels):  # `count.max()` takes half a second to compile
        largest = max(largest, count[value])
    first = np.full(largest + 1, -1, dtype=np.int64)
    counts = Counts(count, first, np.full(n_labels, -1, dtype=np.int64), np.full(n_labels, -1, dtype=np.int64))
    for value in range(n_labels):
        _link_value(counts, value)
    return counts


@kernel
def _link_value(counts: Counts, value: Any) -> None:
    """Put a value in front of the list of those that have its count."""
    count = counts.records[value]
    old = counts.first[count]
    counts.after[value], counts.before[value] = old, -1
    if old >= 0:
        counts.before[old] = value
    counts.first[count] = value


@kernel
def _change_count(counts: Counts, value: Any, change: int, top: Any) -> Any:
    """Change the count of a value by one, and return the largest count, which was `top`."""
    before, after = counts.before[value], counts.after[value]
    if before >= 0:
        counts.after[before] = after
    else:
        counts.first[counts.records[value]] = after
    if after >= 0:
        counts.before[after] = before
    counts.records[value] += change
    _link_value(counts, value)
    top = max(top, counts.records[value])
    while top > 0 and counts.first[top] < 0:
        top -= 1
    return top


@kernel
def _find_most_frequent(domains: OpenDomains, counts: Counts, top: Any, wanted: int, values: NDArray[np.int64]) -> int:
    """Write the `wanted` most frequent values left to `values`, equals by the nearness of their next record.

    Returns how many were found.
    """
    found = 0
    level = top
    while found < wanted and level > 0:
        begin, value = found, counts.first[level]
        scanned = 0
        while value >= 0 and (scanned < _SCANNED or found < wanted):
            at = found if found < wanted else wanted - 1
            if scanned >= _SCANNED:  # far too many of one frequency: take them as they come
                values[at] = value
                found += 1
            elif found < wanted or domains.head[value] < domains.head[values[at]]:
                while at > begin and domains.head[values[at - 1]] > domains.head[value]:  # nearest first, by insertion
                    values[at] = values[at - 1]
                    at -= 1
                values[at] = value
                found = min(found + 1, wanted)
            value = counts.after[value]
            scanned += 1
        level -= 1
    return found


@kernel
def diverse_groups(  # noqa: C901  a kernel
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    labels: NDArray[np.int64],
    n_labels: int,
    l: int,  # noqa: E741
    look_ahead: bool,  # noqa: FBT001
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places on the line in the order of their l-diverse groups, and where each group starts.

    `data` and `labels` are in the order of the line, and the labels are eligible: the most frequent makes up at
    most 1/l of them. `look_ahead` is the optimisation of Fig. 14.
    """
    n, d = data.shape
    order, starts = np.empty(n, dtype=np.int64), np.empty(n // l + 2, dtype=np.int64)
    domains, heap, size = open_domains(labels, n_labels)
    counts = _count_values(labels, n_labels)
    top: Any = counts.first.shape[0] - 1
    near, values = np.empty(n_labels + 1, dtype=np.int64), np.empty(2 * l, dtype=np.int64)
    extent, seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    next_extent, next_seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    in_group = np.zeros(n_labels, dtype=np.bool_)
    done, n_groups = 0, 0
    starts[0] = 0
    while done < n:
        clear_box(columns, extent, seen)
        size, n_near = pop_nearest(domains, heap, size, near, 0, l)
        n_chosen, eligible = 0, False
        while n_chosen < 2 * l - 1 and not eligible:
            if n_chosen == n_near:
                size, n_near = pop_nearest(domains, heap, size, near, n_near, n_near + 1)
                if n_chosen == n_near:
                    break
            add_record(columns, words, extent, seen, data[near[n_chosen]])
            top = _change_count(counts, labels[near[n_chosen]], -1, top)
            n_chosen += 1
            eligible = n_chosen >= l and top * l <= n - done - n_chosen
        if eligible:
            for i in range(n_chosen):
                order[done + i] = near[i]
        else:  # fall back on the most frequent values
            for i in range(n_chosen):
                top = _change_count(counts, labels[near[i]], 1, top)
            clear_box(columns, extent, seen)
            n_values = _find_most_frequent(domains, counts, top, 2 * l - 1, values)
            for i in range(n_near):
                size = push(heap, size, near[i])
            n_near = n_chosen = 0
            while n_chosen < n_values and not (n_chosen >= l and top * l <= n - done - n_chosen):
                record = domains.head[values[n_chosen]]
                order[done + n_chosen] = record
                add_record(columns, words, extent, seen, data[record])
                top = _change_count(counts, values[n_chosen], -1, top)
                n_chosen += 1
        for i in range(n_chosen):
            value = labels[order[done + i]]
            in_group[value] = True
            size = advance(domains, heap, size, value)
        for i in range(n_chosen, n_near):
            size = push(heap, size, near[i])
        while look_ahead and done + n_chosen < n:
            size, n_near = pop_nearest(domains, heap, size, near, 0, l)
            joins = n_near == l and not in_group[labels[near[0]]]
            if joins:
                value = labels[near[0]]
                clear_box(columns, next_extent, next_seen)
                for i in range(n_near):
                    add_record(columns, words, next_extent, next_seen, data[near[i]])
                widened = loss_with_record(columns, words, extent, seen, data[near[0]])
                joins = widened < loss_of_box(columns, next_extent)
            if joins:
                top = _change_count(counts, value, -1, top)
                joins = top * l <= n - done - n_chosen - 1
                if not joins:
                    top = _change_count(counts, value, 1, top)
            for i in range(1 if joins else 0, n_near):
                size = push(heap, size, near[i])
            if not joins:
                break
            order[done + n_chosen] = near[0]
            n_chosen += 1
            in_group[value] = True
            add_record(columns, words, extent, seen, data[near[0]])
            size = advance(domains, heap, size, value)
        for i in range(n_chosen):
            in_group[labels[order[done + i]]] = False
        done += n_chosen
        n_groups += 1
        starts[n_groups] = done
    return order, starts[: n_groups + 1].copy()
