"""Groups that tell nothing of who carries which label, for adversaries who know every basket and the method.

Whoever knows all items can form groups again under each labelling that a release leaves open, and groups that are
formed by labels come out as they were seen under few of them. Here the row is cut into stretches by position alone, all
of one length. Inside a stretch the records of each label, in random order, are dealt in turn to groups, the labels that
most records carry first: which labels a group has depends on how many of each there are in the stretch, and not on
whose they are. Every way to give the labels of a group to its records is then as likely as any other to have led to it.

The length is chosen by the numbers of the labels alone, so that most probably every stretch can be l-diverse; where one
cannot, it is doubled. What remains is to know then that some stretch of half the length could not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.randomness import Randomness

__all__ = ["deal_stretches", "dealt_groups", "stretch_length"]

_RISK = 0.01  # the probability that some stretch is not l-diverse, if labels lay at random


def dealt_groups(
    labels: NDArray[np.int64], order: NDArray[np.int64], k: int, l: int,  # noqa: E741
    random: Randomness,
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record, of k or more, no label on more than one in l. O(n log n).

    There must be k records, and no label that more than one in l of all carry.
    """
    n, own = len(order), labels[order]
    length = stretch_length(np.bincount(labels), k, l)
    ends = _ends(n, length)
    while len(ends) > 2 and not _eligible(own, ends, l):
        length *= 2
        ends = _ends(n, length)
    group = np.empty(n, dtype=np.int64)
    group[order] = deal_stretches(own, ends, k, l, random)
    return group


def stretch_length(counts: NDArray[np.int64], k: int, l: int) -> int:  # noqa: E741
    """The least length of stretches, a multiple of l, that are all l-diverse with 99 % if labels lie at random.

    `counts` tells how many records carry each label. Stretches have 2l records at least, and k.
    """
    from scipy.stats import hypergeom

    n = int(counts.sum())
    carried, times = (each[::-1] for each in np.unique(counts, return_counts=True))
    length = l * max(2, -(-k // l))
    while (n_stretches := n // length) > 1:
        size, longer = divmod(n, n_stretches)
        sizes, how_many = np.array([size, size + 1]), np.array([n_stretches - longer, longer])
        risk = 0.0
        for count, n_labels in zip(carried.tolist(), times.tolist(), strict=True):  # the likeliest to be too many first
            risk += n_labels * float(how_many @ hypergeom.sf(sizes // l, n, count, sizes))
            if risk > _RISK:
                break
        if risk <= _RISK:
            break
        length = -(-(size + 1) // l) * l  # the first that makes fewer stretches
    return length


def deal_stretches(
    own: NDArray[np.int64], ends: NDArray[np.int64], k: int, l: int,  # noqa: E741
    random: Randomness,
) -> NDArray[np.int64]:  # fmt: skip
    """The group at each position; `own` are the labels by position, `ends` where stretches begin, and the end."""
    n, lengths = len(own), np.diff(ends)
    stretch = np.repeat(np.arange(len(lengths)), lengths)
    _, cell, counts = np.unique(stretch * (own.max() + 1) + own, return_inverse=True, return_counts=True)
    shuffled = random.permutation(n)
    laid = shuffled[np.lexsort((cell[shuffled], -counts[cell[shuffled]], stretch[shuffled]))]
    n_groups = lengths // l
    first = np.cumsum(n_groups) - n_groups
    group = np.empty(n, dtype=np.int64)
    group[laid] = first[stretch] + (np.arange(n) - ends[stretch]) % n_groups[stretch]
    together = -(-k // l)
    return group if together == 1 else _join_groups(n_groups, together, random)[group]


def _join_groups(n_groups: NDArray[np.int64], together: int, random: Randomness) -> NDArray[np.int64]:
    """The new number of each group: inside a stretch, `together` random groups become one, or a few more the last."""
    stretch = np.repeat(np.arange(len(n_groups)), n_groups)
    n_joined = np.maximum(n_groups // together, 1)
    first, begins = (np.cumsum(each) - each for each in (n_joined, n_groups))
    shuffled = random.permutation(len(stretch))
    laid = shuffled[np.argsort(stretch[shuffled], kind="stable")]
    number = np.empty(len(stretch), dtype=np.int64)
    place = (np.arange(len(stretch)) - begins[stretch]) // together
    number[laid] = first[stretch] + np.minimum(place, n_joined[stretch] - 1)
    return number


def _ends(n: int, length: int) -> NDArray[np.int64]:
    """Where stretches begin, and the end: all of the length or a little more, by position alone."""
    n_stretches = max(n // length, 1)
    return np.arange(n_stretches + 1, dtype=np.int64) * n // n_stretches


def _eligible(own: NDArray[np.int64], ends: NDArray[np.int64], l: int) -> bool:  # noqa: E741
    """Whether in no stretch a label is on more than one record in l."""
    lengths, width = np.diff(ends), int(own.max()) + 1
    cells, counts = np.unique(np.repeat(np.arange(len(lengths)), lengths) * width + own, return_counts=True)
    return bool((counts * l <= lengths[cells // width]).all())
