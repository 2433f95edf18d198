"""Columns with many missing values: whose statistics a group draws from where it has too few values of its own.

The mean of a group is of those that have a value. Where these are fewer than a group must hold, groups are joined, in
that column alone, so that no published statistic is of fewer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.condensing.statistics import GroupStatistics

__all__ = ["pool_sparse_columns", "pools_of"]

_ROUNDING = 1e-9


@kernel
def pools_of(counts: NDArray[np.float64], least: float) -> NDArray[np.int64]:
    """For every group and column, the first group of the pool of groups that share their statistics in that column.

    A group with `least` values is a pool of its own. The others are joined in their order, each with the next, until
    they have `least` together; what is left over at the end joins the pool that was complete last, and has -1 where
    there is none. Pools of a column do not overlap, so that no difference of statistics is about fewer values.
    """
    n_groups, d = counts.shape
    pools = np.full((n_groups, d), -1, dtype=np.int64)
    for c in range(d):
        start, total, last = -1, 0.0, -1
        for g in range(n_groups):
            if counts[g, c] >= least - _ROUNDING:
                pools[g, c] = g
                last = g
                continue
            if start < 0:
                start = g
            pools[g, c] = start
            total += counts[g, c]
            if total >= least - _ROUNDING:
                start, total, last = -1, 0.0, start
        if start >= 0:
            for g in range(n_groups):
                if pools[g, c] == start:
                    pools[g, c] = last
    return pools


def pool_sparse_columns(statistics: GroupStatistics, least: float) -> tuple[GroupStatistics, NDArray[np.bool_]]:
    """The statistics to draw from, of at least `least` values each, and which columns have fewer in all.

    Where groups are pooled in a column, all have the mean and the variance of the pool there, and no covariance with
    other columns.
    """
    counts = statistics.counts
    pools = pools_of(counts, float(least))
    n_groups, d = counts.shape
    means, covariances = statistics.means.copy(), statistics.covariances.copy()
    too_few = np.asarray((pools < 0).any(axis=0), dtype=np.bool_)
    for c in range(d):
        pool = np.maximum(pools[:, c], 0)
        shared = np.bincount(pool, minlength=n_groups)[pool] > 1
        if not shared.any():
            continue
        known = np.maximum(np.bincount(pool, counts[:, c], n_groups), _ROUNDING)
        base = statistics.means[pool, c]
        mean = base + (np.bincount(pool, counts[:, c] * (statistics.means[:, c] - base), n_groups) / known)[pool]
        around = statistics.covariances[:, c, c] + (statistics.means[:, c] - mean) ** 2
        variance = (np.bincount(pool, counts[:, c] * around, n_groups) / known)[pool]
        means[shared, c] = mean[shared]
        covariances[shared, c, :] = 0.0
        covariances[shared, :, c] = 0.0
        covariances[shared, c, c] = variance[shared]
    return GroupStatistics(counts, means, covariances), too_few
