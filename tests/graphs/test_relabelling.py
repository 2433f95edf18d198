"""Vertices are numbered at random, and nothing else happens."""

from __future__ import annotations

import numpy as np

from sfumato.graphs.relabelling import Relabelling
from support.perturbed_graphs import SQUARE, fits, published_graph, run_method
from support.small_graphs import pairs_of


def test_vertices_are_numbered_at_random():
    outcomes = [run_method(Relabelling(), SQUARE, seed) for seed in range(400)]
    counts = np.zeros((5, 5))
    for outcome in outcomes:
        counts[np.arange(5), outcome.rows] += 1
        assert pairs_of(published_graph(outcome).renumbered(outcome.rows)) == pairs_of(SQUARE)
    assert all(fits(counts[i], np.full(5, 80)) for i in range(5))
