"""IPCSD: meet a bound on the loss by asking a method for less and less privacy.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, Fig. 3: the iterative privacy-constrained solution for the dual
problem, kept for comparison with methods that solve the dual problem itself. The printed binary search takes the loss
to grow with the privacy asked for; heuristics do not oblige (with values 7, 9, 11, 17, 18, 22 and labels 0, 3, 2, 0,
2, 3 the largest extent is 6 for l = 2 and 5 for l = 3), so that it can miss what a scan of all values finds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.line_methods import OrderingMethod, accuracy_bound, refuse_too_little_privacy

__all__ = ["IPCSD"]

Search: TypeAlias = Literal["scan", "binary"]

_SLACK = 1e-9
_MOST_ASKED = 200
"""How many values of l a scan tries at most, evenly spread where there are more."""
_FINEST = 0.1
"""How closely the binary search finds l where the method takes fractions."""


@dataclass(frozen=True)
class IPCSD(GroupingMethod):
    """`AccuracyBound` by way of another method, for comparison.

    The method `over` (its name, or the method itself) is asked for l-diversity, or k-anonymity, again and again.
    `search` is `scan` (every whole l from the largest possible down, the first that meets the bound) or `binary` (as
    printed: fractions of l for methods that take them, whole numbers for orders). k is always found by bisection.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.IPCSD(), sf.AccuracyBound(0.8), seed=1)
    Release(100 rows, IPCSD, AccuracyBound(max_ncp=0.8) holds)
    """

    compared = ()

    over: Any = "Hilbert"
    search: Search = "scan"
    show: str = "ranges"

    bounds_loss: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Make the method `over` from its name or plain data, and check the search."""
        super().__post_init__()
        over = {"name": self.over} if isinstance(self.over, str) else self.over
        if isinstance(over, dict):
            over = method_from_dict(over)
        if not isinstance(over, GroupingMethod) or isinstance(over, IPCSD):
            raise ParameterError(f"over must be a method that forms groups, such as 'Mondrian', got {self.over!r}")
        object.__setattr__(self, "over", over)
        if self.search not in get_args(Search):
            raise ParameterError(f"search must be 'scan' or 'binary', got {self.search!r}")

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain data, the method `over` as its own plain data."""
        return {**super().to_dict(), "over": self.over.to_dict()}

    def groups(self, job: Job) -> Groups:
        """Run the method `over` for less and less privacy until its groups meet the bound."""
        bound = accuracy_bound(job.promise)
        if bound is None:
            raise ParameterError("IPCSD needs a bound on the loss, such as AccuracyBound(max_ncp=0.3)")
        n = job.n_rows
        problem = Problem(flatten(job.quasi), np.arange(n), np.zeros(n), job.sensitive, job.promise)
        name = bound.target([column.name for column in job.sensitive])
        turns = itertools.count()

        def attempt(privacy: float) -> Groups | None:
            turn = next(turns)
            own = job.part(turn / n_turns, (turn + 1) / n_turns)
            own.share(0.0)
            if privacy <= 1:
                return Groups(np.arange(n), np.arange(n + 1))
            asked: Promise = KAnonymity(int(privacy))
            if name is not None:
                asked = LDiversity(privacy, columns=(name,))
            found: Groups = self.over.groups(replace(own, promise=asked))
            worst = problem.losses(Cut(found.order, found.starts)).max()
            return found if worst <= bound.max_ncp + _SLACK else None

        most: float = n if name is None else n / np.bincount(problem.labels(name)[0]).max()
        if name is not None and self.search == "scan":
            spread = np.linspace(1, int(most), min(int(most), _MOST_ASKED))
            downwards = sorted({int(asked) for asked in spread}, reverse=True)
            n_turns = len(downwards)
            found = next(groups for asked in downwards if (groups := attempt(asked)) is not None)
        else:
            whole = name is None or isinstance(self.over, OrderingMethod)
            n_turns = 3 + math.ceil(math.log2(max(most / (1.0 if whole else _FINEST), 1.0)))
            found = _bisect(attempt, 1, most, whole=whole)
        refuse_too_little_privacy(problem, Cut(found.order, found.starts))
        return Groups(found.order, found.starts)


def _bisect(attempt: Callable[[float], Groups | None], low: float, high: float, *, whole: bool) -> Groups:
    """Binary search for the largest privacy that meets the bound, as if the loss grew with the privacy.

    `attempt` returns groups, or None where they break the bound. Returns the groups of the last attempt that met it.
    """
    found = attempt(low)
    assert found is not None  # records that stay as they are lose nothing
    best = attempt(int(high) if whole else high)
    if best is not None:
        return best
    while int(high) - low > 1 if whole else high - low > _FINEST:
        middle = (low + high) // 2 if whole else (low + high) / 2
        groups = attempt(int(middle) if whole else round(middle, 6))
        if groups is None:
            high = middle
        else:
            low, found = middle, groups
    return found
