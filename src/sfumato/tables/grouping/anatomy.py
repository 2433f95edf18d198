"""Anatomy: deal records with different sensitive values into groups, whatever their quasi-identifiers are.

Xiao & Tao, "Anatomy: simple and effective privacy preservation", VLDB 2006. Records lie in one bucket for each
sensitive value. While l buckets are not empty, a group takes one random record from each of the l largest; where no
value makes up more than 1/l of the table, at most one record is then left in any bucket, and each of these joins a
random group that lacks its value. Groups have l to 2l - 1 records, no two with the same value. Who is near whom plays
no part, so that ranges would span nearly everything: groups show their records' own values, in two tables. O(N).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.privacy.sensitive import column_numbers
from sfumato.tables.grouping.groups import GroupingMethod, Groups
from sfumato.tables.grouping.job import Job

__all__ = ["Anatomy", "deal"]


@dataclass(frozen=True)
class Anatomy(GroupingMethod):
    """l-diversity (by frequency or distinct values) on one sensitive column, by dealing its values into groups.

    The quasi-identifiers are published as they are, so that it says who is in the data: it protects what they have, not
    that they are there. Under `distinct` the table need not be spread evenly: what is left of a frequent value is
    dealt over all groups.

    `show` says what readers see of a group: `ranges`, `means`, `permutation` (two tables) or `condensed` (drawn anew).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Anatomy(), sf.LDiversity(2), seed=1)
    Release(100 rows, Anatomy, LDiversity(2) holds)
    """

    show: str = "permutation"

    def groups(self, job: Job) -> Groups:
        """Deal the buckets into groups, then give each record that is left to a group that lacks its value."""
        column, n_values = _column_and_l(job.promise, job.sensitive)
        codes = column.codes.astype(np.int64) + column.has_missing  # a missing value is one more value
        shuffled = job.random.spawn("records").permutation(len(codes))
        rows = shuffled[np.argsort(codes[shuffled], kind="stable")]  # bucket by bucket, each in random order
        counts = np.bincount(codes)
        counts = counts[counts > 0]
        starts = np.concatenate([[0], np.cumsum(counts)])
        falling = np.argsort(-counts, kind="stable")
        job.share(0.2)
        group, left = deal(starts, falling, n_values, job.random.spawn("ties").words(len(codes)))
        own = job.random.spawn("residue")
        n_groups = int(group.max(initial=-1)) + 1
        for bucket in np.flatnonzero(left).tolist():
            job.share(0.5 + 0.5 * bucket / len(left))
            first, dealt = starts[bucket], starts[bucket] + left[bucket]  # records are taken from the end
            group[first:dealt] = _random_groups(group[dealt : starts[bucket + 1]], n_groups, int(left[bucket]), own)
        order = np.argsort(group, kind="stable")
        return Groups(rows[order], np.concatenate([[0], np.cumsum(np.bincount(group))]))


def _column_and_l(promise: Promise, sensitive: Sequence[Coded]) -> tuple[Coded, int]:
    """The sensitive column and the l of the promise; refuses promises that Anatomy cannot keep."""
    instead = "use Mondrian, which keeps any promise"
    other = next((part for part in promise.parts if not isinstance(part, LDiversity)), None)
    if other is not None:
        raise ParameterError(f"Anatomy keeps l-diversity only, not {other!r}; promise LDiversity, or {instead}")
    (asked, *more) = promise.parts
    assert isinstance(asked, LDiversity)
    if more:
        raise ParameterError(f"Anatomy keeps one promise at a time, and {promise!r} are several; {instead}")
    if asked.kind not in ("frequency", "distinct"):
        raise ParameterError(f"Anatomy keeps l-diversity by frequency or distinct values, not {asked!r}; {instead}")
    if asked.l != int(asked.l):
        raise ParameterError(
            f"Anatomy deals l records at a time, so l must be a whole number, got {asked.l:g}; "
            f"promise LDiversity({math.ceil(asked.l)})"
        )
    names = [column.name for column in sensitive]
    columns = column_numbers(asked, asked.columns, names)
    if len(columns) != 1:
        raise ParameterError(
            f"Anatomy deals by one sensitive column, and {asked!r} speaks of {', '.join(names[c] for c in columns)}; "
            f"name one, as in LDiversity({asked.l:g}, columns=({names[columns[0]]!r},)), or {instead}"
        )
    return sensitive[columns[0]], int(asked.l)


def _random_groups(taken: NDArray[np.int64], n_groups: int, n: int, random: Randomness) -> NDArray[np.int64]:
    """Random groups for `n` records of one value: first groups that lack it, then all in turn.

    `taken` are the groups that have the value already.
    """
    lacking = np.ones(n_groups, dtype=bool)
    lacking[taken] = False
    free = np.flatnonzero(lacking)
    chosen = free[random.permutation(len(free))[:n]]
    rest = np.resize(random.permutation(n_groups), n - len(chosen))
    return np.concatenate([chosen, rest])


@kernel
def deal(
    starts: NDArray[np.int64], falling: NDArray[np.int64], n_values: int, words: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """While `n_values` buckets hold records, take one from each of the largest for a new group.

    Bucket b holds records `starts[b]` to `starts[b + 1]`, and they go from the end; `falling` are the buckets by
    falling size. Of buckets of the same size a random choice is taken, by one of the random `words` each. Returns the
    group of every record (-1: none) and how many are left in each bucket. O(records + buckets).
    """
    n_buckets = starts.shape[0] - 1
    group = np.full(starts[n_buckets], -1, dtype=np.int64)
    order = falling.copy()
    left = starts[1:] - starts[:-1]
    largest = left[order[0]] if n_buckets > 0 else 0
    at_least = np.zeros(largest + 2, dtype=np.int64)  # at_least[s]: how many buckets hold s records or more
    for b in range(n_buckets):
        at_least[left[b]] += 1
    for size in range(largest - 1, -1, -1):
        at_least[size] += at_least[size + 1]
    n_groups, used = 0, 0
    while n_buckets >= n_values and at_least[1] >= n_values:
        size = left[order[n_values - 1]]  # the smallest of those taken; buckets of this size stand side by side
        first, stop = at_least[size + 1], at_least[size]
        for t in range(n_values - first):  # a random choice of them, moved to the end of their run
            last = stop - 1 - t
            pick = first + np.int64(words[used] % np.uint64(last - first + 1))
            used += 1
            order[pick], order[last] = order[last], order[pick]
        for i in range(n_values):
            b = order[i] if i < first else order[stop - n_values + i]
            at_least[left[b]] -= 1
            left[b] -= 1
            group[starts[b] + left[b]] = n_groups
        n_groups += 1
    return group, left
