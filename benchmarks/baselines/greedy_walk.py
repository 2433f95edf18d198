"""The greedy closed walk of Xue's thesis (algorithms 1 and 2, section 3.6.3), as printed and kept for comparison only.

As in `closed_walks`, a walk goes through the graph of assignments until it is back; here each step takes the nearest
slot whose label differs from those before, which is meant to make l-diverse assignments.


It is not private: it tells apart the labels of the records that slots are named after, and slots are published with the
labels of their true owners. The two are the same in the first assignment alone, which is the identity. It can also fail
on data that allow l assignments: its filter of labels upsets the balance that brings a walk home. Use `diverse_ring`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.label_check import distinct_labels
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = ["GreedyWalk", "broken_records", "greedy_walk"]


@dataclass(frozen=True, eq=False)
class GreedyWalk:
    """Disjoint assignments of records to slots, one in a row, and how many attempts came to a dead end before.

    `rows` has fewer than l rows if all attempts did.
    """

    rows: NDArray[np.int64]
    dead_ends: int


def greedy_walk(
    baskets: Baskets,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    l: int,  # noqa: E741
    random: Randomness,
    *,
    attempts: int = 4,
) -> GreedyWalk:
    """Find l assignments by greedy closed walks from random records, with another attempt after a dead end."""
    n = len(baskets)
    if l < 1 or attempts < 1:
        raise ParameterError(f"l and attempts must be whole numbers >= 1, got {l} and {attempts}")
    ordered = baskets.rows(order)
    own = np.asarray(labels, dtype=np.int64)[order]
    found, dead_ends = np.empty((0, n), dtype=np.int64), 0
    while len(found) < l and dead_ends < attempts:
        begin = np.stack([random.permutation(n) for _ in range(l)])
        found = _rounds(ordered.starts, ordered.ids, own, begin)
        dead_ends += len(found) < l
    rows = np.empty_like(found)
    rows[:, order] = order[found]
    return GreedyWalk(rows, dead_ends)


def broken_records(labels: NDArray[np.int64], walk: GreedyWalk) -> NDArray[np.int64]:
    """For each assignment, if it is drawn: how many records have a published label twice among their candidates."""
    rows = walk.rows
    return np.array([(distinct_labels(labels, rows, own) < len(rows)).sum() for own in rows], dtype=np.int64)


@kernel
def _rounds(
    starts: NDArray[np.int64], ids: NDArray[np.int32], labels: NDArray[np.int64], begin: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The assignments found, by position in the order, one in a row; fewer than l after a dead end."""
    l, n = begin.shape  # noqa: E741
    rows = np.empty((l, n), dtype=np.int64)
    post, pre, child = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    came = np.full(n, -1, dtype=np.int64)  # the walk that last came to a slot
    left = np.full(n, -1, dtype=np.int64)  # the walk that last left a record, and its latest pair in that walk
    latest = np.empty(n, dtype=np.int64)
    pair_slot, pair_before = np.empty(4 * n + 4, dtype=np.int64), np.empty(4 * n + 4, dtype=np.int64)
    mark = np.zeros(ids.max() + 1 if ids.shape[0] > 0 else 1, dtype=np.bool_)
    walk = 0
    for r in range(l):
        open_still = np.ones(n, dtype=np.bool_)
        for i in range(n):
            post[i], pre[i] = i, i
        for index in range(n):
            u = begin[r, index]
            if not open_still[u]:
                continue
            goal, at, n_pairs = post[u], u, 0
            walk += 1
            while True:
                if left[at] != walk:
                    left[at], latest[at] = walk, -1
                found, resort = -1, -1
                for e in range(starts[at], starts[at + 1]):
                    mark[ids[e]] = True
                for j in range(min(n // 2 + 1, n - 1) + 1):
                    to, nearest = -1, np.int64(0)
                    for side in (1, -1):
                        slot = (at + side * j) % n
                        fits = open_still[at] or slot != post[at]
                        for t in range(r):
                            if rows[t, at] == slot or labels[rows[t, at]] == labels[slot]:
                                fits = False
                        pair = latest[at]
                        while fits and pair >= 0:
                            fits = pair_slot[pair] != slot
                            pair = pair_before[pair]
                        if fits:
                            apart = starts[at + 1] - starts[at] + starts[slot + 1] - starts[slot]
                            for e in range(starts[slot], starts[slot + 1]):
                                apart -= 2 * mark[ids[e]]
                            if to < 0 or apart < nearest:
                                to, nearest = slot, apart
                    if to < 0:
                        continue
                    if came[to] != walk:
                        found = to
                        break
                    if resort < 0:
                        resort = to
                for e in range(starts[at], starts[at + 1]):
                    mark[ids[e]] = False
                if found < 0:
                    found = resort
                if found < 0:
                    return rows[:r]
                if n_pairs == pair_slot.shape[0]:
                    pair_slot = np.concatenate((pair_slot, np.empty(n_pairs, dtype=np.int64)))
                    pair_before = np.concatenate((pair_before, np.empty(n_pairs, dtype=np.int64)))
                pair_slot[n_pairs], pair_before[n_pairs] = found, latest[at]
                latest[at] = n_pairs
                n_pairs += 1
                child[at] = found
                came[found] = walk
                if found == goal:
                    break
                at = pre[found]
            # the last exits from the start make a simple cycle
            at = u
            while True:
                to, after = child[at], pre[child[at]]
                open_still[at] = False
                post[at], pre[to] = to, at
                if to == goal:
                    break
                at = after
        rows[r] = post
    return rows
