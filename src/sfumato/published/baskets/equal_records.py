"""Records that are alike, so that each kind of record is looked at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets

__all__ = ["Kinds", "alike", "kinds"]


@dataclass(frozen=True, eq=False)
class Kinds:
    """Records told apart by some numbers: one record of each kind, how many there are, and the kind of every record."""

    first: NDArray[np.int64]
    times: NDArray[np.int64]
    of: NDArray[np.int64]


def alike(baskets: Baskets) -> NDArray[np.int64]:
    """A number for every record, the same for those with the same items. O(items present)."""
    known: dict[bytes, int] = {}
    ends, listed = baskets.starts.tolist(), baskets.ids.tobytes()
    width = baskets.ids.itemsize
    number = (known.setdefault(listed[width * ends[i] : width * ends[i + 1]], len(known)) for i in range(len(baskets)))
    return np.fromiter(number, dtype=np.int64, count=len(baskets))


def kinds(*numbers: NDArray[np.int64]) -> Kinds:
    """The kinds of records that have all of these numbers in common."""
    rows = np.stack(numbers, axis=1)
    _, first, of, times = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return Kinds(first.astype(np.int64), times.astype(np.int64), np.asarray(of, dtype=np.int64).ravel())
