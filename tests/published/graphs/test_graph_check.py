"""Checks of published graphs: right releases pass, and each kind of wrong one is told."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.add_delete import AddDelete
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.flips import flip_pairs, toggle_pairs
from sfumato.graphs.k_degree import KDegree
from sfumato.graphs.relabelling import Relabelling
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.published.graphs.graph_check import (
    check_added_deleted,
    check_degrees,
    check_perturbed,
    check_relabelled,
    check_supergraph,
)

RNG = np.random.default_rng(4)
GRAPH = Graph.from_edges(RNG.integers(0, 200, 1000), RNG.integers(0, 200, 1000), 200)
SAME = np.arange(200)
PLAIN = Graph(GRAPH.indptr, GRAPH.indices)


def release(method, seed=1):
    outcome = method.run(GRAPH, None, Randomness(seed), Progress(3, shown=False))
    ends = outcome.frame.to_numpy()
    return Graph.from_edges(ends[:, 0], ends[:, 1], 200), outcome.rows


def test_relabelled():
    published, rows = release(Relabelling())
    found, broken = check_relabelled(GRAPH, published, rows)
    assert (found, broken) == ((f"{GRAPH.n_edges:,} edges, all those of the original and no other",), ())
    assert check_relabelled(GRAPH, published, np.roll(rows, 1))[1]
    found, broken = check_relabelled(GRAPH, toggle_pairs(GRAPH, np.array([0, 5, 9])), SAME)
    lost = int(GRAPH.has_edges(*_ends([0, 5, 9])).sum())
    assert broken == (f"{lost} edges of the original are not published, and {3 - lost} that it lacks are",)


def _ends(pairs):
    high = [next(j for j in range(200) if j * (j + 1) // 2 > p) for p in pairs]
    return np.array([p - j * (j - 1) // 2 for p, j in zip(pairs, high, strict=True)]), np.array(high)


@pytest.mark.parametrize("mu", [1e-4, 0.01, 0.3])
def test_perturbed_releases_pass(mu):
    for seed in range(25):
        found, broken = check_perturbed(GRAPH, *release(EdgePerturbation(mu), seed), mu)
        assert len(found) == 1
        assert broken == ()


def test_flips_of_another_probability_are_found():
    published = flip_pairs(GRAPH, 0.02, Randomness(1))
    assert check_perturbed(GRAPH, published, SAME, 0.02)[1] == ()
    for mu in (0.0, 0.01, 0.04):
        assert check_perturbed(GRAPH, published, SAME, mu)[1], mu
    assert check_perturbed(GRAPH, PLAIN, SAME, 0.0)[1] == ()
    assert check_perturbed(GRAPH, PLAIN, SAME, 0.02)[1]


def test_each_side_is_tested_on_its_own():
    """As many edges as should be, all of them deleted and none added or the other way round."""
    u, v = GRAPH.edges
    edges = np.sort(v * (v - 1) // 2 + u)
    fewer = toggle_pairs(GRAPH, edges[: GRAPH.n_edges // 2])
    found, broken = check_perturbed(GRAPH, fewer, SAME, 1e-6)
    assert [said.split(" of ")[0] for said in broken] == [f"{GRAPH.n_edges // 2} edges"]
    assert "deleted" in broken[0]
    absent = np.setdiff1d(np.arange(GRAPH.n_pairs), edges)
    found, broken = check_perturbed(GRAPH, toggle_pairs(GRAPH, absent[:300]), SAME, 1e-6)
    assert "added" in broken[0]
    assert (len(broken), found) == (1, ())


def test_maps_that_are_none():
    smaller = Graph.from_edges([0], [1], 199)
    for check in (
        lambda published, rows: check_relabelled(GRAPH, published, rows),
        lambda published, rows: check_perturbed(GRAPH, published, rows, 0.1),
        lambda published, rows: check_added_deleted(GRAPH, published, rows, 1),
        lambda published, rows: check_supergraph(GRAPH, published, rows),
    ):
        assert check(smaller, SAME) == ((), ("199 vertices are published, and the original has 200",))
        for rows in (np.zeros(200, dtype=int), SAME[:-1], SAME + 1):
            assert check(PLAIN, rows) == ((), ("not every original vertex stands behind one published vertex",))


def test_added_and_deleted():
    published, rows = release(AddDelete(40))
    assert check_added_deleted(GRAPH, published, rows, 40) == (("40 edges deleted and 40 added",), ())
    assert check_added_deleted(GRAPH, published, rows, 41)[1] == (
        "40 edges deleted and 40 added, and it should be 41 of each",
    )
    u, v = GRAPH.edges
    assert check_added_deleted(GRAPH, toggle_pairs(GRAPH, v[:1] * (v[:1] - 1) // 2 + u[:1]), SAME, 1)[1]


def test_degrees():
    published, rows = release(KDegree(5))
    assert check_degrees(published, 5)[1] == ()
    assert check_supergraph(GRAPH, published, rows)[1] == ()
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], 6)
    assert check_degrees(path, 2) == (("every degree is that of 2 vertices or more, in 3 degrees",), ())
    star = Graph.from_edges([0, 0, 0], [1, 2, 3], 4)
    assert check_degrees(star, 2) == ((), ("1 degrees are those of fewer than 2 vertices, among them 3 of 1",))
    assert check_degrees(Graph.from_edges([], []), 2)[1] == ()


def test_edges_that_a_supergraph_lacks():
    u, v = GRAPH.edges
    without = toggle_pairs(GRAPH, v[:1] * (v[:1] - 1) // 2 + u[:1])
    assert check_supergraph(GRAPH, without, SAME) == ((), ("1 edges of the original are not published",))
    assert check_supergraph(without, PLAIN, SAME)[0] == ("all edges of the original, and perhaps others",)
