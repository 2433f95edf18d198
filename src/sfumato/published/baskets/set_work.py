"""How many sets of items records hold, so that a count that would take minutes is refused before it begins.

A method counts again and again, mostly far less than it might have to: it is stopped by the steps that it takes.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError

__all__ = ["SetWork", "refuse_too_many_sets"]

_MOST_HELD = 250_000_000  # a set counts for every record that holds it; seconds
_MOST_STEPS = 5_000_000_000  # a quarter of a minute, about


class SetWork:
    """The steps that a method takes to count sets, all counts together."""

    def __init__(self) -> None:
        self.left = _MOST_STEPS

    def spend(self, steps: int, size: int) -> None:
        """Take away the steps of a count of sets of up to `size` items; refuse where there are none left."""
        self.left -= steps
        if self.left < 0:
            raise ParameterError(
                f"finding sets of up to {size:,} items that too few records hold takes more than {_MOST_STEPS:,} "
                f"steps; choose m={max(size - 1, 1)} or less"
            )


def refuse_too_many_sets(sizes: NDArray[np.int64], m: int) -> None:
    """Raise where records of these sizes hold more sets of one to m items than are counted."""
    held = 0
    each, times = np.unique(sizes, return_counts=True)
    for size in range(1, min(m, int(each.max(initial=0))) + 1):
        held += sum(n * comb(s, size) for s, n in zip(each.tolist(), times.tolist(), strict=True))
        if held > _MOST_HELD:
            raise ParameterError(
                f"records hold more than {_MOST_HELD:,} sets of up to {size:,} items, too many to count; "
                f"choose m={max(size - 1, 1)} or less"
            )
