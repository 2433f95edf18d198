"""The exact dual cuts against exhaustive search, and the vectors of the one-dimensional framework."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground.errors import InfeasibleError
from sfumato.tables.grouping.cutting.dual_exact import optimal_diverse_by_dual, optimal_dual, optimal_dual_k
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from support import naive_partitions as naive
from support.line_strategies import TEN, is_partition, lines
from support.naive_partitions import extents, privacy


@settings(max_examples=150)
@given(lines(), st.integers(0, 14))
def test_the_dual_for_l_is_most_private_of_all(line, max_extent):
    values, labels, _ = line
    loss = extents(values)
    groups, reached = optimal_dual(np.array(labels), max_extent, loss)
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
    groups, k = optimal_dual_k(len(values), max_extent, loss)
    assert list(itertools.chain(*groups)) == list(range(len(values)))
    assert all(loss(group) <= max_extent for group in groups)
    assert k == min(map(len, groups)) == naive.best_k_within(len(values), max_extent, loss)


@settings(max_examples=120)
@given(lines(max_size=6), st.data())
def test_through_the_dual_any_loss_ends_at_the_exact_bound(line, data):
    """The bound found is a loss of a group, l is reached at it, and at nothing below it."""
    _, labels, l = line
    columns = [data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels))) for _ in range(2)]

    def loss(group):
        return sum(naive.extent(column, group) for column in columns)

    groups = optimal_diverse_by_dual(np.array(labels), l, loss)
    bound = max(map(loss, groups))
    assert optimal_dual(np.array(labels), bound, loss)[1] >= l
    assert bound == 0 or optimal_dual(np.array(labels), bound - 1, loss)[1] < l


def test_through_the_dual_tells_losses_apart_that_hardly_differ():
    values = [scaled * 1e-12 for scaled in (7, 9, 11, 17, 18, 22)]
    labels = np.array([0, 3, 2, 0, 2, 3])
    assert max(map(extents(values), optimal_diverse_by_dual(labels, 2, extents(values)))) == pytest.approx(
        5e-12, rel=1e-6
    )


def test_a_longer_line_agrees_both_ways():
    values = sorted((i * 37) % 101 for i in range(24))
    labels = np.array([(i * i) % 5 for i in range(24)])
    l = len(labels) // np.bincount(labels).max()
    loss = extents(values)
    assert l >= 2
    direct = max(map(loss, optimal_diverse(labels, l, loss)))
    assert direct == max(map(loss, optimal_diverse_by_dual(labels, l, loss)))
    assert optimal_dual(labels, direct, loss)[1] >= l
    assert optimal_dual(labels, direct - 1, loss)[1] < l


@pytest.mark.parametrize(("k", "weighted", "largest"), [(2, 38, 7), (3, 57, 9), (4, 130, 16)])
def test_vectors_e1_to_e3(k, weighted, largest):
    loss = extents(TEN)
    assert naive.best_consecutive_cut(10, k, loss, "weighted") == weighted
    assert naive.best_consecutive_cut(10, k, loss, "largest") == largest
    assert optimal_dual_k(10, largest, loss)[1] >= k
    assert optimal_dual_k(10, largest - 1, loss)[1] < k


def test_too_many_groups_are_refused_on_the_way():
    """Few boundaries, and nearly all pairs of them are groups."""
    labels = np.arange(62) % 2
    with pytest.raises(InfeasibleError, match="more than 51,200 groups to look at; leave out solve="):
        optimal_dual(labels, 60, extents(range(62)), max_states=1024)
    assert optimal_dual(labels, 61, extents(range(62)), max_states=1024) == ([list(range(62))], 2)


@pytest.mark.parametrize("max_loss", [-0.5, float("nan")])
def test_a_bound_that_single_records_break_is_refused(max_loss):
    with pytest.raises(InfeasibleError, match="a record alone already loses more than"):
        optimal_dual(np.array([0, 1]), max_loss, extents(range(2)))
    with pytest.raises(InfeasibleError, match="a record alone already loses more than"):
        optimal_dual_k(2, max_loss, extents(range(2)))


def test_bounds_forgive_rounding():
    """0.3 - 0.1 is a little more than 0.2."""
    values = [0.1, 0.3]
    assert extents(values)([0, 1]) > 0.2 - 1e-15
    assert optimal_dual_k(2, 0.2 - 1e-12, extents(values)) == ([[0, 1]], 2)
    assert optimal_dual(np.array([0, 1]), 0.2 - 1e-12, extents(values)) == ([[0, 1]], 2)
    assert optimal_dual_k(2, 0.2 - 1e-6, extents(values))[1] == 1
    assert optimal_dual(np.array([0, 1]), 0.2 - 1e-6, extents(values))[1] == 1
