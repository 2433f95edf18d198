"""The transportation problem, for the earth mover's distance over any ground distance.

Successive shortest paths: each place of supply in turn sends what it has along the cheapest way there is, which may
push aside what others sent before. Masses are whole numbers, so that nothing is lost on the way; reduced costs stay at
or above 0, so that every search is Dijkstra's, over a dense table. O(m^2) for each of the ways, of which there are few
more than places of supply and demand together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["earth_movers", "ground_distance", "least_cost"]


def ground_distance(
    ground: NDArray[np.float64] | None, first: int, stop: int, counts: NDArray[np.int64], size: int,
    total: NDArray[np.int64], n_total: int, metric: Any,
) -> float:  # fmt: skip
    """The earth mover's distance over the ground distances from `first` to `stop`, for kernels.

    Kernels are compiled for the types they are given: where `ground` is None, no code for distances is compiled.
    """
    return 0.0 if ground is None else float(earth_movers(counts, size, total, n_total, ground[first:stop], metric))


@overload(ground_distance, strict=False)
def _ground_distance(
    ground: Any, first: Any, stop: Any, counts: Any, size: Any, total: Any, n_total: Any, metric: Any
) -> Any:  # fmt: skip
    if isinstance(ground, types.NoneType):
        return lambda ground, first, stop, counts, size, total, n_total, metric: 0.0
    return lambda ground, first, stop, counts, size, total, n_total, metric: earth_movers(
        counts, size, total, n_total, ground[first:stop], metric
    )


@kernel
def earth_movers(
    counts: NDArray[np.int64],
    size: int,
    total: NDArray[np.int64],
    n_total: int,
    ground: NDArray[np.float64],
    metric: Any,
) -> float:
    """The least cost of moving the shares `counts / size` to `total / n_total`; `ground` is m x m, row by row.

    Under a metric what both have of a value stays where it is. Without the triangle inequality that may be dear: to
    pass it on and be filled up from elsewhere can cost less. So then everything is up for moving.
    """
    m = counts.shape[0]
    supply, demand = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    rows, columns = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    n_rows, n_columns = 0, 0
    for v in range(m):
        have, want = counts[v] * n_total, total[v] * size
        stays = min(have, want) if metric else 0
        if have > stays:
            rows[n_rows], supply[n_rows] = v, have - stays
            n_rows += 1
        if want > stays:
            columns[n_columns], demand[n_columns] = v, want - stays
            n_columns += 1
    cost = np.empty((n_rows, n_columns))
    for i in range(n_rows):
        for j in range(n_columns):
            cost[i, j] = ground[rows[i] * m + columns[j]]
    return least_cost(supply[:n_rows], demand[:n_columns], cost) / (float(size) * float(n_total))


@kernel
def least_cost(supply: NDArray[np.int64], demand: NDArray[np.int64], cost: NDArray[np.float64]) -> float:  # noqa: C901  a kernel
    """The cost of the cheapest plan that takes all of `supply` to `demand`, two lists of whole numbers of equal sum."""
    n, m = cost.shape
    left, open_ = supply.copy(), demand.copy()
    flow = np.zeros((n, m), dtype=np.int64)
    u, v = np.zeros(n), np.empty(m)  # prices: cost[i, j] - u[i] - v[j] >= 0, and 0 where something flows
    for j in range(m):
        v[j] = np.inf
        for i in range(n):
            v[j] = min(v[j], cost[i, j])
    reach, done, via = np.empty(m), np.empty(m, dtype=np.bool_), np.empty(m, dtype=np.int64)
    reached, seen, behind = np.empty(n), np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    for source in range(n):
        while left[source] > 0:
            reach[:] = np.inf
            done[:] = False
            seen[:] = False
            seen[source], reached[source], queue[0] = True, 0.0, source
            n_queued, at = 1, 0
            while True:
                while at < n_queued:  # from every place of supply that can be re-routed at this price
                    i = queue[at]
                    at += 1
                    for j in range(m):
                        if not done[j]:
                            here = reached[i] + max(cost[i, j] - u[i] - v[j], 0.0)
                            if here < reach[j]:
                                reach[j], via[j] = here, i
                end, nearest = -1, np.inf
                for j in range(m):
                    if not done[j] and (reach[j] < nearest or end < 0):
                        end, nearest = j, reach[j]
                if open_[end] > 0:
                    break
                done[end] = True
                for i in range(n):
                    if not seen[i] and flow[i, end] > 0:
                        seen[i], reached[i], behind[i], queue[n_queued] = True, nearest, end, i
                        n_queued += 1
            for i in range(n):
                if seen[i]:
                    u[i] += nearest - reached[i]
            for j in range(m):
                if done[j]:
                    v[j] -= nearest - reach[j]
            amount = min(left[source], open_[end])
            j = end
            while via[j] != source:
                amount = min(amount, flow[via[j], behind[via[j]]])
                j = behind[via[j]]
            left[source] -= amount
            open_[end] -= amount
            j = end
            while True:
                flow[via[j], j] += amount
                if via[j] == source:
                    break
                flow[via[j], behind[via[j]]] -= amount
                j = behind[via[j]]
    spent = 0.0
    for i in range(n):
        for j in range(m):
            spent += flow[i, j] * cost[i, j]
    return spent
