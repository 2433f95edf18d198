"""The law of degrees under flips, and the distribution fitted back."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.data.graph import Graph
from sfumato.graphs.estimates.degree_distribution import default_iterations, degree_distribution, degree_law, fit_shares
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, random_graph


def preferential(n, m, seed):
    """A graph that grows: each new vertex joins m others, likelier those of high degree."""
    rng = np.random.default_rng(seed)
    ends, edges = list(range(m)), []
    for v in range(m, n):
        for u in {ends[rng.integers(len(ends))] for _ in range(m)}:
            edges.append((u, v))
            ends += [u, v]
    return graph_of(edges, n)


def test_the_law_of_a_small_degree():
    """Vector B-6."""
    first, row = degree_law(5, 0.1, 4).row(2)
    assert first == 0
    assert row.tolist() == pytest.approx([0.0081, 0.1476, 0.6886, 0.1476, 0.0081], abs=1e-12)


@pytest.mark.parametrize(
    ("mu", "centre", "reach", "share"),
    [(1e-4, 51, 2, 0.981400), (1e-3, 60, 4, 0.848756), (1e-3, 60, 0, 0.124550), (1e-2, 149, 20, 0.960878)],
)
def test_the_law_of_a_degree_among_many(mu, centre, reach, share):
    """Vector B-5: the probability that a degree of 50 among 10,000 is seen near what is expected."""
    first, row = degree_law(10_000, mu, 50).row(50)
    assert row[centre - reach - first : centre + reach + 1 - first].sum() == pytest.approx(share, abs=1e-6)
    assert row.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(("n", "mu", "degree"), [(30, 0.3, 11), (2000, 0.01, 700), (100_000, 1e-4, 0), (50, 0.45, 49)])
def test_the_law_is_a_convolution(n, mu, degree):
    kept = binom.pmf(np.arange(degree + 1), degree, 1 - mu)
    added = binom.pmf(np.arange(n - degree), n - 1 - degree, mu)
    first, row = degree_law(n, mu, degree).row(degree)
    whole = np.convolve(kept, added)
    assert row == pytest.approx(whole[first : first + len(row)], abs=1e-12)
    assert whole[:first].sum() + whole[first + len(row) :].sum() < 1e-12


def test_without_flips_degrees_are_counted():
    graph = random_graph(40, 0.2, 1)
    told = degree_distribution(graph, 0)
    assert told.shares.tolist() == (np.bincount(graph.degrees) / 40).tolist()
    assert told.low.tolist() == told.high.tolist() == np.cumsum(told.shares).tolist()
    assert degree_distribution(graph_of([], 0), 0.1).shares.tolist() == [0]


def total_variation(shares, degrees):
    width = max(len(shares), int(degrees.max()) + 1)
    truth = np.bincount(degrees, minlength=width) / len(degrees)
    return 0.5 * np.abs(np.pad(shares, (0, width - len(shares))) - truth).sum()


@pytest.mark.parametrize(("mu", "naive_at_least", "at_most"), [(0.001, 0.25, 0.2), (0.01, 0.45, 0.36)])
def test_the_fit_beats_the_histogram_of_estimates(mu, naive_at_least, at_most):
    """The thesis's histogram is off by the noise; the fit is not, and a long fit is worse again."""
    graph = preferential(2000, 3, 1)
    seen = flip_pairs(graph, mu, Randomness(1))
    estimates = np.maximum(np.rint((seen.degrees - 1999 * mu) / (1 - 2 * mu)).astype(int), 0)
    naive = np.bincount(estimates) / 2000
    told = degree_distribution(seen, mu)
    assert told.shares.sum() == pytest.approx(1)
    assert told.shares.min() >= 0
    assert total_variation(naive, graph.degrees) > naive_at_least
    assert total_variation(told.shares, graph.degrees) < at_most
    assert told.noise == pytest.approx(math.sqrt(1999 * mu * (1 - mu)) / (1 - 2 * mu))
    if mu == 0.001:
        long = degree_distribution(seen, mu, iterations=3000)
        assert total_variation(long.shares, graph.degrees) > total_variation(told.shares, graph.degrees)


def test_a_step_makes_the_fit_likelier():
    graph = preferential(500, 3, 2)
    seen = np.bincount(flip_pairs(graph, 0.01, Randomness(1)).degrees)
    law = degree_law(500, 0.01, 90)

    def likelihood(shares):
        model = np.zeros(200)
        for degree, share in enumerate(shares):
            first, row = law.row(degree)
            model[first : first + len(row)] += share * row
        return (seen * np.log(model[: len(seen)])).sum()

    found = [likelihood(fit_shares(law, seen, steps)) for steps in (1, 2, 5, 20, 100)]
    assert found == sorted(found)


def test_the_mean_degree_is_kept():
    graph = preferential(1500, 4, 3)
    seen = flip_pairs(graph, 0.004, Randomness(2))
    shares = degree_distribution(seen, 0.004).shares
    unbiased = (seen.degrees.mean() - 1499 * 0.004) / (1 - 0.008)
    assert (np.arange(len(shares)) * shares).sum() == pytest.approx(unbiased, rel=0.03)


def test_steps_go_with_the_noise():
    assert [default_iterations(noise) for noise in (0.2, 1.4, 3, 4.5, 50)] == [50, 50, 135, 300, 300]


def test_intervals_cover_and_are_refused_where_they_would_not():
    graph, mu, hits = preferential(1000, 3, 4), 0.002, []
    truth = np.cumsum(np.bincount(graph.degrees)) / 1000
    for seed in range(12):
        told = degree_distribution(flip_pairs(graph, mu, Randomness(seed)), mu, draws=20, random=Randomness(seed))
        width = min(len(told), len(truth))
        low, high, aim = told.low[:width], told.high[:width], truth[:width]
        used = np.isfinite(low) & (aim > 0.01) & (aim < 0.99)
        hits += ((low[used] <= aim[used]) & (aim[used] <= high[used])).tolist()
    assert np.mean(hits) > 0.9
    assert np.nanmin(told.low) >= 0
    assert np.nanmax(told.high) <= 1
    steep = degree_distribution(flip_pairs(graph, 0.02, Randomness(1)), 0.02, draws=4, random=Randomness(1))
    assert np.isnan(steep.low).any()
    assert np.isfinite(steep.low).any()
    assert "no interval" in steep.note
    assert "spread 4.6" in steep.note


def test_a_hub_among_many_is_within_reach():
    n = 200_000
    star = Graph.from_edges(np.zeros(3000, np.int64), np.arange(1, 3001), n)
    told = degree_distribution(flip_pairs(star, 1e-5, Randomness(1)), 1e-5)
    assert told.shares[:2].sum() > 0.998
    assert told.shares[2900:].sum() == pytest.approx(1 / n, rel=1e-3)


def test_bad_parameters_are_refused():
    graph = random_graph(10, 0.3, 1)
    with pytest.raises(ParameterError, match="iterations must be at least 1"):
        degree_distribution(graph, 0.1, iterations=0)
    with pytest.raises(ParameterError, match="draws 0 or at least 2"):
        degree_distribution(graph, 0.1, draws=1)
    with pytest.raises(ParameterError, match="give random"):
        degree_distribution(graph, 0.1, draws=5)
    with pytest.raises(ParameterError, match="0 to 9, got 10"):
        degree_law(10, 0.1, 10)
