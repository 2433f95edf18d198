"""The method exactly as printed, for one partition of one column and for a table of them.

Algorithm 1 on the sorted values, duplicates and all; a random share sigma of its rows as linear inequalities; the
partition's own range as the domain; a walk that starts at the data, in isotropic directions, by a length drawn from
the forward half of the chord. Nothing is mended, but that rows which name the value number 0 are dropped and counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.baselines.printed_localities import printed_localities
from sfumato.tables.pattern.centre import slacks
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.walks import hit_and_run

__all__ = ["Substituted", "isotropic", "substitute", "substitute_table"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Substituted:
    """New values, in the order of the old ones, and how the walk fared."""

    values: NDArray[np.float64]
    moving_steps: int
    properties: int
    dropped: int
    """Rows with an index out of range."""
    active: int
    """Rows, bounds among them, that hold with equality at the start: each one halves the chance of a step."""


def isotropic(steps: int, n: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Unit vectors in random directions."""
    moves = random.standard_normal((steps, n))
    return np.asarray(moves / np.sqrt((moves**2).sum(axis=1, keepdims=True)))


def substitute(values: NDArray[np.float64], sigma: float, iterations: int, random: np.random.Generator) -> Substituted:
    """Anonymize one partition of one column."""
    order = np.argsort(values, kind="stable")
    d = values[order].astype(np.float64)
    found = printed_localities(d)
    sample = found[np.sort(random.choice(len(found), round(sigma * len(found)), replace=False))]
    kept = sample[sample[:, 2] >= 0]
    rows = _rows(kept, d)
    active = int((slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, d) <= 0.0).sum())
    x = d.copy()
    moved = hit_and_run(
        rows.indptr, rows.variable, rows.coefficient, rows.bound, x, isotropic(iterations, len(d), random),
        random.random(iterations), True, np.zeros((len(d), 1)), np.empty((iterations, 1)),
    )  # fmt: skip
    result = np.empty(len(d))
    result[order] = x
    return Substituted(
        values=result, moving_steps=moved, properties=len(kept), dropped=len(sample) - len(kept), active=active
    )


def _rows(localities: NDArray[np.int64], d: NDArray[np.float64]) -> Rows:
    """2 x_j - x_i - x_k <= 0 or >= 0, and the box."""
    near = Rows.of(localities[:, [1, 0, 2]], [2.0, -1.0, -1.0])
    near = near._replace(coefficient=near.coefficient * np.repeat(localities[:, 3], 3))
    every = np.arange(len(d))[:, None]
    return stack([near, Rows.of(every, [1.0], float(d[-1])), Rows.of(every, [-1.0], -float(d[0]))])


def substitute_table(
    numbers: NDArray[np.float64], sigma: float, partition: int, iterations: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Every column on its own, in consecutive partitions: the new numbers, and moving steps by column and partition."""
    random = np.random.default_rng(seed)
    n = numbers.shape[1]
    n_parts = max(1, n // partition)
    edges = [part * partition for part in range(n_parts)] + [n]  # what is left over joins the last
    result = np.empty_like(numbers)
    moved = np.zeros((len(numbers), n_parts), dtype=np.int64)
    for line, values in enumerate(numbers):
        for part in range(n_parts):
            here = slice(edges[part], edges[part + 1])
            done = substitute(values[here], sigma, iterations, random)
            result[line, here], moved[line, part] = done.values, done.moving_steps
    return result, moved
