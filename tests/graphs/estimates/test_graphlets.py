"""Patterns of the original graph: special cases, errors in closed form and by the bootstrap."""

import numpy as np
import pytest

from sfumato.graphs.counts.graphlets import count_graphlets
from sfumato.graphs.counts.patterns import pattern_names, unperturbed_counts
from sfumato.graphs.estimates.densities import edge_count
from sfumato.graphs.estimates.graphlets import estimate_graphlets
from sfumato.graphs.estimates.transitivity import estimate_triads
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import MU, expected, graph_of, random_graph, rings_of_friends


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
    graph = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 4)
    _, spread = expected(graph, MU, lambda seen: unperturbed_counts(count_graphlets(seen, 3), 3, MU).values())
    variance = float(sum(spread[2][2:3]))
    found = []
    for seed in range(2000):
        seen = flip_pairs(graph, 0.1, Randomness(seed))
        found.append(estimate_graphlets(seen, MU, 3)["edge and vertex"].stderr ** 2)
    assert np.mean(found) == pytest.approx(variance, rel=0.05)


def test_patterns_of_four_have_errors_by_the_bootstrap():
    graph, mu = rings_of_friends(80, 8, 1), 0.02
    truth = count_graphlets(graph, 4)
    hits = []
    for seed in range(15):
        told = estimate_graphlets(flip_pairs(graph, mu, Randomness(seed)), mu, 4, random=Randomness(-seed), repeats=8)
        assert list(told) == list(pattern_names(4))
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
