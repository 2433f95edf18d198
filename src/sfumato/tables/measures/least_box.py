"""Kernel: the least that a class of k records can lose which holds a given record, or a bound below it.

Whatever class a record is in, it holds k - 1 others, and shows a box around all of them. The cheapest such box is
sought best first. A state is a box around some records, which are in, and a list of others that are out. Among the
records that are neither in the box nor out, the box must still grow by enough to hold k in all, so that the cheapest
way to take in the last of those needed (each for itself) is a bound below all boxes that can come of the state. The
state with the smallest bound is split in two: its cheapest record in, or out. As soon as the best state has its k
records, its box is the cheapest one; where that takes more than `most_states`, the smallest bound is returned.

Only the `CANDIDATES` records nearest to the given one are looked at, each alone with it in a box: whoever takes in a
farther one loses at least as much as the farthest of these. O(N d) to find them, then O(CANDIDATES d) for each state.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, loss_of_box, loss_with_record
from sfumato.tables.coding.columns import Columns

__all__ = ["CANDIDATES", "Tuples", "least_boxes"]

CANDIDATES = 256
_OUT_WORDS = CANDIDATES // 64
_ROUNDING = 1e-12
"""What is taken off every bound: sums of floating-point losses in another order may differ by less than this."""


class Tuples(NamedTuple):
    """The distinct records of a table: their codes side by side, and how many records are alike."""

    data: NDArray[np.int32]
    n_alike: NDArray[np.int64]


@kernel
def least_boxes(
    columns: Columns, words: NDArray[np.int64], tuples: Tuples, which: NDArray[np.int64], k: int, most_states: int
) -> NDArray[np.float64]:
    """For each of the tuples `which`: a bound below the loss of every class of `k` records that holds it."""
    d = tuples.data.shape[1]
    found = np.empty(which.shape[0])
    near, far = np.empty(CANDIDATES, dtype=np.int64), np.empty(CANDIDATES)
    cost = np.empty(CANDIDATES)
    extents = np.empty((most_states + 2, d, 3), dtype=np.int32)
    seens = np.empty((most_states + 2, words[-1]), dtype=np.uint64)
    outs = np.empty((most_states + 2, _OUT_WORDS), dtype=np.uint64)
    heap, bounds = np.empty(most_states + 2, dtype=np.int64), np.empty(most_states + 2)
    cheapest = np.empty(most_states + 2, dtype=np.int64)
    for w in range(which.shape[0]):
        i = which[w]
        if tuples.n_alike[i] >= k:
            found[w] = 0.0
            continue
        clear_box(columns, extents[0], seens[0])
        add_record(columns, words, extents[0], seens[0], tuples.data[i])
        n_near, beyond = _nearest(columns, words, tuples, extents[0], seens[0], near, far)
        outs[0, :] = np.uint64(0)
        bounds[0], cheapest[0] = _bound(
            columns, words, tuples, extents[0], seens[0], outs[0], near, n_near, beyond, k, cost
        )
        heap[0] = 0
        n_states, n_open = 1, 1
        while cheapest[heap[0]] >= 0 and n_states < most_states:
            state = heap[0]
            chosen = cheapest[state]
            new = n_states  # with this record in; the state itself goes on with it out
            n_states += 1
            extents[new] = extents[state]
            seens[new] = seens[state]
            outs[new] = outs[state]
            outs[state, chosen >> 6] |= np.uint64(1) << np.uint64(chosen & 63)
            add_record(columns, words, extents[new], seens[new], tuples.data[near[chosen]])
            before = bounds[state]
            for each in (state, new):
                bound, cheapest[each] = _bound(
                    columns, words, tuples, extents[each], seens[each], outs[each], near, n_near, beyond, k, cost
                )
                bounds[each] = max(bound, before)
            _sift_down(heap, bounds, n_open)
            heap[n_open] = new
            n_open += 1
            _sift_up(heap, bounds, n_open - 1)
        found[w] = max(bounds[heap[0]] - _ROUNDING, 0.0)
    return found


@kernel
def _nearest(
    columns: Columns, words: NDArray[np.int64], tuples: Tuples, extent: NDArray[np.int32], seen: NDArray[np.uint64],
    near: NDArray[np.int64], far: NDArray[np.float64],
) -> tuple[int, float]:  # fmt: skip
    """Write the tuples that cost least beside the one in the box to `near`; how many, and a bound on all others.

    A heap with the dearest on top; the tuple itself is among them, at no cost.
    """
    n_near = 0
    beyond = np.inf
    for j in range(tuples.data.shape[0]):
        loss = loss_with_record(columns, words, extent, seen, tuples.data[j])
        if n_near < near.shape[0]:
            at = n_near
            n_near += 1
            while at > 0 and far[(at - 1) >> 1] < loss:
                near[at], far[at] = near[(at - 1) >> 1], far[(at - 1) >> 1]
                at = (at - 1) >> 1
            near[at], far[at] = j, loss
        elif loss < far[0]:
            beyond = min(beyond, far[0])
            at = 0
            while True:
                child = 2 * at + 1
                if child >= n_near:
                    break
                if child + 1 < n_near and far[child + 1] > far[child]:
                    child += 1
                if far[child] <= loss:
                    break
                near[at], far[at] = near[child], far[child]
                at = child
            near[at], far[at] = j, loss
        else:
            beyond = min(beyond, loss)
    return n_near, beyond


@kernel
def _bound(
    columns: Columns, words: NDArray[np.int64], tuples: Tuples, extent: NDArray[np.int32], seen: NDArray[np.uint64],
    out: NDArray[np.uint64], near: NDArray[np.int64], n_near: int, beyond: float, k: int, cost: NDArray[np.float64],
) -> tuple[float, int]:  # fmt: skip
    """A bound below all boxes of k records that can come of a state, and which record to split it by.

    That is -1 where the bound is the loss of a box that holds k already, or of boxes that reach beyond the candidates.
    """
    start = loss_of_box(columns, extent)
    inside = 0
    cheapest, least = -1, np.inf
    for m in range(n_near):
        cost[m] = np.inf
        if out[m >> 6] >> np.uint64(m & 63) & np.uint64(1):
            continue
        loss = loss_with_record(columns, words, extent, seen, tuples.data[near[m]])
        if loss <= start:  # in the box, or as good as in it
            inside += tuples.n_alike[near[m]]
        else:
            cost[m] = loss
            if loss < least:
                cheapest, least = m, loss
    if inside >= k:
        return start, -1
    needed = _cost_of_last(tuples, near, n_near, cost, k - inside)
    return (needed, cheapest) if needed < beyond else (max(beyond, start), -1)


@kernel
def _cost_of_last(
    tuples: Tuples, near: NDArray[np.int64], n_near: int, cost: NDArray[np.float64], needed: int
) -> float:
    """The cost of the last of the `needed` cheapest records; infinite where there are fewer."""
    kept, n_kept, total = np.empty(n_near, dtype=np.int64), 0, 0
    for m in range(n_near):
        if cost[m] == np.inf or (total >= needed and cost[m] >= cost[kept[n_kept - 1]]):
            continue
        at = n_kept
        while at > 0 and cost[kept[at - 1]] > cost[m]:
            kept[at] = kept[at - 1]
            at -= 1
        kept[at] = m
        n_kept += 1
        total += tuples.n_alike[near[m]]
        while total - tuples.n_alike[near[kept[n_kept - 1]]] >= needed:
            n_kept -= 1
            total -= tuples.n_alike[near[kept[n_kept]]]
    return cost[kept[n_kept - 1]] if total >= needed else np.inf


@kernel
def _sift_up(heap: NDArray[np.int64], bounds: NDArray[np.float64], at: int) -> None:
    """Bring the state at `at` up to its place; the state with the smallest bound is on top."""
    state = heap[at]
    while at > 0 and bounds[heap[(at - 1) >> 1]] > bounds[state]:
        heap[at] = heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    heap[at] = state


@kernel
def _sift_down(heap: NDArray[np.int64], bounds: NDArray[np.float64], n_open: int) -> None:
    """Bring the state on top down to its place."""
    state, at = heap[0], 0
    while 2 * at + 1 < n_open:
        child = 2 * at + 1
        if child + 1 < n_open and bounds[heap[child + 1]] < bounds[heap[child]]:
            child += 1
        if bounds[heap[child]] >= bounds[state]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = state
