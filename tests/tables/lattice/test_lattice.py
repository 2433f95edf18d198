"""The lattice is every combination of levels, and is walked in rising order of cost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.tables.lattice import lattice as lattice_module
from sfumato.tables.lattice.lattice import Borders, Lattice, _walk_by_cost, is_below, nodes_by_cost
from sfumato.tables.lattice.search_result import minimal_nodes
from support.searched_lattices import lowest_nodes

TOPS = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)


@given(TOPS)
def test_the_lattice_is_every_combination_of_levels(tops):
    lattice = Lattice(tops)
    nodes = list(lattice)
    assert len(nodes) == len(set(nodes)) == len(lattice)
    assert lattice.height == max(map(sum, nodes))
    by_height = [node for height in range(lattice.height + 1) for node in lattice.at_height(height)]
    assert sorted(by_height) == sorted(nodes)
    assert [sum(node) for node in by_height] == sorted(map(sum, nodes))
    for node in nodes:
        above = {other for other in nodes if is_below(node, other) and sum(other) == sum(node) + 1}
        assert set(lattice.successors(node)) == above


@given(TOPS, st.integers(0, 1000))
def test_nodes_come_in_rising_order_each_once_sorted_or_walked(tops, seed):
    lattice = Lattice(tops)
    rng = np.random.default_rng(seed)
    costs = [np.cumsum(rng.integers(0, 3, top + 1) / 8) for top in tops]  # eighths add up exactly
    wanted = sorted(sum(cost[level] for cost, level in zip(costs, node, strict=True)) for node in lattice)
    for walk in (list(nodes_by_cost(lattice, costs)), list(_walk_by_cost(lattice, costs))):
        assert [total for total, _ in walk] == wanted
        assert sorted(node for _, node in walk) == sorted(lattice)
        for total, node in walk:
            assert total == sum(cost[level] for cost, level in zip(costs, node, strict=True))
        place = {node: i for i, (_, node) in enumerate(walk)}
        for node in lattice:
            assert all(place[node] < place[above] for above in lattice.successors(node))


def test_a_large_lattice_is_walked(monkeypatch):
    monkeypatch.setattr(lattice_module, "_LISTED", 10)
    costs = [np.arange(4.0)] * 3
    walk = list(nodes_by_cost(Lattice((3, 3, 3)), costs))
    assert len({node for _, node in walk}) == 64
    assert [total for total, _ in walk] == sorted(float(sum(node)) for node in Lattice((3, 3, 3)))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=6), st.tuples(*[st.integers(0, 3)] * 3))
def test_borders(nodes, node):
    borders = Borders(3)
    for each in nodes:
        borders.add(each)
    assert borders.covers_from_above(node) == any(is_below(node, each) for each in nodes)
    assert borders.covers_from_below(node) == any(is_below(each, node) for each in nodes)
    assert set(minimal_nodes(nodes)) == lowest_nodes(set(nodes))
