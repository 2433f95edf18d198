"""What a search of the lattice finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from sfumato.ground.brief import fit_screen
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.lattice import Borders, Node

__all__ = ["BestNode", "LatticeSearch", "cheapest_node", "minimal_nodes"]


@dataclass(frozen=True, kw_only=True, repr=False)
class LatticeSearch(SaysWhatMethodsTake):
    """The generalisation that was chosen, and how it was found. For the owner: it is computed from the original.

    So many rows were withheld (`n_withheld`); of `n_nodes` generalisations there are, `n_examined` were looked at.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.BestFirst().search(hospital(100), sf.KAnonymity(5)).complete
    True
    """

    levels: Mapping[str, int]
    """The level of every quasi-identifier, 0 for the value itself."""
    cost: float
    """By the measure that was minimised, from 0 to 1."""
    bound: float
    """No generalisation that keeps the promise costs less: the cost itself where the search is complete."""
    minimal: tuple[Mapping[str, int], ...]
    """Those that keep the promise and, among all that were found to, have none below them."""
    n_withheld: int
    n_nodes: int
    n_examined: int

    def __repr__(self) -> str:
        best = "the best there is" if self.complete else f"none costs less than {self.bound:.4g}"
        said = f"cost {self.cost:.4g}, {best}; {len(self.minimal):,} minimal, {self.n_withheld:,} rows withheld, "
        seen = f"{self.n_examined:,} of {self.n_nodes:,} examined"
        return fit_screen(f"LatticeSearch(levels {dict(self.levels)}, {said}{seen})")

    @property
    def complete(self) -> bool:
        """Whether no better generalisation exists."""
        return self.bound >= self.cost


@dataclass(frozen=True)
class BestNode:
    """The best node of a search, a lower bound on the cost of any node that holds, and the minimal nodes seen."""

    node: Node
    bound: float
    minimal: tuple[Node, ...]


def minimal_nodes(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes that have no other of these nodes below them."""
    found: list[Node] = []
    known: Borders | None = None
    for node in sorted(nodes, key=lambda each: (sum(each), each)):
        known = known or Borders(len(node))
        if not known.covers_from_below(node):
            known.add(node)
            found.append(node)
    return tuple(found)


def cheapest_node(examiner: Examiner, nodes: Iterable[Node]) -> Node:
    """The node of least cost among nodes that hold; of equals the lowest, and of those the first."""
    rising = sorted((examiner.column_cost(node), sum(node), node) for node in nodes)
    best = (np.inf, 0, rising[0][2])
    for least, height, node in rising:
        if least > best[0]:
            break
        best = min(best, (examiner.examine(node).cost, height, node))
    return best[2]
