"""Edges, degrees, triangles and transitivity of the original graph: vectors, exact expectations, coverage."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from sfumato.data.graph import Graph
from sfumato.graphs.counts.triangles import Triads, triads
from sfumato.graphs.estimates.densities import (
    degree_estimates,
    density,
    edge_count,
    edges_of,
    squared_degrees,
    two_edge_sums,
)
from sfumato.graphs.estimates.estimate import Estimate, normal_estimate
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.estimates.modularity import communities
from sfumato.graphs.estimates.transitivity import estimate_triads, shared_sums, transitivity, triangles_of
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from small_graphs import expected, graph_of, matrix, planted, random_graph, rings_of_friends

MU = Fraction(1, 10)
KITE = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 4)


def seen_graph(n_edges, n):
    u, v = np.triu_indices(n, 1)
    return Graph.from_edges(u[:n_edges], v[:n_edges], n)


def likeliest(pairs, mu, seen):
    """The numbers of edges under which the number seen is likeliest; there may be two."""

    def likelihood(edges):
        return sum(
            math.comb(edges, kept) * (1 - mu) ** kept * mu ** (edges - kept)
            * math.comb(pairs - edges, seen - kept) * mu ** (seen - kept) * (1 - mu) ** (pairs - edges - seen + kept)
            for kept in range(max(0, seen - pairs + edges), min(edges, seen) + 1)
        )  # fmt: skip

    chances = [likelihood(edges) for edges in range(pairs + 1)]
    return [edges for edges, chance in enumerate(chances) if chance == max(chances)]


def test_edges_with_their_interval():
    """Vector B-1; the interval of Eq. 4.16 (B-2) is four times too wide."""
    told = edge_count(seen_graph(102_897, 1000), 0.01)
    assert told.value == pytest.approx(99_900, abs=1e-6)
    assert told.stderr == pytest.approx(71.756173, abs=1e-6)
    assert (told.low, told.high) == (pytest.approx(99_759.360, abs=1e-3), pytest.approx(100_040.640, abs=1e-3))
    printed = math.sqrt(499_500 * (1 / (16 * 0.49**2) - (99_900 / 499_500 - 0.5) ** 2))
    assert printed == pytest.approx(291.665816, abs=1e-6)
    assert printed / told.stderr == pytest.approx(4.06, abs=0.01)
    share = density(seen_graph(102_897, 1000), 0.01)
    assert (share.value, share.stderr) == (pytest.approx(0.2), pytest.approx(71.756173 / 499_500, rel=1e-6))


def test_the_moment_estimate_is_not_the_likeliest():
    """Vector B-3. At one edge seen, none and one are exactly as likely."""
    assert edges_of(1, 10, MU) == 0
    found = [likeliest(10, MU, seen) for seen in range(11)]
    assert found == [[0], [0, 1], [2], [3], [4], [5], [6], [7], [8], [9, 10], [10]]


def test_an_estimate_may_leave_what_a_graph_can_have():
    told = edge_count(graph_of([], 10), 0.1)
    assert told.value == pytest.approx(-5.625)
    assert told.shown == 0
    assert edge_count(graph_of(combinations(range(10), 2), 10), 0.1).shown == 45
    assert Estimate(name="x", value=None, stderr=None, low=None, high=None, method="none").shown is None


@pytest.mark.parametrize("mu", [0.5, 0.7, -0.1, float("nan")])
def test_a_flip_that_cannot_be_undone_is_refused(mu):
    for read in (edge_count, density, degree_estimates, squared_degrees, estimate_triads, estimate_graph):
        with pytest.raises(ParameterError, match="mu must be"):
            read(KITE, mu)


def test_degree_of_a_vertex():
    """Vector B-18."""
    star = Graph.from_edges(np.zeros(60, np.int64), np.arange(1, 61), 10_000)
    told = degree_estimates(star, 0.001)
    assert told.values[0] == pytest.approx(50.101202, abs=1e-6)
    assert told.stderr == pytest.approx(3.166872, abs=1e-6)
    assert len(told) == 10_000


def test_triples_taken_back():
    """Vector B-13."""
    seen = graph_of([(0, 1), (1, 2), (0, 2), (2, 3)], 5)
    told = estimate_triads(seen, MU)
    assert (told.triangles, told.wedges) == (Fraction(305, 256), Fraction(245, 256))
    assert transitivity(told, corrected=False).value == pytest.approx(183 / 232, abs=1e-15)
    assert triangles_of(Triads(1, 2, 5, 2), MU) == told.triangles


def test_triangles_and_triples_over_all_flips():
    """Vector B-14: means, variances and covariance, as fractions; and the closed forms at the true sums."""

    def read(seen):
        told = estimate_triads(seen, MU)
        return told.triangles, told.connected

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
    t, w = float(found.triangles), float(found.connected)
    spread = np.array([[found.var_triangles, found.covariance], [found.covariance, found.var_connected]], dtype=float)
    slopes = np.array([3 / w, -3 * t / w**2])
    bends = np.array([[0, -3 / w**2], [-3 / w**2, 6 * t / w**3]])
    plain, mended = transitivity(found, corrected=False), transitivity(found)
    assert plain.value == pytest.approx(3 * t / w)
    assert mended.value == pytest.approx(plain.value - (bends * spread).sum() / 2)
    assert mended.stderr == plain.stderr == pytest.approx(math.sqrt(slopes @ spread @ slopes))


def test_squared_degrees_over_all_flips():
    def read(seen):
        edges, wedges, _ = two_edge_sums(seen, MU)
        return (2 * wedges + 2 * edges,)

    means, spread = expected(KITE, MU, read)
    assert (means[0], spread[0][0]) == (18, Fraction(12_051, 256))
    told = squared_degrees(KITE, MU)
    assert told.value == float(read(KITE)[0])
    edges, _, around = two_edge_sums(KITE, MU)
    v = pair_variance(MU)
    assert told.stderr**2 == pytest.approx(float(v * (4 * around.squares + 16 * edges * 2 + 24) + 48 * v**2))


def test_without_flips_all_is_exact():
    graph = rings_of_friends(60, 6, 2)
    menu = estimate_graph(graph, 0, metrics=(), draws=0)
    found = triads(graph)
    assert (menu["edges"].value, menu["edges"].stderr) == (graph.n_edges, 0)
    assert (menu["triangles"].value, menu["triangles"].stderr) == (found.triangles, 0)
    assert (menu["triples"].value, menu["triples"].stderr) == (found.connected, 0)
    assert menu["transitivity"].value == found.transitivity
    assert menu["squared_degrees"].value == (graph.degrees**2).sum()
    assert menu["degrees"].values.tolist() == graph.degrees.tolist()
    assert transitivity(estimate_triads(graph_of(combinations(range(5), 2), 5), 0)).value == 1


def test_transitivity_hidden_by_the_noise():
    told = transitivity(estimate_triads(rings_of_friends(30, 6, 1, rewired=0), 0.2))
    assert (told.value, told.low) == (None, None)
    assert "nothing can be said" in told.note
    rough = transitivity(estimate_triads(flip_pairs(random_graph(30, 0.05, 1), 0.2, Randomness(3)), 0.2))
    assert rough.value is None or "rough" in rough.note


def test_tiny_graphs_can_be_read():
    for n in range(4):
        menu = estimate_graph(graph_of([], n), 0.1, partition=[0] * n, metrics=(), random=Randomness(1))
        for name in menu:
            assert menu[name] is not None


def test_the_menu_is_worked_out_once_and_repeats():
    graph, label = planted([15, 15], 0.5, 0.1, 1)
    seen = flip_pairs(graph, 0.02, Randomness(1))
    first, second = (estimate_graph(seen, 0.02, partition=label, random=Randomness(5), repeats=2) for _ in range(2))
    assert list(first) == [
        "edges", "density", "degrees", "degree_distribution", "squared_degrees", "triangles", "triples",
        "transitivity", "triads", "graphlets", "modularity", "average_path_length", "effective_diameter",
        "global_efficiency",
    ]  # fmt: skip
    assert first["graphlets"] is first["graphlets"]
    for name in reversed(list(second)):
        if name not in ("degrees", "degree_distribution"):
            assert first[name] == second[name]
    assert np.array_equal(first["degree_distribution"].low, second["degree_distribution"].low, equal_nan=True)
    with pytest.raises(ParameterError, match="did you mean 'edges'"):
        first["edge"]
    assert "modularity" not in estimate_graph(seen, 0.02)
    with pytest.raises(ParameterError, match="another name"):
        estimate_graph(seen, 0.02, metrics=(edges,))


def edges(graph):
    return graph.n_edges


def test_a_normal_estimate_never_has_a_negative_spread():
    assert normal_estimate("x", 1, -1e-9, "m").stderr == 0


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
    assert [float(each.connected) for each in mine] == pytest.approx(wedges[:400].tolist(), abs=1e-9)
    for values, aim in (
        (z.sum(axis=(1, 2)) / 2, graph.n_edges),
        (triangles, truth.triangles),
        (wedges, truth.connected),
    ):
        assert abs(values.mean() - aim) < 4 * values.std() / math.sqrt(times)
    v = float(pair_variance(mu))
    c_squares, w_squares, _ = true_sums(graph)
    var_t = v * c_squares + v**2 * graph.n_edges * (n - 2) + v**3 * math.comb(n, 3)
    var_w = v * w_squares + 3 * v**2 * math.comb(n, 3)
    assert triangles.var() == pytest.approx(var_t, rel=0.06)
    assert wedges.var() == pytest.approx(var_w, rel=0.06)


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.01, 0.05])
def test_intervals_cover(mu):
    """95% to within 1%."""
    graph, label = planted([40, 40, 40], 0.3, 0.03, 4)
    truth, times = triads(graph), 5000
    aims = {
        "edges": graph.n_edges, "squared_degrees": (graph.degrees**2).sum(), "triangles": truth.triangles,
        "triples": truth.connected, "transitivity": truth.transitivity, "modularity": communities(graph, label).modularity,
    }  # fmt: skip
    hits = dict.fromkeys(aims, 0)
    for seed in range(times):
        menu = estimate_graph(flip_pairs(graph, mu, Randomness(seed)), mu, partition=label, metrics=())
        for name, aim in aims.items():
            hits[name] += menu[name].low <= aim <= menu[name].high
    for name, count in hits.items():
        assert count / times == pytest.approx(0.95, abs=0.01), name


@pytest.mark.parametrize("n", [5, 30])
def test_no_error_of_squared_degrees_is_ever_0_in_noise(n):
    """What the error needs of the original is estimated, and must not go below 0 where the noise hides it."""
    empty, random = Graph.from_edges([], [], n), Randomness(2)
    for i in range(60):
        assert squared_degrees(flip_pairs(empty, 0.4, random.spawn(str(i))), 0.4).stderr > 0


def test_a_ratio_of_noise_gets_no_interval():
    graph, random = Graph.from_edges([0, 1], [1, 2], 30), Randomness(3)
    told = [transitivity(estimate_triads(flip_pairs(graph, 0.1, random.spawn(str(i))), 0.1)) for i in range(30)]
    rough = [each for each in told if each.value is not None]
    assert len(rough) > 5
    assert all(each.low is None for each in rough if "barely above the noise" in each.note)
    assert any(each.note for each in rough)
