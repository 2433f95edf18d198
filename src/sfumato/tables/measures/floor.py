"""The floor: what any release of classes of k rows must lose, whatever the method.

A class of k rows shows, in every column, a range, a node or a set that covers all its records. So each record costs at
least as much as the cheapest box that holds it and k - 1 others (`least_box.py`), and the average over all records is
a bound below the loss (GCP) of every such release, of withheld rows too, which count as wholly lost. A promise that
asks for l different sensitive values in a class asks for l records at least, and is bounded by that alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.ground.progress import Share, tell_nobody
from sfumato.tables.coding.boxes import word_offsets
from sfumato.tables.coding.columns import Columns, flatten
from sfumato.tables.grouping.axes import order_by_codes
from sfumato.tables.measures.least_box import Tuples, least_boxes

__all__ = ["n_distinct", "record_floors"]

_AT_ONCE = 64
"""So many tuples are bounded between two looks at whether to go on."""


def n_distinct(quasi: Sequence[Coded]) -> int:
    """How many records differ from each other."""
    return len(_distinct_tuples(flatten(quasi))[0].n_alike)


def _distinct_tuples(columns: Columns) -> tuple[Tuples, NDArray[np.int64]]:
    """The distinct records, and for each record which of them it is."""
    order = order_by_codes(columns)
    codes = columns.codes[:, order]
    is_new = np.append(True, (codes[:, 1:] != codes[:, :-1]).any(axis=0))[: codes.shape[1]]
    of_row = np.empty(codes.shape[1], dtype=np.int64)
    of_row[order] = np.cumsum(is_new) - 1
    data = np.ascontiguousarray(codes[:, is_new].T)
    return Tuples(data, np.bincount(of_row, minlength=len(data)).astype(np.int64)), of_row


def record_floors(
    quasi: Sequence[Coded], k: int, rows: NDArray[np.int64], *, most_states: int, share: Share = tell_nobody
) -> NDArray[np.float64]:
    """For each of `rows`: a bound below its loss in any class of `k` records."""
    columns = flatten(quasi)
    tuples, of_row = _distinct_tuples(columns)
    which, place = np.unique(of_row[rows], return_inverse=True)
    words, found = word_offsets(columns), np.empty(len(which))
    for start in range(0, len(which), _AT_ONCE):
        part = which[start : start + _AT_ONCE]
        found[start : start + _AT_ONCE] = least_boxes(columns, words, tuples, part, k, most_states)
        share(min(1.0, (start + _AT_ONCE) / len(which)))
    return found[place]
