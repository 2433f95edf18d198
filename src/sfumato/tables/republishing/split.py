"""Split: a balanced bucket becomes classes of people who are near each other.

Step 4 of Xiao & Tao, SIGMOD 2007, section 5. A bucket is cut in two along one quasi-identifier: of every sensitive
value, the half of its rows that lie lower there, and the other half. The cut that leaves the smallest extents is taken,
and both halves are cut again, until a class has one row of each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.ground.kernels import kernel

__all__ = ["Places", "split_bucket"]


@dataclass(frozen=True, eq=False)
class Places:
    """The position of each row in every quasi-identifier (the first axis), and the weights of these."""

    position: NDArray[np.float64]
    weight: NDArray[np.float64]
    n_in_set: NDArray[np.int64]
    """For a column that is shown as a set, how many values it has; 0 for other columns."""

    @staticmethod
    def of(quasi: Sequence[Coded]) -> Places:
        """The positions of all rows, by the order of the values; missing values lie below all others."""
        place = [np.append(column.position, -1.0 / max(column.n_codes, 1))[column.codes] for column in quasi]
        sizes = [column.n_codes + column.has_missing if column.shape == "set" else 0 for column in quasi]
        weights = [column.weight for column in quasi]
        return Places(np.stack(place), np.array(weights, dtype=np.float64), np.array(sizes, dtype=np.int64))


@kernel
def split_bucket(position: NDArray[np.float64], weight: NDArray[np.float64], members: NDArray[np.int64]) -> None:
    """Split a bucket into classes, in place: order each line of `members` so that every column of it is a class.

    A line of `members` holds the rows of one sensitive value. `position` is where each row lies, by quasi-identifier.
    O(d^2 N log^2 N) for a bucket of N rows.
    """
    n_values, height = members.shape
    trial, best = members.copy(), members.copy()
    first, last = np.zeros(height + 1, dtype=np.int64), np.zeros(height + 1, dtype=np.int64)
    first[0], last[0] = 0, height
    n_open = 1
    while n_open > 0:
        n_open -= 1
        low, high = first[n_open], last[n_open]
        if high - low < 2:
            continue
        cut = low + (high - low) // 2
        least = np.inf
        for d in range(position.shape[0]):
            for v in range(n_values):
                part = members[v, low:high]
                trial[v, low:high] = part[np.argsort(position[d][part], kind="mergesort")]
            cost = 0.0
            for side in range(2):
                start, stop = (low, cut) if side == 0 else (cut, high)
                for e in range(position.shape[0]):
                    smallest, largest = np.inf, -np.inf
                    for v in range(n_values):
                        for i in range(start, stop):
                            at = position[e, trial[v, i]]
                            smallest, largest = min(smallest, at), max(largest, at)
                    cost += weight[e] * (largest - smallest) * (stop - start)
            if cost < least:
                least = cost
                best[:, low:high] = trial[:, low:high]
        members[:, low:high] = best[:, low:high]
        first[n_open], last[n_open] = low, cut
        first[n_open + 1], last[n_open + 1] = cut, high
        n_open += 2
