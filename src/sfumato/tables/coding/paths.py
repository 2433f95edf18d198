"""Where every record lies at all levels at once, as bits: its class at a node is what a mask leaves of them.

Levels are nested, so the part of a value at one level is told by its part at the level above and a number within that.
These numbers are fields of bits, one for each level of each column. Records are in one class at a node where they agree
in the fields of the node's levels and of all levels above: one AND per word, whatever the number of columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.tables.coding.levels import Levels

__all__ = ["Paths", "paths_of"]

_BITS = 64


class Paths(NamedTuple):
    """The bits of every record, and which of them say its part of each column at each level."""

    words: NDArray[np.uint64]
    """A row for each record, as many words as the fields need."""
    masks: NDArray[np.uint64]
    """By column, level and word."""

    def mask(self, node: Sequence[int]) -> NDArray[np.uint64]:
        """The bits that say a record's class at a node, which has a level for each column."""
        chosen = self.masks[np.arange(len(node)), list(node)]
        return np.asarray(np.bitwise_or.reduce(chosen, axis=0, initial=np.uint64(0)), dtype=np.uint64)


def paths_of(levels: Levels, codes: NDArray[np.int32]) -> Paths:
    """The paths of records, given by their codes, a row for each."""
    d, most = levels.offset.shape
    fields: list[tuple[int, int, NDArray[np.int64], int]] = []  # column, level, what each code has there, bits
    for c, top in enumerate(levels.tops.tolist()):
        n_codes = int(levels.offset[c, 1] - levels.offset[c, 0]) if top else 0
        above = np.zeros(n_codes, dtype=np.int64)
        for level in range(top - 1, -1, -1):
            at = levels.offset[c, level]
            part = levels.part[at : at + n_codes].astype(np.int64)
            within = _number_within(above, part)
            fields.append((c, level, within, int(within.max(initial=0)).bit_length()))
            above = part
    places, n_words, used = [], 1, 0
    for *_, bits in fields:
        if used + bits > _BITS:
            n_words, used = n_words + 1, 0
        places.append((n_words - 1, used))
        used += bits
    words = np.zeros((len(codes), n_words), dtype=np.uint64)
    masks = np.zeros((d, most, n_words), dtype=np.uint64)
    for (c, level, within, bits), (word, shift) in zip(fields, places, strict=True):
        words[:, word] |= within[codes[:, c] + 1].astype(np.uint64) << np.uint64(shift)
        masks[c, : level + 1, word] |= np.uint64(((1 << bits) - 1) << shift)
    return Paths(words, masks)


def _number_within(above: NDArray[np.int64], part: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of each part among those that lie in the same part of the level above."""
    pairs = np.unique(np.stack([above, part], axis=1), axis=0)
    first = np.searchsorted(pairs[:, 0], pairs[:, 0])
    rank = np.empty(int(part.max(initial=-1)) + 1, dtype=np.int64)
    rank[pairs[:, 1]] = np.arange(len(pairs)) - first
    return rank[part]
