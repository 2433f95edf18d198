"""Published subdomains as a reader finds them: for every group, ranges of a finite domain that its values lie in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import show_range, show_set
from sfumato.data.tree import Tree
from sfumato.privacy.target import Target

__all__ = ["Subdomains", "achieved_distribution", "pooled_counts", "probabilities", "subdomain_texts"]

_MOST_LISTED = 10_000
"""Values that a certificate lists at most."""


@dataclass(frozen=True, eq=False)
class Subdomains:
    """The subdomains of every group: ranges `first` to `last` of the domain `values`, each `count` times.

    Groups are numbered from 0 in the order of their published numbers; entries are sorted by group.
    """

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
    published_target: Target | None = None
    """The target that the release says it follows."""
    labels: tuple[str, ...] = ()
    """Of each group what its rows have in the column that targets go by, where there is one."""

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.sizes)

    @property
    def list_lengths(self) -> NDArray[np.int64]:
        """How many subdomains each group lists: one for each of its rows, and those that were added."""
        counts = np.bincount(self.group, weights=self.count, minlength=self.n_groups)
        return counts.astype(np.int64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the entries of each group start, and where the last group's end."""
        return np.searchsorted(self.group, np.arange(self.n_groups + 1)).astype(np.int64)


def probabilities(seen: Subdomains, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each of these groups, a row with the probability that its subdomains give every value of the domain."""
    m = len(seen.values)
    totals = np.array([np.concatenate([[0], np.cumsum(w)]) for w in seen.weights], dtype=np.float64)
    starts = seen.starts
    sizes = starts[groups + 1] - starts[groups]
    entry = np.repeat(starts[groups] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(sizes.sum())
    row, target = np.repeat(np.arange(len(groups)), sizes), seen.target_of_group[seen.group[entry]]
    first, last = seen.first[entry], seen.last[entry]
    inside = totals[target, last + 1] - totals[target, first]
    density = np.zeros((len(groups), m + 1))
    each = seen.count[entry] / inside
    np.add.at(density, (row, first), each)
    np.add.at(density, (row, last + 1), -each)
    found = np.cumsum(density, axis=1)[:, :m] * np.stack([seen.weights[t] for t in seen.target_of_group[groups]])
    return np.asarray(np.maximum(found, 0.0) / seen.list_lengths[groups][:, None], dtype=np.float64)


def pooled_counts(seen: Subdomains) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each value, how many published rows are expected to have it, and how many the targets ask for."""
    m = len(seen.values)
    expected, target = np.zeros(m), np.zeros(m)
    step = max(1, 4_000_000 // max(m, 1))
    for start in range(0, seen.n_groups, step):
        groups = np.arange(start, min(start + step, seen.n_groups))
        expected += seen.sizes[groups] @ probabilities(seen, groups)
    rows = np.bincount(seen.target_of_group, weights=seen.sizes, minlength=len(seen.weights))
    for n, weights in zip(rows, seen.weights, strict=True):
        target += n * weights / max(int(weights.sum()), 1)
    return expected, target


def achieved_distribution(seen: Subdomains) -> dict[str, Any] | None:
    """For the certificate: for each value, its probability over all rows by the targets, and that achieved."""
    if len(seen.values) > _MOST_LISTED:
        return None
    expected, target = pooled_counts(seen)
    n = max(len(seen.group_of_row), 1)
    return {
        "column": seen.column, "values": seen.values.to_list(), "target": (target / n).tolist(),
        "achieved": (expected / n).tolist(),
    }  # fmt: skip


def subdomain_texts(
    values: pl.Series, tree: Tree | None, first: NDArray[np.int64], last: NDArray[np.int64], *, ordered: bool
) -> list[str]:
    """Subdomains as text: a value, a range, a set, or the label of a node."""
    pairs, where = np.unique(np.stack([first, last], axis=1), axis=0, return_inverse=True)
    labels: dict[tuple[int, int], str] = {}
    if tree is not None:
        for node in range(len(tree.parent) - 1, -1, -1):
            labels.setdefault((int(tree.first[node]), int(tree.last[node])), tree.labels[node])
    listed, words = values.to_list(), []
    for a, b in pairs.tolist():
        if (a, b) in labels:
            words.append(labels[a, b])
        elif ordered:
            words.append(show_range(listed[a], listed[b]))
        else:
            words.append(show_set(listed[a : b + 1]))
    return [words[i] for i in where.ravel().tolist()]
