"""Kernels: frequency sets. Which class every entry falls into at a node of the lattice, and which classes are allowed.

An entry is a combination of codes with the number of records that have it. Entries are in one class at a node where a
mask leaves the same of their paths (`coding/paths.py`), which is looked up in an open hash table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria, holds

__all__ = ["Scratch", "allowed_classes", "classify", "merge_entries", "scratch_for", "slots_for"]


_CELLS = 1 << 20
"""How many counts of sensitive values are kept at once."""


class Scratch(NamedTuple):
    """Arrays that `classify` works in: a hash table; the class of each entry; first entry and size of each class."""

    holder: NDArray[np.int32]
    ids: NDArray[np.int32]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]


def scratch_for(n: int) -> Scratch:
    """Scratch arrays for `n` entries."""
    slots = 1 << max(4, int(2 * n - 1).bit_length())
    return Scratch(
        holder=np.empty(slots, dtype=np.int32), ids=np.empty(n, dtype=np.int32), first=np.empty(n, dtype=np.int64),
        sizes=np.empty(n, dtype=np.int64),
    )  # fmt: skip


@kernel
def _mix_bits(key: Any) -> Any:
    """A hash of a 64-bit key: the finaliser of SplitMix64."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def slots_for(n: int) -> int:
    """How many slots the hash table of `n` entries has."""
    slots = np.int64(16)
    while slots < 2 * n:
        slots *= 2
    return int(slots)


@kernel
def classify(
    words: NDArray[np.uint64], mask: NDArray[np.uint64], entries: NDArray[np.int64], weight: NDArray[np.int64],
    scratch: Scratch,
) -> int:  # fmt: skip
    """Number the classes of the entries, by what the mask leaves of their paths; returns how many there are.

    `scratch` then has the class of each entry, and the first entry and the size of each class. This is where the time
    goes, and calls would take most of it.
    """
    n, n_words = entries.shape[0], mask.shape[0]
    n_slots = slots_for(n)
    holder, ids, firsts, sizes = scratch.holder, scratch.ids, scratch.first, scratch.sizes
    holder[:n_slots] = -1
    bits = np.uint64(n_slots - 1)
    n_classes = 0
    for a in range(n):
        i, key = entries[a], np.uint64(0)
        for w in range(n_words):
            key += words[i, w] & mask[w]
            key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            key ^= key >> np.uint64(31)
        slot = key & bits
        g = holder[slot]
        while g >= 0:
            first, differs = firsts[g], np.uint64(0)
            for w in range(n_words):
                differs |= (words[i, w] ^ words[first, w]) & mask[w]
            if not differs:
                break
            slot = (slot + np.uint64(1)) & bits
            g = holder[slot]
        if g < 0:
            g = np.int32(n_classes)
            holder[slot], firsts[g], sizes[g] = g, i, 0
            n_classes += 1
        ids[a] = g
        sizes[g] += weight[a]
    return n_classes


@kernel
def allowed_classes(
    criteria: Criteria, entries: NDArray[np.int64], weight: NDArray[np.int64], sensitive: NDArray[np.int32],
    ids: NDArray[np.int32], sizes: NDArray[np.int64], n_classes: int,
) -> NDArray[np.bool_]:  # fmt: skip
    """Whether each class keeps the criteria; `sensitive` has the codes of every entry's sensitive columns."""
    allowed = np.empty(n_classes, dtype=np.bool_)
    for g in range(n_classes):
        allowed[g] = sizes[g] >= criteria.min_size
    if criteria.kind.shape[0] == 0:
        return allowed
    n_values = criteria.total.shape[0]
    at_once = max(1, min(n_classes, _CELLS // max(n_values, 1)))
    histogram, room = np.empty((at_once, n_values), dtype=np.int64), np.zeros(criteria.n_nodes)
    row = np.empty(n_classes, dtype=np.int32)
    g = 0
    while g < n_classes:
        n_rows, first = 0, g
        while g < n_classes and n_rows < at_once:  # as many classes as there are rows for
            if allowed[g]:
                row[g] = n_rows
                n_rows += 1
            g += 1
        histogram[:n_rows] = 0
        for a in range(entries.shape[0]):
            own = ids[a]
            if first <= own < g and allowed[own]:
                for s in range(sensitive.shape[1]):
                    histogram[row[own], criteria.offset[s] + sensitive[entries[a], s]] += weight[a]
        for own in range(first, g):
            if allowed[own]:
                allowed[own] = holds(criteria, sizes[own], histogram[row[own]], room)
    return allowed


@kernel
def merge_entries(
    ids: NDArray[np.int32],
    profile: NDArray[np.int64],
    entries: NDArray[np.int64],
    weight: NDArray[np.int64],
    n_profiles: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merge the entries of each class and sensitive profile into one: entries and weights of the new frequency set."""
    n = entries.shape[0]
    slots = slots_for(n)
    mask = np.uint64(slots - 1)
    key, holder = np.empty(slots, dtype=np.uint64), np.full(slots, -1, dtype=np.int32)
    joined, total = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    m = 0
    for a in range(n):
        own = np.uint64(ids[a]) * np.uint64(n_profiles) + np.uint64(profile[entries[a]])
        slot = _mix_bits(own) & mask
        while holder[slot] >= 0 and key[slot] != own:
            slot = (slot + np.uint64(1)) & mask
        if holder[slot] < 0:
            key[slot], holder[slot] = own, m
            joined[m], total[m] = entries[a], weight[a]
            m += 1
        else:
            total[holder[slot]] += weight[a]
    return joined[:m].copy(), total[:m].copy()
