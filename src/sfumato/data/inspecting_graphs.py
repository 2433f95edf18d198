"""A first look at a social graph: who stands out by the number of neighbours alone. Figures, never a name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.data.graph import Graph
from sfumato.ground.errors import DataError

__all__ = ["GraphInspection", "inspect_graph"]


@dataclass(frozen=True, kw_only=True)
class GraphInspection:
    """What a first look at a graph found."""

    n_vertices: int
    n_edges: int
    density: float
    mean_degree: float
    largest_degree: int
    apart: int
    """How many vertices have no neighbour."""
    small: int
    """How many vertices are too few to hide among."""
    by_degree: float
    """Share of vertices whose number of neighbours fewer than `small` have."""
    alone: float
    """Share of vertices whose number of neighbours nobody else has."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The figures as lines for people."""
        return [
            f"{self.n_vertices:,} vertices, {self.n_edges:,} edges, {self.density:.3g} of all pairs; "
            f"{self.mean_degree:.1f} neighbours a vertex (up to {self.largest_degree:,}, {self.apart:,} have none)",
            f"  {self.by_degree:.1%} of the vertices have a number of neighbours that fewer than {self.small} have",
            f"  {self.alone:.1%} have one that nobody else has",
        ]


def inspect_graph(graph: Graph, *, small: int = 5) -> GraphInspection:
    """Count vertices and edges, and who stands out by the number of neighbours. O(vertices)."""
    if not len(graph):
        raise DataError("the graph has no vertices; give at least one")
    alike = np.bincount(graph.degrees)[graph.degrees]
    return GraphInspection(
        n_vertices=len(graph), n_edges=graph.n_edges, density=graph.n_edges / max(graph.n_pairs, 1),
        mean_degree=float(graph.degrees.mean()), largest_degree=int(graph.degrees.max()),
        apart=int((graph.degrees == 0).sum()), small=small, by_degree=float((alike < small).mean()),
        alone=float((alike == 1).mean()),
    )  # fmt: skip
