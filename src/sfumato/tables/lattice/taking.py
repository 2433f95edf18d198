"""Kernels: classes of the open entries are taken at a node of the lattice and become groups.

Most entries of most nodes are in classes that are too small. These are found by counting entries in buckets, by a hash
of their class: a class has no more records than its bucket. Only the rest is looked up in a hash table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria
from sfumato.tables.coding.levels import Levels
from sfumato.tables.lattice.frequency_sets import Scratch, allowed_classes, classify

__all__ = [
    "At", "Open", "Taken", "Workshop", "bucket_of", "close_up", "empty_buckets", "loss_of_class", "may_be_large",
    "take_classes", "take_whole", "workshop_for",
]  # fmt: skip

_MOST_BUCKETS = 1 << 18


class At(NamedTuple):
    """A node of the lattice, and which bits of a path say a record's class there."""

    node: NDArray[np.int64]
    mask: NDArray[np.uint64]


class Open(NamedTuple):
    """The entries that are in no group yet, closed up at the front: how many records each has, and its path."""

    entry: NDArray[np.int64]
    weight: NDArray[np.int64]
    words: NDArray[np.uint64]


class Taken(NamedTuple):
    """What was taken: the group of every entry, and the size of each group."""

    group: NDArray[np.int64]
    size: NDArray[np.int64]
    n: NDArray[np.int64]
    """How many entries are open, and how many groups there are."""


class Workshop(NamedTuple):
    """Space to work in: buckets; bucket and place of each open entry; those looked up; number and loss of a class."""

    tally: NDArray[np.int32]
    bucket: NDArray[np.int32]
    place: NDArray[np.int64]
    entry: NDArray[np.int64]
    weight: NDArray[np.int64]
    number: NDArray[np.int64]
    loss: NDArray[np.float64]


def workshop_for(n: int) -> Workshop:
    """Space for `n` entries."""
    buckets = min(_MOST_BUCKETS, 1 << max(4, int(2 * n - 1).bit_length()))
    place, entry, weight, number = (np.empty(n, dtype=np.int64) for _ in range(4))
    return Workshop(
        np.zeros(buckets, dtype=np.int32), np.empty(n, dtype=np.int32), place, entry, weight, number, np.empty(n)
    )


@kernel
def bucket_of(words: NDArray[np.uint64], mask: NDArray[np.uint64], i: int, shift: Any) -> Any:
    """The bucket of the path in row `i`: the highest bits of a product."""
    key = np.uint64(0)
    for w in range(mask.shape[0]):
        key = (key ^ (words[i, w] & mask[w])) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(32)
    return np.int64((key * np.uint64(0xBF58476D1CE4E5B9)) >> shift)


@kernel
def empty_buckets(count: NDArray[np.int32], n: int) -> Any:
    """Empty as many buckets as `n` entries need; returns by how much a hash is shifted to be one of them."""
    n_buckets, shift = np.int64(16), np.uint64(60)
    while n_buckets < 2 * n and n_buckets < count.shape[0]:
        n_buckets *= 2
        shift -= np.uint64(1)
    count[:n_buckets] = 0
    return shift


@kernel
def may_be_large(open_: Open, mask: NDArray[np.uint64], n_open: int, least: int, count: NDArray[np.int32]) -> bool:
    """Whether some class of the open entries may have so many records; if not, it is certain that none has."""
    shift, n_words, words, weight = empty_buckets(count, n_open), mask.shape[0], open_.words, open_.weight
    for a in range(n_open):  # `bucket_of`, written out: a call would take longer than what it does
        key = np.uint64(0)
        for w in range(n_words):
            key = (key ^ (words[a, w] & mask[w])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(32)
        b = np.int64((key * np.uint64(0xBF58476D1CE4E5B9)) >> shift)
        count[b] += weight[a]
        if count[b] >= least:
            return True
    return False


@kernel
def loss_of_class(levels: Levels, node: NDArray[np.int64], record: NDArray[np.int32]) -> float:
    """What a class at a node loses that has this record."""
    loss = 0.0
    for c in range(node.shape[0]):
        loss += levels.weight[c] * levels.loss[levels.offset[c, node[c]] + 1 + record[c]]
    return loss


@kernel
def take_classes(
    levels: Levels, at: At, words: NDArray[np.uint64], codes: NDArray[np.int32], criteria: Criteria, limit: float,
    open_: Open, taken: Taken, scratch: Scratch, workshop: Workshop,
) -> float:  # fmt: skip
    """Make groups of the allowed classes of the open entries that lose at most `limit`; the others stay open.

    Entries are closed up in place. Returns the least loss of an allowed class that was left.
    """
    n_open, count, bucket = taken.n[0], workshop.tally, workshop.bucket
    shift, n_words, mask, own = empty_buckets(count, n_open), at.mask.shape[0], at.mask, open_.words
    for a in range(n_open):  # as in `may_be_large`
        key = np.uint64(0)
        for w in range(n_words):
            key = (key ^ (own[a, w] & mask[w])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(32)
        b = np.int64((key * np.uint64(0xBF58476D1CE4E5B9)) >> shift)
        bucket[a] = b
        count[b] += open_.weight[a]
    m = 0
    for a in range(n_open):
        if count[bucket[a]] >= criteria.min_size:
            workshop.place[m], workshop.entry[m], workshop.weight[m] = a, open_.entry[a], open_.weight[a]
            m += 1
    if m == 0:
        return np.inf
    n_classes = classify(words, at.mask, workshop.entry[:m], workshop.weight[:m], scratch)
    later, n_taken = take_whole(levels, at, codes, criteria, limit, taken, scratch, workshop, m, n_classes)
    if n_taken > 0:
        close_up(open_, taken, scratch, workshop, m)
    return float(later)


@kernel
def take_whole(
    levels: Levels, at: At, codes: NDArray[np.int32], criteria: Criteria, limit: float, taken: Taken, scratch: Scratch,
    workshop: Workshop, m: int, n_classes: int,
) -> tuple[float, int]:  # fmt: skip
    """Number the classes that are allowed as they are; returns the least loss of one that was left, and how many."""
    allowed = allowed_classes(
        criteria, workshop.entry[:m], workshop.weight[:m], criteria.codes, scratch.ids, scratch.sizes, n_classes
    )
    later, n_taken = np.inf, 0
    for g in range(n_classes):
        workshop.number[g] = -1
        if not allowed[g]:
            continue
        workshop.loss[g] = loss_of_class(levels, at.node, codes[scratch.first[g]])
        if workshop.loss[g] <= limit:
            workshop.number[g] = taken.n[1]
            taken.size[taken.n[1]] = scratch.sizes[g]
            taken.n[1] += 1
            n_taken += 1
        else:
            later = min(later, workshop.loss[g])
    return later, n_taken


@kernel
def close_up(open_: Open, taken: Taken, scratch: Scratch, workshop: Workshop, m: int) -> None:
    """Note the groups of the entries that were taken, and close up the others."""
    left, at = 0, 0
    for a in range(taken.n[0]):
        g = np.int64(-1)
        if at < m and workshop.place[at] == a:
            g = workshop.number[scratch.ids[at]]
            at += 1
        if g >= 0:
            taken.group[open_.entry[a]] = g
            continue
        open_.entry[left], open_.weight[left] = open_.entry[a], open_.weight[a]
        for w in range(open_.words.shape[1]):
            open_.words[left, w] = open_.words[a, w]
        left += 1
    taken.n[0] = left
