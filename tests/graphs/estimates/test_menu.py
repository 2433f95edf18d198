"""All estimates of a graph: exact without flips, worked out once, intervals that cover."""

from itertools import combinations

import numpy as np
import pytest

from sfumato.graphs.counts.triangles import triads
from sfumato.graphs.estimates.menu import estimate_graph
from sfumato.graphs.estimates.modularity import communities
from sfumato.graphs.estimates.transitivity import estimate_triads, transitivity
from sfumato.graphs.flips import flip_pairs
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.small_graphs import edges, graph_of, planted, rings_of_friends


def test_without_flips_all_is_exact():
    graph = rings_of_friends(60, 6, 2)
    menu = estimate_graph(graph, 0, metrics=(), draws=0)
    found = triads(graph)
    assert (menu["edges"].value, menu["edges"].stderr) == (graph.n_edges, 0)
    assert (menu["triangles"].value, menu["triangles"].stderr) == (found.triangles, 0)
    assert (menu["triples"].value, menu["triples"].stderr) == (found.connected_triples, 0)
    assert menu["transitivity"].value == found.transitivity
    assert menu["squared_degrees"].value == (graph.degrees**2).sum()
    assert menu["degrees"].values.tolist() == graph.degrees.tolist()
    assert transitivity(estimate_triads(graph_of(combinations(range(5), 2), 5), 0)).value == 1


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


@pytest.mark.slow
@pytest.mark.parametrize("mu", [0.01, 0.05])
def test_intervals_cover(mu):
    """95% to within 1%."""
    graph, label = planted([40, 40, 40], 0.3, 0.03, 4)
    truth, times = triads(graph), 5000
    aims = {
        "edges": graph.n_edges, "squared_degrees": (graph.degrees**2).sum(), "triangles": truth.triangles,
        "triples": truth.connected_triples, "transitivity": truth.transitivity, "modularity": communities(graph, label).modularity,
    }  # fmt: skip
    hits = dict.fromkeys(aims, 0)
    for seed in range(times):
        menu = estimate_graph(flip_pairs(graph, mu, Randomness(seed)), mu, partition=label, metrics=())
        for name, aim in aims.items():
            hits[name] += menu[name].low <= aim <= menu[name].high
    for name, count in hits.items():
        assert count / times == pytest.approx(0.95, abs=0.01), name
