"""An estimate with its error: what a graph can have, and no negative spread."""

from itertools import combinations

import pytest

from sfumato.graphs.estimates.densities import edge_count
from sfumato.graphs.estimates.estimate import Estimate, normal_estimate
from support.small_graphs import graph_of


def test_an_estimate_may_leave_what_a_graph_can_have():
    told = edge_count(graph_of([], 10), 0.1)
    assert told.value == pytest.approx(-5.625)
    assert told.possible_value == 0
    assert edge_count(graph_of(combinations(range(10), 2), 10), 0.1).possible_value == 45
    assert Estimate(name="x", value=None, stderr=None, low=None, high=None, method="none").possible_value is None


def test_a_normal_estimate_never_has_a_negative_spread():
    assert normal_estimate("x", 1, -1e-9, "m").stderr == 0
