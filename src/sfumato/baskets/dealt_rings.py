"""Rings that tell nothing of who carries which label, for adversaries who know every basket and the method.

A ring that is laid with an eye on labels gives them away: whoever knows all items can lay it again under each labelling
that the release leaves open, and the one that leads to the ring seen is the true one. Here the order is cut into
stretches by items alone, all of one length, the first at which every stretch can be l-diverse. Each stretch is a ring
of its own, with a shift of its own. If all its labels differ it stays as it lies; if not, its labels are laid in one
way that depends on how many there are of each, turned by a random angle, and the records of a label are dealt at random
to its places. So every way to shift the labels along a ring is as likely as any other to have led to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.diverse_ring import refuse_frequent, row_deal
from sfumato.randomness import Randomness

__all__ = ["dealt_rings"]

_GROWTH = 1.1  # from one length of stretches that is tried to the next


def dealt_rings(
    labels: NDArray[np.int64], order: NDArray[np.int64], l: int,  # noqa: E741
    random: Randomness, *, names: Sequence[str] | None = None,
) -> list[NDArray[np.int64]]:  # fmt: skip
    """The records of each ring, every l labels in a row distinct. O(n log n)."""
    refuse_frequent(labels, l, l, names)
    n, length = len(order), l
    while True:
        ends = np.linspace(0, n, max(n // length, 1) + 1).astype(np.int64)
        stretches = [order[a:b] for a, b in pairwise(ends)]
        if all(int(np.bincount(labels[each]).max()) * l <= len(each) for each in stretches):
            break
        length = max(length + 1, int(length * _GROWTH))
    return [_dealt(each, labels[each], l, random) for each in stretches]


def _dealt(stretch: NDArray[np.int64], own: NDArray[np.int64], l: int, random: Randomness) -> NDArray[np.int64]:  # noqa: E741
    n = len(stretch)
    if len(np.unique(own)) == n:
        return stretch
    shuffled = random.permutation(n)
    laid = stretch[shuffled][row_deal(own[shuffled], l)]
    return np.roll(laid, int(random.integers(n, size=1)[0]))
