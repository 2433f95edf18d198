"""The method that flips pairs: what is published, what readers are told, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.contracts.method import method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.flips import flip_pairs
from sfumato.graphs.relabelling import Relabelling
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from support.perturbed_graphs import SQUARE, published_graph, run_method
from support.small_graphs import pairs_of


def test_an_edge_goes_and_another_comes_with_the_same_probability():
    """On the published graph, read through the owner's map: each of 10 pairs of 5 vertices."""
    n_runs, mu, there = 700, 0.3, np.zeros((5, 5))
    random = Randomness("method")
    for turn in range(n_runs):
        outcome = EdgePerturbation(mu).run(SQUARE, None, random.spawn(str(turn)), Progress(3, shown=False))
        u, v = outcome.rows[outcome.frame["source"]], outcome.rows[outcome.frame["target"]]
        there[np.minimum(u, v), np.maximum(u, v)] += 1
    for i in range(5):
        for j in range(i + 1, 5):
            p = 1 - mu if (i, j) in pairs_of(SQUARE) else mu
            assert abs(there[i, j] - n_runs * p) < 4 * math.sqrt(n_runs * p * (1 - p)), (i, j)


def test_what_readers_are_told():
    outcome = run_method(EdgePerturbation(0.01), SQUARE)
    assert outcome.public == {
        "graph": {"vertices": 5, "mu": 0.01, "epsilon": pytest.approx(4.595120, abs=1e-6)}
    }  # vector B-20
    assert outcome.frame.columns == ["source", "target"]
    assert all(dtype.is_integer() for dtype in outcome.frame.dtypes)
    assert not outcome.kept
    assert run_method(Relabelling(), SQUARE).public == {"graph": {"vertices": 5}}


def test_nothing_flips_at_0():
    outcome = run_method(EdgePerturbation(0), SQUARE)
    assert outcome.public["graph"]["epsilon"] is None
    assert pairs_of(published_graph(outcome).renumbered(outcome.rows)) == pairs_of(SQUARE)
    assert flip_pairs(SQUARE, 0, Randomness(1)) == Graph(SQUARE.indptr, SQUARE.indices)


def test_a_seed_repeats_a_release_and_another_does_not():
    first, again, other = (run_method(EdgePerturbation(0.2), SQUARE, seed) for seed in (5, 5, 6))
    assert first.frame.equals(again.frame)
    assert np.array_equal(first.rows, again.rows)
    assert not (first.frame.equals(other.frame) and np.array_equal(first.rows, other.rows))


def test_graphs_of_one_vertex_and_of_none():
    assert run_method(EdgePerturbation(0.4), Graph.from_edges([], [], 1)).frame.height == 0
    with pytest.raises(DataError, match="no vertices"):
        run_method(EdgePerturbation(0.4), Graph.from_edges([], []))
    with pytest.raises(ParameterError, match="publishes a Graph"):
        run_method(Relabelling(), Baskets.from_lists([["a"]]))


@pytest.mark.parametrize("mu", [0.5, -1e-9, math.nan, True, "0.1", None])
def test_probabilities_that_cannot_be(mu):
    with pytest.raises(ParameterError, match=r"mu must be a number from 0 to below 0\.5"):
        EdgePerturbation(mu)


def test_promises_are_refused_and_methods_are_found_by_name():
    for method in (EdgePerturbation(0.1), Relabelling()):
        assert method.promise_for(None) is None
        with pytest.raises(ParameterError, match="keeps no promise"):
            method.promise_for(KAnonymity(5))
        assert method_from_dict(method.to_dict()) == method
        assert method.takes is Graph
