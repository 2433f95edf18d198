"""What a published graph lost, as it stands: edges that went and came, degrees, links to hubs, triangles.

A graph that was perturbed is to be read by `estimate`, and not as it stands; these figures say why.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.measurer import MeasureOptions, measure_of
from sfumato.data.graph import Graph
from sfumato.graphs.attacks.hubs import hub_confusion
from sfumato.graphs.counts.triangles import count_triangles
from sfumato.ground.errors import ParameterError
from sfumato.ground.figures import About, Measures, declare, figures_of
from sfumato.published.graphs.graph import GraphShape

__all__ = ["measure_graph"]

_HUBS = 10
_ENOUGH = 20  # vertices to be classified; a share of fewer says little


_N_VERTICES = declare(
    name="n_vertices", label="Vertices", group="utility", unit="count", audience="public",
    meaning="vertices that are published", smaller_is_better=None,
)  # fmt: skip
_N_EDGES = declare(
    name="n_edges", label="Edges", group="utility", unit="count", audience="public",
    meaning="edges that are published", smaller_is_better=None,
)  # fmt: skip
_EDGES_KEPT = declare(
    name="edges_kept", label="Edges kept", group="utility", unit="share", audience="owner",
    meaning="edges of the original that are published", smaller_is_better=False,
)  # fmt: skip
_EDGES_FALSE = declare(
    name="edges_false", label="False edges", group="utility", unit="share", audience="owner",
    meaning="published edges that are none",
)  # fmt: skip
_DEGREE_ERROR = declare(
    name="degree_error", label="Degree error", group="utility", audience="owner",
    meaning="difference of a vertex's number of neighbours from the true one, on average",
)  # fmt: skip
_HUB_AGREEMENT = declare(
    name="hub_agreement", label="Hub classes kept", group="utility", unit="share", audience="owner",
    meaning=f"vertices with 4 or more links to the {_HUBS} hubs that these links still put into the same class",
    smaller_is_better=False,
)  # fmt: skip
_TRIANGLE_ERROR = declare(
    name="triangle_error", label="Triangle error", group="utility", unit="share", audience="owner",
    meaning="relative difference of the number of triangles, taken as it stands",
)  # fmt: skip


@measure_of.register
def _(shape: GraphShape, original: Any, asked: MeasureOptions) -> Measures:
    if original is not None and len(original) != len(shape.graph):
        raise ParameterError(
            f"the release is of a graph of {len(shape.graph):,} vertices, and the original is another; give the right "
            f"one"
        )
    if original is not None:
        shape.refuse_other_original(original)
    return measure_graph(shape.graph, original, shape.rows)


def measure_graph(published: Graph, original: Graph | None, rows: NDArray[Any] | None) -> Measures:
    """Numbers of vertices and edges; with the original and its owner's map, how much of it is there."""
    values: dict[About, float | None] = {_N_VERTICES: published.n_vertices, _N_EDGES: published.n_edges}
    if original is not None and rows is not None:
        behind = np.asarray(rows, dtype=np.int64)
        u, v = published.edges
        kept = int(original.has_edges(behind[u], behind[v]).sum())
        off = np.abs(published.degrees - original.degrees[behind])
        values[_EDGES_KEPT] = kept / max(original.n_edges, 1)
        values[_EDGES_FALSE] = 1 - kept / max(published.n_edges, 1)
        values[_DEGREE_ERROR] = float(off.mean()) if len(off) else 0.0
        if len(original) > _HUBS:
            classes = hub_confusion(original, published, behind, hubs=_HUBS)
            if classes.sum() >= _ENOUGH:
                values[_HUB_AGREEMENT] = float(np.trace(classes) / classes.sum())
    if original is not None:
        true, shown = count_triangles(original), count_triangles(published)
        values[_TRIANGLE_ERROR] = abs(shown - true) / max(true, 1)
    return Measures(figures_of(values))
