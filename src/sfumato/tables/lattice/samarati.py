"""Samarati's search: the lowest height of the lattice at which some node holds, by bisection.

Samarati, "Protecting respondents' identities in microdata release", TKDE 13(6), 2001. Where a node holds, all above it
do; so if no node of some height holds, none below does either. Looks at the nodes of O(log height) heights.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.full_domain import FullDomainMethod
from sfumato.tables.lattice.node_costs import LatticeMeasure
from sfumato.tables.lattice.search_result import BestNode, cheapest_node

__all__ = ["Samarati"]


@dataclass(frozen=True)
class Samarati(FullDomainMethod):
    """The generalisation of fewest steps, and of all with so few the one that costs least by `measure`.

    Up to the share `max_suppressed` of the rows is withheld where that saves steps. Fewest steps need not be least
    loss: `BestFirst` finds that.

    `show` says what readers see: `levels` of the hierarchies, or `ranges`, `means`, `permutation`, `condensed` of
    groups.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Samarati(), sf.KAnonymity(5), seed=1)
    Release(100 rows, Samarati, KAnonymity(k=5) holds)
    """

    max_suppressed: float = 0.0
    measure: LatticeMeasure = "gcp"
    show: str = "levels"

    def _search(self, examiner: Examiner) -> BestNode | None:
        lattice = examiner.lattice
        if not examiner.examine(lattice.tops).holds:
            return None
        low, high = 0, lattice.height
        while low < high:
            middle = (low + high) // 2
            if any(examiner.examine(node).holds for node in lattice.at_height(middle)):
                high = middle
            else:
                low = middle + 1
        lowest = [node for node in lattice.at_height(high) if examiner.examine(node).holds]
        best = cheapest_node(examiner, lowest)
        bound = examiner.examine(best).cost if examiner.measure == "height" else 0.0
        return BestNode(best, bound, tuple(lowest))
