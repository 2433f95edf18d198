"""Sensitive profiles: a profile is a combination of the sensitive values that a promise speaks of.

Records of the same profile can change places without any promise on sensitive values being broken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["profile_ids"]


def profile_ids(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], int]:
    """The profile number of every row, from 0 on, and how many profiles occur; `codes` has a row per record."""
    ids = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T.astype(np.int64):
        ids = np.unique(ids * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1].reshape(-1)
    return ids, int(ids.max(initial=-1)) + 1
