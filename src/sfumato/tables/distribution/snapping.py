"""Simple ratios, which small groups can follow: the simplest ones within a distance of a target's own.

With 713 : 714 at the root, none of 700 values could be shown more narrowly than as the whole domain, and no fake value
would help; with 1 : 1, at a total variation of 1/2854, all can.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.distribution.annotated import AnnotatedTree

__all__ = ["snap_ratios"]

_LARGEST = 256


def snap_ratios(tree: AnnotatedTree, share: float) -> AnnotatedTree:
    """The tree with, at every node, the ratio of the least sum within a total variation `share` of the true one."""
    shape = tree.shape
    ratio = _snap(shape.child_starts, shape.children, tree.weight, tree.ratio, share, _LARGEST)
    return replace(tree, ratio=ratio)


@kernel
def _snap(
    child_starts: NDArray[np.int64], children: NDArray[np.int64], weight: NDArray[np.int64], ratio: NDArray[np.int64],
    share: float, largest: int,
) -> NDArray[np.int64]:  # fmt: skip
    """The ratio of every node among its siblings; the true one where none with a sum up to `largest` is near enough."""
    found = ratio.copy()
    for v in range(child_starts.shape[0] - 1):
        a, b = child_starts[v], child_starts[v + 1]
        if b - a < 2 or weight[v] == 0:
            continue
        whole = 0
        for i in range(a, b):
            whole += ratio[children[i]]
        parts = np.empty(b - a, dtype=np.int64)
        for total in range(1, min(largest, whole - 1) + 1):
            left = total
            for i in range(a, b):
                parts[i - a] = np.int64(np.floor(total * (ratio[children[i]] / whole)))
                left -= parts[i - a]
            while left > 0:
                best, at = -1.0, 0
                for i in range(b - a):
                    lacks = total * (ratio[children[a + i]] / whole) - parts[i]
                    if lacks > best:
                        best, at = lacks, i
                parts[at] += 1
                left -= 1
            off = 0.0
            for i in range(b - a):
                off += abs(parts[i] / total - ratio[children[a + i]] / whole)
            if 0.5 * off <= share:
                for i in range(b - a):
                    found[children[a + i]] = parts[i]
                break
    return found
