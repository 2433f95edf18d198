"""Deleting and adding a fixed number of edges: Hay, Miklau, Jensen, Weis & Srivastava, "Anonymizing social networks",
University of Massachusetts, technical report 07-19, 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.method import Method, Outcome
from sfumato.data.graph import Graph
from sfumato.graphs.flips import toggle_pairs
from sfumato.graphs.shared import check_edges, count_edges, graph_to_publish, outcome_of, refuse_promise
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.progress import Progress, Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise

__all__ = ["AddDelete", "replace_edges"]


@dataclass(frozen=True)
class AddDelete(Method):
    """Delete some edges at random, then add as many where the original has none.

    `edges` is their number, or a share of all edges if it is a fraction below 1. The number of edges stays, and is
    known to everybody.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.publish(graph, sf.AddDelete(2), seed=1)
    Release(6 rows, AddDelete, None holds)
    """

    example = "edges = 3"
    compared = ("edges = 0.05", "edges = 0.1", "edges = 0.2")

    edges: int | float
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the number or share."""
        check_edges(self.edges)

    def promise_for(self, promise: Promise | None) -> None:
        """Raise for any promise, as none is known to hold; without one, return None."""
        refuse_promise("AddDelete", promise)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Replace edges, then draw the numbers of vertices."""
        self.promise_for(promise)
        graph = graph_to_publish(table)
        count = count_edges(self.edges, graph)
        progress.step("replacing edges")
        changed = replace_edges(graph, count, random, progress.share)
        progress.step("numbering vertices")
        return outcome_of(changed, random, {"edges_replaced": count})


def replace_edges(graph: Graph, count: int, random: Randomness, share: Share = tell_nobody) -> Graph:
    """The graph less `count` of its edges and with `count` others, both sets drawn uniformly; without names."""
    n_edges, n_absent = graph.n_edges, graph.n_pairs - graph.n_edges
    if count > min(n_edges, n_absent):
        raise InfeasibleError(
            f"{count:,} edges cannot be replaced: the graph has {n_edges:,} edges and {n_absent:,} pairs without one; "
            f"the most is {min(n_edges, n_absent):,}"
        )
    u, v = graph.edges
    edges = np.sort(v * (v - 1) // 2 + u)
    deleted = edges[_distinct(n_edges, count, random.spawn("deleted"))]
    share(0.4)
    rank = _distinct(n_absent, count, random.spawn("added"))  # among pairs without an edge
    added = rank + np.searchsorted(edges - np.arange(n_edges), rank, side="right")
    share(0.8)
    return toggle_pairs(graph, np.sort(np.concatenate([deleted, added])))


def _distinct(size: int, count: int, random: Randomness) -> NDArray[np.int64]:
    """`count` different numbers below `size`, every set as likely as any other."""
    if size <= 4 * count:
        return random.permutation(size)[:count]
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:  # the first `count` different ones of a stream
        drawn = np.concatenate([drawn, random.integers(size, size=count - len(drawn) + 8)])
        drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    return drawn[:count]
