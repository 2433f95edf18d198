"""Methods that lay the records along a line and cut the line into groups.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009. Who is near whom in many columns becomes who is near whom in one order; each problem
is then solved on that order. Orders are interchangeable: a method says how the line is laid, and nothing else.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.promise import Promise
from sfumato.randomness import Randomness
from sfumato.tables.columns import Columns, flatten
from sfumato.tables.grouping.cutting.consecutive import optimal_starts, optimal_starts_1d
from sfumato.tables.grouping.groups import GroupingMethod, Groups

__all__ = ["Line", "OrderingMethod"]


@dataclass(frozen=True, eq=False)
class Line:
    """Records laid along a line."""

    rows: NDArray[np.int64]
    """The rows in their order."""
    along: NDArray[np.float64]
    """Where each of them lies, rising."""


class OrderingMethod(GroupingMethod, register=False):
    """Lay the records along a line, then cut it as the promise asks."""

    fast: bool

    @abstractmethod
    def line(self, columns: Columns, random: Randomness) -> Line:
        """Lay the records of these columns along a line."""

    def groups(
        self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise, random: Randomness
    ) -> Groups:
        """Lay, then cut."""
        other = next((part for part in promise.parts if not isinstance(part, KAnonymity)), None)
        if other is not None:
            raise ParameterError(
                f"{type(self).__name__} keeps k-anonymity only, not {other!r}; use Mondrian, which keeps any promise"
            )
        columns = flatten(quasi)
        line = self.line(columns, random)
        k = promise.min_size()
        if self.fast:
            return Groups(line.rows, optimal_starts_1d(line.along, k))
        ordered = columns._replace(codes=np.ascontiguousarray(columns.codes[:, line.rows]))
        return Groups(line.rows, optimal_starts(ordered, k))
