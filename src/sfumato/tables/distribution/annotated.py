"""Privacy-annotated hierarchies: a tree over a domain whose edges carry the ratios of a target distribution.

Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009, section 3.1. The ratios of a node's children are in lowest terms: with
51 : 49 as 510 : 490 no group of fewer than a thousand values could be split.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.tree import Tree

__all__ = ["AnnotatedTree", "TreeArrays", "TreeShape", "annotate", "balanced_tree", "shape_of_hierarchy"]


@dataclass(frozen=True, eq=False)
class TreeShape:
    """A tree over the places 0 to m - 1 of a domain. Nodes are numbered depth first, node 0 is the root.

    Node v covers the places `first[v]` to `last[v]`.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    child_starts: NDArray[np.int64]
    """The children of node v are `children[child_starts[v]:child_starts[v + 1]]`; a leaf has none."""
    children: NDArray[np.int64]

    @classmethod
    def of_parents(cls, first: NDArray[np.int64], last: NDArray[np.int64], parent: NDArray[np.int64]) -> TreeShape:
        """The tree in which every node has the parent given; nodes are numbered depth first."""
        below = np.argsort(parent[1:], kind="stable") + 1
        starts = np.searchsorted(parent[below], np.arange(len(parent) + 1)).astype(np.int64)
        return cls(first, last, starts, below.astype(np.int64))

    @cached_property
    def depth(self) -> int:
        """The most edges from the root to a leaf."""
        depth = np.zeros(len(self.first), dtype=np.int64)
        for v in range(len(depth)):
            depth[self.children[self.child_starts[v] : self.child_starts[v + 1]]] = depth[v] + 1
        return int(depth.max(initial=0))


@dataclass(frozen=True, eq=False)
class AnnotatedTree:
    """A tree with a target distribution, and with what it costs to show a node in place of a value."""

    shape: TreeShape
    weight: NDArray[np.int64]
    """For every node, the sum of the weights of its values."""
    ratio: NDArray[np.int64]
    """For every node, its weight beside its siblings' in lowest terms."""
    ranges: NDArray[np.float64]
    """What a copy of the node costs: its width, or the number of its values."""

    @property
    def arrays(self) -> TreeArrays:
        """The same for kernels."""
        shape = self.shape
        return TreeArrays(
            shape.first, shape.last, shape.child_starts, shape.children, self.weight, self.ratio, self.ranges
        )


class TreeArrays(NamedTuple):
    """An `AnnotatedTree` as kernels take it: see there, and `TreeShape`."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    child_starts: NDArray[np.int64]
    children: NDArray[np.int64]
    weight: NDArray[np.int64]
    ratio: NDArray[np.int64]
    ranges: NDArray[np.float64]


def balanced_tree(n_places: int, arity: int = 2) -> TreeShape:
    """A tree in which every node is cut into `arity` parts whose sizes differ by at most one."""
    first, last, parent = [0], [n_places - 1], [-1]
    stack = [0]
    number: list[tuple[int, int, int]] = []
    while stack or number:
        if number:
            a, b, above = number.pop()
            first.append(a)
            last.append(b)
            parent.append(above)
            node = len(first) - 1
        else:
            node = stack.pop()
        size = last[node] - first[node] + 1
        if size > 1:
            parts = min(arity, size)
            edges = [first[node] + -(-size * i // parts) for i in range(parts + 1)]
            number += [(edges[i], edges[i + 1] - 1, node) for i in reversed(range(parts))]
    as_int = [np.array(given, dtype=np.int64) for given in (first, last, parent)]
    return TreeShape.of_parents(as_int[0], as_int[1], as_int[2])


def shape_of_hierarchy(tree: Tree) -> TreeShape:
    """The shape of the owner's hierarchy over the leaves of its column."""
    return TreeShape.of_parents(tree.first.astype(np.int64), tree.last.astype(np.int64), tree.parent.astype(np.int64))


def annotate(shape: TreeShape, weights: NDArray[np.int64], ranges: NDArray[np.float64]) -> AnnotatedTree:
    """Put a target's weights over the places onto a tree. O(nodes)."""
    total = np.concatenate([[0], np.cumsum(weights)])
    weight = total[shape.last + 1] - total[shape.first]
    ratio = np.zeros_like(weight)
    inner = np.flatnonzero(np.diff(shape.child_starts))
    if len(inner):
        below = weight[shape.children]
        common = np.gcd.reduceat(below, shape.child_starts[inner])
        ratio[shape.children] = below // np.maximum(np.repeat(common, np.diff(shape.child_starts)[inner]), 1)
    ratio[0] = 1
    return AnnotatedTree(shape, weight, ratio, ranges)
