"""Kernels: frequency sets. Which class every entry falls into at a node of the lattice, and which classes are allowed.

An entry is a combination of codes with the number of records that have it. Its key at a node is one integer, the
parts of its columns as digits of mixed radix, looked up in an open hash table. Where the digits do not fit into 64
bits, keys are hashes and entries with equal ones are compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.privacy.criteria import Criteria, holds
from sfumato.tables.coding.levels import Levels

__all__ = ["Scratch", "allowed_classes", "classify", "merge_entries", "scratch_for", "take_classes"]


class Scratch(NamedTuple):
    """Arrays that `classify` works in: a hash table; the class of each entry; first entry and size of each class."""

    key: NDArray[np.uint64]
    holder: NDArray[np.int32]
    ids: NDArray[np.int32]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]


def scratch_for(n: int) -> Scratch:
    """Scratch arrays for `n` entries."""
    slots = 1 << max(4, int(2 * n - 1).bit_length())
    return Scratch(
        key=np.empty(slots, dtype=np.uint64), holder=np.empty(slots, dtype=np.int32), ids=np.empty(n, dtype=np.int32),
        first=np.empty(n, dtype=np.int64), sizes=np.empty(n, dtype=np.int64),
    )  # fmt: skip


@kernel
def _mix_bits(key: Any) -> Any:
    """A hash of a 64-bit key: the finaliser of SplitMix64."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def _falls_together(levels: Levels, node: NDArray[np.int64], a: NDArray[np.int32], b: NDArray[np.int32]) -> bool:
    """Whether two records fall into the same class at a node."""
    for c in range(node.shape[0]):
        at = levels.offset[c, node[c]] + 1
        if levels.part[at + a[c]] != levels.part[at + b[c]]:
            return False
    return True


@kernel
def classify(
    levels: Levels, node: NDArray[np.int64], codes: NDArray[np.int32], entries: NDArray[np.int64],
    weight: NDArray[np.int64], scratch: Scratch,
) -> int:  # fmt: skip
    """Number the classes of the entries; returns how many there are.

    `scratch` then has the class of each entry, and the first entry and the size of each class.
    """
    d, n = node.shape[0], entries.shape[0]
    slots = np.int64(16)
    while slots < 2 * n:
        slots *= 2
    mask = np.uint64(slots - 1)
    scratch.holder[:slots] = -1
    base, radix, room = np.empty(d, dtype=np.int64), np.empty(d, dtype=np.uint64), 1.0
    for c in range(d):
        base[c] = levels.offset[c, node[c]] + 1
        radix[c] = np.uint64(levels.n_parts[c, node[c]])
        room *= levels.n_parts[c, node[c]]
    packed = room < 2.0**63
    n_classes = 0
    for a in range(n):
        record = codes[entries[a]]
        key = np.uint64(0)
        if packed:
            for c in range(d):
                key = key * radix[c] + np.uint64(levels.part[base[c] + record[c]])
        else:
            for c in range(d):
                key = _mix_bits(key + np.uint64(levels.part[base[c] + record[c]]) + np.uint64(0x9E3779B97F4A7C15))
        slot = _mix_bits(key) & mask
        while True:
            holder = scratch.holder[slot]
            if holder < 0:
                scratch.key[slot], scratch.holder[slot] = key, n_classes
                scratch.first[n_classes], scratch.sizes[n_classes] = entries[a], weight[a]
                scratch.ids[a] = n_classes
                n_classes += 1
                break
            first = codes[scratch.first[holder]]
            if scratch.key[slot] == key and (packed or _falls_together(levels, node, record, first)):
                scratch.sizes[holder] += weight[a]
                scratch.ids[a] = holder
                break
            slot = (slot + np.uint64(1)) & mask
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
    starts = np.zeros(n_classes + 1, dtype=np.int64)
    for a in range(entries.shape[0]):
        starts[ids[a] + 1] += 1
    for g in range(n_classes):
        starts[g + 1] += starts[g]
    place, order = starts[:-1].copy(), np.empty(entries.shape[0], dtype=np.int64)
    for a in range(entries.shape[0]):
        order[place[ids[a]]] = a
        place[ids[a]] += 1
    counts = np.zeros(criteria.total.shape[0], dtype=np.int64)
    room = np.zeros(criteria.n_nodes)
    for g in range(n_classes):
        if not allowed[g]:
            continue
        counts[:] = 0
        for at in range(starts[g], starts[g + 1]):
            a = order[at]
            for s in range(sensitive.shape[1]):
                counts[criteria.offset[s] + sensitive[entries[a], s]] += weight[a]
        allowed[g] = holds(criteria, sizes[g], counts, room)
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
    slots = np.int64(16)
    while slots < 2 * n:
        slots *= 2
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


@kernel
def take_classes(
    levels: Levels, node: NDArray[np.int64], codes: NDArray[np.int32], entries: NDArray[np.int64],
    weight: NDArray[np.int64], n_open: int, criteria: Criteria, sensitive: NDArray[np.int32], limit: float,
    group: NDArray[np.int64], n_groups: int, scratch: Scratch,
) -> tuple[Any, Any, float]:  # fmt: skip
    """Make groups of the allowed classes of the open entries that lose at most `limit`; the others stay open.

    `entries` and `weight` are closed up in place. Returns how many stay open, how many groups there are, and the
    least loss of an allowed class that was left.
    """
    n_classes = classify(levels, node, codes, entries[:n_open], weight[:n_open], scratch)
    enough = False
    for g in range(n_classes):
        if scratch.sizes[g] >= criteria.min_size:
            enough = True
            break
    if not enough:
        return n_open, n_groups, np.inf
    allowed = allowed_classes(
        criteria, entries[:n_open], weight[:n_open], sensitive, scratch.ids, scratch.sizes, n_classes
    )
    number = np.full(n_classes, -1, dtype=np.int64)
    later = np.inf
    for g in range(n_classes):
        if not allowed[g]:
            continue
        loss, record = 0.0, codes[scratch.first[g]]
        for c in range(node.shape[0]):
            loss += levels.weight[c] * levels.loss[levels.offset[c, node[c]] + 1 + record[c]]
        if loss <= limit:
            number[g] = n_groups
            n_groups += 1
        else:
            later = min(later, loss)
    left = 0
    for a in range(n_open):
        g = number[scratch.ids[a]]
        if g >= 0:
            group[entries[a]] = g
        else:
            entries[left], weight[left] = entries[a], weight[a]
            left += 1
    return left, n_groups, later
