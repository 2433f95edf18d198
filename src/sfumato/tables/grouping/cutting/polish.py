"""Polish of a cut: exchange records between groups of the line where that lowers the loss.

Two records with the same sensitive values can change places without any group's histogram changing, so that every
promise a partition keeps it still keeps, and the groups keep their sizes. Each record that widens its group is tried
against the nearest records of its own profile (its combination of sensitive values) to both sides on the line; the
exchange that saves most is made. It leaves consecutive groups behind: with values 0, 49 | 50, 51, 100 it finds
0, 100 | 49, 50, 51, which no cut of the line can. O(passes N window s d) for groups of s records, and far less in
practice: most records widen nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.boxes import add_record, clear_box, loss_of_box
from sfumato.tables.coding.columns import Columns

__all__ = ["polish_by_exchange"]

_LEAST_GAIN = 1e-12


@kernel
def _loss_after_exchange(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    members: NDArray[np.int64],
    leaves: int,
    joins: int,
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
) -> float:
    """The loss of a group after one record `leaves` and another `joins` (-1: none)."""
    clear_box(columns, extent, seen)
    for i in range(members.shape[0]):
        if members[i] != leaves:
            add_record(columns, words, extent, seen, data[members[i]])
    if joins >= 0:
        add_record(columns, words, extent, seen, data[joins])
    return loss_of_box(columns, extent)


@kernel
def polish_by_exchange(  # noqa: C901  a kernel
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    profiles: NDArray[np.int64],
    n_profiles: int,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    window: int,
    passes: int,
    max_loss: float,
) -> int:
    """Exchange records in `order` (places on the line, group by group) in place; returns how many exchanges were made.

    `data` and `profiles` are in the order of the line: records of equal profile may change places. Each is tried
    against `window` of its profile to each side, in up to `passes` rounds; no group comes to lose more than `max_loss`.
    """
    n, d = data.shape
    n_groups = starts.shape[0] - 1
    place, group = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    loss = np.empty(n_groups)
    extent, seen = np.empty((d, 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    for g in range(n_groups):
        for i in range(starts[g], starts[g + 1]):
            place[order[i]] = i
            group[order[i]] = g
        loss[g] = _loss_after_exchange(columns, words, data, order[starts[g] : starts[g + 1]], -1, -1, extent, seen)
    following, previous = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    last = np.full(n_profiles, -1, dtype=np.int64)
    for i in range(n):
        previous[i] = last[profiles[i]]
        if previous[i] >= 0:
            following[previous[i]] = i
        last[profiles[i]] = i
    n_made = 0
    for _ in range(passes):
        before = n_made
        for record in range(n):
            g = group[record]
            if loss[g] == 0.0:
                continue
            here = order[starts[g] : starts[g + 1]]
            size = here.shape[0]
            if _loss_after_exchange(columns, words, data, here, record, -1, extent, seen) >= loss[g]:
                continue  # the group is as wide without it
            best, most = -1, _LEAST_GAIN
            loss_here, loss_there = 0.0, 0.0
            for side in range(2):
                other = record
                for _ in range(window):
                    other = following[other] if side == 0 else previous[other]
                    if other < 0:
                        break
                    h = group[other]
                    if h == g:
                        continue
                    size_there = starts[h + 1] - starts[h]
                    ours = _loss_after_exchange(columns, words, data, here, record, other, extent, seen)
                    if ours > max_loss or size * (loss[g] - ours) + size_there * loss[h] <= most:
                        continue  # no room for a gain, whatever happens there
                    there = order[starts[h] : starts[h + 1]]
                    theirs = _loss_after_exchange(columns, words, data, there, other, record, extent, seen)
                    gain = size * (loss[g] - ours) + size_there * (loss[h] - theirs)
                    if gain > most and theirs <= max_loss:
                        best, most, loss_here, loss_there = other, gain, ours, theirs
            if best >= 0:
                h = group[best]
                order[place[record]], order[place[best]] = best, record
                place[record], place[best] = place[best], place[record]
                group[record], group[best] = h, g
                loss[g], loss[h] = loss_here, loss_there
                n_made += 1
        if n_made == before:
            break
    return n_made
