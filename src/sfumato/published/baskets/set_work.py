"""How many sets of items records hold, so that a count that would never end is refused before it begins."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError

__all__ = ["refuse_too_many_sets"]

_MOST_HELD = 2_000_000_000  # a set counts for every record that holds it


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
