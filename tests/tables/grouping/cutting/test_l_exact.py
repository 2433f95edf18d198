"""The exact l-diverse cut against exhaustive search, and the vectors of the one-dimensional framework."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground.errors import ParameterError
from sfumato.tables.grouping.cutting.dual_exact import optimal_diverse_by_dual, optimal_dual, optimal_dual_k
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from support import naive_partitions as naive
from support.line_strategies import OBJECTIVES, TEN, is_partition, letters, lines
from support.naive_partitions import extents, privacy, total_loss


def diverse(labels, l, loss, objective="largest"):
    """The optimal groups, checked to be what they should be whatever their loss."""
    groups = optimal_diverse(np.array(labels), l, loss, objective=objective)
    assert is_partition(groups, len(labels))
    assert all(len({labels[record] for record in group}) == len(group) for group in groups)
    assert all(l <= len(group) <= 2 * l - 1 for group in groups)
    assert naive.in_one_order(labels, groups)
    return groups


@settings(max_examples=150)
@given(lines())
def test_the_largest_extent_is_least_of_all_partitions(line):
    values, labels, l = line
    loss = extents(values)
    best = naive.best_diverse(labels, l, loss, "largest")
    assert total_loss("largest", loss, diverse(labels, l, loss)) == best
    through_dual = optimal_diverse_by_dual(np.array(labels), l, loss)
    assert is_partition(through_dual, len(labels))
    assert min(privacy(labels, group) for group in through_dual) >= l
    assert total_loss("largest", loss, through_dual) == best


@settings(max_examples=150)
@given(lines())
def test_sum_and_average_are_least_among_groups_below_2l(line):
    values, labels, l = line
    loss = extents(values)
    for objective in ("sum", "average"):
        best = naive.best_diverse(labels, l, loss, objective, longest=2 * l - 1)
        assert total_loss(objective, loss, diverse(labels, l, loss, objective)) == best


@settings(max_examples=150)
@given(lines())
def test_the_weighted_sum_is_least_among_groups_in_one_order(line):
    """Not of all partitions; larger groups do not help, an order does hurt."""
    values, labels, l = line
    loss = extents(values)
    found = total_loss("weighted", loss, diverse(labels, l, loss, "weighted"))
    small = naive.diverse_partitions(labels, l, longest=2 * l - 1)
    ordered = [groups for groups in small if naive.in_one_order(labels, groups)]
    assert found == min(total_loss("weighted", loss, groups) for groups in ordered)
    unrestricted = naive.best_diverse(labels, l, loss, "weighted")
    assert unrestricted == min(total_loss("weighted", loss, groups) for groups in small)
    assert found >= unrestricted


@settings(max_examples=150)
@given(lines(max_size=6), st.data())
def test_any_loss_is_least_of_what_is_looked_at(line, data):
    """Two columns that the order of the records has nothing to do with."""
    _, labels, l = line
    columns = [data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels))) for _ in range(2)]

    def loss(group):
        return sum(naive.extent(column, group) for column in columns)

    partitions = naive.diverse_partitions(labels, l, longest=2 * l - 1)
    for objective in OBJECTIVES:
        rule = naive.in_one_order if objective == "weighted" else naive.in_order_of_begin
        looked_at = [groups for groups in partitions if rule(labels, groups)]
        best = min(total_loss(objective, loss, groups) for groups in looked_at)
        assert total_loss(objective, loss, diverse(labels, l, loss, objective)) == best


@settings(max_examples=150)
@given(lines())
def test_of_the_least_largest_the_cheapest(line):
    values, labels, l = line
    loss = extents(values)
    partitions = naive.diverse_partitions(labels, l, longest=2 * l - 1)
    looked_at = [groups for groups in partitions if naive.in_order_of_begin(labels, groups)]
    best = min((total_loss("largest", loss, g), total_loss("weighted", loss, g)) for g in looked_at)
    groups = diverse(labels, l, loss)
    assert (total_loss("largest", loss, groups), total_loss("weighted", loss, groups)) == best


@settings(max_examples=120)
@given(lines(), st.floats(0.001, 1000), st.floats(-50, 50))
def test_values_that_are_not_whole(line, scale, shift):
    whole, labels, l = line
    values = [shift + scale * value / 7 for value in whole]
    loss = extents(values)
    best = naive.best_diverse(labels, l, loss, "largest")
    assert total_loss("largest", loss, diverse(labels, l, loss)) == pytest.approx(best, abs=1e-9)
    assert total_loss("largest", loss, optimal_diverse_by_dual(np.array(labels), l, loss)) == pytest.approx(
        best, abs=1e-9
    )
    average = naive.best_diverse(labels, l, loss, "average", longest=2 * l - 1)
    assert total_loss("average", loss, diverse(labels, l, loss, "average")) == pytest.approx(average, abs=1e-9)


def test_a_loss_is_asked_for_rising_lists():
    """So that it may index an array with them, or look at the first and the last alone."""
    values, labels = np.array(TEN), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])

    def loss(group):
        assert isinstance(group, list)
        assert group == sorted(group)
        return float(np.ptp(values[group]))

    for objective in OBJECTIVES:
        optimal_diverse(labels, 2, loss, objective=objective)
    optimal_dual(labels, 9, loss)
    optimal_diverse_by_dual(labels, 2, loss)
    optimal_dual_k(len(labels), 9, loss)


def test_vectors_e5_to_e7_as_diversity_of_distinct_values():
    """With a value of its own for each record, l-diversity is k-anonymity, and groups need not be consecutive."""

    def best(values, objective):
        loss = extents(values)
        return total_loss(objective, loss, diverse(list(range(len(values))), 2, loss, objective))

    nested = (0, 49, 50, 51, 100)
    assert naive.best_consecutive_cut(5, 2, extents(nested), "weighted") == 248
    assert naive.best_k_anonymous(5, 2, extents(nested), "weighted") == 206
    assert best(nested, "weighted") == 206
    assert best((0, 10, 11, 12), "weighted") == 22
    uneven = (0, 4, 5, 8, 9, 13)
    assert best(uneven, "sum") == naive.best_k_anonymous(6, 2, extents(uneven), "sum") == 10
    assert best(uneven, "average") == naive.best_k_anonymous(6, 2, extents(uneven), "average") == Fraction(11, 3)
    assert diverse(list(range(6)), 2, extents(uneven), "average") == [[0, 1], [2, 3], [4, 5]]


def test_vector_e8():
    values, labels = (1, 2, 3, 5, 8, 9, 12, 14), letters("aababccb")
    loss = extents(values)
    expected = [[0, 2], [1, 4], [3, 5], [6, 7]]
    assert diverse(labels, 2, loss) == expected
    best = [g for g in naive.diverse_partitions(labels, 2) if total_loss("largest", loss, g) == 6]
    assert best == [expected]
    assert naive.best_diverse(labels, 2, loss, "largest") == 6
    assert total_loss("weighted", loss, diverse(labels, 2, loss, "weighted")) == 28
    assert naive.best_diverse(labels, 2, loss, "weighted") == 28
    assert total_loss("average", loss, diverse(labels, 2, loss, "average")) == 3.5
    runs = naive.consecutive(range(8), lambda group: privacy(labels, group) >= 2)
    assert min(total_loss("weighted", loss, groups) for groups in runs) == 52


def test_vector_e9_larger_groups_lower_the_average():
    values, labels = (0, 1, 9, 10, 20, 20), letters("aabbcd")
    loss = extents(values)
    assert naive.best_diverse(labels, 2, loss, "average") == 5
    assert naive.best_diverse(labels, 2, loss, "average", longest=3) == 6
    assert total_loss("average", loss, diverse(labels, 2, loss, "average")) == 6


def test_groups_without_an_order_lower_the_weighted_sum():
    values, labels = (0, 3, 5, 7, 52), letters("aabcb")
    loss = extents(values)
    assert naive.best_diverse(labels, 2, loss, "weighted") == 116
    assert total_loss("weighted", loss, diverse(labels, 2, loss, "weighted")) == 119


def test_groups_out_of_the_order_of_begin_lower_the_weighted_sum():
    values, labels = (0, 3, 3, 16, 19, 19, 45), letters("aaccdbc")
    groups = diverse(labels, 2, extents(values), "weighted")
    assert total_loss("weighted", extents(values), groups) == 99
    assert not naive.in_order_of_begin(labels, groups)


def test_vector_e11_two_groups_of_four():
    """Taking away one record each of the three most frequent values would leave a group that is not 3-diverse."""
    labels = letters("aabbccdd")
    for objective in OBJECTIVES:
        groups = diverse(labels, 3, extents(range(8)), objective)
        assert sorted("".join(sorted("abcd"[labels[record]] for record in group)) for group in groups) == ["abcd"] * 2


def test_objectives_have_names():
    with pytest.raises(ParameterError, match="objective must be one of largest, weighted, sum, average, got 'best'"):
        optimal_diverse(np.array([0, 1]), 2, extents(range(2)), objective="best")


def test_l_of_one_leaves_every_record_alone():
    labels = np.array([4, 4, 7])
    for objective in OBJECTIVES:
        assert optimal_diverse(labels, 1, extents([1, 5, 6]), objective=objective) == [[0], [1], [2]]
