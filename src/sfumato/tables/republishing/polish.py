"""Polish: rows with the same sensitive value change places between classes, where that lowers the loss.

Not in the paper. Two people with the same value may always change places inside a bucket, and people who are new also
across buckets, as they have no signature yet: which values are published together does not change. Counterfeits stay
where they are, as a class full of them would leave somebody alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.tables.republishing.split import Places

__all__ = ["polish_classes"]

_WINDOW = 32
_ROUNDS = 3


def polish_classes(
    places: Places,
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    values: NDArray[np.int64],
    bucket: NDArray[np.int64],
    fresh: NDArray[np.bool_],
    share: Share = tell_nobody,
) -> None:
    """Polish classes by exchanges, in place: class c holds `rows[starts[c]:starts[c + 1]]`, -1 for a counterfeit.

    `values` are the sensitive values of these places, `bucket` is that of each class, and `fresh` says which rows are
    of new people. Partners are sought along each quasi-identifier in turn. O(d^2 N window) for N rows.
    """
    of_place = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    position, weight, n_in_set = places.position, places.weight, places.n_in_set
    costs = np.array([loss(position, weight, n_in_set, rows, starts[c], starts[c + 1]) for c in range(len(starts) - 1)])
    own = bucket[of_place] * (int(values.max(initial=0)) + 1) + values
    for turn in range(_ROUNDS):
        n_exchanges = 0
        for d in range(len(position)):
            share((turn + d / len(position)) / _ROUNDS)
            middle = _middles(position[d], rows, of_place, len(costs))
            for pools, may in ((own, np.ones_like(fresh)), (values, fresh)):
                some = np.flatnonzero((rows >= 0) & may[rows])
                order = some[np.lexsort((middle[of_place[some]], pools[some]))]
                n_exchanges += polish_pairs(
                    position, weight, n_in_set, rows, starts, of_place, order, pools[order], costs, _WINDOW
                )
        if not n_exchanges:
            break


def _middles(
    position: NDArray[np.float64], rows: NDArray[np.int64], of_place: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """The average position of the people of each class."""
    real = rows >= 0
    total = np.bincount(of_place[real], weights=position[rows[real]], minlength=n)
    return np.asarray(total / np.bincount(of_place[real], minlength=n))


@kernel
def polish_pairs(
    position: NDArray[np.float64],
    weight: NDArray[np.float64],
    n_in_set: NDArray[np.int64],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    of_place: NDArray[np.int64],
    order: NDArray[np.int64],
    pool: NDArray[np.int64],
    costs: NDArray[np.float64],
    window: int,
) -> int:
    """Exchange the rows of two places of one pool where that lowers the loss of their classes; how many were exchanged.

    Tried are all pairs that are at most `window` apart in `order`; `pool` is that of each place in this order.
    """
    n_exchanges = 0
    for i in range(len(order)):
        a = order[i]
        for j in range(i + 1, min(i + 1 + window, len(order))):
            if pool[j] != pool[i]:
                break
            b = order[j]
            x, y = of_place[a], of_place[b]
            if costs[x] + costs[y] == 0.0:
                continue
            rows[a], rows[b] = rows[b], rows[a]
            one = loss(position, weight, n_in_set, rows, starts[x], starts[x + 1])
            other = loss(position, weight, n_in_set, rows, starts[y], starts[y + 1])
            if one + other < costs[x] + costs[y] - 1e-12:
                costs[x], costs[y] = one, other
                n_exchanges += 1
            else:
                rows[a], rows[b] = rows[b], rows[a]
    return n_exchanges


@kernel
def loss(
    position: NDArray[np.float64],
    weight: NDArray[np.float64],
    n_in_set: NDArray[np.int64],
    rows: NDArray[np.int64],
    start: int,
    stop: int,
) -> float:
    """The loss of a class, times its people: its extent in each column, of sets the share of values that it shows."""
    total, n_people = 0.0, 0
    for i in range(start, stop):
        n_people += rows[i] >= 0
    for d in range(position.shape[0]):
        smallest, largest, n_different = np.inf, -np.inf, 0
        for i in range(start, stop):
            if rows[i] < 0:
                continue
            here = position[d, rows[i]]
            smallest, largest = min(smallest, here), max(largest, here)
            if n_in_set[d] > 0:
                seen = False
                for j in range(start, i):
                    if rows[j] >= 0 and position[d, rows[j]] == here:
                        seen = True
                        break
                if not seen:
                    n_different += 1
        if n_in_set[d] == 0:
            total += weight[d] * (largest - smallest)
        elif n_different > 1:
            total += weight[d] * n_different / n_in_set[d]
    return total * n_people
