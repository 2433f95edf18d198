"""Equal records, so that a check looks at one of them in place of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets

__all__ = ["EqualRecords", "equal_record_numbers", "group_equal_records"]


@dataclass(frozen=True, eq=False)
class EqualRecords:
    """Sets of equal records: the first record of each, how many `times` it occurs, and the set each record is `of`."""

    first: NDArray[np.int64]
    times: NDArray[np.int64]
    of: NDArray[np.int64]


def equal_record_numbers(baskets: Baskets) -> NDArray[np.int64]:
    """Return a number for every record, the same for records with the same items. O(items present)."""
    known: dict[bytes, int] = {}
    ends, listed = baskets.starts.tolist(), baskets.ids.tobytes()
    width = baskets.ids.itemsize
    number = (known.setdefault(listed[width * ends[i] : width * ends[i + 1]], len(known)) for i in range(len(baskets)))
    return np.fromiter(number, dtype=np.int64, count=len(baskets))


def group_equal_records(*numbers: NDArray[np.int64]) -> EqualRecords:
    """Group the records that agree in all of these numbers, each given as one number for every record."""
    rows = np.stack(numbers, axis=1)
    _, first, of, times = np.unique(rows, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return EqualRecords(first.astype(np.int64), times.astype(np.int64), np.asarray(of, dtype=np.int64).ravel())
