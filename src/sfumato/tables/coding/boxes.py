"""Kernels: the bounding box of a group, grown one record at a time, and what it costs.

A box is two arrays. `extent[c]` holds, for a column of ranges or with a hierarchy, the smallest and largest code and
whether a record lacks a value; for a set, how many different values there are. `seen` holds the members of all sets
as bits; the bits of column `c` begin at word `words[c]` (see `word_offsets`). Records are the rows of `data`, codes
side by side. Everything costs O(d) per record, and the loss is the normalised certainty penalty (weights sum to 1).

Called by the methods of `grouping/` and by `lattice/polish.py`; the same rule, the penalty, also stands in the `_add`
kernels of `grouping/cutting/k_optimal.py`, and for checks in `published/tables/cells.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.coding.columns import RANGE, SET, Columns

__all__ = [
    "add_record", "clear_box", "count_bits", "group_losses", "join_boxes", "loss_of_box", "loss_of_span",
    "loss_with_record", "records", "word_offsets",
]  # fmt: skip

_NONE = -1


def records(columns: Columns, order: NDArray[np.int64] | None = None) -> NDArray[np.int32]:
    """The codes of the records, a line of the array for each, in the given order of rows."""
    codes = columns.codes if order is None else columns.codes[:, order]
    return np.ascontiguousarray(codes.T)


def word_offsets(columns: Columns) -> NDArray[np.int64]:
    """Where the bits of each column begin among the words of a box, and at the end how many words a box has."""
    n_words = np.where(columns.shape == SET, (columns.n_codes + 63) // 64, 0)
    return np.concatenate([[0], np.cumsum(n_words)]).astype(np.int64)


@kernel
def clear_box(columns: Columns, extent: NDArray[np.int32], seen: NDArray[np.uint64]) -> None:
    """Make a box empty."""
    for c in range(extent.shape[0]):
        extent[c, 0] = 0 if columns.shape[c] == SET else _NONE
        extent[c, 1] = _NONE
        extent[c, 2] = 0
    for w in range(seen.shape[0]):
        seen[w] = np.uint64(0)


@kernel
def add_record(
    columns: Columns,
    words: NDArray[np.int64],
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
    record: NDArray[np.int32],
) -> None:
    """Grow a box by one record."""
    for c in range(extent.shape[0]):
        code = record[c]
        if columns.shape[c] == SET:
            word, bit = words[c] + (code >> 6), np.uint64(1) << np.uint64(code & 63)
            if not seen[word] & bit:
                seen[word] |= bit
                extent[c, 0] += 1
        elif code < 0:
            extent[c, 2] = 1
        else:
            if extent[c, 0] < 0 or code < extent[c, 0]:
                extent[c, 0] = code
            if code > extent[c, 1]:
                extent[c, 1] = code


@kernel
def join_boxes(
    columns: Columns,
    words: NDArray[np.int64],
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
    other: NDArray[np.int32],
    other_seen: NDArray[np.uint64],
) -> None:
    """Grow a box to cover another."""
    for c in range(extent.shape[0]):
        if columns.shape[c] == SET:
            distinct = 0
            for w in range(words[c], words[c + 1]):
                seen[w] |= other_seen[w]
                distinct += count_bits(seen[w])
            extent[c, 0] = distinct
            continue
        if other[c, 0] >= 0 and (extent[c, 0] < 0 or other[c, 0] < extent[c, 0]):
            extent[c, 0] = other[c, 0]
        extent[c, 1] = max(extent[c, 1], other[c, 1])
        extent[c, 2] |= other[c, 2]


@kernel
def count_bits(word: Any) -> int:
    """How many bits of a 64-bit word are set."""
    x = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def loss_of_span(columns: Columns, c: int, low: Any, high: Any, lacking: Any) -> Any:
    """The loss of one column with ranges or a hierarchy in a group whose codes go from `low` to `high`.

    `lacking` says whether some record of the group lacks a value; `low` is negative where all do.
    """
    if low < 0:
        return 0.0
    if columns.shape[c] == RANGE:
        at = columns.offset[c]
        loss = columns.position[at + high] - columns.position[at + low]
    else:
        base = columns.node_offset[c]
        node = base + columns.leaf_node[columns.offset[c] + low]
        while columns.last[node] < high:
            node = base + columns.parent[node]
        loss = columns.node_loss[node]
    return 0.5 + 0.5 * loss if lacking else loss


@kernel
def loss_of_box(columns: Columns, extent: NDArray[np.int32]) -> float:
    """The loss of a group with this box."""
    total = 0.0
    for c in range(extent.shape[0]):
        if columns.shape[c] == SET:
            if extent[c, 0] > 1:
                total += columns.weight[c] * extent[c, 0] / columns.n_codes[c]
        elif extent[c, 0] < extent[c, 1] or extent[c, 2]:
            total += columns.weight[c] * loss_of_span(columns, c, extent[c, 0], extent[c, 1], extent[c, 2])
    return total


@kernel
def loss_with_record(
    columns: Columns,
    words: NDArray[np.int64],
    extent: NDArray[np.int32],
    seen: NDArray[np.uint64],
    record: NDArray[np.int32],
) -> float:
    """The loss of the group once this record is in it; the box stays as it is."""
    total = 0.0
    for c in range(extent.shape[0]):
        code = record[c]
        if columns.shape[c] == SET:
            new = not seen[words[c] + (code >> 6)] & (np.uint64(1) << np.uint64(code & 63))
            distinct = extent[c, 0] + new
            if distinct > 1:
                total += columns.weight[c] * distinct / columns.n_codes[c]
            continue
        low, high, lacking = extent[c, 0], extent[c, 1], extent[c, 2]
        if code < 0:
            lacking = np.int32(1)
        else:
            low = code if low < 0 or code < low else low
            high = max(high, code)
        if low < high or lacking:
            total += columns.weight[c] * loss_of_span(columns, c, low, high, lacking)
    return total


@kernel
def group_losses(
    columns: Columns,
    words: NDArray[np.int64],
    data: NDArray[np.int32],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The loss of every group, `order[starts[g]:starts[g + 1]]` being the records of group g."""
    n_groups = starts.shape[0] - 1
    losses = np.empty(n_groups)
    extent, seen = np.empty((data.shape[1], 3), dtype=np.int32), np.empty(words[-1], dtype=np.uint64)
    for g in range(n_groups):
        clear_box(columns, extent, seen)
        for i in range(starts[g], starts[g + 1]):
            add_record(columns, words, extent, seen, data[order[i]])
        losses[g] = loss_of_box(columns, extent)
    return losses
