"""What the published rows nearest to a record's true values say of its sensitive value: section 5.6 of Xue's thesis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError, ParameterError
from sfumato.published.tables.linkage import require_finite, to_unit_range

__all__ = ["SensitiveNeighbours", "nearest_sensitive"]

_CHUNK = 4_096


@dataclass(frozen=True, kw_only=True, eq=False)
class SensitiveNeighbours:
    """The sensitive values of the published records around each record's original place."""

    first: NDArray[np.int64]
    """k_t, by record: which neighbour is the first to have its sensitive value; one more than were looked at where
    none of them has."""
    shares: NDArray[np.float64]
    """For k = 1, 2, ..., the share of the records whose k-th neighbour has their sensitive value."""
    base: float
    """The same share for a neighbour drawn at random: the sum of squared frequencies of the sensitive values."""


def nearest_sensitive(
    original: NDArray[Any],
    published: NDArray[Any],
    secret_original: NDArray[Any],
    secret_published: NDArray[Any],
    n_neighbours: int = 50,
) -> SensitiveNeighbours:
    """What an adversary learns who believes the published records nearest to the original place of a record.

    The indicator of privacy of Xue's thesis (section 5.6, Eq. 5.8, figures 5.8 and 5.9): published records are sorted
    by their distance, every column scaled to its original range, and their sensitive values compared with the true
    one. It is about sensitive values only: a release that gives every rank away may look well here. Equally distant
    records stand as the tree has them, which knows no sensitive value. O(n K log n), in chunks.
    """
    known, seen = require_finite(original), require_finite(published)
    n_records, n_rows = known.shape[1], seen.shape[1]
    if len(known) != len(seen):
        raise DataError(f"original and published must have the same columns, got {len(known)} and {len(seen)}")
    if len(secret_original) != n_records or len(secret_published) != n_rows:
        raise DataError("a sensitive value is needed for every record, in the original and as published")
    if n_neighbours < 1:
        raise ParameterError(f"n_neighbours must be >= 1, got {n_neighbours}")
    from scipy.spatial import KDTree

    known, seen = to_unit_range(known, seen)
    _, codes = np.unique(np.concatenate([secret_original, secret_published]), return_inverse=True)
    true, shown = codes[:n_records], codes[n_records:]
    looked = min(n_neighbours, n_rows)
    tree = KDTree(seen.T)
    first = np.full(n_records, looked + 1, dtype=np.int64)
    counts = np.zeros(looked, dtype=np.int64)
    for start in range(0, n_records, _CHUNK):
        here = slice(start, start + _CHUNK)
        _, found = tree.query(known.T[here], k=np.arange(1, looked + 1))
        same = shown[found] == true[here, None]
        counts += same.sum(axis=0)
        first[here] = np.where(same.any(axis=1), same.argmax(axis=1) + 1, looked + 1)
    frequency, frequency_shown = (np.bincount(part, minlength=codes.max() + 1) / len(part) for part in (true, shown))
    return SensitiveNeighbours(first=first, shares=counts / n_records, base=float(frequency @ frequency_shown))
