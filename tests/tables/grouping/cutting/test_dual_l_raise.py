"""Groups that take what they lack: within the bound, and never less private."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.tables.grouping.cutting.dual_l_adjust import longest_starts
from sfumato.tables.grouping.cutting.dual_l_raise import raise_privacy
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.cutting.solve_dual import cut_privacy, grow_and_adjust
from support.bounded_lines import SLACK, arrays, labels_of, lines_of_tables, raised_by
from support.cut_lines import is_partition, labelled, least_privacy, lists, problem_of
from support.line_strategies import letters


@settings(max_examples=100)
@given(lines_of_tables(max_rows=20))
def test_adjusted_and_raised_groups_are_within_the_bound_and_no_less_private(given_line):
    problem, loss, bound = given_line
    labels, _ = labels_of(problem)
    numbers = labels.tolist()
    start = Cut.consecutive(longest_starts(*arrays(problem), bound))
    narrow = Cut.consecutive(longest_starts(*arrays(problem), 0.4 * bound))
    found = [(start, grow_and_adjust(problem, bound, labels))]
    found += [(begin, raised_by(problem, bound, begin, effort)) for begin in (start, narrow) for effort in (50, 1000)]
    for begin, cut in found:
        groups = lists(cut)
        assert is_partition(groups, problem.n)
        assert all(loss(group) <= bound + 2 * SLACK for group in groups)
        assert least_privacy(numbers, groups) >= least_privacy(numbers, lists(begin))
        assert cut_privacy(cut, labels) == pytest.approx(float(least_privacy(numbers, groups)))


@settings(max_examples=60)
@given(lines_of_tables(max_rows=14), st.data())
def test_any_groups_within_the_bound_can_be_raised(given_line, data):
    """Not only consecutive ones; group numbers may be left out in the end, and records are not lost."""
    problem, loss, bound = given_line
    labels, n_labels = labels_of(problem)
    group = np.zeros(problem.n, dtype=np.int64)
    n_groups = 0
    for place in data.draw(st.permutations(range(problem.n))):
        fits = [g for g in range(n_groups) if loss([*np.flatnonzero(group == g + 1), place]) <= bound]
        chosen = data.draw(st.sampled_from([*fits, n_groups]))
        n_groups = max(n_groups, chosen + 1)
        group[place] = chosen + 1
    before = Cut.of_groups(group - 1)
    given_groups = group - 1
    after = raise_privacy(*arrays(problem), labels, n_labels, given_groups, n_groups, bound, 1000)
    assert given_groups.tolist() == (group - 1).tolist()
    cut = Cut.of_groups(after)
    assert is_partition(lists(cut), problem.n)
    assert all(loss(places) <= bound + 2 * SLACK for places in lists(cut))
    assert least_privacy(labels.tolist(), lists(cut)) >= least_privacy(labels.tolist(), lists(before))


def test_room_for_one_of_two_tied_values_changes_nothing():
    """Either record of the corner fits the other group, both do not: privacy must not be lower in the end."""
    points = [(0, 0), (0, 0), (0, 0), (5, 3), (3, 5), (7, 7), (9, 9), (8, 8), (9, 8)]
    frame = labelled([x for x, _ in points], letters("abcabdefg")).frame
    frame = frame.with_columns(y=pl.Series([y for _, y in points]))
    columns = [sf.Column(name=name, role="quasi", kind="integer", low=0, high=10) for name in ("x", "y")]
    table = sf.Table(frame, sf.Schema.of([*columns, sf.Column(name="s", role="sensitive")]))
    problem = problem_of(table, sf.KAnonymity(1))
    cut = Cut.consecutive(np.array([0, 5, 9]))
    assert problem.losses(cut) == pytest.approx([0.5, 0.2])
    after = raised_by(problem, 0.5, cut)
    assert cut_privacy(after, labels_of(problem)[0]) == cut_privacy(cut, labels_of(problem)[0]) == 2.5
    assert problem.losses(after).max() <= 0.5 + SLACK
