"""IPCSD: meet a bound on the loss by asking a method for less and less privacy.

Ghinita, Karras, Kalnis & Mamoulis, TODS 34(2), 2009, Fig. 3: the iterative privacy-constrained solution for the dual
problem, kept for comparison with methods that solve the dual problem itself. The printed binary search takes the loss
to grow with the privacy asked for; heuristics do not oblige (with values 7, 9, 11, 17, 18, 22 and labels 0, 3, 2, 0,
2, 3 the largest extent is 6 for l = 2 and 5 for l = 3), so that it can miss what a scan of all values finds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np

from sfumato.data.encoding import Coded
from sfumato.errors import ParameterError
from sfumato.method import method_from_dict
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.randomness import Randomness
from sfumato.tables.columns import flatten
from sfumato.tables.grouping.cutting.problem import Cut, Problem
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.ordering import OrderingMethod, accuracy_bound, refuse_short

__all__ = ["IPCSD"]

Search: TypeAlias = Literal["scan", "binary"]

_SLACK = 1e-9
_MOST_ASKED = 200
"""Values of l that a scan tries, evenly spread where there are more."""
_FINEST = 0.1
"""How closely the binary search finds l where the method takes fractions."""


@dataclass(frozen=True)
class IPCSD(GroupingMethod):
    """`AccuracyBound` by way of another method, for comparison.

    The method `over` (its name, or the method itself) is asked for l-diversity, or k-anonymity, again and again.
    `search` is `scan` (every whole l from the largest possible down, the first that meets the bound) or `binary` (as
    printed: fractions of l for methods that take them, whole numbers for orders). k is always found by bisection.
    """

    over: Any = "Hilbert"
    search: Search = "scan"
    show: str = "ranges"

    bounds_loss: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Make the method that is asked, and check the search."""
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
        """Plain data; the method that is asked as its own."""
        return {**super().to_dict(), "over": self.over.to_dict()}

    def groups(
        self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise, random: Randomness
    ) -> Groups:
        """Ask until the bound is met."""
        bound = accuracy_bound(promise)
        if bound is None:
            raise ParameterError("IPCSD needs a bound on the loss, such as AccuracyBound(max_ncp=0.3)")
        n = len(quasi[0].codes)
        problem = Problem(flatten(quasi), np.arange(n), np.zeros(n), sensitive, promise)
        name = bound.target([column.name for column in sensitive])

        def attempt(privacy: float) -> Groups | None:
            if privacy <= 1:
                return Groups(np.arange(n), np.arange(n + 1))
            asked: Promise = KAnonymity(int(privacy))
            if name is not None:
                asked = LDiversity(privacy, columns=(name,))
            found: Groups = self.over.groups(quasi, sensitive, asked, random)
            worst = problem.losses(Cut(found.order, found.starts)).max()
            return found if worst <= bound.max_ncp + _SLACK else None

        if name is None:
            found = _bisect(attempt, 1, n, whole=True)
        else:
            most = n / np.bincount(problem.labels(name)[0]).max()
            if self.search == "scan":
                spread = np.linspace(1, int(most), min(int(most), _MOST_ASKED))
                downwards = sorted({int(asked) for asked in spread}, reverse=True)
                found = next(groups for asked in downwards if (groups := attempt(asked)) is not None)
            else:
                found = _bisect(attempt, 1, most, whole=isinstance(self.over, OrderingMethod))
        refuse_short(problem, Cut(found.order, found.starts))
        return Groups(found.order, found.starts)


def _bisect(attempt: Any, low: float, high: float, *, whole: bool) -> Groups:
    """The last attempt that met the bound, of a binary search that takes the loss to grow with the privacy."""
    found: Groups = attempt(low)
    best = attempt(int(high) if whole else high)
    if best is not None:
        return best  # type: ignore[no-any-return]
    while int(high) - low > 1 if whole else high - low > _FINEST:
        middle = (low + high) // 2 if whole else (low + high) / 2
        groups = attempt(int(middle) if whole else round(middle, 6))
        if groups is None:
            high = middle
        else:
            low, found = middle, groups
    return found
