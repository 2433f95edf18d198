"""Condensation: groups of records give way to records drawn from the statistics of each group.

Aggarwal & Yu, "A condensation approach to privacy preserving data mining", EDBT 2004; Aggarwal, "Data Mining: The
Textbook", section 20.3.1.4. Form groups that keep the promise by any method, keep of each its mean and covariance, and
draw from these along the eigenvectors. O(N d^2 + G d^3) on top of the grouping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.method import method_from_dict
from sfumato.data.encoding import Coded
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, flag
from sfumato.tables.condensing.drawing import Drawing, condense
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job
from sfumato.tables.showing.shown_columns import ShownColumns

__all__ = ["Condensation"]

_MOST = 1_000.0


@dataclass(frozen=True)
class Condensation(GroupingMethod):
    """Synthetic records from the statistics of groups that keep the promise.

    `grouping` (a method, or its name) says who hides with whom; what it shows is of no account. `alpha` times the size
    of a group is how many rows it gets, at least one. `noise` is added to every drawn number, uniform up to that share
    of the column's range. With `keep_means` the rows of every group have the group's mean exactly, whole numbers and
    dates as nearly as the number of rows allows. Sensitive and plain columns of a row are those of a random member of
    its group. With `alpha=1` and nothing else this is `show="condensed"` of the grouping.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Condensation(), sf.KAnonymity(5), seed=1)
    Release(100 rows, Condensation, KAnonymity(k=5) holds)
    """

    grouping: Any = "Hilbert"
    alpha: float = 1.0
    noise: float = 0.0
    keep_means: bool = False

    show: ClassVar[str] = "condensed"  # type: ignore[misc]  # no parameter: it cannot show anything else

    def __post_init__(self) -> None:
        """Make the method that forms groups from its name or plain data, and check the numbers."""
        super().__post_init__()
        given = {"name": self.grouping} if isinstance(self.grouping, str) else self.grouping
        if isinstance(given, dict):
            given = method_from_dict(given)
        if not isinstance(given, GroupingMethod) or isinstance(given, Condensation):
            raise ParameterError(
                f"grouping must be a method that forms groups, such as 'Mondrian', got {self.grouping!r}"
            )
        object.__setattr__(self, "grouping", given)
        finite("alpha", self.alpha, asked=f"a number above 0 and at most {_MOST:g}", above=0.0, high=_MOST)
        finite("noise", self.noise, asked="a share of the range, 0 or more", low=0.0)
        flag("keep_means", self.keep_means)

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain data, the method that forms groups as its own plain data."""
        return {**super().to_dict(), "grouping": self.grouping.to_dict()}

    def groups(self, job: Job) -> Groups:
        """The groups of the method `grouping`."""
        formed: Groups = self.grouping.groups(job)
        return formed

    def shown(
        self, table: Table, quasi: Sequence[Coded], groups: Groups, rows: NDArray[np.int64], random: Randomness
    ) -> ShownColumns:
        """The columns of records drawn from the statistics of each group."""
        return condense(table, quasi, groups, rows, random, Drawing(float(self.alpha), self.noise, self.keep_means))
