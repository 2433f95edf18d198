"""Kernels: random walks inside a polytope. Randomness is an argument, drawn outside.

`billiard`: Polyak & Gryazina, "Random sampling: billiard walk algorithm", EJOR 238(2), 2014: fly straight for a random
length, reflecting at the walls. `hit_and_run`: Smith, Operations Research 32(6), 1984: a uniform point of the whole
chord through a random direction. Both have the uniform law. `one_sided` is the walk as Xue, Karras, Raissi & Pung
printed it (CIKM 2011): it uses the forward half of the chord only, and its law is not uniform (on an interval it is
the arcsine law). `coordinate` is hit-and-run along the axes.

Rows are those of `Rows`. The metric is an ellipsoid that resembles the body: directions have unit length in it, and
reflections are those of a ball in the coordinates where the ellipsoid is one. Every step writes a line of `trace`: the
point times `probe`, which has one column per statistic.

Called by `Walker` in `substitution.py`, which runs `sweep` (coordinate steps over all axes in turn) where "billiard" is
asked for in a body of more than 800 variables; the same rule, how far a step may go, stands in `chord`, and again in
`billiard` and `sweep`, each with its own bookkeeping of slacks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["billiard", "chord", "coordinate", "directions", "hit_and_run", "mirrors", "sweep"]


@kernel
def directions(lower: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Random directions, one per line of standard normal numbers; `lower` is the Cholesky factor of the metric."""
    n_steps, n = normals.shape
    result = np.empty((n_steps, n))
    for step in range(n_steps):
        length = 0.0
        for k in range(n):
            length += normals[step, k] * normals[step, k]
        scale = 1.0 / np.sqrt(length)
        for c in range(n):
            total = 0.0
            for k in range(c + 1):
                total += lower[c, k] * normals[step, k]
            result[step, c] = total * scale
    return result


@kernel
def mirrors(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    metric: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The normal of every row in the metric."""
    m, n = indptr.shape[0] - 1, metric.shape[0]
    normal = np.zeros((m, n))
    for r in range(m):
        for q in range(indptr[r], indptr[r + 1]):
            for c in range(n):
                normal[r, c] += coefficient[q] * metric[index[q], c]
    return normal


@kernel
def _record_probes(x: NDArray[np.float64], probe: NDArray[np.float64], line: NDArray[np.float64]) -> None:
    """Write the statistics of a point to a line of the trace."""
    line[:] = 0.0
    for c in range(x.shape[0]):
        for k in range(line.shape[0]):
            line[k] += x[c] * probe[c, k]


@kernel
def billiard(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    normal: NDArray[np.float64],
    square: NDArray[np.float64],
    x: NDArray[np.float64],
    moves: NDArray[np.float64],
    lengths: NDArray[np.float64],
    max_reflections: int,
    probe: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> tuple[int, int]:
    """One step per line of `moves`, changing `x` and filling `trace`; steps that moved, and reflections.

    `normal` holds every row's normal in the metric, end to end, and `square` its squared length. A row is looked at
    again only when the flight, at unit speed in the metric, could have reached it: until then its slack is known to be
    positive. Slacks are computed from the point itself, never carried along.
    """
    n, m = x.shape[0], bound.shape[0]
    speed = np.sqrt(square)
    due = np.full(m, -1.0)
    clock = 0.0
    y = np.empty(n)
    moved, reflections = 0, 0
    for step in range(moves.shape[0]):
        v = moves[step]
        left = lengths[step]
        y[:] = x
        arrived = False
        for _ in range(max_reflections + 1):
            nearest, hit, hit_rate = left, -1, 0.0
            for r in range(m):
                if due[r] < clock + nearest:
                    rate = 0.0
                    slack = bound[r]
                    for q in range(indptr[r], indptr[r + 1]):
                        rate += coefficient[q] * v[index[q]]
                        slack -= coefficient[q] * y[index[q]]
                    due[r] = clock + slack / speed[r]
                    if rate > 0.0 and slack < nearest * rate:
                        nearest, hit, hit_rate = max(slack, 0.0) / rate, r, rate
            for c in range(n):
                y[c] += nearest * v[c]
            clock += nearest
            if hit < 0:
                arrived = True
                break
            left -= nearest
            reflections += 1
            turn = 2.0 * hit_rate / square[hit]
            for c in range(n):
                v[c] -= turn * normal[hit * n + c]
        if arrived:
            x[:] = y
            moved += 1
        else:  # caught in a corner: stay, and look at every row again
            due[:] = -1.0
            clock = 0.0
        _record_probes(x, probe, trace[step])
    return moved, reflections


@kernel
def chord(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    x: NDArray[np.float64],
    v: NDArray[np.float64],
) -> tuple[float, float]:
    """How far one can go from `x` backwards and forwards along `v`."""
    first, last = -np.inf, np.inf
    for r in range(bound.shape[0]):
        rate = 0.0
        slack = bound[r]
        for q in range(indptr[r], indptr[r + 1]):
            rate += coefficient[q] * v[index[q]]
            slack -= coefficient[q] * x[index[q]]
        slack = max(slack, 0.0)
        if rate > 1e-14:
            last = min(last, slack / rate)
        elif rate < -1e-14:
            first = max(first, slack / rate)
    return first, last


@kernel
def hit_and_run(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    x: NDArray[np.float64],
    moves: NDArray[np.float64],
    uniforms: NDArray[np.float64],
    one_sided: bool,  # noqa: FBT001  kernels take positions
    probe: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> int:
    """One step per line of `moves`, changing `x` and filling `trace`; the number of steps that moved."""
    n = x.shape[0]
    moved = 0
    for step in range(moves.shape[0]):
        v = moves[step]
        first, last = chord(indptr, index, coefficient, bound, x, v)
        if one_sided:
            first = 0.0
        length = first + uniforms[step] * (last - first)
        if length != 0.0:
            moved += 1
            for c in range(n):
                x[c] += length * v[c]
        _record_probes(x, probe, trace[step])
    return moved


@kernel
def coordinate(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    x: NDArray[np.float64],
    axes: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    probe: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> int:
    """One axis per step, a uniform point of the whole chord along it; the number of steps that moved."""
    v = np.zeros(x.shape[0])
    moved = 0
    for step in range(axes.shape[0]):
        v[axes[step]] = 1.0
        first, last = chord(indptr, index, coefficient, bound, x, v)
        v[axes[step]] = 0.0
        length = first + uniforms[step] * (last - first)
        moved += length != 0.0
        x[axes[step]] += length
        _record_probes(x, probe, trace[step])
    return moved


@kernel
def sweep(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    column_indptr: NDArray[np.int64],
    column_row: NDArray[np.int64],
    column_coefficient: NDArray[np.float64],
    x: NDArray[np.float64],
    order: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    probe: NDArray[np.float64],
    trace: NDArray[np.float64],
) -> int:
    """Coordinate steps for bodies of many variables and few rows: every step goes once over all axes, in `order`.

    The rows of each axis are at hand (`column_*`), so that a step costs as much as reading all rows once. Slacks are
    carried along within a step and computed anew for the next.
    """
    n = x.shape[0]
    slack = np.empty(bound.shape[0])
    moved = 0
    for step in range(trace.shape[0]):
        for r in range(bound.shape[0]):
            slack[r] = bound[r]
            for q in range(indptr[r], indptr[r + 1]):
                slack[r] -= coefficient[q] * x[index[q]]
        went = False
        for i in range(n):
            axis = order[step, i]
            first, last = -np.inf, np.inf
            for q in range(column_indptr[axis], column_indptr[axis + 1]):
                reach = max(slack[column_row[q]], 0.0) / column_coefficient[q]
                if column_coefficient[q] > 0.0:
                    last = min(last, reach)
                else:
                    first = max(first, reach)
            length = first + uniforms[step, i] * (last - first)
            if length != 0.0:
                went = True
                x[axis] += length
                for q in range(column_indptr[axis], column_indptr[axis + 1]):
                    slack[column_row[q]] -= length * column_coefficient[q]
        moved += went
        _record_probes(x, probe, trace[step])
    return moved
