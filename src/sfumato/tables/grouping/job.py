"""The input of a grouping method: columns as codes, promise, randomness, progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sfumato.data.encoding import Coded
from sfumato.ground.progress import Progress, portion, silent_progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise

__all__ = ["Job"]


@dataclass(frozen=True, eq=False)
class Job:
    """Form groups of the records of these columns that keep the promise."""

    quasi: Sequence[Coded]
    """The quasi-identifiers as codes, by which records are near each other or not."""
    sensitive: Sequence[Coded]
    """The sensitive columns as codes, which the promise may speak of."""
    promise: Promise
    """What every group has to keep."""
    random: Randomness
    """Where random numbers come from: equal ones give equal groups."""
    progress: Progress = field(default_factory=silent_progress)
    """Where progress is reported; whoever watches may call the job off there."""
    span: tuple[float, float] = (0.0, 1.0)
    """Which share of the current step of `progress` this job fills; a job inside another fills a part of that."""

    @property
    def n_rows(self) -> int:
        """How many records there are."""
        return len(self.quasi[0].codes)

    def share(self, done: float) -> None:
        """Say how much of this job is done, from 0 to 1; raises `Cancelled` once it was called off."""
        portion(self.progress.share, *self.span)(done)

    def part(self, low: float, high: float) -> Job:
        """A copy of this job that reports its progress as the share from `low` to `high` of this one."""
        first, last = self.span
        return replace(self, span=(first + (last - first) * low, first + (last - first) * high))
