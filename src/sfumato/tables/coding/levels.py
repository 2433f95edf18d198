"""The levels of generalisation of every column, as the flat arrays that kernels take.

Level 0 is the value itself, the highest one `*`. Under a hierarchy, level l is label l of a value's line: where lines
differ in length, level l cuts the tree l steps above its deepest values, and what is shallower than the cut stays as it
is. So every level is a partition, and levels are nested.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.encoding import Coded
from sfumato.data.shown import show_range, show_set
from sfumato.data.values import SUPPRESSED
from sfumato.ground.errors import SchemaError

__all__ = ["Levels", "level_labels", "levels_of"]

_HALVINGS = 5
"""How often ranges without a hierarchy are halved, by numbers of records, where levels are not shown to anybody."""


class Levels(NamedTuple):
    """What each code becomes at each level of its column.

    Column `c` at level `l` has its codes from `offset[c, l]` on, a missing value first: `part` numbers what the code
    becomes, and `loss` is what showing that costs. `n_parts` says how many numbers there are.
    """

    part: NDArray[np.int32]
    loss: NDArray[np.float64]
    offset: NDArray[np.int64]
    n_parts: NDArray[np.int64]
    tops: NDArray[np.int64]
    weight: NDArray[np.float64]


def levels_of(quasi: Sequence[Coded], *, halved: bool = False) -> Levels:
    """The levels of all columns; those without a hierarchy have two, the value and `*`.

    `halved` is for levels that nobody is shown: ranges without a hierarchy get levels in between, each of half as many
    parts as the one below, and trees are cut by depth alone, since a level that repeats labels would only be one more
    to look at.
    """
    found = [_column_levels(column, halved=halved) for column in quasi]
    most = max((len(levels) for levels in found), default=0)
    offset = np.zeros((len(found), most), dtype=np.int64)
    n_parts = np.ones((len(found), most), dtype=np.int64)
    parts, losses, at = [np.empty(0, dtype=np.int32)], [np.empty(0)], 0
    for c, levels in enumerate(found):
        for level, (part, loss) in enumerate(levels):
            offset[c, level], n_parts[c, level] = at, int(part.max(initial=0)) + 1
            parts.append(part)
            losses.append(loss)
            at += len(part)
    weights = np.array([column.weight for column in quasi], dtype=np.float64)
    return Levels(
        part=np.concatenate(parts), loss=np.concatenate(losses), offset=offset, n_parts=n_parts,
        tops=np.array([len(levels) - 1 for levels in found], dtype=np.int64), weight=weights / weights.sum(),
    )  # fmt: skip


def _column_levels(column: Coded, *, halved: bool) -> list[tuple[NDArray[np.int32], NDArray[np.float64]]]:
    """For every level of a column, the part that each code (a missing value first) falls into, and its loss."""
    n = column.n_codes
    levels = []
    if column.tree is not None:
        tree = column.tree
        for nodes in (tree.depth_nodes if halved else _level_nodes(column))[:-1]:
            part = np.unique(nodes, return_inverse=True)[1].reshape(-1)
            stars = (nodes == 0) & (tree.labels[0] == SUPPRESSED)
            levels.append(_with_missing_part(part, np.where(stars, 1.0, tree.loss[nodes])))
    else:
        levels.append(_with_missing_part(np.arange(n), np.zeros(n)))
        if halved and column.shape == "range":
            levels += _halved_levels(column)
    top = 1.0
    if column.tree is not None and _root_label(column) != SUPPRESSED:
        top = float(column.tree.loss[0])  # 0 where there is but one value
    return [*levels, (np.zeros(n + 1, dtype=np.int32), np.full(n + 1, top))]


def _with_missing_part(
    part: NDArray[np.int64], loss: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The same level with a part of its own for missing values in front, which costs nothing."""
    return np.append(0, part + 1).astype(np.int32), np.append(0.0, loss)


def _halved_levels(column: Coded) -> list[tuple[NDArray[np.int32], NDArray[np.float64]]]:
    """Levels between the values of a range and `*`, from the finest up: each joins the parts of the last by twos."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=column.n_codes)
    middle = (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1)  # where each value lies among the records
    depth = min(_HALVINGS, int(np.log2(max(column.n_codes, 1))))
    finest = np.minimum((middle * 2**depth).astype(np.int64), 2**depth - 1)
    levels = []
    for steps in range(depth):
        part = finest >> steps
        width = np.zeros(column.n_codes)
        for piece in np.unique(part):
            inside = np.flatnonzero(part == piece)
            width[inside] = column.position[inside[-1]] - column.position[inside[0]]
        levels.append(_with_missing_part(part, width))
    return levels


def _level_nodes(column: Coded) -> NDArray[np.int32]:
    """The node that each leaf of a column's tree shows at each level."""
    assert column.tree is not None
    try:
        return column.tree.level_nodes
    except SchemaError as error:
        raise SchemaError(f"column {column.name!r}: {error}") from None


def _root_label(column: Coded) -> str:
    """What the highest level shows; a root would say that there is a value where some have none."""
    assert column.tree is not None
    return SUPPRESSED if column.has_missing else column.tree.labels[0]


def level_labels(column: Coded, level: int) -> list[str | None]:
    """What each code shows at a level, a missing value last: an empty cell (None), but at the top as all others."""
    if column.tree is not None:
        nodes = column.tree.leaf_node[None, :] if level == 0 else _level_nodes(column)
        if level == 0 or level < len(nodes) - 1:
            return [*(column.tree.labels[node] for node in nodes[level]), None]
        return [_root_label(column)] * (column.n_codes + 1)
    if level > 0:
        return [SUPPRESSED] * (column.n_codes + 1)
    values = column.values.to_list()
    if column.shape == "set":
        return [*(show_set([value]) for value in values), None]
    return [*(show_range(value, value) for value in values), None]
