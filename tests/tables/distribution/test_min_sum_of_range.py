"""MinSumOfRange: the paper's examples, and equality with exhaustive search."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.privacy.p_private import distance_from_target
from sfumato.tables.distribution.min_sum_of_range import generalise, histograms, pass_on
from support.naive_distribution import (
    can_match,
    cases,
    counts_of,
    groups_of,
    inside,
    leaf_weights,
    least_of_nodes,
    least_sum,
    nodes,
    random_tree,
    shown,
    total_variation,
    tree_of,
)

SALARY = [30, 40, 50, 60]
ROOT, LOW, HIGH = (0, 3), (0, 1), (2, 3)


def salaries(*values):
    tree = tree_of([1, 1, 1, 1], positions=SALARY)
    listing = generalise(groups_of([SALARY.index(value) for value in values]), tree)
    return shown(listing), float(listing.costs[0])


def below(tree, subdomains, v):
    """How many copies are at a node or under it."""
    first, last = int(tree.shape.first[v]), int(tree.shape.last[v])
    return sum(copies for (a, b), copies in subdomains.items() if first <= a and b <= last)


def check(group, tree, subdomains, cost):
    """Vector D-15: P-private, a generalization of the group, made of nodes, at the cost that is told."""
    weights, known = leaf_weights(tree), dict(zip(nodes(tree), tree.ranges.tolist(), strict=True))
    ends = np.array(sorted(subdomains), dtype=np.int64).reshape(-1, 2)
    copies = np.array([subdomains[a, b] for a, b in ends.tolist()], dtype=np.int64)
    assert sum(subdomains.values()) == len(group)
    assert set(subdomains) <= set(known)
    assert distance_from_target(ends[:, 0], ends[:, 1], copies, np.array(weights)) == 0
    assert total_variation(subdomains, weights) == 0
    counts = counts_of(group, len(weights))
    for v in range(len(tree.ranges)):
        assert below(tree, subdomains, v) <= inside(counts, tree, v)
    assert can_match(group, subdomains)
    assert cost == pytest.approx(sum(known[node] * n for node, n in subdomains.items()))


# -- vectors -------------------------------------------------------------------------------------------------------
def test_example_1():
    """Vector D-1."""
    subdomains, cost = salaries(30, 30, 40, 40, 50, 60)
    assert subdomains == Counter({(0, 0): 1, (1, 1): 1, (2, 2): 1, (3, 3): 1, ROOT: 2})
    assert cost == 60


def test_figure_2():
    """Vector D-2."""
    assert salaries(40, 30, 50) == (Counter({ROOT: 1, LOW: 1, HIGH: 1}), 50.0)
    assert salaries(40, 60, 60, 60) == (Counter({ROOT: 2, LOW: 1, HIGH: 1}), 80.0)
    assert salaries(30, 40, 50, 60) == (Counter({(i, i): 1 for i in range(4)}), 0.0)


@pytest.mark.parametrize(("m", "expected"), [(15, [2, 4, 4, 2]), (5, [0, 0, 0, 0]), (26, [3, 6, 6, 3])])
def test_the_maximum_bound_allocation(m, expected):
    """Vector D-6."""
    out = np.full(4, -1, dtype=np.int64)
    assert pass_on(m, np.array([3, 8, 6, 9]), np.array([1, 2, 2, 1]), 0.0, out) == sum(expected)
    assert out.tolist() == expected


def test_the_tree_greedy_is_optimal_among_nodes_alone():
    """Vector D-13."""
    tree = tree_of([1, 1, 1, 1])
    listing = generalise(groups_of([0, 1, 1, 2]), tree)
    assert shown(listing) == Counter({ROOT: 2, LOW: 1, HIGH: 1})
    assert float(listing.costs[0]) == 8 == least_of_nodes([0, 1, 1, 2], tree)


@pytest.mark.parametrize(
    ("weights", "copies"),
    [([1, 1], 0), ([3, 2], 20), ([51, 49], 100), ([505, 495], 100), ([713, 714], 100), ([510, 510], 0)],
)
def test_large_ratios_show_the_root_alone(weights, copies):
    """Vector D-14."""
    listing = generalise(groups_of([0] * 50 + [1] * 50), tree_of(weights))
    assert shown(listing)[0, 1] == copies
    assert float(listing.costs[0]) == copies


# -- properties ----------------------------------------------------------------------------------------------------
def test_no_generalization_to_nodes_is_cheaper():
    for rng in cases(1000):
        m = int(rng.integers(1, 9))
        n = int(rng.integers(1, 9))
        tree, group = random_tree(rng, m), rng.integers(0, m, n).tolist()
        listing = generalise(groups_of(group), tree)
        assert float(listing.costs[0]) == pytest.approx(least_sum(counts_of(group, m).tolist(), tree))
        check(group, tree, shown(listing), float(listing.costs[0]))


def test_the_search_itself_agrees_with_the_definitions():
    for rng in cases(300):
        m = int(rng.integers(1, 5))
        n = int(rng.integers(1, 5))
        tree, group = random_tree(rng, m), rng.integers(0, m, n).tolist()
        assert least_sum(counts_of(group, m).tolist(), tree) == pytest.approx(least_of_nodes(group, tree))


def test_larger_groups_follow_the_target_exactly():
    for rng in cases(60):
        m = int(rng.integers(2, 31))
        n = int(rng.integers(1, 101))
        tree, group = random_tree(rng, m), np.sort(rng.integers(0, m, n)).tolist()
        listing = generalise(groups_of(group), tree)
        check(group, tree, shown(listing), float(listing.costs[0]))


def test_many_groups_at_once_are_each_alone():
    for rng in cases(200):
        m = int(rng.integers(1, 13))
        within = rng.choice([0.0, 0.1]).item()
        tree = random_tree(rng, m)
        groups = [rng.integers(0, m, rng.integers(1, 12)).tolist() for _ in range(6)]
        together = generalise(groups_of(*groups), tree, within=within)
        for g, group in enumerate(groups):
            alone = generalise(groups_of(group), tree, within=within)
            assert shown(together, g) == shown(alone)
            assert together.costs[g] == alone.costs[0]


def test_equal_values_of_a_uniform_target_are_shown_as_they_are():
    listing = generalise(groups_of(list(range(8)) * 5), tree_of([1] * 8))
    assert shown(listing) == Counter({(i, i): 5 for i in range(8)})


def test_values_without_weight_are_never_shown_alone():
    tree = tree_of([1, 0, 0, 1])
    subdomains = shown(generalise(groups_of([1, 1, 3, 3]), tree))
    assert subdomains == Counter({LOW: 2, (3, 3): 2})


def test_scaled_weights_are_the_same_target():
    rng = np.random.default_rng(3)
    for _ in range(20):
        weights = rng.integers(1, 5, 7)
        group = rng.integers(0, 7, 30).tolist()
        one, other = (generalise(groups_of(group), tree_of(weights * scale)) for scale in (1, 1000))
        assert shown(one) == shown(other)


# -- a tolerance ---------------------------------------------------------------------------------------------------
def test_a_tolerance_is_kept_and_never_costs():
    for rng in cases(600):
        m = int(rng.integers(1, 11))
        n = int(rng.integers(1, 41))
        within = rng.choice([0.01, 0.05, 0.1, 0.3, 0.9]).item()
        tree, group = random_tree(rng, m), np.sort(rng.integers(0, m, n)).tolist()
        exact = generalise(groups_of(group), tree)
        loose = generalise(groups_of(group), tree, within=within)
        subdomains = shown(loose)
        assert sum(subdomains.values()) == n
        assert total_variation(subdomains, leaf_weights(tree)) <= Fraction(str(within))
        assert loose.costs[0] <= exact.costs[0] + 1e-9
        assert can_match(group, subdomains)
        assert loose.costs[0] == pytest.approx(sum(cost_of(tree, (a, b)) * c for (a, b), c in subdomains.items()))


def cost_of(tree, ends):
    return dict(zip(nodes(tree), tree.ranges.tolist(), strict=True))[ends]


@pytest.mark.parametrize("weights", [[51, 49], [505, 495], [713, 714]])
def test_a_small_tolerance_does_away_with_large_ratios(weights):
    listing = generalise(groups_of([0] * 50 + [1] * 50), tree_of(weights), within=0.011)
    assert shown(listing) == Counter({(0, 0): 50, (1, 1): 50})


def test_a_tolerance_beyond_the_data_shows_them_as_they_are():
    group = [0] * 7 + [1] * 3 + [3] * 5
    listing = generalise(groups_of(group), tree_of([1, 1, 1, 1]), within=0.5)
    assert shown(listing) == Counter({(0, 0): 7, (1, 1): 3, (3, 3): 5})


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=1, max_size=5), st.integers(0, 60),
       st.sampled_from([0.0, 0.02, 0.2, 0.7]))  # fmt: skip
def test_what_goes_on_stays_in_its_bounds(children, m, share):
    counts, ratio = (np.array(given, dtype=np.int64) for given in zip(*children, strict=True))
    out = np.full(len(children), -1, dtype=np.int64)
    m = min(m, int(counts.sum()))
    passed = pass_on(m, counts, ratio, share, out)
    assert passed == out.sum() <= m
    assert (out <= counts).all()
    assert (out >= 0).all()
    assert not out[ratio == 0].any()
    if passed:
        off = sum(
            abs(Fraction(int(o), passed) - Fraction(int(r), int(ratio.sum()))) for o, r in zip(out, ratio, strict=True)
        )
        assert off / 2 <= Fraction(share) + Fraction(1, 10**9)


# -- counting and trees ----------------------------------------------------------------------------------------------
def test_histograms_are_counts():
    for rng in cases(60):
        n = int(rng.integers(1, 301))
        n_groups = int(rng.integers(1, 41))
        m = int(rng.integers(1, 401))
        places, group = rng.integers(0, m, n), rng.integers(0, n_groups, n)
        found = histograms(places, group, n_groups, m)
        assert len(found.starts) == n_groups + 1
        for g in range(n_groups):
            values, counts = np.unique(places[group == g], return_counts=True)
            one = found.of(g)
            assert one.places.tolist() == values.tolist()
            assert one.counts.tolist() == counts.tolist()
            assert one.starts.tolist() == [0, len(values)]
        whole = histograms(places, None, 1, m)
        assert np.repeat(whole.places, whole.counts).tolist() == np.sort(places).tolist()
