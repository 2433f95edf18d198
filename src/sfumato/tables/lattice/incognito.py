"""Incognito: every full-domain generalisation that holds, from few columns to all.

LeFevre, DeWitt & Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005. A generalisation can only
hold if what it does to any part of the columns holds, the others being hidden; so nodes over i columns are joined from
those that held over i - 1, as itemsets are in Apriori. Within one set of columns nodes are taken from the lowest up,
and those above one that holds are not examined. Frequency sets are rolled up, from a super-root below all roots.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from sfumato.tables.lattice.examiner import Examiner
from sfumato.tables.lattice.full_domain import FullDomainMethod
from sfumato.tables.lattice.lattice import Borders, Node
from sfumato.tables.lattice.node_costs import LatticeMeasure
from sfumato.tables.lattice.search_result import BestNode, cheapest_node, minimal_nodes

__all__ = ["Incognito"]


@dataclass(frozen=True)
class Incognito(FullDomainMethod):
    """Find all generalisations that hold, and publish the one that costs least by `measure`.

    Up to the share `max_suppressed` of the rows may be withheld. `show` says what readers see: `levels` of the
    hierarchies, or `ranges`, `means`, `permutation`, `condensed` of groups.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(100), sf.Incognito(), sf.KAnonymity(5), seed=1)
    Release(100 rows, Incognito, KAnonymity(k=5) holds)
    """

    max_suppressed: float = 0.0
    measure: LatticeMeasure = "gcp"
    show: str = "levels"

    def _search(self, examiner: Examiner) -> BestNode | None:
        tops = examiner.lattice.tops
        d = len(tops)
        if not examiner.examine(tops).holds:
            return None
        held: dict[tuple[int, ...], set[Node]] = {}
        for size in range(1, d + 1):
            now: dict[tuple[int, ...], set[Node]] = {}
            for columns in itertools.combinations(range(d), size):
                candidates = _candidate_nodes(columns, held, tops)
                now[columns] = _holding_nodes(examiner, columns, candidates)
            held = now
        nodes = held[tuple(range(d))]
        best = cheapest_node(examiner, nodes)
        return BestNode(best, examiner.examine(best).cost, minimal_nodes(nodes))


def _candidate_nodes(
    columns: tuple[int, ...], held: dict[tuple[int, ...], set[Node]], tops: Node
) -> list[Node]:  # fmt: skip
    """The nodes over these columns that held with any one of the columns hidden: all others are known to fail.

    They come as nodes of the whole lattice, with the other columns hidden.
    """
    last = columns[-1]
    if len(columns) == 1:
        return [(*tops[:last], level, *tops[last + 1 :]) for level in range(tops[last] + 1)]
    parts = [(c, held[tuple(each for each in columns if each != c)]) for c in columns]
    others = parts[-1][1]  # every column but the last
    joined = []
    for node in others:
        for level in range(tops[last] + 1):
            whole = (*node[:last], level, *node[last + 1 :])
            if all((*whole[:c], tops[c], *whole[c + 1 :]) in known for c, known in parts[:-1]):
                joined.append(whole)
    return joined


def _holding_nodes(examiner: Examiner, columns: tuple[int, ...], candidates: Iterable[Node]) -> set[Node]:
    """The candidates that hold; the lowest are examined first, and those above one that holds are not examined."""
    rising = sorted(candidates, key=lambda node: (sum(node), node))
    if not rising:
        return set()
    roots = [node for node in rising if sum(node) == sum(rising[0])]
    examiner.prepare(tuple(min(levels) for levels in zip(*(roots or rising), strict=True)))
    holding: set[Node] = set()
    lowest = Borders(len(rising[0]))
    for node in rising:
        if lowest.covers_from_below(node):
            holding.add(node)
        elif examiner.examine(node).holds:
            holding.add(node)
            lowest.add(node)
    return holding
