"""The quasi-identifiers of a table as the flat arrays that kernels take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded

__all__ = ["RANGE", "SET", "TREE", "Columns", "flatten", "neighbour_losses"]

RANGE, TREE, SET = 0, 1, 2
_SHAPES = {"range": RANGE, "tree": TREE, "set": SET}


class Columns(NamedTuple):
    """Column-major codes and, laid end to end, what is known of each column's values.

    A missing value has the code -1, except in a set, where it is one more member. Column `c` has its positions at
    `offset[c]`, and its tree's nodes at `node_offset[c]` (parents are relative to it). Losses are
    normalised: the weights sum to 1, so that a row's loss lies between 0 and 1.
    """

    codes: NDArray[np.int32]
    shape: NDArray[np.int64]
    weight: NDArray[np.float64]
    n_codes: NDArray[np.int64]
    has_missing: NDArray[np.bool_]
    position: NDArray[np.float64]
    offset: NDArray[np.int64]
    leaf_node: NDArray[np.int32]
    node_offset: NDArray[np.int64]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    node_loss: NDArray[np.float64]


def flatten(coded: Sequence[Coded]) -> Columns:
    """The columns as `Columns`: codes side by side, what is known of their values laid end to end."""
    weights = np.array([column.weight for column in coded], dtype=np.float64)
    trees = [column.tree for column in coded]
    extra = [column.shape == "set" and column.has_missing for column in coded]  # one more member of the set
    n_codes = np.array([column.n_codes + more for column, more in zip(coded, extra, strict=True)], dtype=np.int64)
    codes = np.stack([column.codes for column in coded])
    for c in np.flatnonzero(extra):
        codes[c][codes[c] < 0] = n_codes[c] - 1
    n_nodes = np.array([len(tree.parent) if tree is not None else 0 for tree in trees], dtype=np.int64)

    def lay_out(parts: list[NDArray[np.int32]]) -> NDArray[np.int32]:
        return np.concatenate([np.empty(0, dtype=np.int32), *parts])

    return Columns(
        codes=codes,
        shape=np.array([_SHAPES[column.shape] for column in coded], dtype=np.int64),
        weight=weights / weights.sum(),
        n_codes=n_codes,
        has_missing=codes.min(axis=1, initial=0) < 0,
        position=np.concatenate([np.append(c.position, [1.0] * more) for c, more in zip(coded, extra, strict=True)]),
        offset=np.concatenate([[0], np.cumsum(n_codes)])[:-1].astype(np.int64),
        leaf_node=lay_out([t.leaf_node if t else np.zeros(n, np.int32) for n, t in zip(n_codes, trees, strict=True)]),
        node_offset=np.concatenate([[0], np.cumsum(n_nodes)])[:-1].astype(np.int64),
        parent=lay_out([tree.parent for tree in trees if tree is not None]),
        first=lay_out([tree.first for tree in trees if tree is not None]),
        last=lay_out([tree.last for tree in trees if tree is not None]),
        node_loss=np.concatenate([np.empty(0), *(tree.loss for tree in trees if tree is not None)]),
    )


def neighbour_losses(columns: Columns, c: int) -> NDArray[np.float64]:
    """For a column with a hierarchy: the loss of the lowest node that covers each leaf and the next one."""
    base, start, n = columns.node_offset[c], columns.offset[c], columns.n_codes[c]
    losses = np.empty(max(n - 1, 0))
    for leaf in range(n - 1):
        node = base + columns.leaf_node[start + leaf]
        while columns.last[node] <= leaf:
            node = base + columns.parent[node]
        losses[leaf] = columns.node_loss[node]
    return losses
