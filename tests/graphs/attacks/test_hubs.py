"""Classes by links to hubs, on graphs made by hand and on votes for administrators of Wikipedia."""

from itertools import product

import numpy as np
import pytest

import sfumato as sf
from sfumato.graphs.attacks.hubs import hub_agreement, hub_classes, hub_confusion, hub_links, target_patterns, top_hubs
from sfumato.ground.errors import ParameterError
from support.small_graphs import graph_of


def voters(patterns, n_hubs):
    """Hubs 0, 1, ... of falling degree, then a vertex for each pattern, then leaves that make hubs hubs."""
    edges = [(hub, n_hubs + at) for at, pattern in enumerate(patterns) for hub in range(n_hubs) if pattern[hub]]
    n = n_hubs + len(patterns)
    degrees = [sum(pattern[hub] for pattern in patterns) for hub in range(n_hubs)]
    for hub in range(n_hubs):
        for _ in range(len(patterns) + 5 * (n_hubs - hub) - degrees[hub]):
            edges.append((hub, n))
            n += 1
    return graph_of(edges, n)


EVERY = list(product((0, 1), repeat=6))  # six hubs: 3 is odd, and nobody is between


def slow_class(pattern, targets):
    distance = [sum(a != b for a, b in zip(pattern, target, strict=True)) for target in targets]
    nearest = [at for at, d in enumerate(distance) if d == min(distance)]
    return nearest[0] if len(nearest) == 1 else -1


@pytest.mark.parametrize("n_hubs", [2, 4, 5, 6])
def test_classes_are_the_nearest_targets(n_hubs):
    every = list(product((0, 1), repeat=n_hubs))
    graph = voters(every, n_hubs)
    hubs = top_hubs(graph, n_hubs)
    assert hubs.tolist() == list(range(n_hubs))
    targets = target_patterns(n_hubs)
    found = hub_classes(graph, hubs, targets)[n_hubs : n_hubs + len(every)]
    assert found.tolist() == [slow_class(pattern, targets.astype(int).tolist()) for pattern in every]
    assert (-1 in found) == (n_hubs in (4, 5))
    assert hub_links(graph, hubs)[n_hubs : n_hubs + len(every)].astype(int).tolist() == [list(p) for p in every]


def test_the_targets_of_the_thesis():
    assert target_patterns().astype(int).tolist() == [[0] * 10, [0, 1] * 5, [1] * 10, [1, 0] * 5]
    every = np.array(list(product((0, 1), repeat=10)))
    distance = (every[:, None, :] != target_patterns()[None]).sum(axis=2)
    assert ((distance == distance.min(axis=1, keepdims=True)).sum(axis=1) == 1).all()  # nobody is between two
    example = graph_of([(hub, 10) for hub in (2, 4, 7, 8)], 11)  # the thesis's own: 0 0 1 0 1 0 0 1 1 0
    assert hub_classes(example, np.arange(10), target_patterns())[10] == 3


def test_what_is_read_from_a_changed_graph():
    graph = voters(EVERY, 6)
    n = len(graph)
    number = np.random.default_rng(1).permutation(n)
    rows = np.argsort(number)
    assert hub_agreement(graph, graph.renumbered(number), rows, hubs=6, least=0) == 1
    assert hub_agreement(graph, graph.renumbered(number), rows, hubs=6, least=3) == 1
    # one voter of all six loses all links, one of none gets all: both are read as the other's class
    u, v = graph.edges
    full, empty = 6 + EVERY.index((1,) * 6), 6 + EVERY.index((0,) * 6)
    kept = v != full
    changed = sf.Graph.from_edges(
        np.concatenate([u[kept], np.arange(6)]), np.concatenate([v[kept], np.full(6, empty)]), n
    ).renumbered(number)
    asked = n - 6
    counts = hub_confusion(graph, changed, rows, hubs=6, least=0)
    assert counts.shape == (4, 5)
    assert counts.sum() == asked
    assert counts[2, 0] == counts[0, 2] == 1
    assert hub_agreement(graph, changed, rows, hubs=6, least=0) == pytest.approx(1 - 2 / asked)
    many = sum(sum(pattern) >= 4 for pattern in EVERY)
    assert hub_confusion(graph, changed, rows, hubs=6).sum() == many
    assert hub_agreement(graph, changed, rows, hubs=6) == pytest.approx(1 - 1 / many)
    assert hub_agreement(changed, changed, np.arange(n), hubs=6, least=6) == 1


def test_between_two_is_never_right():
    """Of four hubs, (1, 0, 0, 0) is as near to none as to the first and third; it is left out, and read as neither."""
    patterns = [(1, 0, 0, 0), (1, 0, 1, 0), (1, 0, 1, 0)]
    graph = voters(patterns, 4)
    same = np.arange(len(graph))
    assert hub_classes(graph, np.arange(4), target_patterns(4))[4:7].tolist() == [-1, 3, 3]
    assert hub_confusion(graph, graph, same, hubs=4, least=1)[3].tolist() == [0, 0, 0, 2, 0]
    u, v = graph.edges
    kept = ~((u == 2) & (v == 5))
    less = sf.Graph.from_edges(u[kept], v[kept], len(graph))
    assert hub_confusion(graph, less, same, hubs=4, least=2)[3].tolist() == [0, 0, 0, 1, 1]
    assert hub_agreement(graph, less, same, hubs=4, least=2) == 0.5


def test_hubs_are_those_of_the_original():
    graph = voters(EVERY, 6)
    far = len(graph) - 1
    others = np.arange(len(graph) - 1)
    louder = sf.Graph.from_edges(
        np.concatenate([graph.edges[0], others]),
        np.concatenate([graph.edges[1], np.full(len(others), far)]),
        len(graph),
    )
    assert top_hubs(louder, 1).tolist() == [far]
    assert hub_agreement(graph, louder, np.arange(len(graph)), hubs=6) == 1
    assert top_hubs(graph_of([(0, 1), (2, 3)], 5), 3).tolist() == [0, 1, 2]


def test_own_patterns_and_nobody_to_ask():
    graph = voters(EVERY, 6)
    same, two = np.arange(len(graph)), [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
    counts = hub_confusion(graph, graph, same, hubs=6, least=3, patterns=two)
    asked = [p for p in EVERY if sum(p) >= 3 and sum(p[:3]) != sum(p[3:])]
    assert counts.tolist() == [[len(asked) // 2, 0, 0], [0, len(asked) // 2, 0]]
    assert hub_agreement(graph_of([], 12), graph_of([], 12), np.arange(12)) is None


def test_it_is_among_the_measures():
    patterns = [p for p in product((0, 1), repeat=10) if sum(p) >= 4][::12]
    graph = voters(patterns, 10)
    exact = sf.measure(sf.publish(graph, sf.Relabelling(), seed=1))
    assert exact["hub_agreement"] == 1
    release = sf.publish(graph, sf.EdgePerturbation(0.2), seed=1)
    measures = sf.measure(release)
    assert measures["hub_agreement"] == hub_agreement(graph, release.data, release.owner.rows)
    assert 0.3 < measures["hub_agreement"] < 0.9
    figure = measures.figure("hub_agreement")
    assert figure.unit == "share"
    assert figure.smaller_is_better is False
    assert measures.figure("edges_kept").smaller_is_better is False
    assert "hub_agreement" in sf.measure(sf.publish(voters(patterns[:20], 10), sf.Relabelling(), seed=1))
    few = voters(patterns[:19], 10)
    assert "hub_agreement" not in sf.measure(sf.publish(few, sf.Relabelling(), seed=1))
    small = graph_of([(0, 1)], 10)
    assert "hub_agreement" not in sf.measure(sf.publish(small, sf.Relabelling(), seed=1))


def test_bad_parameters_are_refused():
    graph = voters(EVERY, 6)
    same = np.arange(len(graph))
    for bad in (0, True, 2.5, 10_000):
        with pytest.raises(ParameterError, match="hubs must be a whole number from 1"):
            top_hubs(graph, bad)
    with pytest.raises(ParameterError, match="least must be a whole number of links, from 0 to the 6 hubs, got 7"):
        hub_agreement(graph, graph, same, hubs=6, least=7)
    for bad in ([[1, 0]], [1, 0, 0, 0, 0, 0], [[0, 1, 2, 0, 0, 0]], np.empty((0, 6))):
        with pytest.raises(ParameterError, match="patterns must be rows of 0 and 1"):
            hub_classes(graph, np.arange(6), bad)
    with pytest.raises(ParameterError, match="two target patterns are the same"):
        hub_agreement(graph, graph, same, hubs=1, least=1)
    with pytest.raises(ParameterError, match="rows name 3; name each"):
        hub_agreement(graph, graph, same[:3], hubs=6)


@pytest.mark.data
def test_votes(data_folder):
    """The thesis has hubs of 482 to 1,053 neighbours; this file has 495 to 1,065, one way or the other being enough."""
    graph = sf.read_graph(data_folder / "graphs" / "wiki-Vote.txt.gz")
    hubs = top_hubs(graph)
    assert graph.degrees[hubs].tolist() == [1065, 773, 743, 740, 732, 688, 618, 533, 517, 495]
    counts = hub_confusion(graph, graph, np.arange(len(graph)))
    assert counts.sum(axis=1).tolist() == [141, 248, 254, 252]
    bounds = {1e-4: (0.997, 1), 1e-3: (0.985, 1), 1e-2: (0.93, 0.98)}
    for mu, (low, high) in bounds.items():
        release = sf.publish(graph, sf.EdgePerturbation(mu), seed=1)
        assert low <= hub_agreement(graph, release.data, release.owner.rows) <= high
