"""The largest k within a bound on the loss, against exhaustive search."""

import itertools

import numpy as np
from hypothesis import given, settings

import sfumato as sf
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.cutting.dual_exact import optimal_dual_k
from sfumato.tables.grouping.cutting.dual_k_optimal import earliest_starts, largest_k
from sfumato.tables.grouping.cutting.solve_dual import cut_within_bound
from support.bounded_lines import SLACK, arrays, lines_of_tables
from support.cut_lines import labelled_problem


@settings(max_examples=100)
@given(lines_of_tables())
def test_the_earliest_start_is_the_first_that_fits(given_line):
    problem, loss, bound = given_line
    earliest = earliest_starts(*arrays(problem), bound)
    for last, first in enumerate(earliest.tolist()):
        fits = [start for start in range(last + 1) if loss(list(range(start, last + 1))) <= bound + SLACK]
        assert first == fits[0]


@settings(max_examples=100)
@given(lines_of_tables())
def test_the_largest_k_is_that_of_exhaustive_search(given_line):
    problem, loss, bound = given_line
    _, best = optimal_dual_k(problem.n, bound, loss)
    k, starts = largest_k(earliest_starts(*arrays(problem), bound))
    assert k == best
    for found in (starts, cut_within_bound(problem, sf.AccuracyBound(bound, maximise="k")).starts):
        sizes = np.diff(found)
        assert found[0] == 0
        assert found[-1] == problem.n
        assert sizes.min() == best
        assert all(loss(list(range(a, b))) <= bound + 2 * SLACK for a, b in itertools.pairwise(found))


def test_the_window_slides_over_many_records():
    """The queue is turned over again and again; against two pointers on one column."""
    values = np.sort(Randomness("window").integers(5000, size=2000))
    problem = labelled_problem(values.tolist(), [0] * 2000)
    extent = float(values[-1] - values[0])
    for bound in (0.0, 0.01, 0.2):
        earliest = earliest_starts(*arrays(problem), bound)
        expected = np.searchsorted(values, values - bound * extent - 1e-6)
        assert earliest.tolist() == expected.tolist()
