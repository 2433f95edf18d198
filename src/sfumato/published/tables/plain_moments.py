"""Means and covariances of groups for the check, worked out from the records by none of the code that draws."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_joined_group", "lie_too_near", "plain_moments"]

_CLOSE = 0.1
_DOUBT = 21.0
"""Rows lie so near by chance with a probability below exp(-21), about one in a billion."""


def plain_moments(
    numbers: NDArray[np.float64], group: NDArray[np.int64], n_groups: int, span: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The means of each group, and its covariances over the squared range of the columns, from centred sums.

    Where a group has fewer values of a column than the smallest group has records, mean and variance are those of the
    groups that it is joined with, and there is no covariance with other columns.
    """
    d = numbers.shape[1]
    known = ~np.isnan(numbers)
    counts = np.stack([np.bincount(group[known[:, c]], minlength=n_groups) for c in range(d)], axis=1).astype(float)
    pools = first_joined_group(counts, float(np.bincount(group, minlength=n_groups).min(initial=len(group))))
    means, away, pooled = np.zeros((n_groups, d)), np.zeros_like(numbers), np.zeros((n_groups, d), dtype=np.bool_)
    for c in range(d):
        pool = np.maximum(pools[:, c], 0)
        pooled[:, c] = np.bincount(pool, minlength=n_groups)[pool] > 1
        here, values = pool[group[known[:, c]]], numbers[known[:, c], c]
        base = float(values.mean()) if len(values) else 0.0
        many = np.maximum(np.bincount(here, minlength=n_groups), 1)
        means[:, c] = (base + np.bincount(here, values - base, n_groups) / many)[pool]
        away[known[:, c], c] = (values - means[group[known[:, c]], c]) / span[c]
    covariances = np.zeros((n_groups, d, d))
    for a in range(d):
        for b in range(a + 1):
            both = np.sqrt(np.maximum(counts[:, a], 1)) * np.sqrt(np.maximum(counts[:, b], 1))
            covariances[:, a, b] = covariances[:, b, a] = np.bincount(group, away[:, a] * away[:, b], n_groups) / both
        pool = np.maximum(pools[:, a], 0)
        many = np.maximum(np.bincount(pool, counts[:, a], n_groups), 1)
        squares = np.bincount(pool[group], away[:, a] ** 2, n_groups)
        alone = (squares / many)[pool]
        covariances[:, a, a] = np.where(pooled[:, a], alone, covariances[:, a, a])
    apart = (pooled[:, :, None] | pooled[:, None, :]) & ~np.eye(d, dtype=np.bool_)
    covariances[apart] = 0.0
    return means, covariances


def first_joined_group(counts: NDArray[np.float64], least: float) -> NDArray[np.int64]:
    """For each group and column, the first of the groups that it shares its statistics with: itself where it is alone.

    A group with at least `least` values of a column is alone. The others are joined in their order until they have so
    many together, and those left at the end are joined to the last that were enough; -1 where all are too few.
    """
    pools = np.tile(np.arange(len(counts)), (counts.shape[1], 1)).T
    for c in np.flatnonzero((counts < least).any(axis=0)):
        waiting: list[int] = []
        n_waiting, complete = 0.0, -1
        for g, n_known in enumerate(counts[:, c].tolist()):
            if n_known >= least:
                complete = g
                continue
            waiting.append(g)
            n_waiting += n_known
            if n_waiting >= least:
                pools[waiting, c] = complete = waiting[0]
                waiting, n_waiting = [], 0.0
        pools[waiting, c] = complete
    return pools


def lie_too_near(away: NDArray[np.float64], noise: float, rounded: float) -> bool:
    """Whether so many draws lie so near their mean that noise of this size cannot have been added to them.

    Uniform noise leaves a value within some part of its reach with a probability of that part at most, whatever it is
    added to. `rounded` is how far rounding may have moved a value. Looked at are a tenth, and the part that has all.
    """
    far = np.abs(away)
    for part in (_CLOSE, float(far.max(initial=0.0)) / noise):
        chance = part + rounded / noise
        share = float((far <= part * noise).mean()) if len(far) else 0.0
        if share > chance:
            surprise = share * np.log(share / chance)
            surprise += (1.0 - share) * np.log((1.0 - share) / (1.0 - chance)) if share < 1.0 else 0.0
            if len(far) * surprise > _DOUBT:
                return True
    return False
