"""The structural attack in closed form: vectors, exact sums, and an adversary who really tries every choice."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from benchmarks.reproduce.graphs.formulas import structural_mu
from hypothesis import given
from hypothesis import strategies as st

from sfumato.graphs.attacks.structural import (
    automorphisms,
    log_choices,
    log_posterior,
    log_ratio,
    posterior,
    structural_risk,
)
from sfumato.ground.errors import InfeasibleError, ParameterError
from support.small_graphs import graph_of, pairs_of, random_graph


def published_density(density, mu):
    return density * (1 - mu) + (1 - density) * mu


# -- one choice ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mu", "mismatches", "expected"),
    [
        (1e-4, 0, 115.131506), (1e-4, 5, 69.080304), (1e-4, 10, 23.029102),
        (1e-3, 0, 63.303080), (1e-3, 5, 28.769306), (1e-3, 10, -5.764468),
    ],
)  # fmt: skip
def test_vector_b7_the_printed_estimate_is_another(mu, mismatches, expected):
    """Eq. 4.30 before its min(., 1): what others weigh is put at M / 2 mismatches, as if half of all pairs were edges."""
    others = 22.5 * (math.log(mu) + math.log1p(-mu))
    printed = mismatches * math.log(mu) + (45 - mismatches) * math.log1p(-mu) - others - log_choices(10_000, 10)
    assert printed == pytest.approx(expected, abs=1e-5)
    ours = log_ratio(mu, published_density(0.001, mu), 45, mismatches, 22 - mismatches) - log_choices(10_000, 10)
    assert ours < printed - 5


@pytest.mark.parametrize(
    ("mu", "mismatches", "edges", "expected"),
    [
        (1e-3, 0, 22, 44.645464), (1e-3, 1, 21, 31.525101), (1e-3, 5, 17, -20.956353), (1e-3, 10, 12, -86.558169),
        (1e-2, 0, 22, 6.959726),
    ],
)  # fmt: skip
def test_vector_b9_how_much_more_likely_than_all_other_choices(mu, mismatches, edges, expected):
    ratio = log_ratio(mu, published_density(0.001, mu), 45, mismatches, edges)
    assert isinstance(ratio, float)
    assert ratio - log_choices(10_000, 10) == pytest.approx(expected, abs=1e-5)
    odds = math.exp(expected)
    assert posterior(ratio, 10_000, 10) == pytest.approx(odds / (odds + 1), rel=1e-5)
    assert posterior(ratio, 10_000, 10, automorphisms=6) == pytest.approx(odds / (6 * odds + 1), rel=1e-5)


def test_arrays_as_numbers():
    m, e = np.meshgrid(np.arange(7), np.arange(7))
    ratios = log_ratio(0.05, 0.2, 6, m, e)
    beliefs = posterior(ratios, 12, 4, automorphisms=2)
    for i, j in ((0, 0), (3, 2), (6, 1)):
        one = log_ratio(0.05, 0.2, 6, int(m[i, j]), int(e[i, j]))
        assert ratios[i, j] == pytest.approx(one, rel=1e-14)
        assert beliefs[i, j] == pytest.approx(posterior(one, 12, 4, automorphisms=2), rel=1e-14)


def test_nothing_is_flipped():
    assert log_ratio(0, 0.1, 10, 1, 4) == -math.inf
    assert log_ratio(0, 0.1, 10, 0, 4) == pytest.approx(-4 * math.log(0.1) - 6 * math.log(0.9))
    assert log_ratio(0, 0, 10, 0, 0) == 0
    assert log_ratio(0, 0, 10, 0, 4) == math.inf
    assert log_ratio(0, 1, 10, 0, 4) == math.inf
    assert log_ratio(0, 1, 10, 0, 10) == 0
    assert log_ratio(0, 0, 10, 2, 4) == -math.inf
    assert log_ratio(0.1, 0, 10, 2, 0) == pytest.approx(2 * math.log(0.1) + 8 * math.log(0.9))
    assert log_ratio(0, 0.1, 10, np.arange(3), np.full(3, 4)).tolist()[1:] == [-math.inf, -math.inf]
    assert log_ratio(0.1, 1e-18, 10, 0, 0) - 10 * math.log(0.9) == pytest.approx(1e-17, rel=0.5)


def test_huge_and_tiny_ratios():
    ratios = np.array([-math.inf, -1e6, 0.0, 1e6, math.inf])
    choices = math.log(10 * 9 * 8)
    assert posterior(ratios, 10, 3, automorphisms=2).tolist() == pytest.approx([0, 0, 1 / 722, 0.5, 0.5])
    assert log_posterior(ratios, 10, 3).tolist() == pytest.approx([-math.inf, -1e6 - choices, -math.log(721), 0, 0])
    assert log_posterior(0.0, 200, 170, automorphisms=math.factorial(170)) < -500


@given(st.integers(2, 200), st.data())
def test_the_number_of_choices(n, data):
    k = data.draw(st.integers(2, n))
    assert log_choices(n, k) == pytest.approx(math.log(math.perm(n, k)), rel=1e-13)


def test_the_number_of_choices_among_billions():
    assert log_choices(2**31, 3) == pytest.approx(math.log(math.perm(2**31, 3)), rel=1e-15)


@given(st.integers(0, 10), st.floats(0.001, 0.49), st.floats(0.01, 0.9))
def test_other_vertices_have_ratio_1_on_average(edges, mu, density):
    """Sum over what random pairs may show where the planted graph has an edge, and where it has none."""
    total = 0.0
    for kept in range(edges + 1):
        for added in range(11 - edges):
            n_seen = kept + added
            chance = math.comb(edges, kept) * math.comb(10 - edges, added)
            chance *= density**n_seen * (1 - density) ** (10 - n_seen)
            total += chance * math.exp(log_ratio(mu, density, 10, edges - kept + added, n_seen))
    assert total == pytest.approx(1, rel=1e-9)


# -- over all perturbations ------------------------------------------------------------------------------------------
def slow_risk(n, k, mu, density, edges, symmetries):
    """Mean, quantiles and certainty from fractions, one number of lost and added edges after the other."""
    mu, density, pairs = Fraction(str(mu)), Fraction(str(density)), k * (k - 1) // 2
    seen_density, rows = published_density(density, mu), []
    for lost in range(edges + 1):
        for added in range(pairs - edges + 1):
            m, e = lost + added, edges - lost + added
            chance = math.comb(edges, lost) * math.comb(pairs - edges, added) * mu**m * (1 - mu) ** (pairs - m)
            ratio = mu**m * (1 - mu) ** (pairs - m) / (seen_density**e * (1 - seen_density) ** (pairs - e))
            rows.append((ratio / (symmetries * ratio + math.perm(n, k)), chance))
    rows.sort()
    quantiles, reached = [], Fraction(0)
    for belief, chance in rows:
        reached += chance
        while len(quantiles) < 3 and reached >= (Fraction(1, 20), Fraction(1, 2), Fraction(19, 20))[len(quantiles)]:
            quantiles.append(belief)
    assert reached == 1
    mean = sum(belief * chance for belief, chance in rows)
    return [float(x) for x in (mean, *quantiles, sum(chance for belief, chance in rows if 2 * belief > 1))]


@pytest.mark.parametrize(
    ("n", "k", "mu", "density", "edges", "symmetries"),
    [
        (20, 5, 0.02, 0.1, 5, 1), (20, 5, 0.3, 0.1, 10, 120), (1000, 7, 0.05, 0.01, 12, 1), (50, 6, 0.11, 0.9, 4, 2),
        (400, 6, 0.01, 0.03, 0, 720), (10**6, 10, 0.02, 0.001, 27, 1), (500, 9, 0.1, 0.0, 21, 1), (3, 2, 0.2, 1.0, 1, 2),
        (200, 10, 0.1, 0.02, 27, 1), (200, 9, 0.05, 0.02, 22, 1),
    ],
)  # fmt: skip
def test_the_risk_is_the_exact_sum(n, k, mu, density, edges, symmetries):
    found = structural_risk(n, k, mu, density, edges=edges, automorphisms=symmetries)
    values = [found.mean, found.low, found.median, found.high, found.certain]
    assert values == pytest.approx(slow_risk(n, k, mu, density, edges, symmetries), rel=1e-9, abs=1e-15)
    assert 0 <= found.low <= found.median <= found.high <= 1


def test_the_risk_by_simulation():
    n, k, mu, density, edges = 2000, 12, 0.03, 0.02, 36
    rng = np.random.default_rng(5)
    lost, added = rng.binomial(edges, mu, 200_000), rng.binomial(66 - edges, mu, 200_000)
    beliefs = posterior(log_ratio(mu, published_density(density, mu), 66, lost + added, edges - lost + added), n, k)
    risk = structural_risk(n, k, mu, density, edges=edges)
    assert 0.05 < risk.mean < 0.95
    assert risk.mean == pytest.approx(beliefs.mean(), abs=4 * beliefs.std() / math.sqrt(len(beliefs)))
    assert risk.certain == pytest.approx((beliefs > 0.5).mean(), abs=0.005)
    for quantile, share in ((risk.low, 0.05), (risk.median, 0.5), (risk.high, 0.95)):
        assert (beliefs < quantile * (1 - 1e-9)).mean() <= share + 0.005
        assert (beliefs <= quantile * (1 + 1e-9)).mean() >= share - 0.005


def test_without_flips_there_is_one_outcome():
    risk = structural_risk(10_000, 10, 0, 0.001)
    assert risk.low == risk.median == risk.high == risk.mean > 0.999999
    assert risk.certain == 1
    assert structural_risk(10_000, 10, 0, 0, edges=20, automorphisms=4).mean == 0.25
    assert structural_risk(100, 4, 0, 1, edges=5).mean == 1
    assert structural_risk(100, 4, 0, 0, edges=0).mean == pytest.approx(1 / (1 + math.perm(100, 4)))


def test_a_path_and_half_of_the_other_pairs():
    assert structural_risk(500, 10, 0.1, 0.01) == structural_risk(500, 10, 0.1, 0.01, edges=9 + 18)
    assert structural_risk(500, 2, 0.1, 0.01) == structural_risk(500, 2, 0.1, 0.01, edges=1)


def test_the_rule_of_thumb_of_ten_among_ten_thousand():
    """Certain at mu = .001; at .01 certain while no edge is lost, whatever is added, and lost from five mismatches on."""
    assert structural_risk(10_000, 10, 0.001, 0.001, edges=22).certain > 0.9999
    lost = np.arange(6)
    beliefs = posterior(log_ratio(0.01, published_density(0.001, 0.01), 45, lost, 22 - lost), 10_000, 10)
    assert beliefs[0] > 0.999
    assert beliefs[5] < 1e-10
    risk = structural_risk(10_000, 10, 0.01, 0.001, edges=22)
    assert risk.certain == pytest.approx(0.99**22, abs=1e-9)
    assert risk.high == pytest.approx(beliefs[0], abs=1e-9)
    assert risk.low == pytest.approx(beliefs[1], abs=0.02)


def test_sixty_vertices_among_a_billion():
    risk = structural_risk(10**9, 60, 0.2, 1e-6)
    assert 0 < risk.mean < 1
    assert structural_risk(10**9, 60, 1e-5, 1e-6).mean == pytest.approx(1)


@given(st.integers(2, 9), st.integers(0, 100), st.floats(0, 1), st.floats(0, 0.49), st.floats(0, 0.49), st.data())
def test_more_flips_hide_more(k, extra, density, mu, other, data):
    edges = data.draw(st.integers(0, k * (k - 1) // 2))
    low, high = sorted((mu, other))
    means = [structural_risk(k + extra, k, each, density, edges=edges).mean for each in (low, high)]
    assert means[1] <= means[0] * (1 + 1e-9)


# -- choosing mu -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("n", "k", "density", "epsilon", "symmetries"),
    [(10_000, 10, 0.001, 0.1, 1), (10_000, 10, 0.001, 1e-6, 1), (300, 20, 0.05, 0.4, 2), (10**6, 6, 1e-6, 0.05, 1)],
)
def test_the_least_mu(n, k, density, epsilon, symmetries):
    mu = structural_mu(n, k, density, epsilon, automorphisms=symmetries)
    assert 0 < mu < 0.5
    assert structural_risk(n, k, mu, density, automorphisms=symmetries).mean <= epsilon
    assert structural_risk(n, k, mu * (1 - 1e-7), density, automorphisms=symmetries).mean > epsilon


def test_no_flips_are_needed():
    assert structural_mu(10_000, 4, 0.3, 0.01) == 0
    assert structural_mu(10_000, 10, 0.001, 0.2, automorphisms=5) == 0


def test_no_mu_is_enough():
    with pytest.raises(InfeasibleError, match=r"4 vertices among 6 .* 0\.00277 by chance .* epsilon above 0\.00277"):
        structural_mu(6, 4, 0.1, 0.002)
    assert 0 < structural_mu(6, 4, 0.1, 0.003) < 0.5


# -- symmetries ------------------------------------------------------------------------------------------------------
def slow_automorphisms(graph):
    there, n = pairs_of(graph), len(graph)
    return sum(
        all(tuple(sorted((to[a], to[b]))) in there for a, b in there) for to in permutations(range(n))
    )  # fmt: skip


@pytest.mark.parametrize("n", range(7))
def test_automorphisms_by_trying_all_renumberings(n):
    for seed in range(12):
        graph = random_graph(n, (0.2, 0.5, 0.7)[seed % 3], seed)
        assert automorphisms(graph) == slow_automorphisms(graph)


def several(graph, n, copies):
    return graph_of([(a + i * n, b + i * n) for i in range(copies) for a, b in graph], n * copies)


RING = [(v, (v + 1) % 5) for v in range(5)]
PETERSEN = [*RING, *((v, v + 5) for v in range(5)), *((v + 5, (v + 2) % 5 + 5) for v in range(5))]
CUBE = [(a, a ^ 1 << bit) for a in range(32) for bit in range(5) if a < a ^ 1 << bit]
ROOKS = [(a, b) for a, b in combinations(range(36), 2) if a // 6 == b // 6 or a % 6 == b % 6]
TREE = [((v - 1) // 2, v) for v in range(1, 31)]
FRUCHT = [
    *((v, (v + 1) % 7) for v in range(7)), (0, 7), (1, 7), (2, 8), (3, 9), (4, 9), (5, 10), (6, 10), (7, 11), (8, 11),
    (8, 9), (10, 11),
]  # fmt: skip


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (graph_of(combinations(range(30), 2), 30), math.factorial(30)),
        (graph_of([], 30), math.factorial(30)),
        (graph_of([(v, (v + 1) % 40) for v in range(40)], 40), 80),
        (graph_of([(v, v + 1) for v in range(39)], 40), 2),
        (graph_of([(0, v) for v in range(1, 40)], 40), math.factorial(39)),
        (graph_of([(a, b) for a in range(20) for b in range(20, 40)], 40), 2 * math.factorial(20) ** 2),
        (several(RING, 5, 8), math.factorial(8) * 10**8),
        (several(PETERSEN, 10, 4), math.factorial(4) * 120**4),
        (graph_of(CUBE, 32), 3840),
        (graph_of(ROOKS, 36), 2 * math.factorial(6) ** 2),
        (graph_of(TREE, 31), 2**15),
        (graph_of(FRUCHT, 12), 1),
    ],
)
def test_automorphisms_of_known_graphs(graph, expected):
    shuffled = graph.renumbered(np.random.default_rng(1).permutation(len(graph)))
    assert automorphisms(graph) == automorphisms(shuffled) == expected


def test_planted_graphs_have_no_symmetry():
    for seed in range(20):
        coins = pairs_of(random_graph(40, 0.5, seed))
        assert automorphisms(graph_of({*coins, *((v, v + 1) for v in range(39))}, 40)) == 1


# -- an adversary who tries every choice -----------------------------------------------------------------------------
def symmetric(there):
    upper = np.triu(there, 1)
    return upper | upper.T


def all_choices(published, pattern, weights):
    """The weight of every ordered choice, by its vertices: a product over pairs, 0 where a vertex is chosen twice.

    `weights[a, b]` is that of a pair which the pattern has (a) and the published graph has (b).
    """
    n, k = len(published), len(pattern)
    by_pair = [weights[a][published.astype(int)] * (1 - np.eye(n)) for a in (0, 1)]
    total = np.ones(n)
    for j in range(1, k):
        total = total[..., None]
        for i in range(j):
            total = total * by_pair[int(pattern[i, j])].reshape([n if at in (i, j) else 1 for at in range(j + 1)])
    return total


def plant_and_search(n, k, density, mu, pattern, rng):
    """Weights of all choices in a random graph that has the pattern on its first vertices, by LR and as printed."""
    graph = symmetric(rng.random((n, n)) < density)
    graph[:k, :k] = pattern
    published = graph ^ symmetric(rng.random((n, n)) < mu)
    seen = published_density(density, mu)
    planted = np.array([[1 - mu, mu], [mu, 1 - mu]])
    ratios = all_choices(published, pattern, planted / np.array([1 - seen, seen]))
    differ = int(np.triu(published[:k, :k] ^ pattern).sum())
    edges = int(np.triu(published[:k, :k]).sum())
    ours = log_ratio(mu, seen, k * (k - 1) // 2, differ, edges)
    assert ours == pytest.approx(math.log(ratios[tuple(range(k))]), abs=1e-9)
    return ratios, lambda: all_choices(published, pattern, planted), ours


def claim_and_success(weights, k):
    """What the likeliest choice is believed, and how often it is right, if ties are broken at random."""
    best = weights >= weights.max() * (1 - 1e-9)
    return weights.max() / weights.sum(), best[tuple(range(k))] / best.sum()


def test_erratum_b10_the_ratio_is_calibrated_and_the_theorem_is_not():
    rng = np.random.default_rng(10)
    rows = []
    for _ in range(2000):
        ratios, printed, _ = plant_and_search(8, 5, 0.1, 0.05, symmetric(rng.random((5, 5)) < 0.5), rng)
        rows.append([*claim_and_success(ratios, 5), *claim_and_success(printed(), 5)])
    claimed, right, printed_claimed, printed_right = np.array(rows).T
    error = (right - claimed).std() / math.sqrt(len(rows))
    assert abs(right.mean() - claimed.mean()) < 3 * error
    assert claimed.mean() == pytest.approx(0.148, abs=0.01)
    assert printed_right.mean() - printed_claimed.mean() > 3 * error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k", "density", "mu", "errata_posterior", "errata_estimate"),
    [(20, 5, 0.1, 0.02, 0.026, 0.059), (20, 5, 0.05, 0.01, 0.130, 0.186), (14, 6, 0.1, 0.02, 0.194, 0.299)],
)
def test_erratum_b10_in_small_graphs_the_risk_is_somewhat_too_large(
    n, k, density, mu, errata_posterior, errata_estimate
):
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(40):
        pattern = symmetric(rng.random((k, k)) < 0.5)
        symmetries = automorphisms(graph_of(np.argwhere(np.triu(pattern)).tolist(), k))
        ratios, _, ours = plant_and_search(n, k, density, mu, pattern, rng)
        edges = int(np.triu(pattern).sum())
        risk = structural_risk(n, k, mu, density, edges=edges, automorphisms=symmetries)
        rows.append([ratios[tuple(range(k))] / ratios.sum(), posterior(ours, n, k, symmetries), risk.mean])
    exact, estimate, expected = np.array(rows).T
    assert (exact.mean(), estimate.mean()) == pytest.approx((errata_posterior, errata_estimate), abs=0.08)
    assert exact.mean() < estimate.mean() < 2.2 * exact.mean()
    assert expected.mean() == pytest.approx(estimate.mean(), abs=4 * (estimate - expected).std() / math.sqrt(40))


def test_near_the_threshold_the_risk_is_somewhat_too_small():
    """A triangle among a hundred vertices that have one more triangle on average; nothing is flipped."""
    rng, n, density = np.random.default_rng(6), 100, 0.0184
    exact = []
    for _ in range(1500):
        graph = symmetric(rng.random((n, n)) < density)
        graph[:3, :3] = ~np.eye(3, dtype=bool)
        numbers = graph.astype(np.float32)
        exact.append(1 / float(((numbers @ numbers) * numbers).sum()))  # all ordered triangles are as likely
    risk = structural_risk(n, 3, 0, density, edges=3, automorphisms=6).mean
    assert risk == pytest.approx(0.083, abs=0.0005)
    assert np.mean(exact) == pytest.approx(0.100, abs=0.005)


# -- what cannot be asked --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda: log_ratio(0.5, 0.1, 10, 0, 4), r"mu must be a number from 0 to below 0\.5, got 0\.5"),
        (lambda: log_ratio(0.1, 1.2, 10, 0, 4), r"density must be a number from 0 to 1, got 1\.2"),
        (lambda: log_ratio(0.1, 0.1, -1, 0, 0), "pairs must be a whole number >= 0, got -1"),
        (lambda: log_ratio(0.1, 0.1, 10, 11, 4), "mismatches must be from 0 to the 10 pairs, got 11 to 11"),
        (lambda: log_ratio(0.1, 0.1, 10, np.zeros(2), np.array([1, -4])), "edges_seen must be .* got -4 to 1"),
        (lambda: log_ratio(0.1, 0.1, 10, math.nan, 4), "mismatches must be"),
        (lambda: log_choices(5, 6), "k=6 vertices cannot be planted in a graph of 5; lower k"),
        (lambda: log_choices(5, 1), "k must be a whole number >= 2, got 1"),
        (lambda: posterior(0.0, 10, 3, automorphisms=0), "automorphisms must be a whole number >= 1, got 0"),
        (lambda: posterior(0.0, 10.5, 3), r"n must be a whole number >= 1, got 10\.5"),
        (lambda: structural_risk(100, 5, 0.1, 0.1, edges=11), "at most 10 edges among them, got edges=11"),
        (lambda: structural_risk(100, 5, 0.1, 0.1, edges=-1), "edges must be a whole number >= 0, got -1"),
        (lambda: structural_risk(100, 5, 0.1, -0.1), r"density must be a number from 0 to 1, got -0\.1"),
        (lambda: structural_risk(100, True, 0.1, 0.1), "k must be a whole number"),
        (lambda: structural_risk(100, 5, 0.7, 0.1), "mu must be"),
        (lambda: structural_mu(100, 5, 0.1, 0), "epsilon must be a number between 0 and 1, got 0"),
        (lambda: structural_mu(100, 5, 0.1, 1.0), "epsilon must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_asked(ask, says):
    with pytest.raises(ParameterError, match=says):
        ask()
