"""Every pair flips with probability mu, independently of every other, and nothing else happens."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

import sfumato.graphs.edge_perturbation as module
from sfumato.contracts.method import method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.graphs.flips import _skips, draw_flips, flip_pairs, pair_ends, toggle_pairs
from sfumato.graphs.relabelling import Relabelling
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity

SQUARE = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], 5, list("abcde"))


def run(method, graph, seed=1):
    return method.run(graph, None, Randomness(seed), Progress(3, shown=False))


def published(outcome):
    ends = outcome.frame.to_numpy().astype(int)
    return Graph.from_edges(ends[:, 0], ends[:, 1], outcome.public["graph"]["vertices"])


def edge_set(graph):
    return set(zip(*(end.tolist() for end in graph.edges), strict=True))


def fits(counts, expected, p=1e-4):
    counts, expected = np.asarray(counts, dtype=float), np.asarray(expected, dtype=float)
    return ((counts - expected) ** 2 / expected).sum() < chi2.isf(p, len(counts) - 1)


# -- which pairs -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mu", [0.49, 0.2])
def test_every_set_of_flips_has_its_probability(mu):
    """All 64 sets of flips of 6 pairs: so much for each pair, for joint independence and for the number of flips."""
    random, n_runs, counts = Randomness(f"sets {mu}"), 20_000, np.zeros(64)
    for _ in range(n_runs):
        counts[int((1 << draw_flips(6, mu, random)).sum())] += 1
    sizes = np.array([bin(s).count("1") for s in range(64)])
    expected = n_runs * mu**sizes * (1 - mu) ** (6 - sizes)
    common = expected >= 5
    assert fits([*counts[common], counts[~common].sum() + 1e-9], [*expected[common], expected[~common].sum() + 1e-9])
    by_pair = [sum(counts[s] for s in range(64) if s >> pair & 1) for pair in range(6)]
    assert np.abs(np.array(by_pair) - n_runs * mu).max() < 4.5 * math.sqrt(n_runs * mu * (1 - mu))


@pytest.mark.parametrize(("mu", "n_pairs"), [(1e-9, 2 * 10**13), (1e-5, 2 * 10**9), (0.03, 10**6), (0.49, 50_000)])
def test_flips_of_many_pairs(mu, n_pairs):
    flips = draw_flips(n_pairs, mu, Randomness(7))
    assert (np.diff(flips) > 0).all()
    assert 0 <= flips[0] <= flips[-1] < n_pairs
    assert abs(len(flips) - n_pairs * mu) < 4.5 * math.sqrt(n_pairs * mu * (1 - mu))
    assert kstest(flips / n_pairs, "uniform").pvalue > 1e-3
    gaps = np.diff(flips)
    if mu < 1e-3:
        assert kstest(gaps * mu, "expon").pvalue > 1e-3
    else:
        most = int(math.log(20 / len(gaps)) / math.log1p(-mu))
        counts = np.bincount(np.minimum(gaps, most + 1), minlength=most + 2)[1:]
        shares = mu * (1 - mu) ** np.arange(most)
        assert fits(counts, len(gaps) * np.append(shares, (1 - mu) ** most))


@pytest.mark.parametrize("mu", [1e-9, 1e-6, 1e-3, 0.1, 0.49])
@pytest.mark.parametrize("skip", [1, 2, 7, 1000])
def test_words_are_cut_where_the_geometric_distribution_says(mu, skip):
    """A skip of at least s has probability (1 - mu)^s: the word there, to a unit or a part in 10^13."""
    exact = 1 - (1 - Fraction(mu)) ** skip  # below this share of all words, less is skipped
    if 1 - exact < 1e-3:
        return
    at, step = exact * 2**64, exact * 2**64 / 10**13 + (2**11 if exact > 2**-11 else 1)
    words = np.array([int(at - step), int(at + step)], dtype=np.uint64)
    below, above = (_skips(words[i : i + 1], -math.log1p(-mu), -1, 2**61)[0][0] for i in range(2))
    assert (below, above) == (skip - 1, skip)


def test_the_largest_word_and_the_least_probability():
    largest = np.array([2**64 - 1], dtype=np.uint64)
    pairs, done = _skips(largest, -math.log1p(-0.4), -1, 10**9)
    assert (int(pairs[0]), done) == (int(53 * math.log(2) / -math.log1p(-0.4)), False)
    assert draw_flips(2**61, 5e-324, Randomness(1)).tolist() == []


def test_flips_do_not_depend_on_how_words_are_drawn(monkeypatch):
    whole = draw_flips(5000, 0.1, Randomness(3))
    monkeypatch.setattr(module, "_BATCH", 7)
    assert np.array_equal(draw_flips(5000, 0.1, Randomness(3)), whole)
    assert draw_flips(0, 0.1, Randomness(3)).tolist() == draw_flips(9, 0, Randomness(3)).tolist() == []


# -- pairs by number -------------------------------------------------------------------------------------------------
def test_pairs_are_numbered_row_by_row():
    low, high = pair_ends(np.arange(15))
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == [(i, j) for j in range(6) for i in range(j)]


@given(st.integers(1, 2**31 - 2), st.sampled_from(["first", "middle", "last"]))
def test_pairs_of_large_graphs_are_exact(j, which):
    i = {"first": 0, "middle": j // 2, "last": j - 1}[which]
    low, high = pair_ends(np.array([j * (j - 1) // 2 + i]))
    assert (int(low[0]), int(high[0])) == (i, j)


@given(st.integers(0, 8), st.sets(st.integers(0, 27)), st.sets(st.integers(0, 27)))
def test_toggling_is_the_symmetric_difference(n, there, listed):
    there, listed = ({p for p in pairs if p < n * (n - 1) // 2} for pairs in (there, listed))
    low, high = pair_ends(np.array(sorted(there), dtype=np.int64))
    graph = toggle_pairs(Graph.from_edges(low, high, n), np.array(sorted(listed), dtype=np.int64))
    assert {j * (j - 1) // 2 + i for i, j in edge_set(graph)} == there ^ listed
    assert len(graph) == n


# -- the methods -----------------------------------------------------------------------------------------------------
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
            p = 1 - mu if (i, j) in edge_set(SQUARE) else mu
            assert abs(there[i, j] - n_runs * p) < 4 * math.sqrt(n_runs * p * (1 - p)), (i, j)


def test_vertices_are_numbered_at_random():
    outcomes = [run(Relabelling(), SQUARE, seed) for seed in range(400)]
    counts = np.zeros((5, 5))
    for outcome in outcomes:
        counts[np.arange(5), outcome.rows] += 1
        assert edge_set(published(outcome).renumbered(outcome.rows)) == edge_set(SQUARE)
    assert all(fits(counts[i], np.full(5, 80)) for i in range(5))


def test_what_readers_are_told():
    outcome = run(EdgePerturbation(0.01), SQUARE)
    assert outcome.public == {
        "graph": {"vertices": 5, "mu": 0.01, "epsilon": pytest.approx(4.595120, abs=1e-6)}
    }  # B-20
    assert outcome.frame.columns == ["source", "target"]
    assert all(dtype.is_integer() for dtype in outcome.frame.dtypes)
    assert not outcome.kept
    assert run(Relabelling(), SQUARE).public == {"graph": {"vertices": 5}}


def test_nothing_flips_at_0():
    outcome = run(EdgePerturbation(0), SQUARE)
    assert outcome.public["graph"]["epsilon"] is None
    assert edge_set(published(outcome).renumbered(outcome.rows)) == edge_set(SQUARE)
    assert flip_pairs(SQUARE, 0, Randomness(1)) == Graph(SQUARE.indptr, SQUARE.indices)


def test_a_seed_repeats_a_release_and_another_does_not():
    first, again, other = (run(EdgePerturbation(0.2), SQUARE, seed) for seed in (5, 5, 6))
    assert first.frame.equals(again.frame)
    assert np.array_equal(first.rows, again.rows)
    assert not (first.frame.equals(other.frame) and np.array_equal(first.rows, other.rows))


def test_graphs_of_one_vertex_and_of_none():
    assert run(EdgePerturbation(0.4), Graph.from_edges([], [], 1)).frame.height == 0
    with pytest.raises(DataError, match="no vertices"):
        run(EdgePerturbation(0.4), Graph.from_edges([], []))
    with pytest.raises(ParameterError, match="publishes a Graph"):
        run(Relabelling(), Baskets.from_lists([["a"]]))


@pytest.mark.parametrize("mu", [0.5, -1e-9, math.nan, True, "0.1", None])
def test_probabilities_that_cannot_be(mu):
    with pytest.raises(ParameterError, match=r"mu must be a number from 0 to below 0\.5"):
        EdgePerturbation(mu)


def test_promises_are_refused_and_methods_are_found_by_name():
    for method in (EdgePerturbation(0.1), Relabelling()):
        assert method.promised(None) is None
        with pytest.raises(ParameterError, match="keeps no promise"):
            method.promised(KAnonymity(5))
        assert method_from_dict(method.to_dict()) == method
        assert method.takes is Graph


def test_more_edges_than_fit_are_refused_at_once():
    large = Graph.from_edges([0], [1], 200_000)
    with pytest.raises(ParameterError, match=r"mu=0.1 of 200,000 vertices makes about 1,999,990,001 edges"):
        flip_pairs(large, 0.1, Randomness(1))
