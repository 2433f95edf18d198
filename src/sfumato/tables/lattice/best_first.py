"""Best-first search: the full-domain generalisation that costs least.

Nodes are taken in rising order of what they cost at least. From each one that is not decided yet a path is climbed to
the top and bisected, as in Flash (Kohlmayer, Prasser, Eckert, Kemper & Kuhn, 2012): a node that fails decides all
below it, and one that holds bounds what is still worth looking at. Once nothing left can cost less than the best that
holds, it is optimal; stopped earlier, the least of what is left is the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.ground.validate import whole
from sfumato.tables.lattice.examiner import Examination, Examiner
from sfumato.tables.lattice.full_domain import FullDomainMethod
from sfumato.tables.lattice.lattice import Borders, Node, nodes_by_cost
from sfumato.tables.lattice.node_costs import LatticeMeasure
from sfumato.tables.lattice.search_result import BestNode, minimal_nodes

__all__ = ["BestFirst"]


@dataclass(frozen=True)
class BestFirst(FullDomainMethod):
    """The generalisation that costs least by `measure`, withholding up to the share `max_suppressed` of the rows.

    Takes any promise with any suppression. `max_examined` stops the search after so many nodes: what is published is
    then the best found, and `search` says how much better any other could be.

    `show` says what readers see: `levels` of the hierarchies, or `ranges`, `means`, `permutation`, `condensed` of
    groups.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.BestFirst(max_suppressed=0.05), sf.KAnonymity(5), seed=1)
    Release(100 rows, BestFirst, KAnonymity(k=5) holds)
    """

    recommended = "where the same value must be shown the same way in every row"

    any_suppression: ClassVar[bool] = True
    max_suppressed: float = 0.0
    measure: LatticeMeasure = "gcp"
    max_examined: int | None = None
    show: str = "levels"

    def __post_init__(self) -> None:
        """Check the limit on examined nodes."""
        super().__post_init__()
        if self.max_examined is not None:
            whole("max_examined", self.max_examined, least=1)

    def _search(self, examiner: Examiner) -> BestNode | None:
        state = _SearchState(examiner)
        top = state.examine(examiner.lattice.tops)
        if not top.holds and examiner.monotone:
            return None
        for n_taken, (least, node) in enumerate(nodes_by_cost(examiner.lattice, examiner.costs)):
            examiner.report_progress(n_taken)
            if least >= state.best_cost:
                break
            if self.max_examined is not None and examiner.n_examined >= self.max_examined and state.best is not None:
                return BestNode(state.best, least, minimal_nodes(state.holding))
            if state.is_ruled_out(node):
                continue
            if examiner.measure == "discernibility" and state.is_too_dear(node):
                continue
            if examiner.monotone:
                state.bisect(node)
            state.examine(node)
        return None if state.best is None else BestNode(state.best, state.best_cost, minimal_nodes(state.holding))


class _SearchState:
    """What is known of the lattice so far: nodes that hold, the best of them, and borders of what is ruled out."""

    def __init__(self, examiner: Examiner) -> None:
        self.examiner = examiner
        self.best: Node | None = None
        self.best_cost = np.inf
        self.holding: list[Node] = []
        self._failed = Borders(len(examiner.lattice.tops))
        self._dear = Borders(len(examiner.lattice.tops))

    def examine(self, node: Node) -> Examination:
        """Examine a node, and note what follows for the nodes above and below it."""
        found = self.examiner.examine(node)
        if found.holds:
            self.holding.append(node)
            if (found.cost, sum(node), node) < (self.best_cost, sum(self.best or node), self.best or node):
                self.best, self.best_cost = node, found.cost
        if not found.within_size or (self.examiner.monotone and not found.holds):
            self._failed.add(node)
        if found.floor >= self.best_cost:
            self._dear.add(node)
        return found

    def is_ruled_out(self, node: Node) -> bool:
        """Whether the node lies below one that was found to break the promise for all below it."""
        return self._failed.covers_from_above(node)

    def is_too_dear(self, node: Node) -> bool:
        """Whether the node lies above one from which on every node costs at least as much as the best."""
        return self._dear.covers_from_below(node)

    def bisect(self, node: Node) -> None:
        """Find, by bisection, the lowest node that holds on a path from the node to the top."""
        path = list(self._path(node))
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            if self.is_ruled_out(path[middle]) or not self.examine(path[middle]).holds:
                low = middle + 1
            else:
                high = middle

    def _path(self, node: Node) -> Iterator[Node]:
        """The nodes on a path to the top, each the cheapest successor of the last."""
        examiner = self.examiner
        while True:
            yield node
            above = list(examiner.lattice.successors(node))
            if not above:
                return
            node = min(above, key=lambda each: (examiner.column_cost(each), each))
