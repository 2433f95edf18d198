"""Kernels of the data cube: the divergence of every group-by at the cells that the original fills.

The lattice is walked depth first, from coarse group-bys to fine ones, as in the bottom-up computation of Beyer &
Ramakrishnan (SIGMOD 1999): a cell of a finer group-by is found inside the records of a coarser one, and is estimated
from the classes that cover that one alone, so that few classes are left to look at where there are many cells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["Plan", "Spreads", "divergences"]


class Spreads(NamedTuple):
    """How the records of each class (second axis) are spread over the values of each column (first axis).

    Every code from `low` to `high` has the share `share`, or where `start < stop` those in `members[start:stop]`, which
    rise; a missing value has the share `missing`.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    share: NDArray[np.float64]
    missing: NDArray[np.float64]
    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    members: NDArray[np.int64]


class Plan(NamedTuple):
    """Group-bys as a tree: a node adds a column to its parent's. -1 is none; the first node is the parent of all."""

    column: NDArray[np.int64]
    child: NDArray[np.int64]
    sibling: NDArray[np.int64]
    n_cells: NDArray[np.float64]
    """How many cells the group-by of the node has."""


@kernel
def _covering(
    spreads: Spreads,
    c: int,
    code: Any,
    classes: NDArray[np.int64],
    masses: NDArray[np.float64],
    left: NDArray[np.int64],
    left_masses: NDArray[np.float64],
) -> int:
    """Write to `left` the classes that have records with this value of column c, with the share of their mass that has
    it, and return how many they are.
    """
    low, high, share, missing = spreads.low[c], spreads.high[c], spreads.share[c], spreads.missing[c]
    start, stop, members = spreads.start[c], spreads.stop[c], spreads.members
    n_left = 0
    for i in range(classes.shape[0]):
        of = classes[i]
        part = missing[of]
        if code >= 0:
            if code < low[of] or code > high[of]:
                continue
            first, last = start[of], stop[of] - 1
            if first <= last:
                while first < last:
                    middle = (first + last) >> 1
                    if members[middle] < code:
                        first = middle + 1
                    else:
                        last = middle
                if members[first] != code:
                    continue
            part = share[of]
        if part > 0.0:
            left[n_left], left_masses[n_left] = of, masses[i] * part
            n_left += 1
    return n_left


@kernel
def _gather(
    codes: NDArray[np.int32], rows: NDArray[np.int64], other: NDArray[np.int64], tally: NDArray[np.int64],
    touched: NDArray[np.int64],
) -> None:  # fmt: skip
    """Bring the rows of equal codes together, in place. `tally` is scratch, zero before and after."""
    n_touched = 0
    for row in rows:
        code = codes[row] + 1
        if tally[code] == 0:
            touched[n_touched] = code
            n_touched += 1
        tally[code] += 1
    at = 0
    for t in range(n_touched):
        at, tally[touched[t]] = at + tally[touched[t]], at
    for row in rows:
        code = codes[row] + 1
        other[tally[code]] = row
        tally[code] += 1
    for t in range(n_touched):
        tally[touched[t]] = 0
    for i in range(rows.shape[0]):
        rows[i] = other[i]


@kernel
def divergences(
    spreads: Spreads,
    weights: NDArray[np.float64],
    codes: NDArray[np.int32],
    is_looked_up: NDArray[np.bool_],
    plan: Plan,
    smooth: float,
    max_steps: int,
) -> tuple[NDArray[np.float64], int]:
    """The divergence at every node of the plan, and how many steps it took; past `max_steps` it is given up.

    `codes` are those of the original's records with the value, by column; `weights`, those of the classes, sum to 1
    or to 0. Of the cells only those are looked up that hold one of the records `is_looked_up`, each counting as often.
    """
    n, n_classes = codes.shape[1], weights.shape[0]
    n_depths, n_nodes = 1, plan.column.shape[0]
    depth_of = np.zeros(n_nodes, dtype=np.int64)
    for node in range(n_nodes):  # parents come before their children
        below = plan.child[node]
        while below >= 0:
            depth_of[below] = depth_of[node] + 1
            n_depths = max(n_depths, depth_of[below] + 1)
            below = plan.sibling[below]
    found = np.zeros(n_nodes)
    rows, other = np.arange(n), np.empty(n, dtype=np.int64)
    touched, tally = np.empty(n, dtype=np.int64), np.zeros(codes.max() + 2, dtype=np.int64)
    classes, masses = np.empty((n_depths, n_classes), dtype=np.int64), np.empty((n_depths, n_classes))
    n_left = np.zeros(n_depths, dtype=np.int64)  # classes that cover the cell at each depth
    for i in range(n_classes):
        classes[0, i], masses[0, i] = i, weights[i]
    n_left[0] = n_classes
    nodes, cursors = np.zeros(n_depths, dtype=np.int64), np.zeros(n_depths, dtype=np.int64)
    begins, ends, run_ends = np.zeros(n_depths, np.int64), np.zeros(n_depths, np.int64), np.zeros(n_depths, np.int64)
    n_all = is_looked_up.sum()
    depth, n_steps = 0, 0
    nodes[0], ends[0] = plan.child[0], n
    while depth >= 0:
        node, begin, end, start = nodes[depth], begins[depth], ends[depth], cursors[depth]
        if node < 0:  # all finer group-bys of this cell are done
            depth -= 1
            if depth >= 0:
                cursors[depth] = run_ends[depth]
            continue
        if start == end:
            nodes[depth], cursors[depth] = plan.sibling[node], begin
            continue
        column = codes[plan.column[node]]
        if start == begin:
            _gather(column, rows[begin:end], other, tally, touched)
        code, stop, times = column[rows[start]], start, 0
        while stop < end and column[rows[stop]] == code:
            times += is_looked_up[rows[stop]]
            stop += 1
        cursors[depth] = stop
        if times == 0:
            continue
        n_here = n_left[depth]
        kept = _covering(
            spreads, plan.column[node], code, classes[depth, :n_here], masses[depth, :n_here], classes[depth + 1],
            masses[depth + 1],
        )  # fmt: skip
        mass = 0.0
        for i in range(kept):
            mass += masses[depth + 1, i]
        n_steps += n_here + stop - start
        if n_steps > max_steps:
            break
        estimate = (1.0 - smooth) * mass + smooth / plan.n_cells[node]
        found[node] += times / n_all * np.log((stop - start) / n / estimate)
        if plan.child[node] >= 0:
            n_left[depth + 1] = kept
            run_ends[depth] = stop
            depth += 1
            nodes[depth], begins[depth], ends[depth], cursors[depth] = plan.child[node], start, stop, start
    return found, n_steps
