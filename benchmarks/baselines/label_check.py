"""How many labels are left to each record by assignments, whatever made them.

Published slot `own[i]` carries the label of record i, its true owner. So the candidates of record i, the slots that it
may stand in, carry the labels of *their* owners, and it is those that must differ for l-diversity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError

__all__ = ["distinct_labels", "published_labels"]


def published_labels(labels: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.int64]:
    """The label that every published slot carries, if record i stands in slot `own[i]`."""
    if len(own) != len(labels) or not np.array_equal(np.sort(own), np.arange(len(labels))):
        raise DataError(f"the drawn assignment must give each of the {len(labels):,} records a slot of its own")
    carried = np.empty_like(labels)
    carried[own] = labels
    return carried


def distinct_labels(
    labels: NDArray[np.int64], candidates: NDArray[np.int64], own: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each record, how many labels its candidates carry; column i of `candidates` lists the slots of record i."""
    if candidates.ndim != 2 or candidates.shape[1] != len(labels):
        raise DataError(f"the assignments must list slots for each of the {len(labels):,} records")
    if candidates.size and not 0 <= candidates.min() <= candidates.max() < len(labels):
        raise DataError(f"the assignments name a slot that is not one of the {len(labels):,} published")
    shown = np.sort(published_labels(labels, own)[candidates], axis=0)
    return np.asarray(min(1, len(shown)) + (np.diff(shown, axis=0) != 0).sum(axis=0), dtype=np.int64)
