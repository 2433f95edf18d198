"""Speed of counting triangles and triples, as ratios to igraph, networkit and scipy in the same run.

    python -m benchmarks.graph_counting [--vertices 100000] [--edges 1000000] [--repeat 7] [--json FILE]

Two made-up graphs: ends of edges drawn evenly, and by a power law. Others are compared where they can be imported; each
reads the graph before the clock starts. The target is 1.5 times the faster of igraph and networkit, on one core. Below
come the other counts and the estimates of a perturbed graph, as multiples of our own count of triangles.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import seconds
from sfumato.data.graph import Graph
from sfumato.graphs.counts.graphlets import count_cliques, count_graphlets
from sfumato.graphs.counts.metrics import average_path_length, path_sources
from sfumato.graphs.counts.triangles import count_squares, count_triangles, triads, triangles_per_edge
from sfumato.graphs.estimates.degree_distribution import degree_distribution
from sfumato.graphs.estimates.transitivity import estimate_triads
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness

TARGET = 1.5
MU = 1e-5


def made_up(n: int, m: int, kind: str) -> Graph:
    """A graph of about so many vertices and edges."""
    rng = np.random.default_rng(1)
    weight = np.ones(n) if kind == "even" else (np.arange(n) + 10.0) ** -0.5
    ends = np.searchsorted(np.cumsum(weight) / weight.sum(), rng.random((2, m)))
    return Graph.from_edges(ends[0], ends[1], n)


def others(graph: Graph) -> dict[str, Callable[[], float]]:
    """The same count by other libraries."""
    found: dict[str, Callable[[], float]] = {}
    matrix = graph.to_scipy().astype(np.int32)
    found["scipy"] = lambda: (matrix @ matrix).multiply(matrix).sum() / 6
    try:
        drawn = import_module("igraph").Graph(n=graph.n_vertices, edges=np.stack(graph.edges, 1).tolist())
        wedges = int((graph.degrees * (graph.degrees - 1) // 2).sum())
        found["igraph"] = lambda: drawn.transitivity_undirected() * wedges / 3
    except ImportError:
        print("igraph is not installed")
    try:
        kit = import_module("networkit")
        kit.setNumberOfThreads(1)
        held = kit.Graph(graph.n_vertices)
        for u, v in zip(*(ends.tolist() for ends in graph.edges), strict=True):
            held.addEdge(u, v)
        held.indexEdges()

        def by_networkit() -> float:
            return float(sum(kit.sparsification.TriangleEdgeScore(held).run().scores())) / 3

        found["networkit"] = by_networkit
    except ImportError:
        print("networkit is not installed")
    return found


def compared(n: int, m: int, repeat: int) -> list[dict[str, Any]]:
    """Times and ratios for both graphs."""
    rows = []
    for kind in ("even", "power law"):
        graph = made_up(n, m, kind)
        ours, exact = seconds(lambda g=graph: triads(g), repeat), count_triangles(graph)
        row: dict[str, Any] = {"graph": kind, "vertices": n, "edges": graph.n_edges, "triangles": exact, "s": ours}
        for name, count in others(graph).items():
            assert round(count()) == exact, name
            row[f"ratio to {name}"] = ours / seconds(count, repeat)
        near = [row[key] for key in ("ratio to igraph", "ratio to networkit") if key in row]
        row["within the target"] = bool(near) and max(near) <= TARGET
        seen, sources = flip_pairs(graph, MU, Randomness(1)), path_sources(graph, Randomness(2), 64)
        works: dict[str, Callable[[], Any]] = {
            "triangles of every edge": lambda g=graph: triangles_per_edge(g),
            "squares": lambda g=graph: count_squares(g),
            "cliques of four": lambda g=graph: count_cliques(g),
            "all patterns of four": lambda g=graph: count_graphlets(g, 4),
            "estimates of triples, with errors": lambda g=seen: estimate_triads(g, MU),
            "degree distribution": lambda g=seen: degree_distribution(g, MU),
            "distances from 64 sources": lambda g=graph, s=sources: average_path_length(g, s),
        }
        for name, work in works.items():
            row[name] = seconds(work, repeat) / ours
        rows.append(row)
        print(f"{kind}: {graph}")
        for key, value in row.items():
            if isinstance(value, float):
                print(f"  {value:10.3f}  {key}", flush=True)
    return rows


def main() -> None:
    """Run and print, or write."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--vertices", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = compared(given.vertices, given.edges, given.repeat)
    if given.json is not None:
        result = {"machine": platform.machine(), "target": TARGET, "counting": rows}
        given.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
