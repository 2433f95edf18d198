"""Privacy-annotated hierarchies: a tree over a domain whose edges carry the ratios of a target distribution.

Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009, section 3.1. The children of a node are told in lowest terms: with
51 : 49 as 510 : 490 nothing could be split that has fewer than a thousand values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.tree import Tree

__all__ = ["Annotated", "Shape", "annotate", "balanced", "from_tree"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A tree over places 0 to m - 1: nodes depth first, node 0 the root; each covers `first` to `last`."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    child_starts: NDArray[np.int64]
    """The children of node v are `children[child_starts[v]:child_starts[v + 1]]`; a leaf has none."""
    children: NDArray[np.int64]

    @classmethod
    def of_parents(cls, first: NDArray[np.int64], last: NDArray[np.int64], parent: NDArray[np.int64]) -> Shape:
        """From the parent of every node; depth-first numbering keeps siblings in order."""
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
class Annotated:
    """A shape with a target distribution and with what it costs to show a node in place of a value."""

    shape: Shape
    weight: NDArray[np.int64]
    """Of every node, the weights of its values."""
    ratio: NDArray[np.int64]
    """The same beside its siblings in lowest terms."""
    ranges: NDArray[np.float64]
    """What a copy of the node costs: its width, or the number of its values."""


def balanced(n_places: int, arity: int = 2) -> Shape:
    """A tree in which every node is cut into `arity` parts of the same size, give or take one."""
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
    return Shape.of_parents(as_int[0], as_int[1], as_int[2])


def from_tree(tree: Tree) -> Shape:
    """The owner's hierarchy over the leaves of its column."""
    return Shape.of_parents(tree.first.astype(np.int64), tree.last.astype(np.int64), tree.parent.astype(np.int64))


def annotate(shape: Shape, weights: NDArray[np.int64], ranges: NDArray[np.float64]) -> Annotated:
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
    return Annotated(shape, weight, ratio, ranges)
