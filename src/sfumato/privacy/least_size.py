"""The size below which no class can keep the conditions, whatever its records: small classes need not be looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.conditions import EMD_ORDERED, TOLERANCE, VARIATIONAL
from sfumato.privacy.criteria import Criteria

__all__ = ["least_size"]

_MOST = 200
"""Sizes are tried up to here."""


def least_size(criteria: Criteria) -> int:
    """A size that no allowed class is below.

    Shares of whole records are only so near to those of the table. The nearest for each size are known where all values
    are equally far from each other (rounded by largest remainders) and where they are ordered (rounded cumulatively).
    """
    least = criteria.min_size
    for kind, s, (t, *_) in zip(criteria.kind, criteria.column, criteria.params, strict=True):
        total = criteria.total[criteria.offset[s] : criteria.offset[s + 1]]
        nearest = {VARIATIONAL: _nearest_shares, EMD_ORDERED: _nearest_in_order}.get(int(kind))
        if nearest is None or not total.sum():
            continue
        shares = total / total.sum()
        while least < _MOST and nearest(shares, least) > t + TOLERANCE:
            least += 1
    return int(least)


def _nearest_shares(shares: NDArray[np.float64], size: int) -> float:
    """The least variational distance of a class of so many records."""
    exact = size * shares
    counts = np.floor(exact + TOLERANCE)
    missing = round(size - float(counts.sum()))
    counts[np.argsort(counts - exact)[:missing]] += 1
    return float(np.abs(counts / size - shares).sum() / 2)


def _nearest_in_order(shares: NDArray[np.float64], size: int) -> float:
    """The least earth mover's distance of a class of so many records, where values are ordered."""
    exact = size * np.cumsum(shares)
    return float(np.abs(np.round(exact) - exact).sum() / size / max(len(shares) - 1, 1))
