"""The printed greedy walk: its dead ends, and the labels that it does not look at."""

import numpy as np
import pytest
from benchmarks.baselines.flow import all_arcs, cheapest_graph, graph_cost
from benchmarks.baselines.greedy_walk import broken_records, greedy_walk

from sfumato.baskets.orders.gray import gray_order
from sfumato.baskets.rings.diverse_ring import diverse_ring
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.labelled_rings import LABELS, baskets_of, eligible, windows_distinct
from support.small_baskets import EXAMPLE, TSP


def test_the_printed_walk_is_not_diverse_where_it_matters():
    rng = np.random.default_rng(11)
    dead, broken, done = 0, np.zeros(3), 0
    for seed in range(60):
        labels, baskets = eligible(rng, 12, 3, 4), baskets_of(rng, 12)
        order = gray_order(baskets)
        walk = greedy_walk(baskets, labels, order, 3, Randomness(seed), attempts=1)
        dead += walk.dead_ends
        assert windows_distinct(labels[diverse_ring(labels, order, 3).order].tolist(), 3)
        if len(walk.rows) == 3:
            done += 1
            assert (np.sort(walk.rows, axis=1) == np.arange(12)).all()
            assert all(len(set(labels[slots])) == 3 for slots in walk.rows.T)  # the labels it looks at
            assert walk.rows[0].tolist() == list(range(12))
            broken += broken_records(labels, walk)
            cheapest = graph_cost(baskets, cheapest_graph(baskets, labels, 3, all_arcs(12)))
            assert cheapest <= graph_cost(baskets, walk.rows.T)
    assert done + dead == 60
    assert 5 <= dead <= 25
    assert broken[0] == 0
    assert (broken[1:] / (12 * done) > 0.35).all()


def test_another_attempt_after_a_dead_end():
    rng = np.random.default_rng(12)
    tries = [
        greedy_walk(baskets_of(rng, 12), eligible(rng, 12, 3, 4), rng.permutation(12), 3, Randomness(seed))
        for seed in range(60)
    ]
    assert {(walk.dead_ends == 4) == (len(walk.rows) < 3) for walk in tries} == {True}
    assert {walk.dead_ends for walk in tries if len(walk.rows) == 3} > {0, 1}
    with pytest.raises(ParameterError, match="l and attempts"):
        greedy_walk(EXAMPLE, LABELS, TSP, 0, Randomness(1))


def test_the_printed_walk_by_hand():
    """Records 0 to 3 in a row, labels 0 1 0 1, l=2: each takes the nearer neighbour that carries the other label."""
    baskets = Baskets.from_lists([["a"], ["a", "b"], ["d", "e"], ["d"]])
    walk = greedy_walk(baskets, np.array([0, 1, 0, 1]), np.arange(4), 2, Randomness(3))
    assert walk.rows.tolist() == [[0, 1, 2, 3], [1, 0, 3, 2]]
    assert broken_records(np.array([0, 1, 0, 1]), walk).tolist() == [0, 0]
