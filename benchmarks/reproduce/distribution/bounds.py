"""What a reader can say of an average: bounds that hold whatever lies behind the published subdomains.

Section 2 of the paper. Of a group with s rows in a selection, the sum of their values is at least that of the s
smallest minima of the subdomains it lists, and at most that of the s largest maxima, fakes among them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.published.tables.subdomain_lists import Subdomains

__all__ = ["Sums", "average_bounds", "sums"]


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over the copies that each group lists: of group g from `starts[g]` on, the s smallest or largest at s."""

    starts: NDArray[np.int64]
    least: NDArray[np.float64]
    most: NDArray[np.float64]
    ranges: NDArray[np.float64]
    """Of each group, the sum of the widths of its copies."""


def sums(seen: Subdomains) -> Sums:
    """Prefix sums, so that a query is a look-up. O(copies log copies)."""
    values = seen.values.cast(float).to_numpy()
    group = np.repeat(seen.group, seen.count)
    low, high = (np.repeat(values[place], seen.count) for place in (seen.first, seen.last))
    starts = np.concatenate([[0], np.cumsum(seen.list_lengths + 1)])
    return Sums(
        starts, _prefixes(group, low, seen.n_groups), -_prefixes(group, -high, seen.n_groups),
        np.bincount(group, weights=high - low, minlength=seen.n_groups).astype(np.float64),
    )  # fmt: skip


def _prefixes(group: NDArray[np.int64], value: NDArray[np.float64], n_groups: int) -> NDArray[np.float64]:
    """Group by group 0, the smallest, the two smallest..."""
    order = np.lexsort((value, group))
    sizes = np.bincount(group, minlength=n_groups)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    running = np.concatenate([[0.0], np.cumsum(value[order])])
    return np.concatenate([running[a : b + 1] - running[a] for a, b in itertools.pairwise(ends.tolist())])


def average_bounds(of: Sums, selected: NDArray[np.int64]) -> tuple[float, float]:
    """The least and the greatest average of a selection that has `selected[g]` rows of group g."""
    at, n = of.starts[:-1] + selected, int(selected.sum())
    return float(of.least[at].sum() / n), float(of.most[at].sum() / n)
