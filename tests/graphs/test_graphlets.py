"""Patterns on up to four vertices: names, transitions, exact and sampled counts, estimates."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from sfumato.graphs.counts.graphlets import cliques_work, count_cliques, count_graphlets, sample_graphlets
from sfumato.graphs.counts.patterns import names, parts, pattern, transition, unperturbed_counts
from sfumato.graphs.estimates.densities import edge_count
from sfumato.graphs.estimates.graphlets import estimate_graphlets
from sfumato.graphs.estimates.transitivity import estimate_triads
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from small_graphs import expected, graph_of, means, random_graph, rings_of_friends, slow_graphlets

MU = Fraction(1, 10)


def test_there_are_2_and_4_and_11_patterns():
    assert [len(names(size)) for size in (2, 3, 4)] == [2, 4, 11]
    assert pattern(4, [(0, 1), (2, 1), (2, 0), (3, 0)]) == "paw"
    assert pattern(4, [(3, 0), (1, 3), (2, 3)]) == "claw"
    assert pattern(4, combinations(range(4), 2)) == "4-clique"
    assert pattern(3, [(0, 1)]) == "edge and vertex"


@pytest.mark.parametrize("bad", [[(0, 0)], [(0, 4)], [(-1, 2)]])
def test_edges_of_a_pattern_join_its_vertices(bad):
    with pytest.raises(ParameterError, match="0 to 3"):
        pattern(4, bad)


def test_patterns_of_five_are_refused():
    for call in (names, lambda size: transition(size, 0.1), lambda size: count_graphlets(graph_of([], 9), size)):
        with pytest.raises(ParameterError, match="2, 3 or 4 vertices, got 5"):
            call(5)


def test_transition_of_triples():
    """Vector B-11."""
    rows = transition(3, MU)
    assert rows[0] == [Fraction(x, 1000) for x in (729, 243, 27, 1)]
    assert rows[1] == [Fraction(x, 1000) for x in (81, 747, 163, 9)]
    assert rows[2] == rows[1][::-1]
    assert rows[3] == rows[0][::-1]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_a_transition_back_undoes_it(size):
    there, back = transition(size, MU), transition(size, -MU / (1 - 2 * MU))
    n = len(there)
    assert all(sum(row) == 1 for row in there)
    product = [[sum(there[i][k] * back[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
    assert product == [[int(i == j) for j in range(n)] for i in range(n)]


def test_parts_of_patterns():
    within, order = parts(4), names(4)
    clique = {name: within[a][0] for a, name in enumerate(order)}
    assert (clique["4-cycle"], clique["diamond"], clique["claw"], clique["4-path"], clique["two edges"]) == (
        3, 6, 4, 12, 3,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("size", [2, 3, 4])
def test_counts_are_those_of_brute_force(seed, size):
    graph = random_graph(seed % 12 + 1, (0.2, 0.5, 0.8)[seed % 3], seed)
    assert count_graphlets(graph, size) == slow_graphlets(graph, size)


def test_counts_of_many_vertices_stay_exact():
    n = 300_000
    counts = count_graphlets(graph_of([(0, 1)], n), 4)
    assert counts["edge and two vertices"] == (n - 2) * (n - 3) // 2
    assert sum(counts.values()) == n * (n - 1) * (n - 2) * (n - 3) // 24
    assert counts["four vertices"] > 2**63


def test_sampled_counts_come_near():
    graph = random_graph(120, 0.25, 1)
    exact = count_graphlets(graph, 4)
    scores = []
    for seed in range(40):
        sampled = sample_graphlets(graph, Randomness(seed), draws=400)
        assert sum(sampled.counts.values()) == pytest.approx(sum(exact.values()))
        scores.append([(sampled.counts[name] - exact[name]) / sampled.stderr[name] for name in ("4-clique", "4-cycle")])
    scores = np.array(scores)
    assert np.all(np.abs(scores.mean(axis=0)) < 4 / np.sqrt(40))
    assert np.all((scores.std(axis=0) > 0.7) & (scores.std(axis=0) < 1.3))


def test_what_is_cheap_is_counted():
    graph = random_graph(60, 0.2, 2)
    exact = count_graphlets(graph, 4)
    sampled = sample_graphlets(graph, Randomness(1), limit=10**9)
    assert sampled.counts == exact
    assert set(sampled.stderr.values()) == {0.0}
    assert count_cliques(graph) == exact["4-clique"] <= cliques_work(graph)


def test_nothing_to_sample():
    for graph in (graph_of([], 6), graph_of([(0, 1), (1, 2)], 6)):
        sampled = sample_graphlets(graph, Randomness(1), draws=10)
        assert sampled.counts == count_graphlets(graph, 4)
    with pytest.raises(ParameterError, match="draws"):
        sample_graphlets(graph_of([], 6), Randomness(1), draws=1)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_counts_taken_back_are_unbiased_over_all_flips(size):
    graph = graph_of([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)], 5)
    found = means(graph, MU, lambda seen: unperturbed_counts(count_graphlets(seen, size), size, MU).values())
    assert found == list(count_graphlets(graph, size).values())


def test_the_framework_equals_the_special_cases():
    graph = random_graph(25, 0.3, 3)
    triples = unperturbed_counts(count_graphlets(graph, 3), 3, MU)
    special = estimate_triads(graph, MU)
    assert triples["triangle"] == special.triangles
    assert triples["wedge"] == special.wedges
    assert float(unperturbed_counts(count_graphlets(graph, 2), 2, MU)["edge"]) == edge_count(graph, MU).value
    told = estimate_graphlets(graph, MU, 3)
    assert {name: each.value for name, each in told.items()} == {name: float(x) for name, x in triples.items()}
    assert told["triangle"].stderr == special.triangle_estimate.stderr
    two = estimate_graphlets(graph, MU, 2)
    assert two["edge"].value + two["two vertices"].value == 300


def test_errors_of_triples_are_those_over_all_flips():
    """Closed forms at the true sums equal the spread over all 64 graphs."""
    from sfumato.graphs.estimates import graphlets

    graph = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 4)
    _, spread = expected(graph, MU, lambda seen: unperturbed_counts(count_graphlets(seen, 3), 3, MU).values())
    variance = float(sum(spread[2][2:3]))
    found = []
    for seed in range(2000):
        seen = flip_pairs(graph, 0.1, Randomness(seed))
        found.append(graphlets.estimate_graphlets(seen, MU, 3)["edge and vertex"].stderr ** 2)
    assert np.mean(found) == pytest.approx(variance, rel=0.05)


def test_patterns_of_four_have_errors_by_the_bootstrap():
    graph, mu = rings_of_friends(80, 8, 1), 0.02
    truth = count_graphlets(graph, 4)
    hits = []
    for seed in range(15):
        told = estimate_graphlets(flip_pairs(graph, mu, Randomness(seed)), mu, 4, random=Randomness(-seed), repeats=8)
        assert list(told) == list(names(4))
        hits += [told[name].low <= truth[name] <= told[name].high for name in ("4-clique", "diamond", "paw", "4-cycle")]
    assert np.mean(hits) > 0.85
    assert estimate_graphlets(graph, 0, 4)["paw"].stderr == 0
    bare = estimate_graphlets(graph, mu, 4, repeats=0)["paw"]
    assert (bare.stderr, bare.low, bare.high) == (None, None, None)
    assert "no error" in bare.note


def test_estimates_say_when_they_were_sampled():
    told = estimate_graphlets(random_graph(60, 0.3, 2), 0.01, 4, random=Randomness(1), repeats=2, limit=10)
    assert "sampled" in told["4-cycle"].note
    with pytest.raises(ParameterError, match="repeats"):
        estimate_graphlets(graph_of([], 5), 0.1, 4, repeats=1)
