"""Whether a release says of its columns what the owner declared: else a promise would speak of something else."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.data.values import text
from sfumato.ground.errors import SfumatoError
from sfumato.privacy.promise import Promise
from sfumato.privacy.t_closeness import TCloseness

__all__ = ["other_distances", "other_roles"]


def other_roles(released: Schema, original: Schema) -> list[str]:
    """Columns that have another role in the release than in the original, a clause each.

    A promise would speak of fewer columns than the owner declared.
    """
    wrong = []
    for name, column in released.columns.items():
        role = original.role(name)
        if role != column.role and (role in ("quasi", "sensitive") or column.role in ("quasi", "sensitive")):
            wrong.append(f"column {name!r} is {role} in the original, and {column.role} in the release")
    return wrong


def other_distances(released: Schema, original: Table, parts: Iterable[Promise]) -> list[str]:
    """Sensitive columns with another order or hierarchy than in the original, a clause each.

    t-closeness goes by the distances that these give: the deeper a hierarchy, the nearer are all values.
    """
    if not any(isinstance(part, TCloseness) for part in parts):
        return []
    wrong = []
    for name in released.sensitive:
        if name not in original.columns:
            continue
        given, own = released.column(name), original.schema.column(name)
        values = original.frame[name].drop_nulls().unique().sort().to_list()
        if given.order != own.order:
            wrong.append(f"column {name!r} has another order in the release than in the original")
        elif not _same_tree(given.hierarchy, own.hierarchy, values):
            wrong.append(f"column {name!r} has another hierarchy in the release than in the original")
    return wrong


def _same_tree(one: Hierarchy | None, other: Hierarchy | None, values: list[object]) -> bool:
    """Whether both lead every value to the root by the same labels; not so where one does not know the values."""
    if one is None or other is None:
        return one is other
    if one == other:
        return True
    try:
        return _lines(one, values) == _lines(other, values)
    except SfumatoError:
        return False


def _lines(hierarchy: Hierarchy, values: list[object]) -> list[tuple[str, ...]]:
    """For each value the labels of the nodes above it, up to the root."""
    tree = hierarchy.tree(values)
    lines = []
    for value in values:
        node, line = int(tree.leaf_node[tree.leaf_of[text(value)]]), []
        while node > 0:
            line.append(tree.labels[node])
            node = int(tree.parent[node])
        lines.append((*line, tree.labels[0]))
    return lines
