"""The lattice of full-domain generalisations: a node says the level of every column.

Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001. Above a node lie those that
generalise some column further; the bottom shows every value as recorded, the top nothing at all.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Borders", "Lattice", "Node", "is_below", "nodes_by_cost"]

Node: TypeAlias = tuple[int, ...]
"""The level of every column."""


def is_below(first: Node, second: Node) -> bool:
    """Whether the first node is below the second, or equal: it generalises no column further."""
    return all(a <= b for a, b in zip(first, second, strict=True))


@dataclass(frozen=True)
class Lattice:
    """All nodes from (0, ..., 0) to `tops`."""

    tops: Node

    @property
    def bottom(self) -> Node:
        """Every value as recorded."""
        return (0,) * len(self.tops)

    @property
    def height(self) -> int:
        """Steps from the bottom to the top."""
        return sum(self.tops)

    def __len__(self) -> int:
        return math.prod(top + 1 for top in self.tops)

    def __iter__(self) -> Iterator[Node]:
        return itertools.product(*(range(top + 1) for top in self.tops))

    def successors(self, node: Node) -> Iterator[Node]:
        """The nodes one step above."""
        for c, level in enumerate(node):
            if level < self.tops[c]:
                yield (*node[:c], level + 1, *node[c + 1 :])

    def at_height(self, height: int) -> Iterator[Node]:
        """The nodes that lie `height` steps above the bottom."""

        def nodes_from(c: int, left: int) -> Iterator[Node]:
            if c == len(self.tops):
                yield ()
                return
            rest = sum(self.tops[c + 1 :])
            for level in range(max(0, left - rest), min(self.tops[c], left) + 1):
                for others in nodes_from(c + 1, left - level):
                    yield (level, *others)

        return nodes_from(0, height)


class Borders:
    """A set of nodes, each of which decides all nodes above it, or all below it."""

    def __init__(self, d: int) -> None:
        self._nodes: NDArray[np.int64] = np.empty((0, d), dtype=np.int64)

    def add(self, node: Node) -> None:
        """Add a node to the set."""
        self._nodes = np.concatenate([self._nodes, [node]])

    def covers_from_above(self, node: Node) -> bool:
        """Whether the node is in the set, or below a node of it."""
        return bool((self._nodes >= node).all(axis=1).any())

    def covers_from_below(self, node: Node) -> bool:
        """Whether the node is in the set, or above a node of it."""
        return bool((self._nodes <= node).all(axis=1).any())


_LISTED = 200_000
"""Lattices of up to this many nodes are sorted whole; larger ones are walked with a heap."""


def nodes_by_cost(lattice: Lattice, costs: Sequence[NDArray[np.float64]]) -> Iterator[tuple[float, Node]]:
    """All nodes in rising order of the sum of their columns' costs, which never fall with the level.

    A node comes before those above it, also where they cost the same.
    """
    if len(lattice) <= _LISTED:
        nodes = np.array(list(lattice), dtype=np.int64).reshape(len(lattice), len(lattice.tops))
        total = np.zeros(len(nodes))
        for c, cost in enumerate(costs):
            total += cost[nodes[:, c]]
        order = np.lexsort((nodes.sum(axis=1), total))
        for i in order.tolist():
            yield float(total[i]), tuple(nodes[i].tolist())
        return
    yield from _walk_by_cost(lattice, costs)


def _walk_by_cost(lattice: Lattice, costs: Sequence[NDArray[np.float64]]) -> Iterator[tuple[float, Node]]:
    """The same by a heap; every node is reached once, from the one with its last raised column a level lower."""
    import heapq

    start = lattice.bottom
    heap = [(float(sum(cost[0] for cost in costs)), 0, start, 0)]
    while heap:
        total, height, node, last = heapq.heappop(heap)
        yield total, node
        for c in range(last, len(node)):
            if node[c] < lattice.tops[c]:
                above = (*node[:c], node[c] + 1, *node[c + 1 :])
                step = float(costs[c][node[c] + 1] - costs[c][node[c]])
                heapq.heappush(heap, (total + step, height + 1, above, c))
