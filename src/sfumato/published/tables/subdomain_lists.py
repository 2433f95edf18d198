"""Published subdomains as a reader finds them: of every group, ranges of a finite domain that its values lie in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.privacy.target import Target

__all__ = ["Subdomains"]


@dataclass(frozen=True, eq=False)
class Subdomains:
    """Groups are numbered from 0 in the order of their published numbers; entries are sorted by group."""

    column: str
    """The sensitive column."""
    group_name: str
    group_of_row: NDArray[np.int64]
    """The group of every published row."""
    numbers: NDArray[np.int64]
    """The published number of each group."""
    sizes: NDArray[np.int64]
    """How many rows each group has."""
    group: NDArray[np.int64]
    """The group of every entry of the table of subdomains."""
    first: NDArray[np.int64]
    """The first place of the subdomain in the domain, and the last, which belongs to it."""
    last: NDArray[np.int64]
    count: NDArray[np.int64]
    """How many values of the group lie in a copy of the subdomain, fakes among them."""
    values: pl.Series
    """The domain in order."""
    weights: tuple[NDArray[np.int64], ...]
    """Target distributions over the domain."""
    target_of_group: NDArray[np.int64]
    """Which of them holds in each group."""
    told: Target | None = None
    """The target that the release says it follows."""
    labels: tuple[str, ...] = ()
    """Of each group what its rows have in the column that targets go by, where there is one."""

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.sizes)

    @property
    def listed(self) -> NDArray[np.int64]:
        """How many subdomains each group lists: its rows, and what was added to them."""
        counts = np.bincount(self.group, weights=self.count, minlength=self.n_groups)
        return counts.astype(np.int64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the entries of each group start, and where the last end."""
        return np.searchsorted(self.group, np.arange(self.n_groups + 1)).astype(np.int64)
