"""Closed forms of what a perturbation hides and costs, against the tables of the thesis as corrected."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from benchmarks.reproduce.graphs.formulas import few_mismatches
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sfumato.data.graph import Graph
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.risk.choosing_mu import (
    backbone_survives,
    degree_interval,
    edge_epsilon,
    interval_coverage,
    path_mu,
    trade_off,
)
from sfumato.graphs.risk.most_mu import most_mu
from sfumato.ground.errors import InfeasibleError, ParameterError
from support.small_graphs import degree_kernel


@pytest.mark.parametrize(
    ("mu", "shares"),
    [
        (1e-4, (0.999100, 0.998102, 0.997104)),
        (1e-3, (0.991036, 0.981170, 0.971402)),
        (1e-2, (0.913517, 0.826169, 0.747172)),
    ],
)
def test_vector_b4_a_path_survives(mu, shares):
    assert [backbone_survives(mu, k) for k in (10, 20, 30)] == pytest.approx(shares, abs=1e-6)
    assert backbone_survives(0, 20) == 1


@pytest.mark.parametrize(
    ("mu", "centre", "shares", "twelve"),
    [
        (1e-4, 51, {0: 0.366969, 2: 0.981400, 4: 0.999424}, (5.96430e-6, 0.798273, 0.993114)),
        (1e-3, 60, {0: 0.124550, 4: 0.848756, 8: 0.992725}, (1.39352e-11, 0.139763, 0.916110)),
        (
            1e-2,
            149,
            {0: 0.040063, 4: 0.348862, 8: 0.607166, 20: 0.960878, 30: 0.997754},
            (1.70992e-17, 3.24972e-6, 2.51010e-3, 0.619467, 0.973383),
        ),
    ],
)
def test_vector_b5_an_interval_holds_the_published_degree(mu, centre, shares, twelve):
    found = [interval_coverage(10_000, 50, mu, w) for w in shares]
    assert found == pytest.approx(list(shares.values()), abs=1e-6)
    assert [share**12 for share in found] == pytest.approx(twelve, rel=3e-6)
    assert degree_interval(10_000, 50, mu, 3) == (centre - 3, centre + 3)


def test_vector_b6_published_degrees_of_a_small_graph():
    assert degree_kernel(5, 2, 0.1) == pytest.approx([0.0081, 0.1476, 0.6886, 0.1476, 0.0081], abs=1e-9)


def test_vector_b8_few_pairs_flip():
    found = [few_mismatches(10, mu, 0) for mu in (1e-4, 1e-3, 1e-2)]
    assert found == pytest.approx([0.995509886, 0.955975958, 0.636185486], abs=1e-8)
    assert few_mismatches(10, 1e-2, 5) == pytest.approx(0.999994171, abs=1e-8)
    assert few_mismatches(10, 0.2, 45) == pytest.approx(1)
    assert few_mismatches(300, 0.4, 10) < 1e-30  # far below what is likely


def test_vector_b10_the_least_mu_that_breaks_paths():
    found = [path_mu(k, epsilon) for k, epsilon in ((10, 0.05), (20, 0.1), (30, 0.01))]
    assert found == pytest.approx([0.283128836, 0.114133210, 0.146832148], abs=1e-8)
    assert backbone_survives(path_mu(17, 0.3), 17) == pytest.approx(0.3, abs=1e-12)
    with pytest.raises(InfeasibleError, match=r"ask for an epsilon above 0\.25"):
        path_mu(3, 0.25)


def test_vector_b20_epsilon_of_differential_privacy():
    assert edge_epsilon(0.01) == pytest.approx(4.595120, abs=1e-6)
    assert edge_epsilon(1e-300) == pytest.approx(300 * math.log(10))
    assert edge_epsilon(0) is None


# -- degrees ---------------------------------------------------------------------------------------------------------
@given(st.integers(1, 60), st.data(), st.sampled_from([0.0, 1e-6, 0.01, 0.3, 0.499]))
def test_published_degrees_are_two_binomials(n, data, mu):
    degree = data.draw(st.integers(0, n - 1))
    stay, come = binom.pmf(np.arange(degree + 1), degree, 1 - mu), binom.pmf(np.arange(n - degree), n - 1 - degree, mu)
    kernel = degree_kernel(n, degree, mu)
    assert kernel == pytest.approx(np.convolve(stay, come), abs=1e-13)
    w = data.draw(st.integers(0, n))
    low, high = degree_interval(n, degree, mu, w)
    assert 0 <= low <= high <= n - 1
    assert interval_coverage(n, degree, mu, w) == pytest.approx(kernel[low : high + 1].sum(), abs=1e-12)


@pytest.mark.parametrize(("degree", "mu"), [(0, 0.3), (20, 1e-6), (500_000, 0.3), (999_999, 0.01)])
def test_published_degrees_among_a_million_vertices(degree, mu):
    n = 1_000_000
    kernel = degree_kernel(n, degree, mu)
    mean = degree * (1 - mu) + (n - 1 - degree) * mu
    variance = (n - 1) * mu * (1 - mu)
    at = np.arange(n)
    assert kernel.sum() == pytest.approx(1, abs=1e-12)
    assert (kernel * at).sum() == pytest.approx(mean, rel=1e-11)
    assert (kernel * (at - mean) ** 2).sum() == pytest.approx(variance, rel=1e-8)
    if degree == 0:
        near = np.abs(at - mean) < 5 * math.sqrt(variance)
        assert kernel[near] == pytest.approx(binom.pmf(at[near], n - 1, mu), rel=1e-10)


# -- accuracy --------------------------------------------------------------------------------------------------------
def density_mu(n, error, confidence=0.95):
    """The largest mu at which the number of edges among n vertices is estimated to within `error` edges.

    `error` is half the width of the interval with this confidence. Divided by the n (n - 1) / 2 pairs it is the error
    of the density.
    """
    sd = error / NormalDist().inv_cdf(0.5 + confidence / 2)
    return min(-0.5 * math.expm1(-0.5 * math.log1p(8 * sd * sd / (n * (n - 1)))), math.nextafter(0.5, 0))


def test_the_budget_for_edges_of_a_graph():
    graph = Graph.from_edges(np.arange(40), np.arange(1, 41), 60)
    assert most_mu(graph, "edges", 0.3) == pytest.approx(density_mu(60, 0.3 * 40), rel=1e-9)


def test_vector_b1_a_budget_for_the_number_of_edges():
    """Vector B-1: at mu = .01 and 499,500 pairs, the interval is 140.640 edges to either side."""
    assert density_mu(1000, 1.959964 * 71.756173) == pytest.approx(0.01, abs=1e-8)
    assert math.sqrt(499_500 * pair_variance(0.01)) == pytest.approx(71.756173, abs=1e-6)


@given(st.integers(2, 10**6), st.floats(1e-3, 1e7), st.floats(0.5, 0.999))
def test_the_budget_is_used_up(n, error, confidence):
    from scipy.stats import norm

    mu = density_mu(n, error, confidence)
    assert 0 < mu < 0.5
    if mu < 0.499:
        sd = math.sqrt(n * (n - 1) / 2 * pair_variance(mu))
        assert norm.ppf(0.5 + confidence / 2) * sd == pytest.approx(error, rel=1e-6)


def test_no_error_and_any_error():
    assert density_mu(100, 0) == 0
    assert density_mu(100, 1e300) < 0.5


def test_the_trade_off_in_a_table():
    graph = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0], 10)
    table = trade_off(graph, [0, 0.1])
    assert table.columns == [
        "mu", "epsilon", "edges_changed", "edges_deleted", "edges_added", "true_edges", "backbone_survives", "sd_edges",
        "sd_degree",
    ]  # fmt: skip
    assert table.row(0) == (0, None, 0, 0, 0, 1, 1, 0, 0)
    v = 0.09 / 0.64
    expected = (0.1, math.log(9), 4.5, 0.4, 4.1, 3.6 / 7.7, 0.9**19, math.sqrt(45 * v), math.sqrt(9 * v))
    assert table.row(1) == pytest.approx(expected)
    assert trade_off(Graph.from_edges([], [], 1), [0.1])["true_edges"].to_list() == [None]
    assert trade_off(graph, []).height == 0


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: path_mu(1, 0.1), "k must be a whole number >= 2, got 1"),
        (lambda: path_mu(20, 0), "epsilon must be a number between 0 and 1, got 0"),
        (lambda: path_mu(20, 1.0), "epsilon must be a number between 0 and 1"),
        (lambda: backbone_survives(0.5, 20), r"mu must be a number from 0 to below 0\.5, got 0\.5"),
        (lambda: backbone_survives(0.1, 2.5), "k must be a whole number"),
        (lambda: interval_coverage(5, 5, 0.1, 1), "at most 4 neighbours, got degree=5"),
        (lambda: interval_coverage(5, -1, 0.1, 1), "degree must be a whole number >= 0"),
        (lambda: interval_coverage(5, 2, 0.1, -1), "w must be a whole number >= 0"),
        (lambda: few_mismatches(10, 0.1, -1), "most must be a whole number >= 0"),
        (lambda: edge_epsilon(-0.1), "mu must be"),
    ],
)
def test_what_cannot_be_asked(ask, says):
    with pytest.raises(ParameterError, match=says):
        ask()


def test_degrees_may_be_numpys():
    """Those of a graph are, and true and false are no degrees of either kind."""
    degree = Graph.from_edges([0, 0, 0], [1, 2, 3], 40).degrees[0]
    assert degree_interval(40, degree, 0.1, np.int32(2)) == degree_interval(40, 3, 0.1, 2)
    assert np.array_equal(degree_kernel(np.int64(40), degree, 0.1), degree_kernel(40, 3, 0.1))
    for wrong in (True, np.True_, np.float64(3)):
        with pytest.raises(ParameterError, match="degree must be a whole number >= 0, got"):
            degree_interval(40, wrong, 0.1, 2)
