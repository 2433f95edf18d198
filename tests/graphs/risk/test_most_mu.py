"""What a mu costs is told before anything is published: errors of estimates against many perturbations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.flips import flip_pairs
from sfumato.graphs.risk.most_mu import ESTIMATES, estimate_errors, most_mu
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness

KITE = Graph.from_edges([0, 1, 0, 2], [1, 2, 2, 3], 4)


def clustered(n=60):
    rng = np.random.default_rng(3)
    ends = rng.integers(0, n, (2, 6 * n))
    near = np.abs(ends[0] - ends[1]) < 12
    return Graph.from_edges(*ends[:, near], n)


def test_vector_b14_variances_of_the_true_graph():
    errors = estimate_errors(KITE)
    assert errors.values == {"edges": 4, "squared_degrees": 18, "triangles": 1, "triples": 5, "transitivity": 0.6}
    found = errors.stderr(0.1)
    assert found["triangles"] ** 2 == pytest.approx(57177 / 65536, rel=1e-12)
    assert found["triples"] ** 2 == pytest.approx(6579 / 1024, rel=1e-12)
    assert found["squared_degrees"] ** 2 == pytest.approx(12051 / 256, rel=1e-12)


def test_errors_are_those_of_many_perturbations():
    graph, mu, runs = clustered(), 0.01, 1500
    errors, random = estimate_errors(graph).stderr(mu), Randomness(5)
    seen = []
    for i in range(runs):
        found = estimate_graph(flip_pairs(graph, mu, random.spawn(str(i))), mu, metrics=())
        seen.append([float(found[name].value) for name in ESTIMATES])
    spread = np.std(seen, axis=0, ddof=1)
    for name, sd in zip(ESTIMATES, spread, strict=True):
        assert sd == pytest.approx(errors[name], rel=0.08), name


def test_no_flips_cost_nothing():
    errors = estimate_errors(clustered())
    assert set(errors.stderr(0).values()) == {0.0}
    assert set(errors.reach(0).values()) == {0.0}


@pytest.mark.parametrize("name", ESTIMATES)
@pytest.mark.parametrize("error", [0.02, 0.1, 0.5])
def test_most_mu_is_where_the_error_is_reached(name, error):
    graph = clustered()
    errors = estimate_errors(graph)
    mu = most_mu(graph, name, error)
    assert errors.reach(mu)[name] == pytest.approx(error, rel=1e-6)
    assert errors.reach(mu * 1.01)[name] > error


def test_every_error_grows_with_mu():
    errors = estimate_errors(clustered())
    rows = [errors.reach(mu) for mu in (1e-5, 1e-3, 0.01, 0.1, 0.3, 0.49)]
    for name in ESTIMATES:
        assert np.all(np.diff([row[name] for row in rows]) > 0)


def test_what_is_not_there_has_no_share():
    path = Graph.from_edges([0, 1], [1, 2], 3)
    assert math.isinf(estimate_errors(path).reach(0.1)["triangles"])
    with pytest.raises(InfeasibleError, match="no triangles"):
        most_mu(path, "triangles", 0.1)
    with pytest.raises(ParameterError, match="did you mean 'triangles'"):
        most_mu(path, "triangle", 0.1)
    with pytest.raises(ParameterError, match="error must be"):
        most_mu(path, "edges", 0)
    lone = Graph.from_edges([0], [1], 3)
    assert math.isnan(estimate_errors(lone).values["transitivity"])
    with pytest.raises(InfeasibleError):
        most_mu(lone, "transitivity", 0.1)
