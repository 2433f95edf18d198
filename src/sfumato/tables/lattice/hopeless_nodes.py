"""Nodes of the lattice at which nothing can be taken any more, and all nodes below them.

Where no class of the open records is large enough at a node, none is at any node below, now or later: classes are
finer there, and open records grow fewer. In a large lattice that holds of nearly all nodes by the time they would be
visited. So from a node that is found hopeless one climbs as long as it stays so, and spares all below the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.tables.lattice.lattice import Lattice, Node

__all__ = ["HopelessNodes"]

_MOST_NODES = 1 << 24
"""Of larger lattices nothing is remembered."""
_TRIES = 2
"""A climb ends when so many steps in a row led to a node with hope."""


class HopelessNodes:
    """Which nodes are known to be hopeless; `is_hopeless` finds it of one, at a price."""

    def __init__(
        self, lattice: Lattice, costs: Sequence[NDArray[np.float64]], is_hopeless: Callable[[Node], bool]
    ) -> None:  # fmt: skip
        self._lattice, self._is_hopeless = lattice, is_hopeless
        self._steps = [np.diff(cost) for cost in costs]
        remembered = len(lattice) <= _MOST_NODES
        self._known = np.zeros([top + 1 for top in lattice.tops], dtype=np.bool_) if remembered else None

    def has(self, node: Node) -> bool:
        """Whether a node is hopeless."""
        if self._known is not None and self._known[node]:
            return True
        if not self._is_hopeless(node):
            return False
        if self._known is not None:
            highest = self._climb(node)
            self._known[tuple(slice(level + 1) for level in highest)] = True
        return True

    def _climb(self, node: Node) -> Node:
        """The node to which steps lead, each the one that costs least, as long as all is hopeless."""
        assert self._known is not None
        steps = sorted(
            (float(self._steps[c][level]), c, level)
            for c, top in enumerate(self._lattice.tops) for level in range(node[c], top)
        )  # fmt: skip
        failed: set[int] = set()
        for _, c, level in steps:
            if c in failed or node[c] != level:
                continue
            above = (*node[:c], level + 1, *node[c + 1 :])
            if self._known[above] or self._is_hopeless(above):
                node = above
                continue
            failed.add(c)
            if len(failed) == _TRIES:
                break
        return node
