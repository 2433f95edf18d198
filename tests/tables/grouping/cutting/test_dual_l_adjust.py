"""Groups grown to the bound and adjusted between neighbours."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import given, settings

import sfumato as sf
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.cutting.dual_l_adjust import adjust_groups, longest_starts
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.cutting.solve_dual import cut_privacy, cut_within_bound, grow_and_adjust
from support import naive_partitions as naive
from support.bounded_lines import SLACK, arrays, labels_of, lines_of_tables, raised_by
from support.cut_lines import labelled_problem, least_privacy, lists
from support.line_strategies import letters


@settings(max_examples=100)
@given(lines_of_tables())
def test_longest_groups_are_within_the_bound_and_cannot_grow(given_line):
    problem, loss, bound = given_line
    starts = longest_starts(*arrays(problem), bound).tolist()
    assert starts[0] == 0
    assert starts[-1] == problem.n
    assert starts == sorted(set(starts))
    for a, b in itertools.pairwise(starts):
        assert loss(list(range(a, b))) <= bound + SLACK or b == a + 1
        assert b == problem.n or loss(list(range(a, b + 1))) > bound + SLACK


def test_adjusted_records_stay_beside_their_first_group():
    random = Randomness("beside")
    problem = labelled_problem(sorted(random.integers(3000, size=400).tolist()), random.integers(4, size=400).tolist())
    labels, _ = labels_of(problem)
    starts = longest_starts(*arrays(problem), 0.05)
    home = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    group = adjust_groups(*arrays(problem), labels, starts, 0.05)
    assert (np.abs(group - home) <= 1).all()
    assert (group != home).any()
    assert problem.losses(Cut.of_groups(group)).max() <= 0.05 + SLACK
    assert cut_privacy(Cut.of_groups(group), labels) > cut_privacy(Cut.consecutive(starts), labels)


FIGURE_18 = (11, 13, 15, 18, 20, 22, 27, 33, 36, 40, 44), letters("abacbcaddef")


def test_vector_e13_privacy_is_adjusted_between_two_groups():
    """The figure's values, and labels with its counts: 7/3 and 2 become 3 and 5/2 when 27 changes groups."""
    values, labels = FIGURE_18
    problem = labelled_problem(values, labels)
    numbers, bound = labels_of(problem)[0], 20 / 33
    assert longest_starts(*arrays(problem), bound).tolist() == [0, 7, 11]
    groups = lists(grow_and_adjust(problem, bound, numbers))
    assert groups == [list(range(6)), list(range(6, 11))]
    assert [naive.privacy(labels, group) for group in groups] == [3, Fraction(5, 2)]
    best = lists(cut_within_bound(problem, sf.AccuracyBound(bound)))
    assert least_privacy(labels, best) == naive.best_within(labels, 20, naive.extents(values)) == 3


def test_tied_values_leave_a_group_together():
    """a and b are both there twice: one record of either alone would help nobody, and nothing else fits."""
    values, labels = (0, 0, 0, 10, 10, 13, 14, 15, 20), letters("abcabdefg")
    problem = labelled_problem(values, labels)
    numbers = labels_of(problem)[0]
    assert longest_starts(*arrays(problem), 0.5).tolist() == [0, 5, 9]
    assert lists(grow_and_adjust(problem, 0.5, numbers)) == [[0, 1, 2], [3, 4, 5, 6, 7, 8]]
    assert lists(raised_by(problem, 0.5, Cut.consecutive(np.array([0, 5, 9])))) == [[0, 1, 2], [3, 4, 5, 6, 7, 8]]


def test_a_record_is_not_given_to_a_group_that_would_be_worse_off():
    """Both reach 3/2; with another a the second would fall to 4/3."""
    values, labels = (0, 4, 5, 6, 8, 10), letters("baaaac")
    problem = labelled_problem(values, labels)
    assert longest_starts(*arrays(problem), 0.55).tolist() == [0, 3, 6]
    assert lists(grow_and_adjust(problem, 0.55, labels_of(problem)[0])) == [[0, 1, 2], [3, 4, 5]]
