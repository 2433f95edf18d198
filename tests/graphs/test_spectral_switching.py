"""Switches keep degrees, and eigenvalues where that is asked."""

from __future__ import annotations

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.graph import Graph
from sfumato.graphs.spectral_switching import _choose, _new_once, leading_eigenpairs, switch_edges
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness


def communities(n=300, seed=1):
    """Three groups, so that the second eigenvalue says something."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, 12 * n))
    keep = (ends[0] % 3 == ends[1] % 3) | (rng.random(12 * n) < 0.05)
    return Graph.from_edges(*ends[:, keep], n)


def lost(graph, other):
    return graph.n_edges - int(graph.has_edges(*other.edges).sum())


@pytest.mark.parametrize("eigenvalues", [0, 1, 3])
@pytest.mark.parametrize("share", [0.05, 0.4])
def test_degrees_stay_and_so_many_edges_go(eigenvalues, share):
    graph = communities()
    count = round(share * graph.n_edges)
    found = switch_edges(graph, count, Randomness(3), eigenvalues, 0.02)
    assert np.array_equal(found.degrees, graph.degrees)
    assert count - 1 <= lost(graph, found) <= count
    assert Graph(found.indptr, found.indices) == found


def test_eigenvalues_stay_where_they_are_asked_to():
    graph = communities()
    true, _ = leading_eigenpairs(graph, 3)
    count = graph.n_edges // 2
    kept, _ = leading_eigenpairs(switch_edges(graph, count, Randomness(3), 3, 0.02), 3)
    loose, _ = leading_eigenpairs(switch_edges(graph, count, Randomness(3), 0), 3)
    assert np.all(np.abs(kept / true - 1) < 0.03)
    assert abs(loose[1] / true[1] - 1) > 0.2


def test_the_first_order_is_right():
    graph = communities(60)
    values, vectors = leading_eigenpairs(graph, 2)
    u, v = graph.edges
    rng = np.random.default_rng(0)
    tried = 0
    while tried < 20:
        a, b = rng.integers(0, graph.n_edges, 2)
        t, w, s, r = u[a], v[a], u[b], v[b]
        if len({t, w, s, r}) < 4 or graph.has_edges([t, s], [r, w]).any():
            continue
        tried += 1
        matrix = graph.to_scipy().toarray().astype(float)
        for x, y, z in ((t, w, 0), (s, r, 0), (t, r, 1), (s, w, 1)):
            matrix[x, y] = matrix[y, x] = z
        after = np.sort(np.linalg.eigvalsh(matrix))[::-1][0]
        x = vectors[0]
        told = 2 * (x[t] * x[r] + x[s] * x[w] - x[t] * x[w] - x[s] * x[r])
        assert after - values[0] == pytest.approx(told, abs=0.1 * abs(values[0]) / 60 + 0.02)


def test_choose_stops_at_the_limits_and_goes_back():
    vectors = np.array([[1.0, 0.0, 0.0, 1.0]])
    ends = [np.array([each] * 5) for each in (0, 1, 2, 3)]  # each moves the eigenvalue up by 2
    assert _choose(*ends, vectors, np.zeros(1), np.array([4.5]), 9).tolist() == [True, True, False, False, False]
    assert _choose(*ends, vectors, np.array([-7.0]), np.array([4.5]), 9).sum() == 5
    assert _choose(*ends, vectors, np.zeros(1), np.array([100.0]), 3).sum() == 3


def test_an_edge_is_made_once():
    assert _new_once(np.array([1, 2, 1, 5]), np.array([3, 4, 9, 4])).tolist() == [0, 1]


def test_switches_run_out():
    complete = Graph.from_edges(*np.triu_indices(8, 1), 8)
    with pytest.raises(InfeasibleError, match="only 0 of 6 edges"):
        switch_edges(complete, 6, Randomness(1))
    with pytest.raises(InfeasibleError, match="the graph has 28"):
        switch_edges(complete, 29, Randomness(1))
    assert switch_edges(complete, 0, Randomness(1)) == complete


@pytest.mark.parametrize("wrong", [{"edges": -1}, {"edges": 1.0}, {"edges": 0.1, "eigenvalues": -1}, {"edges": 0.1, "tolerance": 0}])  # fmt: skip
def test_bad_numbers(wrong):
    with pytest.raises(ParameterError):
        sf.SpectralSwitching(**wrong)


def test_published_and_checked_and_attacked():
    graph = communities()
    release = sf.publish(graph, sf.SpectralSwitching(0.1), seed=2)
    assert release.verdict.holds
    assert "every vertex has as many neighbours as it had" in release.verdict.found
    assert release.public["graph"]["degrees_kept"]
    other = sf.publish(graph, sf.AddDelete(release.public["graph"]["edges_replaced"]), seed=2)
    assert other.public["graph"].get("degrees_kept") is None
    found = sf.attack(release, sf.DegreeAttack(people=300), graph)
    assert found["found"].value == pytest.approx(found["found_before"].value)
    assert sf.attack(release, sf.IntervalWalkAttack(accounts=12, trials=6, errors=20), graph)["accounts"].value > 0.5
