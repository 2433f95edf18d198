"""The leaves that a published cell may stand for, where the release lists them: what estimates weigh.

Sets and ordinal ranges list their members, and a hierarchy that is published whole lists its leaves. Most releases show
only the nodes that their cells name: which values lie under those is not known then, nor is how many they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.data.hierarchy_rules import Paths, Prefixes
from sfumato.data.schema import Column
from sfumato.tables.answers.cell_extents import Extent

__all__ = ["Leaves"]


class Leaves:
    """Finds the leaves under the cells of one column, which is shown in the given form."""

    def __init__(self, cells: Sequence[Extent], column: Column, form: str) -> None:
        self._under: dict[str, tuple[str, ...]] = {}
        self._all: tuple[str, ...] = ()
        rule = column.hierarchy
        self._coded = isinstance(rule, Prefixes)
        self._inner = {label for path in rule.paths for label in path[1:]} if isinstance(rule, Paths) else set()
        if form != "node":
            listed = dict.fromkeys(member for cell in cells for member in cell.members or ())
            self._all = column.order or tuple(listed)
        elif isinstance(rule, Paths) and _is_whole(rule, cells):
            self._read(rule)

    def of(self, cell: Extent) -> tuple[str, ...] | None:
        """The leaves under a node or a star, None where the release does not list them."""
        if cell.everything:
            return self._all or None
        return self._under.get(cell.label) if cell.label is not None else None

    def is_node(self, label: str) -> bool:
        """Whether a label is known to have others under it, and so to be no value."""
        return (self._coded and label.endswith("*")) or label in self._inner

    def _read(self, rule: Paths) -> None:
        under: dict[str, dict[str, None]] = {}
        for path in rule.paths:
            for label in path:
                under.setdefault(label, {})[path[0]] = None
        self._under = {label: tuple(leaves) for label, leaves in under.items()}
        self._all = tuple(dict.fromkeys(path[0] for path in rule.paths))


def _is_whole(rule: Paths, cells: Sequence[Extent]) -> bool:
    """Whether paths are published with labels that no cell shows; `Paths.published` leaves just those out."""
    shown = {cell.label for cell in cells}
    return any(label not in shown for path in rule.paths for label in path[:-1])
