"""What methods on graphs share: vertices get new numbers, drawn at random, and edges are listed by these."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.contracts.method import Outcome
from sfumato.data.given import given_graph
from sfumato.data.graph import Graph
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import is_whole
from sfumato.privacy.promise import Promise

__all__ = ["check_edges", "count_edges", "graph_to_publish", "outcome_of", "refuse_promise"]


def graph_to_publish(given: Any) -> Graph:
    """The graph, which must have vertices."""
    graph = given_graph(given, f"this method publishes a Graph, and the data are {type(given).__name__}")
    if not len(graph):
        raise DataError("the graph has no vertices; give at least one")
    return graph


def refuse_promise(method: str, promise: Promise | None) -> None:
    """Of a method that no promise is known for."""
    if promise is not None:
        raise ParameterError(f"{method} keeps no promise, not {promise!r}; leave the promise out, or take KDegree(k)")


def check_edges(edges: Any) -> None:
    """Whether it is a number of edges, or a share of all."""
    if not (is_whole(edges) and edges >= 0) and not (isinstance(edges, float) and 0 <= edges < 1):
        raise ParameterError(f"edges must be a whole number >= 0, or a share from 0 to below 1, got {edges!r}")


def count_edges(edges: int | float, graph: Graph) -> int:
    """How many edges of a graph that is."""
    return edges if isinstance(edges, int) else round(edges * graph.n_edges)


def outcome_of(graph: Graph, random: Randomness, public: dict[str, Any]) -> Outcome:
    """The graph under new numbers, and for the owner which vertex stands behind each; `public` is told beside them."""
    rows = random.spawn("pseudonyms").permutation(len(graph))
    number = np.empty_like(rows)
    number[rows] = np.arange(len(rows))
    frame = graph.renumbered(number).frame
    return Outcome(frame=frame, rows=rows, public={"graph": {"vertices": len(graph), **public}})
