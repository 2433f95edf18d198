"""A race of grouping methods: each forms its groups, those that lead go on by steps of regrouping while time lasts.

The first method runs to its end whatever the time, so that there is always a result. The others are ended when the part
of the time for forming groups is over. Those whose groups lose little more than the best are improved by rounds of
regrouping in turn; halfway only the leader goes on. What comes out is a method with a number of steps that makes the
same groups when it is run alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from sfumato.contracts.trying import Tried
from sfumato.ground.compiling import begin_compiling, is_ready
from sfumato.ground.errors import SfumatoError
from sfumato.ground.kernels import seconds_compiling
from sfumato.ground.progress import Progress
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.groups import GroupingMethod, Groups, groups_from
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.regrouping import Regrouping, regrouping_of

__all__ = ["Clock", "Winner", "race"]

_FORMING, _TOGETHER = 0.5, 0.5
"""The share of the time in which groups may be formed; the share of what is left then in which several are improved."""
_NEAR = 1.15
"""Groups that lose up to so many times what the best do may still win, and are improved too."""
_PATIENCE, _WORTHWHILE = 8, 2e-3
"""Improving ends when so many rounds together gained a smaller share of the loss."""

JobMaker: TypeAlias = Callable[[GroupingMethod, Progress], Job]
"""Makes the job of a method, with the random numbers that it would get alone."""


class _TimeIsUp(Exception):  # noqa: N818  no error: a method is ended
    """The time for forming groups is over."""


class Clock:
    """The seconds of a search, without those in which kernels were compiled: these are of a first run alone."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._start = time.monotonic() - seconds_compiling()

    @property
    def spent(self) -> float:
        """How many seconds were searched for so far."""
        return time.monotonic() - seconds_compiling() - self._start

    def is_over(self, share: float = 1.0) -> bool:
        """Whether this share of the time is over."""
        return self.spent >= share * self.seconds


@dataclass(frozen=True, eq=False)
class Winner:
    """What the race came to."""

    method: GroupingMethod
    """The method that makes these groups when it is run alone."""
    groups: Groups
    tried: tuple[Tried, ...]


@dataclass(eq=False)
class _Entrant:
    """A method that formed groups, and how they are improved."""

    method: GroupingMethod
    job: Job
    groups: Groups
    loss: float
    seconds: float
    improving: Regrouping | None = None
    course: list[float] = field(default_factory=list)
    """The losses after each round."""
    n_steps: int = 0
    """The steps up to the last round that gained something: none after it changed a group."""

    def improve(self, clock: Clock) -> None:
        """One more round, or the part of it that there is time for."""
        start = clock.spent
        if self.improving is None:
            self.improving, self.course = regrouping_of(self.groups, self.job), [self.loss]
        self.improving.round(is_over=clock.is_over)
        if self.improving.loss < self.loss:
            self.loss, self.n_steps = self.improving.loss, self.improving.n_steps
        self.course.append(self.loss)
        self.seconds += clock.spent - start

    @property
    def is_worth_more(self) -> bool:
        """Whether another round promises a gain."""
        if self.loss <= 0.0:
            return False
        recent = self.course[-1 - _PATIENCE :]
        return len(recent) <= _PATIENCE or recent[0] - recent[-1] > _WORTHWHILE * recent[0]

    def ended(self) -> tuple[GroupingMethod, Groups]:
        """The method with the steps that were made, and its groups."""
        if self.improving is None or not self.n_steps:
            return self.method, self.groups
        after = self.method.after_steps(self.n_steps)
        assert after is not None
        return after, groups_from(self.improving.group, self.groups.disclosed)


def race(
    methods: Sequence[GroupingMethod], make_job: JobMaker, progress: Progress, clock: Clock, *, waits: bool
) -> Winner:
    """Have the methods form groups of the same records under the same promise, and return those that lose least.

    `waits` says whether kernels are waited for that have to be compiled first: else a method whose kernels are not
    there is left out, and compiled by another process for the next time.
    """
    entrants: list[_Entrant] = []
    refused: list[Tried] = []
    failure: SfumatoError | None = None
    for method in methods:
        why = _reason_to_pass(type(method).__name__, clock, waits=waits) if entrants else ""
        if not why:
            try:
                entrants.append(_entered(method, make_job, progress, clock, must_end=not entrants))
                continue
            except _TimeIsUp:
                why = f"not done in {_FORMING * clock.seconds:g} s"
            except SfumatoError as error:
                failure, why = failure or error, str(error)
        refused.append(Tried(method=method, why=why))
    if not entrants:
        assert failure is not None
        raise failure
    _improve_leaders(entrants, clock, progress, waits=waits)
    ended = [(entrant, *entrant.ended()) for entrant in entrants]
    _, method, groups = min(ended, key=lambda each: each[0].loss)
    told = [Tried(method=made, loss=each.loss, seconds=round(each.seconds, 1)) for each, made, _ in ended]
    return Winner(method, groups, tuple(sorted(told, key=lambda each: each.loss or 0.0)) + tuple(refused))


def _reason_to_pass(name: str, clock: Clock, *, waits: bool) -> str:
    """Why a method is not tried; empty where it is."""
    if clock.is_over(_FORMING):
        return "not tried for want of time"
    if not waits and not is_ready(name):
        begin_compiling(name)
        return "not compiled yet; it is tried the next time"
    return ""


def _entered(
    method: GroupingMethod, make_job: JobMaker, progress: Progress, clock: Clock, *, must_end: bool
) -> _Entrant:  # fmt: skip
    """The groups of a method; raises `_TimeIsUp` where they take too long and there are others already."""

    def watch(_: str, __: float) -> None:
        progress.share(min(clock.spent / clock.seconds, 1.0))
        if not must_end and clock.is_over(_FORMING):
            raise _TimeIsUp

    start = clock.spent
    job = make_job(method, Progress(1, shown=False, watch=watch))
    groups = method.groups(job)
    return _Entrant(method, job, groups, loss_of(groups, job), clock.spent - start)


def loss_of(groups: Groups, job: Job) -> float:
    """What groups lose, from 0 to 1 (GCP); rows in no group lose all."""
    columns = flatten(job.quasi)
    losses = group_losses(columns, word_offsets(columns), records(columns), groups.order, groups.starts)
    return float(losses @ groups.sizes + job.n_rows - len(groups.order)) / max(job.n_rows, 1)


def _improve_leaders(entrants: Sequence[_Entrant], clock: Clock, progress: Progress, *, waits: bool) -> None:
    """Improve the groups that lose least by steps, in turn, and halfway the leader alone."""
    least = min(entrant.loss for entrant in entrants)
    active = [
        entrant for entrant in entrants
        if entrant.loss <= _NEAR * least and len(entrant.groups.order) == entrant.job.n_rows
        and entrant.method.after_steps(1) is not None and entrant.is_worth_more
    ]  # fmt: skip
    if not active or clock.is_over():
        return
    if not waits and not is_ready("polish"):
        begin_compiling("polish")
        return
    halfway = np.interp(_TOGETHER, [0.0, 1.0], [clock.spent / clock.seconds, 1.0])
    while active and not clock.is_over():
        if len(active) > 1 and clock.is_over(float(halfway)):
            active = [min(active, key=lambda entrant: entrant.loss)]
        for entrant in active:
            entrant.improve(clock)
            progress.share(min(clock.spent / clock.seconds, 1.0))
        active = [entrant for entrant in active if entrant.is_worth_more]
