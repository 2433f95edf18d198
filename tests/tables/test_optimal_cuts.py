"""The exact cuts against exhaustive search, and the vectors of the one-dimensional framework."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_partitions as naive
from line_strategies import is_partition, letters, lines
from naive_partitions import extents, privacy, total_loss
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.tables.grouping.cutting.dual_exact import diverse_through_dual, optimal_k_within, optimal_within
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse

OBJECTIVES = ("largest", "weighted", "sum", "average")
TEN = (1, 2, 4, 7, 11, 12, 13, 20, 22, 29)


def diverse(labels, l, loss, objective="largest"):
    """The optimal groups, checked to be what they should be whatever their loss."""
    groups = optimal_diverse(np.array(labels), l, loss, objective=objective)
    assert is_partition(groups, len(labels))
    assert all(len({labels[record] for record in group}) == len(group) for group in groups)
    assert all(l <= len(group) <= 2 * l - 1 for group in groups)
    assert naive.in_one_order(labels, groups)
    return groups


# Against exhaustive search


@settings(max_examples=150)
@given(lines())
def test_the_largest_extent_is_least_of_all_partitions(line):
    values, labels, l = line
    loss = extents(values)
    best = naive.best_diverse(labels, l, loss, "largest")
    assert total_loss("largest", loss, diverse(labels, l, loss)) == best
    through_dual = diverse_through_dual(np.array(labels), l, loss)
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


@settings(max_examples=150)
@given(lines(), st.integers(0, 14))
def test_the_dual_for_l_is_most_private_of_all(line, max_extent):
    values, labels, _ = line
    loss = extents(values)
    groups, reached = optimal_within(np.array(labels), max_extent, loss)
    assert is_partition(groups, len(labels))
    assert all(loss(group) <= max_extent for group in groups)
    assert isinstance(reached, Fraction)
    assert reached == min(privacy(labels, group) for group in groups)
    assert reached == naive.best_within(labels, max_extent, loss)


@settings(max_examples=150)
@given(lines(), st.integers(0, 14))
def test_the_dual_for_k_has_the_largest_smallest_group_of_all(line, max_extent):
    values, _, _ = line
    loss = extents(values)
    groups, k = optimal_k_within(len(values), max_extent, loss)
    assert list(itertools.chain(*groups)) == list(range(len(values)))
    assert all(loss(group) <= max_extent for group in groups)
    assert k == min(map(len, groups)) == naive.best_k_within(len(values), max_extent, loss)


@settings(max_examples=120)
@given(lines(), st.floats(0.001, 1000), st.floats(-50, 50))
def test_values_that_are_not_whole(line, scale, shift):
    whole, labels, l = line
    values = [shift + scale * value / 7 for value in whole]
    loss = extents(values)
    best = naive.best_diverse(labels, l, loss, "largest")
    assert total_loss("largest", loss, diverse(labels, l, loss)) == pytest.approx(best, abs=1e-9)
    assert total_loss("largest", loss, diverse_through_dual(np.array(labels), l, loss)) == pytest.approx(best, abs=1e-9)
    average = naive.best_diverse(labels, l, loss, "average", longest=2 * l - 1)
    assert total_loss("average", loss, diverse(labels, l, loss, "average")) == pytest.approx(average, abs=1e-9)


@settings(max_examples=120)
@given(lines(max_size=6), st.data())
def test_through_the_dual_any_loss_ends_at_the_exact_bound(line, data):
    """The bound found is a loss of a group, l is reached at it, and at nothing below it."""
    _, labels, l = line
    columns = [data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels))) for _ in range(2)]

    def loss(group):
        return sum(naive.extent(column, group) for column in columns)

    groups = diverse_through_dual(np.array(labels), l, loss)
    bound = max(map(loss, groups))
    assert optimal_within(np.array(labels), bound, loss)[1] >= l
    assert bound == 0 or optimal_within(np.array(labels), bound - 1, loss)[1] < l


def test_through_the_dual_tells_losses_apart_that_hardly_differ():
    values = [scaled * 1e-12 for scaled in (7, 9, 11, 17, 18, 22)]
    labels = np.array([0, 3, 2, 0, 2, 3])
    assert max(map(extents(values), diverse_through_dual(labels, 2, extents(values)))) == pytest.approx(5e-12, rel=1e-6)


def test_a_longer_line_agrees_both_ways():
    values = sorted((i * 37) % 101 for i in range(24))
    labels = np.array([(i * i) % 5 for i in range(24)])
    l = len(labels) // np.bincount(labels).max()
    loss = extents(values)
    assert l >= 2
    direct = max(map(loss, optimal_diverse(labels, l, loss)))
    assert direct == max(map(loss, diverse_through_dual(labels, l, loss)))
    assert optimal_within(labels, direct, loss)[1] >= l
    assert optimal_within(labels, direct - 1, loss)[1] < l


def test_a_loss_is_asked_for_rising_lists():
    """So that it may index an array with them, or look at the first and the last alone."""
    values, labels = np.array(TEN), np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0])

    def loss(group):
        assert isinstance(group, list)
        assert group == sorted(group)
        return float(np.ptp(values[group]))

    for objective in OBJECTIVES:
        optimal_diverse(labels, 2, loss, objective=objective)
    optimal_within(labels, 9, loss)
    diverse_through_dual(labels, 2, loss)
    optimal_k_within(len(labels), 9, loss)


# Vectors


@pytest.mark.parametrize(("k", "weighted", "largest"), [(2, 38, 7), (3, 57, 9), (4, 130, 16)])
def test_vectors_e1_to_e3(k, weighted, largest):
    loss = extents(TEN)
    assert naive.best_consecutive_cut(10, k, loss, "weighted") == weighted
    assert naive.best_consecutive_cut(10, k, loss, "largest") == largest
    assert optimal_k_within(10, largest, loss)[1] >= k
    assert optimal_k_within(10, largest - 1, loss)[1] < k


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


# What is refused, and the ends of the range


def test_too_many_states_are_refused_before_the_search():
    def loss(group):
        raise AssertionError("nothing should be measured")

    labels = np.arange(60) % 6
    cut = (
        rf"cut of 60 records with 6 sensitive values needs up to {11**6:,} states, more than 200,000; leave out solve="
    )
    with pytest.raises(InfeasibleError, match=cut):
        optimal_diverse(labels, 2, loss)
    with pytest.raises(InfeasibleError, match=cut):
        optimal_within(labels, 1, loss)
    with pytest.raises(InfeasibleError, match=cut):
        diverse_through_dual(labels, 2, loss)
    with pytest.raises(InfeasibleError, match=r"up to 10\^6020 states"):
        optimal_diverse(np.arange(20_000), 2, loss)
    assert len(optimal_diverse(np.array([0, 1, 2]), 3, extents([1, 2, 4]), max_states=8)) == 1
    with pytest.raises(InfeasibleError, match="up to 8 states, more than 7"):
        optimal_diverse(np.array([0, 1, 2]), 3, extents([1, 2, 4]), max_states=7)


def test_too_many_groups_are_refused_on_the_way():
    """Few boundaries, and nearly all pairs of them are groups."""
    labels = np.arange(62) % 2
    with pytest.raises(InfeasibleError, match="more than 51,200 groups to look at; leave out solve="):
        optimal_within(labels, 60, extents(range(62)), max_states=1024)
    assert optimal_within(labels, 61, extents(range(62)), max_states=1024) == ([list(range(62))], 2)


def test_an_l_out_of_reach_is_refused():
    labels = np.array([0, 0, 0, 1, 2, 3, 4])
    for cut in (optimal_diverse, diverse_through_dual):
        with pytest.raises(InfeasibleError, match=r"l=3 cannot be met: .* has 3 of 7 records; lower l to 2"):
            cut(labels, 3, extents(range(7)))
        assert is_partition(cut(labels, 2, extents(range(7))), 7)


@pytest.mark.parametrize("l", [0, -1, 1.5, 2.0, True, None])
def test_l_must_be_a_whole_number(l):
    for cut in (optimal_diverse, diverse_through_dual):
        with pytest.raises(ParameterError, match="takes a whole number l of 1 or more"):
            cut(np.array([0, 1, 2, 3]), l, extents(range(4)))


def test_objectives_have_names():
    with pytest.raises(ParameterError, match="objective must be one of largest, weighted, sum, average, got 'best'"):
        optimal_diverse(np.array([0, 1]), 2, extents(range(2)), objective="best")


@pytest.mark.parametrize("max_loss", [-0.5, float("nan")])
def test_a_bound_that_single_records_break_is_refused(max_loss):
    with pytest.raises(InfeasibleError, match="a record alone already loses more than"):
        optimal_within(np.array([0, 1]), max_loss, extents(range(2)))
    with pytest.raises(InfeasibleError, match="a record alone already loses more than"):
        optimal_k_within(2, max_loss, extents(range(2)))


def test_no_records_are_refused():
    nobody = np.array([], dtype=np.int64)
    for call in (
        lambda: optimal_diverse(nobody, 2, extents([])),
        lambda: optimal_within(nobody, 1, extents([])),
        lambda: diverse_through_dual(nobody, 2, extents([])),
        lambda: optimal_k_within(0, 1, extents([])),
    ):
        with pytest.raises(InfeasibleError, match="no records"):
            call()


def test_bounds_forgive_rounding():
    """0.3 - 0.1 is a little more than 0.2."""
    values = [0.1, 0.3]
    assert extents(values)([0, 1]) > 0.2 - 1e-15
    assert optimal_k_within(2, 0.2 - 1e-12, extents(values)) == ([[0, 1]], 2)
    assert optimal_within(np.array([0, 1]), 0.2 - 1e-12, extents(values)) == ([[0, 1]], 2)
    assert optimal_k_within(2, 0.2 - 1e-6, extents(values))[1] == 1
    assert optimal_within(np.array([0, 1]), 0.2 - 1e-6, extents(values))[1] == 1


def test_l_of_one_leaves_every_record_alone():
    labels = np.array([4, 4, 7])
    for objective in OBJECTIVES:
        assert optimal_diverse(labels, 1, extents([1, 5, 6]), objective=objective) == [[0], [1], [2]]


def test_only_the_partition_by_label_matters():
    values, labels = TEN, np.array([3, 1, 3, 2, 1, 1, 2, 2, 3, 1])
    renamed = np.array([-7, 900, 4])[labels - 1]
    for objective in OBJECTIVES:
        one = optimal_diverse(labels, 2, extents(values), objective=objective)
        other = optimal_diverse(renamed, 2, extents(values), objective=objective)
        assert total_loss(objective, extents(values), one) == total_loss(objective, extents(values), other)
    assert optimal_within(labels, 9, extents(values))[1] == optimal_within(renamed, 9, extents(values))[1]
