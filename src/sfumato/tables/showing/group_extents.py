"""Kernels: smallest and largest code, distinct codes and most frequent code of each group."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["group_extents", "group_masks", "group_members", "group_modes"]


@kernel
def group_extents(
    codes: NDArray[np.int32], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Smallest and largest code of each group (-1 where none has a value), and whether some record lacks one."""
    n_groups = starts.shape[0] - 1
    low = np.full(n_groups, -1, dtype=np.int32)
    high = np.full(n_groups, -1, dtype=np.int32)
    missing = np.zeros(n_groups, dtype=np.bool_)
    for g in range(n_groups):
        for i in range(starts[g], starts[g + 1]):
            code = codes[order[i]]
            if code < 0:
                missing[g] = True
            else:
                if low[g] < 0 or code < low[g]:
                    low[g] = code
                if code > high[g]:
                    high[g] = code
    return low, high, missing


@kernel
def group_masks(codes: NDArray[np.int32], order: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The distinct codes of each group as bits, a missing value the lowest; for codes below 63."""
    n_groups = starts.shape[0] - 1
    masks = np.zeros(n_groups, dtype=np.uint64)
    for g in range(n_groups):
        mask = np.uint64(0)
        for i in range(starts[g], starts[g + 1]):
            mask |= np.uint64(1) << np.uint64(codes[order[i]] + 1)
        masks[g] = mask
    return masks


def group_members(
    codes: NDArray[np.int32], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct codes of each group in rising order, end to end, and where each group starts.

    No kernel: a sort inside one takes nearly a second to compile.
    """
    n_groups = starts.shape[0] - 1
    width = int(codes.max(initial=-1)) + 2  # codes are -1 or more
    group = np.repeat(np.arange(n_groups), np.diff(starts))
    found = np.unique(group * width + codes[order[: len(group)]] + 1)
    edges = np.zeros(n_groups + 1, dtype=np.int64)
    np.cumsum(np.bincount(found // width, minlength=n_groups), out=edges[1:])
    return (found % width - 1).astype(np.int32), edges


@kernel
def group_modes(codes: NDArray[np.int32], order: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """The most frequent code of each group, the smallest of several; -1 only where no record has a value."""
    n_groups = starts.shape[0] - 1
    modes = np.empty(n_groups, dtype=np.int32)
    for g in range(n_groups):
        here = np.empty(starts[g + 1] - starts[g], dtype=np.int32)
        for i in range(starts[g], starts[g + 1]):
            here[i - starts[g]] = codes[order[i]]
        here.sort()
        best, run = 0, 0
        modes[g] = here[0]
        for i in range(here.shape[0]):
            run = run + 1 if i > 0 and here[i] == here[i - 1] else 1
            if here[i] >= 0 and run > best:
                best = run
                modes[g] = here[i]
    return modes
