"""Triangles, triples and transitivity of the original graph: vectors, exact expectations, spread."""

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import Triads, triads
from sfumato.graphs.estimates.densities import (
    two_edge_sums,
)
from sfumato.graphs.estimates.transitivity import (
    TriadEstimates,
    estimate_triads,
    shared_sums,
    transitivity,
    unperturbed_triangles,
)
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.randomness import Randomness
from support.small_graphs import KITE, MU, expected, graph_of, matrix, random_graph, rings_of_friends


def test_triples_taken_back():
    """Vector B-13."""
    seen = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 5)
    told = estimate_triads(seen, MU)
    assert (told.triangles, told.wedges) == (Fraction(305, 256), Fraction(245, 256))
    assert transitivity(told, corrected=False).value == pytest.approx(183 / 232, abs=1e-15)
    assert unperturbed_triangles(Triads(1, 2, 5, 2), MU) == told.triangles


def test_triangles_and_triples_over_all_flips():
    """Vector B-14: means, variances and covariance, as fractions; and the closed forms at the true sums."""

    def read(seen):
        told = estimate_triads(seen, MU)
        return told.triangles, told.connected_triples

    means, spread = expected(KITE, MU, read)
    assert means == [1, 5]
    assert spread[0][0] == Fraction(57_177, 65_536)
    assert spread[1][1] == Fraction(6579, 1024)
    assert spread[0][1] == Fraction(1089, 512)
    v, edges, n = pair_variance(MU), 4, 4
    c_squares, w_squares, c_times_w = true_sums(KITE)
    assert spread[0][0] == v * c_squares + v**2 * edges * (n - 2) + v**3 * math.comb(n, 3)
    assert spread[1][1] == v * w_squares + 3 * v**2 * math.comb(n, 3)
    assert spread[0][1] == v * c_times_w + v**2 * edges * (n - 2)


def true_sums(graph):
    """Over pairs: shared neighbours squared, edges at either end squared, and the product."""
    a = matrix(graph)
    upper, d = np.triu_indices(len(a), 1), a.sum(axis=0)
    c, w = (a @ a)[upper], (d[:, None] + d[None, :] - 2 * a)[upper]
    return int((c**2).sum()), int((w**2).sum()), int((c * w).sum())


def plug_ins(seen):
    n, v = seen.n_vertices, pair_variance(MU)
    edges, _, around = two_edge_sums(seen, MU)
    shared = shared_sums(seen, triads(seen), MU)
    lean = 2 * v * edges * (n - 2)
    return shared.squares - lean - v**2 * seen.n_pairs * (n - 2), around.squares, shared.with_around - lean


@pytest.mark.parametrize("graph", [KITE, graph_of([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (0, 3)], 5)])
def test_what_the_errors_need_is_unbiased_too(graph):
    assert expected(graph, MU, plug_ins)[0] == list(true_sums(graph))


def test_estimated_variances_are_what_the_plug_ins_say():
    graph = random_graph(30, 0.3, 1)
    n, v = 30, pair_variance(MU)
    c_squares, w_squares, c_times_w = plug_ins(graph)
    edges = two_edge_sums(graph, MU)[0]
    told = estimate_triads(graph, MU)
    assert told.var_triangles == v * c_squares + v**2 * edges * (n - 2) + v**3 * math.comb(n, 3)
    assert told.var_connected == v * w_squares + 3 * v**2 * math.comb(n, 3)
    assert told.covariance == v * c_times_w + v**2 * edges * (n - 2)


def test_transitivity_by_the_delta_method():
    """Spread by slopes, lean by bends, of 3 T/W at the estimates."""
    found = estimate_triads(random_graph(30, 0.3, 1), MU)
    t, w = float(found.triangles), float(found.connected_triples)
    spread = np.array([[found.var_triangles, found.covariance], [found.covariance, found.var_connected]], dtype=float)
    slopes = np.array([3 / w, -3 * t / w**2])
    bends = np.array([[0, -3 / w**2], [-3 / w**2, 6 * t / w**3]])
    plain, mended = transitivity(found, corrected=False), transitivity(found)
    assert plain.value == pytest.approx(3 * t / w)
    assert mended.value == pytest.approx(plain.value - (bends * spread).sum() / 2)
    assert mended.stderr == plain.stderr == pytest.approx(math.sqrt(slopes @ spread @ slopes))


def test_transitivity_hidden_by_the_noise():
    told = transitivity(estimate_triads(rings_of_friends(30, 6, 1, rewired=0), 0.2))
    assert (told.value, told.low) == (None, None)
    assert "nothing can be said" in told.note


def test_transitivity_barely_above_the_noise():
    """No interval where that of the triples, 1.96 standard errors either way, is wider than half of their number."""

    def estimate(stderr):
        return transitivity(
            TriadEstimates(
                triangles=Fraction(1), connected_triples=Fraction(10), var_triangles=Fraction(1, 4),
                var_connected=Fraction(stderr) ** 2, covariance=Fraction(0), n_vertices=10,
            )
        )  # fmt: skip

    clear, rough = estimate("2.5"), estimate("2.6")
    assert clear.low <= clear.value <= clear.high
    assert "barely above the noise" not in (clear.note or "")
    assert rough.value is not None
    assert (rough.stderr, rough.low, rough.high) == (None, None, None)
    assert "barely above the noise" in rough.note


def flips_of(graph, mu, times, seed):
    """Adjacency after the flips, for many perturbations at once."""
    u, v = np.triu_indices(graph.n_vertices, 1)
    there = graph.has_edges(u, v)
    flips = Randomness(seed).uniform(times * len(u)).reshape(times, len(u)) < mu
    cube = np.zeros((times, graph.n_vertices, graph.n_vertices))
    cube[:, u, v] = there ^ flips
    return cube + cube.transpose(0, 2, 1)


@pytest.mark.parametrize(("n", "share", "mu"), [(12, 0.4, 0.1), (10, 0.2, 0.3)])
def test_unbiased_over_ten_thousand_perturbations(n, share, mu):
    """Z-tests: the mean error lies within four of its standard deviations, and the spread is as told."""
    graph, times = random_graph(n, share, 7), 10_000
    cube = flips_of(graph, mu, times, 11)
    z = (cube - mu) / (1 - 2 * mu)
    z[:, np.arange(n), np.arange(n)] = 0
    truth, told = triads(graph), estimate_triads(graph, Fraction(mu).limit_denominator(100))
    assert told.n_vertices == n
    degrees = z.sum(axis=2)
    triangles = np.einsum("tij,tjk,tki->t", z, z, z, optimize=True) / 6
    wedges = ((degrees**2).sum(axis=1) - (z**2).sum(axis=(1, 2))) / 2
    seen = [graph_of(zip(*np.nonzero(np.triu(each)), strict=True), n) for each in cube[:400]]
    mine = [estimate_triads(each, mu) for each in seen]
    assert [float(each.triangles) for each in mine] == pytest.approx(triangles[:400].tolist(), abs=1e-9)
    assert [float(each.connected_triples) for each in mine] == pytest.approx(wedges[:400].tolist(), abs=1e-9)
    for values, aim in (
        (z.sum(axis=(1, 2)) / 2, graph.n_edges),
        (triangles, truth.triangles),
        (wedges, truth.connected_triples),
    ):
        assert abs(values.mean() - aim) < 4 * values.std() / math.sqrt(times)
    v = float(pair_variance(mu))
    c_squares, w_squares, _ = true_sums(graph)
    var_t = v * c_squares + v**2 * graph.n_edges * (n - 2) + v**3 * math.comb(n, 3)
    var_w = v * w_squares + 3 * v**2 * math.comb(n, 3)
    assert triangles.var() == pytest.approx(var_t, rel=0.06)
    assert wedges.var() == pytest.approx(var_w, rel=0.06)


def test_a_ratio_of_noise_gets_no_interval():
    graph, random = Graph.from_edges([0, 1], [1, 2], 30), Randomness(3)
    told = [transitivity(estimate_triads(flip_pairs(graph, 0.1, random.spawn(str(i))), 0.1)) for i in range(30)]
    rough = [each for each in told if each.value is not None]
    assert len(rough) > 5
    assert all(each.low is None for each in rough if "barely above the noise" in each.note)
    assert any(each.note for each in rough)
