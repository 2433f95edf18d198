"""Modularity of a partition in the original graph."""

import numpy as np
import pytest

from sfumato.graphs.estimates.modularity import (
    communities,
    modularity,
    modularity_bias,
    modularity_variance,
    unperturbed_communities,
)
from sfumato.graphs.flip_rate import pair_variance
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import DataError
from sfumato.ground.randomness import Randomness
from support.small_graphs import graph_of, planted

TRIANGLES = graph_of([(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)], 6)
SIDES = ["a", "a", "a", "b", "b", "b"]


def test_two_triangles_and_a_bridge():
    """Vector B-15."""
    told = modularity(TRIANGLES, SIDES, 0)
    assert told.value == pytest.approx(5 / 14, abs=1e-12)
    assert told.stderr == 0
    assert communities(TRIANGLES, SIDES).modularity == pytest.approx(5 / 14, abs=1e-12)


def test_communities_taken_back():
    """Vector B-16."""
    found = unperturbed_communities(communities(TRIANGLES, SIDES), 0.1)
    assert found.inside.tolist() == pytest.approx([3.375, 3.375])
    assert (found.degrees - 2 * found.inside).tolist() == pytest.approx([0.125, 0.125])
    assert modularity(TRIANGLES, SIDES, 0.1, corrected=False).value == pytest.approx(0.481818, abs=1e-6)


def test_variance_by_the_delta_method():
    """Vector B-17."""
    assert modularity_variance(communities(TRIANGLES, SIDES), 0.1) == pytest.approx(9 / 64 * 330 / 2401, abs=1e-12)
    z = np.array([3, 3])
    v = pair_variance(0.1)
    assert (z * (z - 1) / 2 * v).tolist() == pytest.approx([27 / 64, 27 / 64])
    assert 9 * v == pytest.approx(81 / 64)


def test_the_variance_is_the_sum_over_communities_and_pairs_of_them():
    graph, label = planted([5, 9, 14, 2], 0.5, 0.2, 3)
    found = communities(graph, label)
    z, m = found.sizes, found.edges
    a, f = found.degrees / (2 * m), found.inside.sum() / m
    s = (a**2).sum()
    total = 0.0
    for i in range(4):
        total += z[i] * (z[i] - 1) / 2 * ((1 - f - 2 * a[i] + 2 * s) / m) ** 2
        for j in range(i + 1, 4):
            total += z[i] * z[j] * ((-f - a[i] - a[j] + 2 * s) / m) ** 2
    assert modularity_variance(found, 0.07) == pytest.approx(pair_variance(0.07) * total, rel=1e-12)


def test_modularity_is_that_of_its_definition():
    graph, label = planted([6, 7, 8], 0.6, 0.1, 1)
    a, d = graph.to_scipy().toarray().astype(float), graph.degrees
    same = label[:, None] == label[None, :]
    m = graph.n_edges
    assert communities(graph, label).modularity == pytest.approx(
        ((a - np.outer(d, d) / (2 * m)) * same).sum() / (2 * m), abs=1e-12
    )


def test_spread_and_lean_are_those_of_slopes_and_bends():
    """Each pair adds v times its slope squared to the variance, and v/2 times its bend to the lean."""
    graph, label = planted([3, 4, 5], 0.7, 0.3, 6)
    a, step = graph.to_scipy().toarray().astype(float), 1e-3

    def value(matrix):
        m, d = matrix.sum() / 2, matrix.sum(axis=0)
        return ((matrix - np.outer(d, d) / (2 * m)) * (label[:, None] == label[None, :])).sum() / (2 * m)

    slopes, bends, middle = [], [], value(a)
    for u, v in zip(*np.triu_indices(12, 1), strict=True):
        up, down = a.copy(), a.copy()
        up[[u, v], [v, u]] += step
        down[[u, v], [v, u]] -= step
        slopes.append((value(up) - value(down)) / (2 * step))
        bends.append((value(up) - 2 * middle + value(down)) / step**2)
    found = communities(graph, label)
    assert modularity_variance(found, 0.1) == pytest.approx(pair_variance(0.1) * np.sum(np.square(slopes)), rel=1e-5)
    assert modularity_bias(found, 0.1) == pytest.approx(pair_variance(0.1) / 2 * np.sum(bends), rel=1e-4)


def test_the_lean_is_taken_out():
    """Many small communities and much noise: the plain estimate leans, the corrected one hardly does."""
    graph, label = planted([4] * 12, 0.9, 0.05, 2)
    truth, mu, times = communities(graph, label).modularity, 0.1, 1500
    plain, mended = np.empty(times), np.empty(times)
    for seed in range(times):
        seen = flip_pairs(graph, mu, Randomness(seed))
        plain[seed] = modularity(seen, label, mu, corrected=False).value
        mended[seed] = modularity(seen, label, mu).value
    error = plain.std() / np.sqrt(times)
    assert plain.mean() - truth == pytest.approx(modularity_bias(communities(graph, label), mu), abs=4 * error)
    assert abs(mended.mean() - truth) < 5 * error


def test_a_partition_names_every_vertex():
    with pytest.raises(DataError, match="each of 6 vertices, got 5"):
        modularity(TRIANGLES, SIDES[:5], 0.1)


def test_nothing_to_say_without_edges():
    told = modularity(graph_of([], 6), SIDES, 0.1)
    assert told.value is None
    assert "noise" in told.note
    assert modularity(graph_of([], 6), SIDES, 0).value is None
    assert communities(graph_of([], 6), SIDES).modularity == 0
