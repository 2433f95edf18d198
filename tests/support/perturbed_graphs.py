"""A small graph, runs of methods on it, and whether counts fit what is expected."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from sfumato.data.graph import Graph
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness

SQUARE = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], 5, list("abcde"))


def run_method(method, graph, seed=1):
    return method.run(graph, None, Randomness(seed), Progress(3, shown=False))


def published_graph(outcome):
    ends = outcome.frame.to_numpy().astype(int)
    return Graph.from_edges(ends[:, 0], ends[:, 1], outcome.public["graph"]["vertices"])


def fits(counts, expected, p=1e-4):
    counts, expected = np.asarray(counts, dtype=float), np.asarray(expected, dtype=float)
    return ((counts - expected) ** 2 / expected).sum() < chi2.isf(p, len(counts) - 1)
