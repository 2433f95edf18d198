"""Steps that the methods on graphs share: checks of what is given, and new random numbers for the vertices."""

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
    """The given data as a graph; an error where they are none, or have no vertices."""
    graph = given_graph(given, f"this method publishes a Graph, and the data are {type(given).__name__}")
    if not len(graph):
        raise DataError("the graph has no vertices; give at least one")
    return graph


def refuse_promise(method: str, promise: Promise | None) -> None:
    """Raise if a promise is asked of a method that keeps none."""
    if promise is not None:
        raise ParameterError(f"{method} keeps no promise, not {promise!r}; leave the promise out, or take KDegree(k)")


def check_edges(edges: Any) -> None:
    """Raise unless `edges` is a whole number of edges, or a share of all below 1."""
    if not (is_whole(edges) and edges >= 0) and not (isinstance(edges, float) and 0 <= edges < 1):
        raise ParameterError(f"edges must be a whole number >= 0, or a share from 0 to below 1, got {edges!r}")


def count_edges(edges: int | float, graph: Graph) -> int:
    """The number of edges that `edges` means in this graph: itself, or a share of all."""
    return edges if isinstance(edges, int) else round(edges * graph.n_edges)


def outcome_of(graph: Graph, random: Randomness, public: dict[str, Any]) -> Outcome:
    """What a method hands over: the graph under new random numbers, and for the owner the vertex behind each."""
    rows = random.spawn("pseudonyms").permutation(len(graph))
    number = np.empty_like(rows)
    number[rows] = np.arange(len(rows))
    frame = graph.renumbered(number).frame
    return Outcome(frame=frame, rows=rows, public={"graph": {"vertices": len(graph), **public}})
