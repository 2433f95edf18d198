"""Naive anonymization: names are replaced by random numbers, and the edges stay.

Hay, Miklau, Jensen, Towsley & Weis, "Resisting structural re-identification in anonymized social networks", PVLDB
1(1), 2008; Backstrom, Dwork & Kleinberg, WWW 2007, show how little it hides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.contracts.method import Method, Outcome
from sfumato.data.graph import Graph
from sfumato.graphs.shared import graph_to_publish, outcome_of, refuse_promise
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.promise import Promise

__all__ = ["Relabelling"]


@dataclass(frozen=True)
class Relabelling(Method):
    """Every vertex gets a random number in place of its name; all edges are published.

    It promises nothing: whoever knows a few edges around a person, or made some up before publication, finds them.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.publish(graph, sf.Relabelling(), seed=1)
    Release(6 rows, Relabelling, None holds)
    """

    for_study = True

    takes: ClassVar[type] = Graph

    def promise_for(self, promise: Promise | None) -> None:
        """Raise for any promise, as none is known to hold; without one, return None."""
        refuse_promise("Relabelling", promise)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Draw the numbers."""
        self.promise_for(promise)
        graph = graph_to_publish(table)
        progress.step("numbering vertices")
        return outcome_of(graph, random, {})
