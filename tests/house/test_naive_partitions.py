"""The plain heuristics of the one-dimensional framework, which the compiled ones are compared with, against the optimum."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.tables.grouping.cutting.dual_exact import optimal_dual
from sfumato.tables.grouping.cutting.l_exact import optimal_diverse
from support import naive_partitions as naive
from support.line_strategies import is_partition, letters, lines
from support.naive_partitions import extents, privacy, total_loss


def test_vector_e8_of_the_heuristic():
    values, labels = (1, 2, 3, 5, 8, 9, 12, 14), letters("aababccb")
    for refine in (False, True):
        assert naive.diverse_heuristic(values, labels, 2, refine=refine) == [[0, 2], [1, 4], [3, 5], [6, 7]]


@pytest.mark.parametrize(
    ("values", "labels", "l", "refine", "expected"),
    [
        ((7, 9, 11, 17, 18, 22), (0, 3, 2, 0, 2, 3), 2, False, [[7, 9], [11, 17], [18, 22]]),
        ((7, 9, 11, 17, 18, 22), (0, 3, 2, 0, 2, 3), 3, False, [[7, 9, 11], [17, 18, 22]]),
        ((7, 9, 11, 17, 18, 22), (0, 3, 2, 0, 2, 3), 2, True, [[7, 9, 11], [17, 18, 22]]),
        (
            (6, 9, 11, 12, 13, 17, 23, 24, 26), (3, 0, 0, 1, 4, 1, 1, 0, 4), 2, True,
            [[6, 9], [11, 12, 13], [17, 24], [23, 26]],
        ),
        (
            (6, 9, 11, 12, 13, 17, 23, 24, 26), (3, 0, 0, 1, 4, 1, 1, 0, 4), 3, True,
            [[6, 9, 12], [11, 13, 17], [23, 24, 26]],
        ),
    ],
)  # fmt: skip
def test_vectors_e10_of_the_heuristic(values, labels, l, refine, expected):
    groups = naive.diverse_heuristic(values, labels, l, refine=refine)
    assert [[values[record] for record in group] for group in groups] == expected


@pytest.mark.parametrize(
    ("values", "labels", "refine", "of_two", "of_three"),
    [
        ((7, 9, 11, 17, 18, 22), (0, 3, 2, 0, 2, 3), False, 6, 5),
        ((6, 9, 11, 12, 13, 17, 23, 24, 26), (3, 0, 0, 1, 4, 1, 1, 0, 4), True, 7, 6),
    ],
)
def test_the_heuristic_can_lose_less_for_a_higher_l_and_the_optimum_cannot(values, labels, refine, of_two, of_three):
    loss = extents(values)
    for l, expected in ((2, of_two), (3, of_three)):
        assert total_loss("largest", loss, naive.diverse_heuristic(values, labels, l, refine=refine)) == expected
    optimum = [total_loss("largest", loss, optimal_diverse(np.array(labels), l, loss)) for l in (1, 2, 3)]
    assert optimum == sorted(optimum)
    assert optimum[1] < of_two


def test_vector_e13_privacy_is_adjusted_between_two_groups():
    values, labels = (11, 13, 15, 18, 20, 22, 27, 33, 36, 40, 44), letters("abacbcaddef")
    before = [list(range(7)), list(range(7, 11))]
    assert [privacy(labels, group) for group in before] == [Fraction(7, 3), 2]
    after = naive.accuracy_heuristic(values, labels, 20)
    assert after == [list(range(6)), list(range(6, 11))]
    assert [privacy(labels, group) for group in after] == [3, Fraction(5, 2)]
    assert optimal_dual(np.array(labels), 20, extents(values))[1] >= Fraction(5, 2)


def test_the_adjustment_goes_on_while_nothing_gets_worse():
    """Worked by hand, with the bound 10: no a is near enough; the b at 8 helps; the b at 2 does no harm; the c would."""
    values, labels = (0, 1, 2, 8, 9, 11, 12), letters("aabbcdd")
    groups = naive.accuracy_heuristic(values, labels, 10)
    assert [[values[record] for record in group] for group in groups] == [[0, 1, 9], [2, 8, 11, 12]]


@settings(max_examples=250)
@given(lines(max_size=14, n_labels=5, top=30), st.booleans())
def test_vector_e14_the_heuristic_never_fails(line, refine):
    values, labels, l = line
    groups = naive.diverse_heuristic(values, labels, l, refine=refine)
    assert is_partition(groups, len(labels))
    assert all(privacy(labels, group) >= l for group in groups)
    assert all(len({labels[record] for record in group}) == len(group) for group in groups)
    assert refine or max(map(len, groups)) <= 2 * l - 1


@settings(max_examples=250)
@given(lines(max_size=12, n_labels=4, top=30), st.booleans())
def test_the_heuristic_is_never_better_than_the_optimum(line, refine):
    values, labels, l = line
    loss = extents(values)
    heuristic = total_loss("largest", loss, naive.diverse_heuristic(values, labels, l, refine=refine))
    assert heuristic >= total_loss("largest", loss, optimal_diverse(np.array(labels), l, loss))


@settings(max_examples=150)
@given(lines(max_size=12, n_labels=3, top=30), st.integers(0, 20))
def test_the_accuracy_heuristic_lies_between_its_start_and_the_optimum(line, max_extent):
    values, labels, _ = line
    loss = extents(values)
    groups = naive.accuracy_heuristic(values, labels, max_extent)
    assert is_partition(groups, len(labels))
    assert all(loss(group) <= max_extent for group in groups)
    reached = min(privacy(labels, group) for group in groups)
    start, begin = [], 0
    for end in range(1, len(values) + 1):
        if end == len(values) or values[end] - values[begin] > max_extent:
            start.append(range(begin, end))
            begin = end
    assert min(privacy(labels, group) for group in start) <= reached
    assert reached <= optimal_dual(np.array(labels), max_extent, loss)[1]
