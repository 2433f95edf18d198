"""Value substitution: a uniform point of a body, by a walk that goes on until it has mixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.centre import cholesky, john_centre, slacks, solve_transposed
from sfumato.tables.pattern.mixing import autocorrelation_time
from sfumato.tables.pattern.polytope import Body
from sfumato.tables.pattern.rows import Rows
from sfumato.tables.pattern.walks import billiard, chord, coordinate, directions, hit_and_run, mirrors, sweep

__all__ = ["WALKS", "DrawnPoint", "Walk", "Walker", "draw"]

Walk: TypeAlias = Literal["billiard", "hit-and-run", "coordinate", "one-sided"]
WALKS: tuple[Walk, ...] = ("billiard", "hit-and-run", "coordinate", "one-sided")

ENOUGH = 20
"""Integrated autocorrelation times after which a walk counts as mixed."""
_SURE = 50
"""A measured autocorrelation time is believed only if the walk is at least this many times as long."""
_LEAST_STEPS = 128
_MOST_STEPS = {"billiard": 1 << 13, "hit-and-run": 1 << 18, "coordinate": 1 << 18, "one-sided": 1 << 18}
_ROUNDED = 800
"""Bodies of more variables than this are swept axis by axis: their ellipsoid would take too long."""
_MOST_SWEEPS = 2_000
_FEW_ROWS = 100
"""Sweeps do for bodies with no more rows than this over several variables: sums and means, no localities."""
_ROUNDS = 10
_PROBES = 8
_CHUNK = 1 << 21
"""Numbers drawn at once."""


@dataclass(frozen=True, kw_only=True)
class DrawnPoint:
    """A point of a body, and how it was drawn."""

    point: NDArray[np.float64]
    n_steps: int
    moved: int
    autocorrelation_time: float
    """Of the slowest statistic recorded, in steps; infinite where the walk never moved."""
    smallest_slack: float

    @property
    def effective_size(self) -> float:
        """How many independent points the walk was worth."""
        return self.n_steps / self.autocorrelation_time

    @property
    def has_mixed(self) -> bool:
        """Whether the walk was worth enough independent points."""
        return self.effective_size >= ENOUGH


class Walker:
    """Walks inside a polytope given by rows, from a point strictly inside (the one-sided walk from the data)."""

    def __init__(self, rows: Rows, start: NDArray[np.float64], walk: Walk, random: Randomness) -> None:
        self.rows, self.walk, self._random = rows, walk, random
        self.x = start.astype(np.float64).copy()
        n = len(self.x)
        self._sparse = (rows.indptr, rows.variable, rows.coefficient, rows.bound)
        self.swept = walk == "billiard" and n > _ROUNDED
        self._lower: NDArray[np.float64] | None = np.eye(n) if n <= _ROUNDED else None
        if self.swept:
            self._columns = _by_column(rows, n)
        elif walk in ("billiard", "hit-and-run") and n <= _ROUNDED:
            self.x, metric = john_centre(*self._sparse, self.x, _ROUNDS)
            self._lower = cholesky(metric)
            if walk == "billiard":
                self._normal = mirrors(rows.indptr, rows.variable, rows.coefficient, metric).ravel()
                self._square = _squares(rows, self._normal.reshape(rows.n, n))
        self._random_probes(n)

    @property
    def most_steps(self) -> int:
        """After how many steps to give up on mixing."""
        return _MOST_SWEEPS if self.swept else _MOST_STEPS[self.walk]

    def _random_probes(self, n: int) -> None:
        """Choose the statistics to record: random projections, each as wide as the body, and the widest pair."""
        z = self._random.spawn("probes").normal(n * _PROBES).reshape(n, _PROBES)
        if self._lower is not None:
            z = solve_transposed(self._lower, z)
        top, bottom = int(np.argmax(self.x)), int(np.argmin(self.x))
        z[:, 0] = 0.0
        z[top, 0] = 1.0
        if n > 1:
            z[bottom if bottom != top else (top + 1) % n, 0] = -1.0
        self.probe = np.ascontiguousarray(z)

    def steps(self, n_steps: int) -> tuple[NDArray[np.float64], int]:
        """Go on for `n_steps`: the statistics recorded at each step, and how many of the steps moved."""
        trace = np.empty((n_steps, self.probe.shape[1]))
        moved, at = 0, 0
        chunk = max(1, _CHUNK // len(self.x))
        while at < n_steps:
            here = trace[at : at + chunk]
            moved += self._go(here)
            at += len(here)
        return trace, moved

    def _go(self, trace: NDArray[np.float64]) -> int:
        """Take as many steps as `trace` has lines, fill it, and return how many of them moved."""
        n_steps, n = len(trace), len(self.x)
        if self.swept:
            order = np.argsort(self._random.words(n_steps * n).reshape(n_steps, n), axis=1)
            uniforms = self._random.uniform(n_steps * n).reshape(n_steps, n)
            return sweep(*self._sparse, *self._columns, self.x, order, uniforms, self.probe, trace)
        if self.walk == "coordinate":
            axes = self._random.integers(n, size=n_steps)
            return coordinate(*self._sparse, self.x, axes, self._random.uniform(n_steps), self.probe, trace)
        moves = self._random.normal(n_steps * n).reshape(n_steps, n)
        if self._lower is None:
            moves /= np.sqrt((moves**2).sum(axis=1, keepdims=True))
        else:
            moves = directions(self._lower, moves)
        if self.walk == "billiard":
            lengths = 4.0 * np.sqrt(n) * self._random.exponential(n_steps)
            moved, _ = billiard(
                *self._sparse, self._normal, self._square, self.x, moves, lengths, 100 * n, self.probe, trace
            )  # fmt: skip
            return moved
        uniforms = self._random.uniform(n_steps)
        return hit_and_run(*self._sparse, self.x, moves, uniforms, self.walk == "one-sided", self.probe, trace)


def _squares(rows: Rows, normal: NDArray[np.float64]) -> NDArray[np.float64]:
    """For every row a the square a' M a."""
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    return np.bincount(at, rows.coefficient * normal[at, rows.variable], minlength=rows.n).astype(np.float64)


def _by_column(rows: Rows, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The rows by column: where each variable's entries begin, their rows, and their coefficients."""
    order = np.argsort(rows.variable, kind="stable")
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    return np.searchsorted(rows.variable[order], np.arange(n + 1)), at[order], rows.coefficient[order]


def draw(body: Body, walk: Walk, random: Randomness, steps: int | None = None) -> DrawnPoint:
    """Draw a point of the body: after `steps`, or by default when the walk is worth 20 independent points.

    A single variable, and a mere order of variables, need no walk.
    """
    if body.n_free == 1 and walk != "one-sided":
        return _draw_from_interval(body, random)
    path = _chain(body.rows, body.n_free) if walk == "billiard" else None
    if path is not None:
        return _draw_in_order(body, path, random)
    if body.n_free > _ROUNDED and walk == "billiard" and int((np.diff(body.rows.indptr) > 1).sum()) > _FEW_ROWS:
        raise InfeasibleError(
            f"the properties tie {body.n_free:,} values to each other, and {_ROUNDED:,} are the most that can be drawn "
            f"together; give a partition, as in partition=100"
        )
    start = body.data if walk == "one-sided" else body.start
    walker = Walker(body.rows, start, walk, random)
    traces: list[NDArray[np.float64]] = []
    moved, n_steps, time = 0, 0, float("inf")
    single = walk == "coordinate" and not walker.swept
    goal = steps if steps is not None else _LEAST_STEPS * (body.n_free if single else 1)
    while n_steps < goal:
        trace, went = walker.steps(goal - n_steps)
        traces.append(trace)
        moved += went
        n_steps = goal
        time = autocorrelation_time(np.concatenate(traces))
        if steps is None and n_steps < min(_SURE * time, walker.most_steps):
            goal = min(max(2 * n_steps, int(np.ceil(1.2 * _SURE * time)) if np.isfinite(time) else 0),
                       walker.most_steps, 8 * n_steps)  # fmt: skip
    if steps is None and n_steps < ENOUGH * time:
        raise InfeasibleError(
            f"the walk did not mix in {n_steps:,} steps, so that what it draws would lean on the original; keep fewer "
            f"properties or take smaller partitions, or give steps to publish all the same"
        )
    rows = body.rows
    room = slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, walker.x)
    return DrawnPoint(
        point=walker.x, n_steps=n_steps, moved=moved, autocorrelation_time=time, smallest_slack=float(room.min())
    )


def _draw_from_interval(body: Body, random: Randomness) -> DrawnPoint:
    """A uniform point of a body with one variable."""
    rows = body.rows
    first, last = chord(rows.indptr, rows.variable, rows.coefficient, rows.bound, body.start, np.ones(1))
    u = float(random.uniform(1)[0])
    point = body.start + (first + u * (last - first))
    return _without_walking(body.rows, point)


def _without_walking(rows: Rows, point: NDArray[np.float64]) -> DrawnPoint:
    """A point that was drawn directly: as good as one from a walk that has mixed."""
    room = slacks(rows.indptr, rows.variable, rows.coefficient, rows.bound, point)
    return DrawnPoint(
        point=point, n_steps=ENOUGH, moved=ENOUGH, autocorrelation_time=1.0, smallest_slack=float(room.min())
    )


def _chain(rows: Rows, n: int) -> NDArray[np.int64] | None:
    """The variables from lowest to highest where the rows are 0 <= x_a <= x_b <= ... <= 1 and nothing else."""
    lengths = np.diff(rows.indptr)
    if rows.n != n + 1 or (lengths == 2).sum() != n - 1 or (lengths == 1).sum() != 2:
        return None
    first = rows.indptr[:-1]
    pairs, ends = first[lengths == 2], first[lengths == 1]
    a, b = rows.coefficient[pairs], rows.coefficient[pairs + 1]
    if (a != -b).any() or (rows.bound[lengths == 2] != 0.0).any():
        return None
    walls = zip(rows.coefficient[ends].tolist(), rows.bound[lengths == 1].tolist(), strict=True)
    if sorted(walls) != [(-1.0, 0.0), (1.0, 1.0)]:
        return None
    lower = np.where(a > 0, rows.variable[pairs], rows.variable[pairs + 1])
    upper = np.where(a > 0, rows.variable[pairs + 1], rows.variable[pairs])
    following = np.full(n, -1)
    following[lower] = upper
    at = int(rows.variable[ends][rows.coefficient[ends] < 0][0])
    path = [at]
    while following[at] >= 0 and len(path) <= n:
        at = int(following[at])
        path.append(at)
    top = int(rows.variable[ends][rows.coefficient[ends] > 0][0])
    return np.array(path) if len(path) == n and at == top and len(set(path)) == n else None


def _draw_in_order(body: Body, path: NDArray[np.int64], random: Randomness) -> DrawnPoint:
    """A uniform point where variables need only be in the order of `path`: uniform numbers, sorted."""
    point = np.empty(len(path))
    point[path] = np.sort(random.uniform(len(path)))
    return _without_walking(body.rows, point)
