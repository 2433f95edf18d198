"""Patterns on up to four vertices: names, transitions by flips, and counts taken back."""

from fractions import Fraction
from itertools import combinations

import pytest

from sfumato.graphs.counts.graphlets import count_graphlets
from sfumato.graphs.counts.patterns import (
    pattern_names,
    pattern_of,
    subpattern_counts,
    transition_matrix,
    unperturbed_counts,
)
from sfumato.ground.errors import ParameterError
from support.small_graphs import MU, graph_of, means


def test_there_are_2_and_4_and_11_patterns():
    assert [len(pattern_names(size)) for size in (2, 3, 4)] == [2, 4, 11]
    assert pattern_of(4, [(0, 1), (2, 1), (2, 0), (3, 0)]) == "paw"
    assert pattern_of(4, [(3, 0), (1, 3), (2, 3)]) == "claw"
    assert pattern_of(4, combinations(range(4), 2)) == "4-clique"
    assert pattern_of(3, [(0, 1)]) == "edge and vertex"


@pytest.mark.parametrize("bad", [[(0, 0)], [(0, 4)], [(-1, 2)]])
def test_edges_of_a_pattern_join_its_vertices(bad):
    with pytest.raises(ParameterError, match="0 to 3"):
        pattern_of(4, bad)


def test_patterns_of_five_are_refused():
    for call in (
        pattern_names,
        lambda size: transition_matrix(size, 0.1),
        lambda size: count_graphlets(graph_of([], 9), size),
    ):
        with pytest.raises(ParameterError, match="2, 3 or 4 vertices, got 5"):
            call(5)


def test_transition_of_triples():
    """Vector B-11."""
    rows = transition_matrix(3, MU)
    assert rows[0] == [Fraction(x, 1000) for x in (729, 243, 27, 1)]
    assert rows[1] == [Fraction(x, 1000) for x in (81, 747, 163, 9)]
    assert rows[2] == rows[1][::-1]
    assert rows[3] == rows[0][::-1]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_transition_back_undoes_it(size):
    there, back = transition_matrix(size, MU), transition_matrix(size, -MU / (1 - 2 * MU))
    n = len(there)
    assert all(sum(row) == 1 for row in there)
    product = [[sum(there[i][k] * back[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    assert product == [[int(i == j) for j in range(n)] for i in range(n)]


def test_parts_of_patterns():
    within, order = subpattern_counts(4), pattern_names(4)
    clique = {name: within[a][0] for a, name in enumerate(order)}
    assert (clique["4-cycle"], clique["diamond"], clique["claw"], clique["4-path"], clique["two edges"]) == (
        3, 6, 4, 12, 3,
    )  # fmt: skip


@pytest.mark.parametrize("size", [2, 3, 4])
def test_counts_taken_back_are_unbiased_over_all_flips(size):
    graph = graph_of([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)], 5)
    found = means(graph, MU, lambda seen: unperturbed_counts(count_graphlets(seen, size), size, MU).values())
    assert found == list(count_graphlets(graph, size).values())
