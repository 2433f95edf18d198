"""A hierarchy bound to the values of one column: plain arrays that the kernels walk.

Leaves are numbered in tree order, so that the leaves below any node are consecutive, and the lowest node that
covers a set of leaves is the lowest common ancestor of its smallest and largest leaf. A label that a path repeats is
one node; which level shows it is kept apart, in `level_nodes`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.data.values import MISSING, SUPPRESSED
from sfumato.ground.errors import SchemaError

__all__ = ["Tree", "node_heights"]


@dataclass(frozen=True, eq=False)
class Tree:
    """Nodes in depth-first order; node 0 is the root.

    `loss[node]` is what showing the node instead of a leaf costs, from 0 (a single value) to 1 (the root): the
    share of the leaves below it, unless the hierarchy knows better (intervals cost their width).
    """

    labels: tuple[str, ...]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    loss: NDArray[np.float64]
    leaves: tuple[str, ...]
    leaf_node: NDArray[np.int32]
    leaf_of: Mapping[str, int] = field(repr=False)
    lines: tuple[tuple[str, ...], ...] | None = field(default=None, repr=False)
    """What every leaf shows at each level, where paths repeat labels; None where the depth of nodes tells it."""

    def __repr__(self) -> str:
        return f"Tree({len(self.leaves):,} leaves, {len(self.labels):,} nodes)"

    @classmethod
    def from_paths(cls, paths: Sequence[Sequence[str]], sizes: Mapping[str, float] | None = None) -> Tree:
        """Build from one path per leaf, each from the leaf up to the root.

        Paths may differ in length, or be padded to one length by repeating a label: see `level_nodes`. Where their
        last labels differ, a root `*` is put above them. A label must tell its node from all others, as a published
        cell shows nothing else; only a value may share its label with a node above it. `sizes` gives the loss of
        inner nodes by label where it is not the share of leaves.
        """
        roots = {path[-1] for path in paths if path}
        common = len(roots) == 1 and all(len(path) > 1 for path in paths)
        children: dict[int, dict[str, int]] = {0: {}}
        labels = [next(iter(roots)) if common else SUPPRESSED]
        is_leaf = [False]
        above = [0]
        node_of_label = {labels[0]: 0}
        leaf_of_label: dict[str, int] = {}
        repeats = False
        for path in paths:
            if not path:
                raise SchemaError("the hierarchy has an empty path; give the value and what it lies below")
            node = 0
            inner = path[-2:0:-1] if common else path[:0:-1]
            for label in inner:
                if label == labels[node]:
                    repeats = True
                    continue
                if label not in children[node]:
                    if label in node_of_label:
                        other = labels[above[node_of_label[label]]]
                        raise SchemaError(
                            f"the hierarchy puts {label!r} below both {other!r} and {labels[node]!r}; "
                            f"give the two different names"
                        )
                    children[node][label] = node_of_label[label] = len(labels)
                    labels.append(label)
                    is_leaf.append(False)
                    above.append(node)
                    children[len(labels) - 1] = {}
                node = children[node][label]
            value = path[0]
            if value in leaf_of_label:
                raise SchemaError(f"the hierarchy names the value {value!r} twice; keep one line for it")
            key = "\0leaf:" + value
            children[node][key] = len(labels)
            leaf_of_label[value] = len(labels)
            labels.append(value)
            is_leaf.append(True)
            above.append(node)
        for value in (label for label in leaf_of_label if label in node_of_label):
            node = leaf_of_label[value]
            while node != node_of_label[value]:
                if node == 0:
                    raise SchemaError(f"the hierarchy uses {value!r} for a value and for a node elsewhere; rename one")
                node = above[node]
        unclear = next((label for label in labels if label.endswith(f" or {MISSING}")), None)
        if unclear is not None:
            raise SchemaError(f"the label {unclear!r} would read as a value or a missing one; rename it")
        tree = cls._number(labels, children, is_leaf, dict(sizes or {}))
        return replace(tree, lines=_aligned_lines(paths, common=common)) if repeats else tree

    @classmethod
    def _number(
        cls,
        labels: list[str],
        children: dict[int, dict[str, int]],
        is_leaf: list[bool],
        sizes: dict[str, float],
    ) -> Tree:
        """Renumber nodes depth first and leaves from left to right."""
        order: list[int] = []
        parent_of = {0: -1}
        stack = [0]
        while stack:
            node = stack.pop()
            order.append(node)
            if is_leaf[node]:
                continue
            below = list(children[node].values())
            for child in below:
                parent_of[child] = node
            stack.extend(reversed(below))
        number = {node: i for i, node in enumerate(order)}
        n_nodes = len(order)
        parent = np.array([number.get(parent_of[node], -1) for node in order], dtype=np.int32)
        first = np.full(n_nodes, np.iinfo(np.int32).max, dtype=np.int32)
        last = np.full(n_nodes, -1, dtype=np.int32)
        leaf_node = [i for i, node in enumerate(order) if is_leaf[node]]
        first[leaf_node] = last[leaf_node] = np.arange(len(leaf_node), dtype=np.int32)
        np.minimum.at(first, parent[leaf_node], first[leaf_node])
        np.maximum.at(last, parent[leaf_node], last[leaf_node])
        for node in sorted((number[inner] for inner in children if inner), reverse=True):
            above = parent[node]
            first[above] = min(first[above], first[node])
            last[above] = max(last[above], last[node])
        n_leaves = len(leaf_node)
        card = (last - first + 1).astype(np.float64)
        loss = np.where(card > 1, card / max(n_leaves, 1), 0.0)
        ordered_labels = tuple(labels[node] for node in order)
        for i in np.flatnonzero(card > 1) if sizes else ():
            loss[i] = sizes.get(ordered_labels[i], loss[i])
        leaves = tuple(ordered_labels[i] for i in leaf_node)
        return cls(
            labels=ordered_labels, parent=parent, first=first, last=last, loss=loss, leaves=leaves,
            leaf_node=np.array(leaf_node, dtype=np.int32), leaf_of={v: i for i, v in enumerate(leaves)},
        )  # fmt: skip

    @property
    def n_leaves(self) -> int:
        """How many values the column can take."""
        return len(self.leaves)

    @cached_property
    def height(self) -> int:
        """Edges on the longest way from the root to a leaf."""
        return int(self.depth.max())

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """Edges from the root to each node."""
        depth = np.zeros(len(self.parent), dtype=np.int32)
        for i in range(1, len(depth)):
            depth[i] = depth[self.parent[i]] + 1
        return depth

    @cached_property
    def level_nodes(self) -> NDArray[np.int32]:
        """The node that each leaf shows at each level (a row for each), from the leaves to the root.

        Where all paths are of one length, level j is label j of the path, as in ARX: `u;unknown;unknown;*` shows
        `unknown` at the levels 1 and 2. A path shorter than others shows its value until they have caught up.
        Raises `SchemaError` where leaves that a level shows alike are apart at the next.
        """
        if self.lines is None:
            return self.depth_nodes
        inner = {label: nodes[0] for label, nodes in self.nodes_of.items()}
        leaf = [self.leaf_of[line[0]] for line in self.lines]
        rows = [self.leaf_node]
        for level in range(1, len(self.lines[0])):
            row = np.empty(self.n_leaves, dtype=np.int32)
            row[leaf] = [inner[line[level]] for line in self.lines]
            rows.append(row)
        _require_nested(self.lines)
        return np.stack(rows)

    @cached_property
    def depth_nodes(self) -> NDArray[np.int32]:
        """The node that stands for each leaf as the tree is cut ever higher, whatever labels its paths repeat.

        Row l cuts it l steps above its deepest leaves: what is shallower than the cut stays as it is.
        """
        rows = [self.leaf_node]
        for cut in range(self.height - 1, -1, -1):
            rows.append(np.where(self.depth[rows[-1]] > cut, self.parent[rows[-1]], rows[-1]).astype(np.int32))
        return np.stack(rows)

    @cached_property
    def nodes_of(self) -> Mapping[str, tuple[int, ...]]:
        """The nodes that have each label, from the root down; a value may share its label with a node above it."""
        found: dict[str, tuple[int, ...]] = {}
        for node, label in enumerate(self.labels):
            found[label] = (*found.get(label, ()), node)
        return found

    def children(self, node: int) -> list[int]:
        """The nodes directly below `node`, from left to right."""
        return [int(i) for i in np.flatnonzero(self.parent == node)]

    def lowest_cover(self, low: int, high: int) -> int:
        """The lowest node that covers the leaves `low` to `high`."""
        node = int(self.leaf_node[low])
        while self.last[node] < high or self.first[node] > low:
            node = int(self.parent[node])
        return node

    def describe(self, *, max_leaves: int = 40) -> str:
        """The tree as indented text; branches past `max_leaves` leaves in all are cut and counted."""
        if not self.leaves:
            return f"{self.labels[0]}  (0 values)"
        lines: list[str] = []
        budget = max_leaves

        def walk(node: int, indent: str, branch: str) -> None:
            nonlocal budget
            n_below = int(self.last[node] - self.first[node]) + 1
            is_leaf = self.leaf_node[self.first[node]] == node
            note = "" if is_leaf else f"  ({n_below} value{'s' if n_below != 1 else ''})"
            lines.append(f"{indent}{branch}{self.labels[node]}{note}")
            if is_leaf:
                budget -= 1
                return
            inner = indent + ("" if not branch else "│  " if branch.startswith("├") else "   ")
            below = self.children(node)
            for i, child in enumerate(below):
                if budget <= 0:
                    rest = int(self.last[below[-1]] - self.first[child]) + 1
                    lines.append(f"{inner}└─ ... {rest} more value{'s' if rest != 1 else ''}")
                    return
                walk(child, inner, "└─ " if i == len(below) - 1 else "├─ ")

        walk(0, "", "")
        return "\n".join(lines)


def _aligned_lines(paths: Sequence[Sequence[str]], *, common: bool) -> tuple[tuple[str, ...], ...]:
    """The paths at one length: with a root where they have none in common, the value repeated where one is short."""
    one_length = len({len(path) for path in paths}) == 1
    rooted = [
        tuple(path) if common or (not one_length and path[1:] and path[-1] == SUPPRESSED) else (*path, SUPPRESSED)
        for path in paths
    ]
    longest = max(map(len, rooted))
    return tuple((line[0],) * (longest - len(line)) + line for line in rooted)


def _require_nested(lines: Sequence[Sequence[str]]) -> None:
    """Refuse lines that agree at one level and not at the next: no row shown there could be made coarser."""
    for level, (here, above) in enumerate(itertools.pairwise(zip(*lines, strict=True))):
        first: dict[str, int] = {}
        for i, label in enumerate(here):
            j = first.setdefault(label, i)
            if above[i] != above[j]:
                raise SchemaError(
                    f"the hierarchy shows {lines[j][0]!r} and {lines[i][0]!r} both as {label!r} at level {level}, and "
                    f"as {above[j]!r} and {above[i]!r} at level {level + 1}; give them one label there"
                )


def node_heights(tree: Tree) -> list[float]:
    """The height of every node over that of the root: 0 at a leaf, 1 at the root."""
    heights = [0.0] * len(tree.parent)
    for node in range(len(heights) - 1, 0, -1):
        above = tree.parent[node]
        heights[above] = max(heights[above], heights[node] + 1)
    return [height / max(heights[0], 1.0) for height in heights]
