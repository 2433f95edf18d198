"""KDegree: degrees raised at the least cost, edges added, none taken away."""

from __future__ import annotations

import time
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.contracts.method import method_from_dict
from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import read_graph
from sfumato.graphs.k_degree import KDegree, _supergraph, anonymous_degrees, k_degree_supergraph
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.degree_anonymity import DegreeAnonymity
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.promise import promise_from_dict


def least_count(values):
    return int(np.unique(values, return_counts=True)[1].min())


def random_graph(n, density, seed):
    return Graph.from_scipy(np.triu(np.random.default_rng(seed).random((n, n)) < density, 1))


# -- degrees ---------------------------------------------------------------------------------------------------------
def cheapest_cut(degrees, k):
    """Every way to cut the falling degrees into groups of k or more."""
    falling = sorted(degrees, reverse=True)
    n, best = len(falling), None
    for cuts in product([False, True], repeat=n - 1):
        at = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), n]
        sizes = list(pairwise(at))
        if all(b - a >= k for a, b in sizes):
            cost = sum(falling[a] - d for a, b in sizes for d in falling[a:b])
            best = cost if best is None else min(best, cost)
    return best


@given(st.lists(st.integers(0, 12), min_size=1, max_size=9), st.integers(1, 9))
def test_degrees_are_raised_at_the_least_cost(degrees, k):
    k = min(k, len(degrees))
    raised = anonymous_degrees(np.array(degrees), k)
    assert (raised >= degrees).all()
    assert least_count(raised) >= k
    assert raised.sum() - sum(degrees) == cheapest_cut(degrees, k)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=5), st.integers(1, 5))
def test_no_raising_of_any_kind_is_cheaper(degrees, k):
    k = min(k, len(degrees))
    ways = product(*[range(d, 6) for d in degrees])
    best = min(sum(way) for way in ways if least_count(way) >= k)
    assert anonymous_degrees(np.array(degrees), k).sum() == best


# -- edges -----------------------------------------------------------------------------------------------------------
@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 10**6))
def test_edges_are_added_as_wanted_or_the_lack_is_told(n, density, seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(n, density, seed)
    wanted = np.minimum(rng.integers(0, 5, n), n - 1 - graph.degrees)
    low, high, n_short = _supergraph(graph.indptr, graph.indices, wanted, rng.permutation(n))
    pairs = {frozenset(pair) for pair in zip(low.tolist(), high.tolist(), strict=True)}
    assert len(pairs) == len(low)
    assert all(len(pair) == 2 for pair in pairs)
    assert not graph.has_edges(low, high).any()
    got = np.bincount(np.concatenate([low, high]), minlength=n)
    assert (got <= wanted).all()
    assert (wanted - got).sum() == n_short


def test_what_can_be_joined_is_joined():
    empty = Graph.from_edges([], [], 6)
    for wanted in ([5] * 6, [3, 3, 2, 2, 1, 1], [5, 1, 1, 1, 1, 1]):
        low, _, n_short = _supergraph(empty.indptr, empty.indices, np.array(wanted), np.arange(6))
        assert (len(low), n_short) == (sum(wanted) // 2, 0)


@given(st.integers(1, 14), st.integers(1, 14), st.floats(0, 1), st.integers(0, 10**6))
def test_every_graph_has_a_release(n, k, density, seed):
    graph = random_graph(n, density, seed)
    larger = k_degree_supergraph(graph, min(k, n), Randomness(seed))
    assert least_count(larger.degrees) >= min(k, n)
    assert larger.has_edges(*graph.edges).all()
    assert len(larger) == n


def test_nothing_is_added_where_nothing_need_be():
    ring = Graph.from_edges(np.arange(10), (np.arange(10) + 1) % 10)
    assert k_degree_supergraph(ring, 10, Randomness(1)) == ring


def test_a_star_gets_a_second_centre():
    star = Graph.from_edges(np.zeros(9, dtype=int), np.arange(1, 10))
    larger = k_degree_supergraph(star, 2, Randomness(1))
    assert sorted(larger.degrees.tolist())[-2:] == [9, 9]


# -- the method ------------------------------------------------------------------------------------------------------
def test_a_release_keeps_its_promise():
    graph = random_graph(60, 0.1, 3)
    outcome = KDegree(7).run(graph, None, Randomness(1), Progress(3, shown=False))
    assert outcome.public == {"graph": {"vertices": 60, "k": 7}}
    ends = outcome.frame.to_numpy()
    assert least_count(np.bincount(ends.ravel(), minlength=60)) >= 7
    back = Graph.from_edges(*outcome.rows[ends].T, 60)
    assert back.has_edges(*graph.edges).all()


def test_promises():
    assert KDegree(5).promise_for(None) == DegreeAnonymity(5)
    assert KDegree(5).promise_for(DegreeAnonymity(3)) == DegreeAnonymity(3)
    with pytest.raises(ParameterError, match=r"take KDegree\(6\)"):
        KDegree(5).promise_for(DegreeAnonymity(6))
    with pytest.raises(ParameterError, match="DegreeAnonymity alone"):
        KDegree(5).promise_for(DegreeAnonymity(3) & KAnonymity(2))
    assert promise_from_dict(DegreeAnonymity(4).to_dict()) == DegreeAnonymity(4)
    assert method_from_dict(KDegree(4).to_dict()) == KDegree(4)
    assert DegreeAnonymity(4).limit(4, []) is None
    assert DegreeAnonymity(4).limit(3, []) == "k=4 needs at least 4 vertices and the graph has 3; the best is k=3"


def test_the_promise_is_about_graphs():
    for ask in (lambda: DegreeAnonymity(4).conditions([]), lambda: DegreeAnonymity(4).check(None)):
        with pytest.raises(ParameterError, match=r"is about graphs.*KAnonymity\(4\)"):
            ask()


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "3"])
def test_k_that_cannot_be(k):
    for make in (KDegree, DegreeAnonymity):
        with pytest.raises(ParameterError, match="k must be a whole number >= 1"):
            make(k)


def test_too_few_vertices():
    with pytest.raises(InfeasibleError, match="the best is k=3"):
        k_degree_supergraph(Graph.from_edges([0], [1], 3), 4, Randomness(1))


@pytest.mark.data
@pytest.mark.parametrize("k", [10, 100])
def test_votes(data_folder, k):
    graph = read_graph(data_folder / "graphs" / "wiki-Vote.txt.gz")
    k_degree_supergraph(Graph.from_edges([0], [1], 3), 2, Randomness(1))
    began = time.perf_counter()
    larger = k_degree_supergraph(graph, k, Randomness(1))
    assert time.perf_counter() - began < 10
    assert least_count(larger.degrees) >= k
    assert larger.has_edges(*graph.edges).all()
    assert larger.n_edges < graph.n_edges * (1.06 if k == 10 else 2)
