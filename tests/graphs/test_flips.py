"""Every pair flips with probability mu, independently of every other: which pairs, by number, and toggled."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from sfumato.data.graph import Graph
from sfumato.graphs import flips as flips_module
from sfumato.graphs.flips import _skips, draw_flips, flip_pairs, pair_ends, toggle_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.perturbed_graphs import fits
from support.small_graphs import pairs_of


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
    monkeypatch.setattr(flips_module, "_BATCH", 7)
    assert np.array_equal(draw_flips(5000, 0.1, Randomness(3)), whole)
    assert draw_flips(0, 0.1, Randomness(3)).tolist() == draw_flips(9, 0, Randomness(3)).tolist() == []


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
    assert {j * (j - 1) // 2 + i for i, j in pairs_of(graph)} == there ^ listed
    assert len(graph) == n


def test_more_edges_than_fit_are_refused_at_once():
    large = Graph.from_edges([0], [1], 200_000)
    with pytest.raises(ParameterError, match=r"mu=0.1 of 200,000 vertices makes about 1,999,990,001 edges"):
        flip_pairs(large, 0.1, Randomness(1))
