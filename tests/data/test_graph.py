"""Graph: whatever is given, an undirected simple graph with rows in order, and back again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array

from sfumato.data.graph import Graph
from sfumato.ground.errors import DataError, ParameterError


@st.composite
def listed(draw):
    """Some vertices and pairs of them, with loops and repetitions."""
    n = draw(st.integers(1, 9))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
    return n, pairs


def edge_set(graph):
    return set(zip(*(end.tolist() for end in graph.edges), strict=True))


def graph_of(n, pairs, names=None):
    return Graph.from_edges([a for a, _ in pairs], [b for _, b in pairs], n, names)


@given(listed())
def test_edges_are_the_set_of_pairs(given_):
    n, pairs = given_
    graph = graph_of(n, pairs)
    expected = {(min(p), max(p)) for p in pairs if p[0] != p[1]}
    assert edge_set(graph) == expected
    assert (graph.n_vertices, graph.n_edges, graph.n_pairs) == (n, len(expected), n * (n - 1) // 2)
    assert graph.degrees.tolist() == [sum(v in edge for edge in expected) for v in range(n)]
    for v in range(n):
        assert graph.neighbours(v).tolist() == sorted(b if a == v else a for a, b in expected if v in (a, b))
    u, v = (ends.ravel() for ends in np.meshgrid(np.arange(n), np.arange(n)))
    assert graph.has_edges(u, v).tolist() == [(min(p), max(p)) in expected for p in zip(u.tolist(), v.tolist())]  # noqa: B905
    assert Graph(graph.indptr, graph.indices) == graph


@given(listed())
def test_there_and_back_through_scipy(given_):
    graph = graph_of(*given_)
    matrix = graph.to_scipy()
    assert (matrix.toarray() == matrix.toarray().T).all()
    assert matrix.toarray().sum() == 2 * graph.n_edges
    assert Graph.from_scipy(matrix) == graph


@given(listed(), st.randoms(use_true_random=False))
def test_renumbering_and_subgraphs(given_, random):
    n, pairs = given_
    graph = graph_of(n, pairs, [f"v{i}" for i in range(n)])
    number = list(range(n))
    random.shuffle(number)
    moved = graph.renumbered(np.array(number))
    assert edge_set(moved) == {tuple(sorted((number[a], number[b]))) for a, b in edge_set(graph)}
    assert moved.names is None
    keep = number[: n // 2]
    part = graph.subgraph(np.array(keep, dtype=int))
    assert part.names == tuple(f"v{i}" for i in keep)
    assert {frozenset((keep[a], keep[b])) for a, b in edge_set(part)} == {
        frozenset(e) for e in edge_set(graph) if set(e) <= set(keep)
    }


@given(listed())
def test_there_and_back_through_networkx(given_):
    pytest.importorskip("networkx")
    n, pairs = given_
    graph = graph_of(n, pairs, [f"v{i}" for i in range(n)])
    assert Graph.from_networkx(graph.to_networkx()) == graph
    assert edge_set(Graph.from_networkx(graph_of(n, pairs).to_networkx())) == edge_set(graph)


@given(listed())
def test_there_and_back_through_igraph(given_):
    pytest.importorskip("igraph")
    n, pairs = given_
    for names in (None, [f"v{i}" for i in range(n)]):
        graph = graph_of(n, pairs, names)
        assert Graph.from_igraph(graph.to_igraph()) == graph


def test_other_libraries_are_read_by_what_they_offer():
    like_networkx = SimpleNamespace(nodes=["b", "a", 7], edges=lambda: [("a", "b"), ("b", "a"), (7, 7)])
    assert Graph.from_networkx(like_networkx) == graph_of(3, [(0, 1)], ["b", "a", "7"])
    attributes = SimpleNamespace(attributes=lambda: [])
    like_igraph = SimpleNamespace(get_edgelist=lambda: [(0, 2), (2, 0)], vcount=lambda: 4, vs=attributes)
    assert Graph.from_igraph(like_igraph) == graph_of(4, [(0, 2)])


def test_a_matrix_of_one_direction_and_with_stored_zeros():
    matrix = coo_array(([1.5, 0.0, 2.0], ([0, 1, 2], [1, 2, 2])), shape=(3, 3))
    assert edge_set(Graph.from_scipy(matrix)) == {(0, 1)}


def test_frames_show_names_where_there_are_some():
    assert graph_of(3, [(2, 0)]).frame.rows() == [(0, 2)]
    assert graph_of(3, [(2, 0)], ["x", "y", "z"]).frame.rows() == [("x", "z")]
    assert repr(graph_of(1200, [(0, 1)])) == "Graph(1,200 vertices, 1 edges)"


def test_no_vertices_and_no_edges():
    assert (len(Graph.from_edges([], [])), len(Graph.from_edges([], [], 4)), Graph.from_edges([], [], 4).n_edges) == (
        0,
        4,
        0,
    )


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Graph.from_edges([0], [1, 2]), "1 of one and 2 of the other"),
        (lambda: Graph.from_edges([0], [3], 2), "vertices are 0 to 1"),
        (lambda: Graph.from_edges([-1], [0], 2), "vertices are 0 to 1"),
        (lambda: Graph.from_edges([0], [1], 2, ["a"]), "1 names for 2 vertices"),
        (lambda: Graph.from_edges([0], [1], 2, ["a", "a"]), "the same name"),
        (lambda: Graph([0, 1, 1], [1]), "both directions"),
        (lambda: Graph([0, 1, 2], [1, 1]), "without loops"),
        (lambda: Graph([0, 2, 1], [1, 0]), "must rise"),
        (lambda: Graph([0, 1, 2], [2, 0]), "numbered 2"),
        (lambda: Graph([0, 2, 3, 4], [2, 1, 0, 0]), "rising order"),
        (lambda: Graph.from_scipy(np.ones((2, 3))), "2 rows and 3"),
    ],
)
def test_what_is_no_simple_graph_is_refused(make, says):
    with pytest.raises(DataError, match=says):
        make()


def test_vertices_that_are_not_there():
    graph = graph_of(3, [(0, 1)])
    with pytest.raises(ParameterError, match="0 to 2"):
        graph.neighbours(3)
    with pytest.raises(ParameterError, match="twice"):
        graph.subgraph(np.array([1, 1]))
