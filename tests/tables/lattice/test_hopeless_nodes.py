"""Hopeless nodes: what is told of a node is true of it, and most are told without a look."""

import itertools

import numpy as np
import pytest

from sfumato.tables.lattice import hopeless_nodes
from sfumato.tables.lattice.hopeless_nodes import HopelessNodes
from sfumato.tables.lattice.lattice import Lattice, is_below


def hopeless_below(highest, calls):
    """All nodes below one of some are hopeless."""

    def is_hopeless(node):
        calls.append(node)
        return any(is_below(node, each) for each in highest)

    return is_hopeless


@pytest.mark.parametrize("seed", range(6))
def test_every_node_is_told_as_it_is(seed):
    rng = np.random.default_rng(seed)
    tops = (3, 2, 4, 1, 3)
    lattice = Lattice(tops)
    highest = [tuple(int(rng.integers(0, top + 1)) for top in tops) for _ in range(4)]
    costs = [np.cumsum(np.append(0, rng.random(top))) for top in tops]
    calls = []
    known = HopelessNodes(lattice, costs, hopeless_below(highest, calls))
    for node in itertools.product(*(range(top + 1) for top in tops)):
        assert known.has(node) == any(is_below(node, each) for each in highest)


def test_most_hopeless_nodes_are_told_without_a_look():
    lattice, highest, calls = Lattice((3, 2, 4, 1, 3)), (3, 2, 3, 1, 2), []
    costs = [np.arange(top + 1.0) for top in lattice.tops]
    known = HopelessNodes(lattice, costs, hopeless_below([highest], calls))
    n_hopeless = sum(known.has(node) for node in lattice)
    assert n_hopeless == 4 * 3 * 4 * 2 * 3
    assert sum(is_below(node, highest) for node in calls) < n_hopeless / 10


def test_of_a_lattice_too_large_to_remember_each_node_is_looked_at(monkeypatch):
    monkeypatch.setattr(hopeless_nodes, "_MOST_NODES", 3)
    calls = []
    known = HopelessNodes(Lattice((2, 2)), [np.arange(3.0)] * 2, hopeless_below([(1, 1)], calls))
    assert [known.has(node) for node in ((0, 0), (0, 1), (2, 0))] == [True, True, False]
    assert len(calls) == 3
