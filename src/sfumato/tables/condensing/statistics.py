"""What is known of groups of records once the records are gone: size, mean, covariance.

Aggarwal & Yu, "A condensation approach to privacy preserving data mining", EDBT 2004. New records are drawn uniformly
along the eigenvectors of a group's covariance, so that mean and covariance stay as they were. Both the table and the
stream form go through here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.axes import draw_along, group_moments, principal_axes

__all__ = ["GroupStatistics", "deal_members", "deal_values", "n_drawn", "scales_of", "sort_by_group", "statistics_of"]


@dataclass(frozen=True, eq=False)
class GroupStatistics:
    """Counts of values, means and covariances, by group and column: the same whatever the order of the records."""

    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]

    def draw(self, group: NDArray[np.int64], scales: NDArray[np.float64], random: Randomness) -> NDArray[np.float64]:
        """A new record for every entry of `group`. Axes are those of the columns over `scales`. O(G d^3 + N d^2)."""
        d = self.means.shape[1]
        values, vectors = principal_axes(self.covariances, scales)
        uniform = random.uniform(len(group) * d).reshape(len(group), d)
        return draw_along(self.means, values, vectors, scales, group, uniform)


def statistics_of(numbers: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64]) -> GroupStatistics:
    """The statistics of groups; `numbers` has a row per record, NaN where there is no value."""
    return GroupStatistics(*group_moments(np.ascontiguousarray(numbers), order, starts))


def scales_of(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The range of every column, 1 where it has none: what makes columns of different units alike."""
    known = ~np.isnan(numbers)
    low = np.where(known, numbers, np.inf).min(axis=0, initial=np.inf)
    high = np.where(known, numbers, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(high > low, high - low, 1.0)


def n_drawn(sizes: NDArray[np.int64] | NDArray[np.float64], alpha: float) -> NDArray[np.int64]:
    """How many records to draw for groups of these sizes: `alpha` times as many, at least one."""
    return np.maximum(1, np.rint(alpha * sizes)).astype(np.int64)


def sort_by_group(group: NDArray[np.int64], n_groups: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows sorted by their group, and where each group starts among them."""
    starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))])
    return np.argsort(group, kind="stable").astype(np.int64), starts.astype(np.int64)


def deal_members(
    order: NDArray[np.int64], starts: NDArray[np.int64], group: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """For every entry of `group` a random member of that group; all members are taken equally often, give or take one.

    Members of group g are `order[starts[g]:starts[g + 1]]`. A group with as many entries as members has each once.
    """
    n_groups = len(starts) - 1
    sizes = np.diff(starts)
    members = order[_shuffle_within_groups(np.repeat(np.arange(n_groups), sizes), random)]
    rows = _shuffle_within_groups(group, random)
    first = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))])
    place = np.arange(len(rows)) - first[group[rows]]
    taken = np.empty(len(rows), dtype=np.int64)
    taken[rows] = members[starts[group[rows]] + place % sizes[group[rows]]]
    return taken


def deal_values(
    shares: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64], random: Randomness
) -> NDArray[np.int64]:
    """A random value for every row, in each group as often as its share there says, give or take one row.

    `shares` has a line per group and a column per value, and need not sum to 1; rows `order[starts[g]:starts[g + 1]]`
    are group g.
    """
    n_groups, n_values = shares.shape
    sizes = np.diff(starts)
    totals = shares.sum(axis=1, keepdims=True)
    upto = np.cumsum(shares, axis=1) / np.where(totals > 0, totals, 1.0) * sizes[:, None]
    upto[:, -1] = sizes
    ends = np.floor(np.round(upto, 9) + random.uniform(n_groups)[:, None]).astype(np.int64)  # one number a group
    counts = np.diff(np.concatenate([np.zeros((n_groups, 1), dtype=np.int64), ends], axis=1), axis=1)
    values = np.repeat(np.tile(np.arange(n_values), n_groups), counts.ravel())
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.repeat(np.arange(n_groups), sizes)
    dealt_values = np.empty(len(order), dtype=np.int64)
    dealt_values[_shuffle_within_groups(group, random)] = values
    return dealt_values


def _shuffle_within_groups(group: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """The positions of `group`, sorted by group and in random order within each."""
    shuffled = random.permutation(len(group))
    return shuffled[np.argsort(group[shuffled], kind="stable")]
