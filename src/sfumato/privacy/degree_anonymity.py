"""k-degree anonymity of graphs: Liu & Terzi, "Towards identity anonymization on graphs", SIGMOD 2008."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import Finding, OfSize

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["DegreeAnonymity"]


@dataclass(frozen=True)
class DegreeAnonymity(OfSize):
    """Every number of neighbours that a vertex has is that of at least k vertices.

    Somebody who knows how many neighbours a person has finds no fewer than k vertices. It says nothing of somebody who
    knows more: how many the neighbours have, or an edge among them.

    >>> import sfumato as sf
    >>> graph = sf.Graph.from_edges([0, 0, 1, 2, 3, 4, 5, 5], [1, 2, 2, 3, 4, 5, 0, 1])
    >>> sf.publish(graph, sf.KDegree(2), sf.DegreeAnonymity(2), seed=1)
    Release(6 rows, KDegree, DegreeAnonymity(k=2) holds)
    """

    speaks_of = "graph"
    of = frozenset({"graph"})
    kept_by = "KDegree"

    k: int

    def __post_init__(self) -> None:
        """Check k."""
        self._check_k(1)

    @property
    def name(self) -> str:
        """As in `5-degree anonymity`."""
        return f"{self.k:,}-degree anonymity"

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Refused: a vertex has no class."""
        raise self._graphs_only_error()

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What it means for the people in the graph."""
        if self.k == 1:
            return "Nothing is asked of the graph: with k = 1 a vertex may stand alone."
        return (
            f"Whoever knows how many neighbours a person has in this graph, and nothing else, finds at least "
            f"{self.k:,} vertices that have as many. Which of them is the person that number does not tell; other "
            f"edges may."
        )

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Refused: the check of graphs counts degrees, and there are no classes of a table."""
        raise self._graphs_only_error()

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """Say so where a graph has fewer than k vertices: no release of it can keep the promise."""
        if n_rows >= self.k:
            return None
        return f"k={self.k} needs at least {self.k} vertices and the graph has {n_rows}; the best is k={n_rows}"

    def _graphs_only_error(self) -> ParameterError:
        return ParameterError(f"{self!r} is about graphs, and this is none; promise KAnonymity({self.k}) instead")
