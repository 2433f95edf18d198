"""What a published graph lost, as it stands: edges that went and came, degrees, links to hubs, triangles.

A graph that was perturbed is to be read by `estimate`, and not as it stands; these figures say why.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.graph import Graph
from sfumato.figures import Figure, Measures
from sfumato.graphs.hubs import hub_confusion
from sfumato.graphs.triangles import count_triangles

__all__ = ["measure_graph"]

_HUBS = 10
_ENOUGH = 20  # vertices to be classified; a share of fewer says little


def measure_graph(published: Graph, original: Graph | None, rows: NDArray[Any] | None) -> Measures:
    """Numbers of vertices and edges; with the original and its owner's map, how much of it is there."""
    about: list[tuple[str, float, str, str]] = [
        ("n_vertices", float(published.n_vertices), "Vertices", "vertices that are published"),
        ("n_edges", float(published.n_edges), "Edges", "edges that are published"),
    ]
    if original is not None and rows is not None:
        behind = np.asarray(rows, dtype=np.int64)
        u, v = published.edges
        kept = int(original.has_edges(behind[u], behind[v]).sum())
        off = np.abs(published.degrees - original.degrees[behind])
        about += [
            ("edges_kept", kept / max(original.n_edges, 1), "Edges kept", "edges of the original that are published"),
            ("edges_false", 1 - kept / max(published.n_edges, 1), "False edges", "published edges that are none"),
            ("degree_error", float(off.mean()) if len(off) else 0.0, "Degree error",
             "difference of a vertex's number of neighbours from the true one, on average"),
        ]  # fmt: skip
        if len(original) > _HUBS:
            classes = hub_confusion(original, published, behind, hubs=_HUBS)
            if classes.sum() >= _ENOUGH:
                meaning = "vertices with 4 or more links to the 10 hubs that these links still put into the same class"
                about.append(("hub_agreement", float(np.trace(classes) / classes.sum()), "Hub classes kept", meaning))
    if original is not None:
        true, shown = count_triangles(original), count_triangles(published)
        meaning = "relative difference of the number of triangles, taken as it stands"
        about.append(("triangle_error", abs(shown - true) / max(true, 1), "Triangle error", meaning))
    counts, larger = {"n_vertices", "n_edges"}, {"edges_kept", "hub_agreement"}
    return Measures(
        Figure(
            name=name, value=value, label=label, group="utility", meaning=meaning,
            unit="count" if name in counts else "number" if name == "degree_error" else "share",
            smaller_is_better=None if name in counts else name not in larger,
        )
        for name, value, label, meaning in about
    )  # fmt: skip
