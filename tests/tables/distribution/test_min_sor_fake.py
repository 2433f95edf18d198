"""minSORFake: the paper's examples set right, and equality with exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.tables.distribution.min_sor_fake import choose_fakes, least_costs
from sfumato.tables.distribution.min_sum_of_range import generalise
from support.naive_distribution import (
    cases,
    counts_of,
    groups_of,
    least_sum,
    least_with_fakes,
    least_with_named_removals,
    least_with_removals,
    random_tree,
    recursion,
    tree_of,
)

EXAMPLE_2 = [1, 3, 5]
EXAMPLE_3 = [1, 3, 5, 7]
EXAMPLE_4 = [1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 11, 13, 13, 15, 15]
EXAMPLE_5 = [1, 2, 3, 5, 6, 7, 7]


def uniform(values, m, k):
    """Least costs with 0 to k fakes, of values that are numbered from 1."""
    return least_costs(counts_of(np.array(values) - 1, m), tree_of([1] * m), k).tolist()


def cost_with(values, m):
    return float(generalise(groups_of([value - 1 for value in values]), tree_of([1] * m)).costs[0])


def chosen(values, m, most):
    fakes = choose_fakes(counts_of(np.array(values) - 1, m), tree_of([1] * m), (most,))[0]
    return [place + 1 for place, count in enumerate(fakes.tolist()) for _ in range(count)]


# -- vectors -------------------------------------------------------------------------------------------------------
def test_example_2_one_fake_is_better_than_two():
    """Vector D-7."""
    assert uniform(EXAMPLE_2, 8, 2) == [13, 4, 11]
    assert chosen(EXAMPLE_2, 8, 2) in ([7], [8])


def test_each_single_fake_of_example_2():
    """Vector D-8."""
    assert [cost_with([*EXAMPLE_2, f], 8) for f in range(1, 9)] == [20, 20, 20, 20, 8, 8, 4, 4]


def test_example_3_the_locally_best_is_not_the_best():
    """Vector D-9."""
    assert uniform(EXAMPLE_3, 8, 4) == [4, 11, 10, 17, 0]
    assert chosen(EXAMPLE_3, 8, 4) == [2, 4, 6, 8]
    assert chosen(EXAMPLE_3, 8, 3) == []
    assert cost_with([*EXAMPLE_3, 1, 5], 8) == 10


def test_example_4_the_fuller_side_is_where_a_fake_helps():
    """Vector D-10."""
    singles = [62, 62, 62, 62, 46, 46, 40, 38, 46, 44, 46, 44, 46, 44, 46, 44]
    assert [cost_with([*EXAMPLE_4, f], 16) for f in range(1, 17)] == singles
    assert uniform(EXAMPLE_4, 16, 1) == [47, 38]
    assert chosen(EXAMPLE_4, 16, 1) == [8]


def test_example_5_and_its_inner_calls():
    """Vectors D-11 and D-12."""
    assert uniform(EXAMPLE_5, 8, 3) == [17, 2, 7, 6]
    assert chosen(EXAMPLE_5, 8, 2) == chosen(EXAMPLE_5, 8, 3)
    assert len(chosen(EXAMPLE_5, 8, 3)) == 1
    half = tree_of([1] * 4)
    right, left = counts_of([0, 1, 2, 2], 4).tolist(), counts_of([0, 1, 2], 4).tolist()
    for way in (recursion, least_with_removals, least_with_named_removals):
        assert way(right, half, 2, 3) == 5
        assert way(left, half, 0, 0) == 5
    assert least_costs(np.array(left), half, 0).tolist() == [5]


# -- properties ----------------------------------------------------------------------------------------------------
def test_no_fakes_cost_less():
    for rng in cases(800):
        m = int(rng.integers(1, 9))
        n = int(rng.integers(0, 9))
        most = int(rng.integers(0, 4))
        tree, counts = random_tree(rng, m), counts_of(rng.integers(0, m, n), m)
        expected = [least_with_fakes(counts.tolist(), tree, k) for k in range(most + 1)]
        assert least_costs(counts, tree, most).tolist() == pytest.approx(expected)
        fakes = choose_fakes(counts, tree, (most,))[0]
        assert (fakes >= 0).all()
        assert fakes.sum() <= most
        assert least_sum((counts + fakes).tolist(), tree) == pytest.approx(min(expected))
        assert fakes.sum() == next(k for k, cost in enumerate(expected) if cost == pytest.approx(min(expected)))


def test_the_corrected_recursion_is_brute_force():
    for rng in cases(300):
        m = int(rng.integers(1, 7))
        n = int(rng.integers(0, 7))
        k = int(rng.integers(0, 4))
        r = int(rng.integers(0, 5))
        tree, counts = random_tree(rng, m), counts_of(rng.integers(0, m, n), m).tolist()
        found = recursion(counts, tree, k, r)
        if r > n + k:
            assert found == float("inf")
            continue
        assert found == pytest.approx(least_with_removals(counts, tree, k, r))
        if m <= 4 and n <= 4 and k <= 2:
            assert found == pytest.approx(least_with_named_removals(counts, tree, k, r))


def test_the_tables_are_the_recursion():
    for rng in cases(400):
        m = int(rng.integers(1, 13))
        n = int(rng.integers(0, 31))
        most = int(rng.integers(0, 7))
        tree, counts = random_tree(rng, m), counts_of(rng.integers(0, m, n), m)
        expected = [recursion(counts.tolist(), tree, k, 0) for k in range(most + 1)]
        assert least_costs(counts, tree, most).tolist() == pytest.approx(expected)


def test_chosen_fakes_reach_the_least_cost_of_larger_groups():
    for rng in cases(100):
        m = int(rng.integers(2, 41))
        n = int(rng.integers(1, 201))
        most = int(rng.integers(1, 26))
        tree, counts = random_tree(rng, m), counts_of(rng.integers(0, m, n), m)
        costs, fakes = least_costs(counts, tree, most), choose_fakes(counts, tree, (most,))[0]
        k = int(fakes.sum())
        assert k <= most
        assert costs[k] == pytest.approx(costs.min())
        group = np.repeat(np.arange(m), counts + fakes).tolist()
        listing = generalise(groups_of(group), tree)
        assert float(listing.costs[0]) == pytest.approx(costs.min())
        assert costs[0] == pytest.approx(
            float(generalise(groups_of(np.repeat(np.arange(m), counts).tolist()), tree).costs[0])
        )


def test_more_fakes_than_values_can_make_any_group_exact():
    counts, tree = counts_of([0, 0, 3], 6), tree_of([1, 2, 1, 3, 1, 1])
    assert least_costs(counts, tree, 15)[15] == 0  # 2, 4, 2, 6, 2, 2
    assert choose_fakes(counts, tree, (14,)).sum() <= 14


def test_a_group_of_nothing_needs_no_fakes():
    assert least_costs(np.zeros(4, dtype=np.int64), tree_of([1, 1, 1, 1]), 2).tolist() == [0, 3, 2]
    assert not choose_fakes(np.zeros(4, dtype=np.int64), tree_of([1, 1, 1, 1]), (4,)).any()


def test_limits_share_one_run():
    rng = np.random.default_rng(5)
    for _ in range(30):
        m = int(rng.integers(2, 9))
        counts, tree = rng.integers(0, 4, m), tree_of(rng.integers(1, 4, m).tolist())
        together = choose_fakes(counts, tree, (6, 3, 1, 0))
        for limit, fakes in zip((6, 3, 1, 0), together, strict=True):
            assert fakes.sum() <= limit
            assert fakes.tolist() == choose_fakes(counts, tree, (limit,))[0].tolist()
