"""Random edge perturbation: every pair of vertices flips with one small probability, whatever it was.

Xue, Karras, Raïssi, Kalnis & Pung, "Delineating social network data anonymization via random edge perturbation", CIKM
2012; Xue's thesis (National University of Singapore, 2012), chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.contracts.method import Method, Outcome
from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import checked_mu
from sfumato.graphs.flips import flip_pairs
from sfumato.graphs.risk.choosing_mu import edge_epsilon
from sfumato.graphs.shared import graph_to_publish, outcome_of, refuse_promise
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise

__all__ = ["EdgePerturbation"]


@dataclass(frozen=True)
class EdgePerturbation(Method):
    """Every pair of vertices flips with probability `mu`: an edge is deleted, a pair without one gets one.

    What the graph is like as a whole can still be estimated without bias by whoever is told `mu`. Whether two people
    are joined is protected by edge differential privacy with epsilon = ln((1 - mu) / mu). At 0 it is `Relabelling`.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.publish(graph, sf.EdgePerturbation(0.01), seed=1)
    Release(6 rows, EdgePerturbation, None is declared)
    """

    recommended = "where the secret is who is joined to whom"
    example = "mu = 0.01"
    compared = ("mu = 0.0001", "mu = 0.001", "mu = 0.01")

    mu: float
    takes: ClassVar[type] = Graph

    def __post_init__(self) -> None:
        """Check the probability."""
        checked_mu(self.mu)

    def promise_for(self, promise: Promise | None) -> None:
        """Raise for any promise, as none is known to hold; without one, return None."""
        refuse_promise("EdgePerturbation", promise)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Flip pairs, then draw the numbers of vertices."""
        self.promise_for(promise)
        graph = graph_to_publish(table)
        progress.step("flipping pairs")
        changed = flip_pairs(graph, self.mu, random.spawn("flips"), progress.share)
        progress.step("numbering vertices")
        return outcome_of(changed, random, {"mu": self.mu, "epsilon": edge_epsilon(self.mu)})
