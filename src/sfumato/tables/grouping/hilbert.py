"""Hilbert: order the records along the Hilbert curve, then cut the order optimally.

Ghinita, Karras, Kalnis & Mamoulis, "A framework for efficient data anonymization under privacy and accuracy
constraints", TODS 34(2), 2009: close in the order is close in space, so that groups of consecutive records are
small in every column, and the best such groups are found by dynamic programming.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.errors import ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.promise import Promise
from sfumato.tables.columns import Columns, flatten
from sfumato.tables.grouping.consecutive import optimal_starts, optimal_starts_1d
from sfumato.tables.grouping.curve import hilbert_keys, radix_order
from sfumato.tables.grouping.groups import GroupingMethod, Groups

__all__ = ["Hilbert"]

_MAX_BITS = 31


@dataclass(frozen=True)
class Hilbert(GroupingMethod):
    """k-anonymity by the Hilbert order and its optimal cut into groups of k to 2k - 1.

    The cut minimises the global certainty penalty among all groups of consecutive records. `fast` measures a
    group by its extent along the curve instead of its loss in every column: less work, more loss.
    """

    fast: bool = False
    show: str = "ranges"

    def groups(self, quasi: Sequence[Coded], sensitive: Sequence[Coded], promise: Promise) -> Groups:
        """Key, sort, cut. O(N (d bits + k d)) time."""
        k = _only_k(promise)
        columns = flatten(quasi)
        keys = hilbert_keys(*_axes(columns))
        order = radix_order(keys)
        if self.fast:
            along = keys[0][order].astype(np.float64)
            for word in keys[1:]:
                along = along * 2.0**64 + word[order].astype(np.float64)
            return Groups(order, optimal_starts_1d(along - along[0], k))
        ordered = columns._replace(codes=np.ascontiguousarray(columns.codes[:, order]))
        return Groups(order, optimal_starts(ordered, k))


def _only_k(promise: Promise) -> int:
    other = next((part for part in promise.parts if not isinstance(part, KAnonymity)), None)
    if other is not None:
        raise ParameterError(f"Hilbert keeps k-anonymity only, not {other!r}; use Mondrian, which keeps any promise")
    return max(part.min_size() for part in promise.parts)


def _axes(columns: Columns) -> tuple[NDArray[np.uint32], int]:
    """Each column as whole numbers below 2**bits that fill the whole range, as its loss does.

    Bits are chosen so that no two values of a column fall together while the key fits 64 bits, or else 128; with
    more columns than that, each keeps one bit and the key grows.
    """
    d = len(columns.shape)
    finest = max(int(columns.n_codes.max()) + 1, 2)
    wanted = min(max(1, (finest - 1).bit_length()), _MAX_BITS)
    bits = wanted if d * wanted <= 64 else max(64 // d, 1) if 64 // d >= 8 else max(1, min(wanted, 128 // d))
    axes = np.empty(columns.codes.shape, dtype=np.uint32)
    for c in range(d):
        start = columns.offset[c]
        position = columns.position[start : start + columns.n_codes[c]]
        spread = float(position[-1] - position[0]) if len(position) else 0.0
        share = (position - position[0]) / spread if spread > 0 else np.zeros(len(position))
        cell = np.rint(share * (2**bits - 1)).astype(np.uint32)
        axes[c] = np.append(cell, np.uint32(0))[columns.codes[c]]  # a missing value (-1) takes the lowest place
    return axes, bits
