"""Methods that lay the records along a line and cut the line into groups.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009. Who is near whom in many columns becomes who is near whom in one order; each problem
is then solved on that order. Orders are interchangeable: a method says how the line is laid, and nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of
from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.promise import Promise
from sfumato.tables.coding.columns import Columns, flatten
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.cutting.solve_direct import Solve, cut_line, polish_cut
from sfumato.tables.grouping.cutting.solve_dual import broken_promise, cut_privacy, cut_within_bound
from sfumato.tables.grouping.groups import Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.polished_method import PolishedMethod
from sfumato.tables.grouping.regrouping import polish_steps, regrouped

__all__ = ["Line", "LineMethod", "OrderingMethod", "accuracy_bound", "refuse_too_little_privacy"]


@dataclass(frozen=True, eq=False)
class Line:
    """Records laid along a line."""

    rows: NDArray[np.int64]
    """The rows in their order."""
    along: NDArray[np.float64]
    """Where each of them lies, rising."""


class LineMethod(PolishedMethod, register=False):
    """Base of all methods that cut a line, however it is laid: solves, deals and polishes."""

    bounds_loss: ClassVar[bool] = True
    dealt: bool | None

    def __post_init__(self) -> None:
        """Check the flags."""
        super().__post_init__()
        if self.dealt is not None and not isinstance(self.dealt, bool):
            raise ParameterError(f"dealt must be true, false or left out, got {self.dealt!r}")

    @property
    def deals(self) -> bool:
        """Whether groups are dealt inside stretches of the line: as asked, or else where the line can be seen."""
        return self.show == "permutation" if self.dealt is None else self.dealt

    def after_steps(self, n_steps: int) -> Self | None:
        """The method that goes on for so many steps; none where groups are dealt, as they must not be formed anew."""
        return None if self.deals else super().after_steps(n_steps)

    def public_parameters(self) -> dict[str, Any]:
        """The parameters, and whether groups were dealt."""
        return {**self.to_dict(), "dealt": self.deals}

    def _solve_line(self, problem: Problem, job: Job, *, fast: bool = False, solve: Solve = "heuristic") -> Cut:
        """Cut the line: the dual problem where the promise bounds the loss, else the direct problem; without polish."""
        bound = accuracy_bound(problem.promise)
        if bound is None:
            return cut_line(problem, fast=fast, solve=solve, deal_random=job.random if self.deals else None)
        if self.deals:
            raise ParameterError(f"{bound!r} is met by looking at who has which value; leave dealt out")
        return cut_within_bound(problem, bound, solve, job.share)

    def _polished_groups(self, problem: Problem, cut: Cut, job: Job, disclosed: dict[str, Any] | None = None) -> Groups:
        """The groups of a cut, polished if asked for; refused where a bound on the loss leaves too little privacy."""
        bound, n_steps = accuracy_bound(problem.promise), polish_steps(self.polish)
        job.share(0.0)
        if n_steps and (self.deals or bound is not None):
            raise ParameterError(
                f"polish={n_steps} forms groups anew, which neither dealt groups nor a bound on the loss allow; say "
                f"polish=True"
            )
        if self.polish and not self.deals:
            cut = polish_cut(problem, cut, bound.max_ncp if bound is not None else np.inf, job.share)
        refuse_too_little_privacy(problem, cut)
        groups = Groups(problem.rows[cut.order], cut.starts, disclosed or {})
        return regrouped(groups, job, n_steps) if n_steps else groups


class OrderingMethod(LineMethod, register=False):
    """Base of methods with one order: lay the records along a line, then cut it as the promise asks."""

    fast: bool
    solve: Solve

    def __post_init__(self) -> None:
        """Check how the line is cut."""
        super().__post_init__()
        one_of("solve", self.solve, get_args(Solve))
        if self.solve != "heuristic" and self.deals:
            raise ParameterError(
                f"solve={self.solve!r} looks at who has which value, and dealt groups must not; say dealt=False"
            )

    @abstractmethod
    def line(self, columns: Columns, random: Randomness, share: Share = tell_nobody) -> Line:
        """Lay the records of these columns along a line; `share` is told from time to time how much is done."""

    def groups(self, job: Job) -> Groups:
        """Lay the records along the line, cut it, polish the groups."""
        columns = flatten(job.quasi)
        line = self.line(columns, job.random, portion(job.share, 0.0, 0.3))
        job.share(0.3)
        problem = Problem(columns, line.rows, line.along, job.sensitive, job.promise)
        cut = self._solve_line(problem, job.part(0.3, 0.7), fast=self.fast, solve=self.solve)
        return self._polished_groups(problem, cut, job.part(0.7, 1.0))


def accuracy_bound(promise: Promise) -> AccuracyBound | None:
    """The bound on the loss in a promise, or None; two of them are refused."""
    bounds = [part for part in promise.parts if isinstance(part, AccuracyBound)]
    if len(bounds) > 1:
        raise ParameterError(f"{promise!r} names two bounds on the loss; name one")
    return bounds[0] if bounds else None


def refuse_too_little_privacy(problem: Problem, cut: Cut) -> None:
    """Raise `InfeasibleError` where a bound on the loss leaves no privacy, or less than what else was promised."""
    bound = accuracy_bound(problem.promise)
    if bound is None:
        return
    name = bound.target([column.name for column in problem.sensitive])
    privacy = cut_privacy(cut, problem.labels(name)[0] if name is not None else None)
    unit = "k" if name is None else "l"
    if privacy <= 1.0:
        raise InfeasibleError(
            f"max_ncp={bound.max_ncp:g} leaves no room for any privacy: the best {unit} found is 1, a record that "
            f"stays as it is; allow a larger loss"
        )
    short = broken_promise(problem, cut)
    if short is not None:
        raise InfeasibleError(
            f"within max_ncp={bound.max_ncp:g} the best {unit} found is {np.floor(privacy * 100 + 1e-6) / 100:g}, and "
            f"{short!r} is not met; allow a larger loss or promise less"
        )
