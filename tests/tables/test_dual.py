"""The dual problem on a line: the most privacy within a bound on the loss, against exhaustive search."""

import itertools
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_partitions as naive
import sfumato as sf
from cut_lines import eligible_lines, is_partition, labelled, labelled_problem, least_privacy, lists, problem_of
from naive import ncp
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.cutting import solve_dual
from sfumato.tables.grouping.cutting.dual_exact import optimal_k_within
from sfumato.tables.grouping.cutting.dual_k_optimal import earliest_starts, largest_k
from sfumato.tables.grouping.cutting.dual_l_adjust import groups_within, longest_starts
from sfumato.tables.grouping.cutting.dual_l_raise import raise_privacy
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.cutting.solve_dual import adjusted, cut_within, reached
from sfumato.tables.grouping.job import Job
from tables_strategies import tables

SLACK = 1e-9
BOUNDS = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.floats(0, 1).map(lambda x: round(x, 2)))


@st.composite
def lines_of_tables(draw, max_rows=12):
    """A table of any columns in any order, as a problem, its plain losses and a bound that some group may just meet."""
    table = draw(tables(min_rows=2, max_rows=max_rows))
    order = draw(st.permutations(range(len(table))))
    coded = encode(table, table.schema.quasi)

    def loss(places):
        return ncp(coded, [order[place] for place in places])

    problem = problem_of(table, sf.KAnonymity(1), order)
    bound = draw(BOUNDS)
    if draw(st.booleans()):
        first, last = sorted(draw(st.tuples(st.integers(0, len(table) - 1), st.integers(0, len(table) - 1))))
        bound = loss(list(range(first, last + 1)))
    return problem, loss, bound


def arrays(problem):
    return problem.columns, problem.words, problem.data


# k


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
    _, best = optimal_k_within(problem.n, bound, loss)
    k, starts = largest_k(earliest_starts(*arrays(problem), bound))
    assert k == best
    for found in (starts, cut_within(problem, sf.AccuracyBound(bound, maximise="k")).starts):
        sizes = np.diff(found)
        assert found[0] == 0
        assert found[-1] == problem.n
        assert sizes.min() == best
        assert all(loss(list(range(a, b))) <= bound + 2 * SLACK for a, b in itertools.pairwise(found))


@settings(max_examples=60)
@given(lines_of_tables(max_rows=10))
def test_of_all_cuts_with_the_largest_k_the_cheapest_is_taken(given_line):
    problem, loss, bound = given_line
    cut = cut_within(problem, sf.AccuracyBound(bound, maximise="k"))
    k = int(np.diff(cut.starts).min())
    allowed = naive.consecutive(range(problem.n), lambda run: len(run) >= k and loss(run) <= bound + SLACK)
    cheapest = min(naive.total_loss("weighted", loss, groups) for groups in allowed)
    assert problem.total(cut) * problem.n == pytest.approx(cheapest, abs=1e-9)


def test_a_large_k_is_cut_without_the_cheapest_cut(monkeypatch):
    problem = labelled_problem(range(60), [0] * 60)
    bound = sf.AccuracyBound(14 / 59, maximise="k")
    cheapest = cut_within(problem, bound)
    monkeypatch.setattr(solve_dual, "_LARGE_K", 1)
    monkeypatch.setattr(solve_dual, "optimal_starts", None)
    short = cut_within(problem, bound)
    assert np.diff(cheapest.starts).min() == np.diff(short.starts).min() == 15
    assert problem.losses(short).max() <= 14 / 59 + SLACK


def test_the_window_slides_over_many_records():
    """The queue is turned over again and again; against two pointers on one column."""
    values = np.sort(Randomness("window").integers(5000, size=2000))
    problem = labelled_problem(values.tolist(), [0] * 2000)
    extent = float(values[-1] - values[0])
    for bound in (0.0, 0.01, 0.2):
        earliest = earliest_starts(*arrays(problem), bound)
        expected = np.searchsorted(values, values - bound * extent - 1e-6)
        assert earliest.tolist() == expected.tolist()


# Groups as long as the bound allows


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


# l


def labels_of(problem):
    return problem.labels(problem.sensitive[0].name)


def raised_by(problem, bound, cut, effort=1000):
    """The cut after its least private groups took in what they lack."""
    group = raise_privacy(*arrays(problem), *labels_of(problem), cut.group, len(cut.starts) - 1, bound, effort)
    return Cut.of_groups(group)


@settings(max_examples=100)
@given(lines_of_tables(max_rows=20))
def test_adjusted_and_raised_groups_are_within_the_bound_and_no_less_private(given_line):
    problem, loss, bound = given_line
    labels, _ = labels_of(problem)
    numbers = labels.tolist()
    start = Cut.consecutive(longest_starts(*arrays(problem), bound))
    narrow = Cut.consecutive(longest_starts(*arrays(problem), 0.4 * bound))
    found = [(start, adjusted(problem, bound, labels))]
    found += [(begin, raised_by(problem, bound, begin, effort)) for begin in (start, narrow) for effort in (50, 1000)]
    for begin, cut in found:
        groups = lists(cut)
        assert is_partition(groups, problem.n)
        assert all(loss(group) <= bound + 2 * SLACK for group in groups)
        assert least_privacy(numbers, groups) >= least_privacy(numbers, lists(begin))
        assert reached(cut, labels) == pytest.approx(float(least_privacy(numbers, groups)))


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


def test_adjusted_records_stay_beside_their_first_group():
    random = Randomness("beside")
    problem = labelled_problem(sorted(random.integers(3000, size=400).tolist()), random.integers(4, size=400).tolist())
    labels, _ = labels_of(problem)
    starts = longest_starts(*arrays(problem), 0.05)
    home = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    group = groups_within(*arrays(problem), labels, starts, 0.05)
    assert (np.abs(group - home) <= 1).all()
    assert (group != home).any()
    assert problem.losses(Cut.of_groups(group)).max() <= 0.05 + SLACK
    assert reached(Cut.of_groups(group), labels) > reached(Cut.consecutive(starts), labels)


@settings(max_examples=80)
@given(eligible_lines(max_size=8, n_labels=4, top=12), st.integers(0, 12))
def test_never_more_private_than_the_best_of_all_partitions(line, max_extent):
    values, labels, _ = line
    bound = min(1.0, max_extent / max(values[-1] - values[0], 1))
    problem = labelled_problem(values, labels)
    best = naive.best_within(labels, max_extent if values[0] < values[-1] else 0, naive.extents(values))
    assert reached(adjusted(problem, bound, labels_of(problem)[0]), labels_of(problem)[0]) <= float(best) + SLACK
    for solve in ("heuristic", "optimal"):
        cut = cut_within(problem, sf.AccuracyBound(bound), solve)
        assert is_partition(lists(cut), len(labels))
        assert problem.losses(cut).max() <= bound + 2 * SLACK
        assert least_privacy(labels, lists(cut)) <= best
    assert least_privacy(labels, lists(cut)) == best


def test_the_heuristic_finds_the_optimum_nearly_always():
    """On 150 lines of 3 to 8 records; a change that makes it worse should be seen."""
    random = Randomness("nearly always")
    n_best = 0
    for _ in range(150):
        n = 3 + int(random.integers(6, size=1)[0])
        values = sorted(random.integers(13, size=n).tolist())
        labels = np.unique(random.integers(4, size=n), return_inverse=True)[1].tolist()
        extent = max(values[-1] - values[0], 1)
        max_extent = min(int(random.integers(13, size=1)[0]), extent)
        problem = labelled_problem(values, labels)
        cut = cut_within(problem, sf.AccuracyBound(max_extent / extent))
        n_best += least_privacy(labels, lists(cut)) == naive.best_within(labels, max_extent, naive.extents(values))
    assert n_best >= 146


def letters(text):
    return [ord(letter) - ord("a") for letter in text]


FIGURE_18 = (11, 13, 15, 18, 20, 22, 27, 33, 36, 40, 44), letters("abacbcaddef")


def test_vector_e13_privacy_is_adjusted_between_two_groups():
    """The figure's values, and labels with its counts: 7/3 and 2 become 3 and 5/2 when 27 changes groups."""
    values, labels = FIGURE_18
    problem = labelled_problem(values, labels)
    numbers, bound = labels_of(problem)[0], 20 / 33
    assert longest_starts(*arrays(problem), bound).tolist() == [0, 7, 11]
    groups = lists(adjusted(problem, bound, numbers))
    assert groups == [list(range(6)), list(range(6, 11))]
    assert [naive.privacy(labels, group) for group in groups] == [3, Fraction(5, 2)]
    best = lists(cut_within(problem, sf.AccuracyBound(bound)))
    assert least_privacy(labels, best) == naive.best_within(labels, 20, naive.extents(values)) == 3


def test_tied_values_leave_a_group_together():
    """a and b are both there twice: one record of either alone would help nobody, and nothing else fits."""
    values, labels = (0, 0, 0, 10, 10, 13, 14, 15, 20), letters("abcabdefg")
    problem = labelled_problem(values, labels)
    numbers = labels_of(problem)[0]
    assert longest_starts(*arrays(problem), 0.5).tolist() == [0, 5, 9]
    assert lists(adjusted(problem, 0.5, numbers)) == [[0, 1, 2], [3, 4, 5, 6, 7, 8]]
    assert lists(raised_by(problem, 0.5, Cut.consecutive(np.array([0, 5, 9])))) == [[0, 1, 2], [3, 4, 5, 6, 7, 8]]


def test_a_record_is_not_given_to_a_group_that_would_be_worse_off():
    """Both reach 3/2; with another a the second would fall to 4/3."""
    values, labels = (0, 4, 5, 6, 8, 10), letters("baaaac")
    problem = labelled_problem(values, labels)
    assert longest_starts(*arrays(problem), 0.55).tolist() == [0, 3, 6]
    assert lists(adjusted(problem, 0.55, labels_of(problem)[0])) == [[0, 1, 2], [3, 4, 5]]


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
    assert reached(after, labels_of(problem)[0]) == reached(cut, labels_of(problem)[0]) == 2.5
    assert problem.losses(after).max() <= 0.5 + SLACK


def test_several_attempts_compete(monkeypatch):
    """Each of them is looked at, and the most private wins; of equals the one that loses less."""
    random = Randomness("compete")
    table = labelled(random.integers(500, size=120), random.integers(6, size=120))
    problem = problem_of(table, sf.AccuracyBound(0.2), np.argsort(table.frame["x"].to_numpy(), kind="stable"))
    labels, n_labels = labels_of(problem)
    attempts = list(solve_dual._attempts(problem, 0.2, labels, n_labels))
    assert len(attempts) == 5
    best = max((reached(cut, labels), -problem.total(cut)) for cut in attempts)
    monkeypatch.setattr(solve_dual, "_worth_asking", lambda labels, found: [])  # no direct heuristic
    cut = cut_within(problem, sf.AccuracyBound(0.2))
    assert (reached(cut, labels), -problem.total(cut)) == best


def test_the_direct_heuristic_is_asked_for_the_largest_l_first(monkeypatch):
    """Within 8 it meets the bound for l = 2 and l = 4, not for 3 and 5."""
    values = (3, 4, 5, 10, 13, 14, 15, 21, 27, 28, 30, 31, 33, 34, 35, 39)
    problem = labelled_problem(values, (0, 5, 2, 4, 4, 5, 1, 3, 1, 2, 3, 1, 2, 4, 5, 0))
    monkeypatch.setattr(solve_dual, "_attempts", lambda *given_arguments: [Cut.consecutive(np.arange(17))])
    monkeypatch.setattr(solve_dual, "raised", lambda problem, max_loss, labels, n_labels, cut: cut)
    assert reached(cut_within(problem, sf.AccuracyBound(8 / 36)), labels_of(problem)[0]) == 4


@pytest.mark.parametrize(
    ("n", "top", "found"), [(12, 2, 1), (12, 2, 6), (12, 2, 7), (1000, 1, 3), (200, 3, 2), (5, 5, 1)]
)
def test_what_the_direct_heuristic_is_asked_for(n, top, found):
    labels = np.array([0] * top + list(range(1, n - top + 1)))
    asked = solve_dual._worth_asking(labels, found)
    possible = list(range(n // top, found, -1))
    assert asked == sorted(set(asked), reverse=True)
    assert set(asked) <= set(possible)
    assert asked == possible if len(possible) <= 64 else len(asked) == 64
    assert asked[:1] == possible[:1]


def test_large_tables_make_one_attempt(monkeypatch):
    random = Randomness("large")
    problem = labelled_problem(sorted(random.integers(900, size=300).tolist()), random.integers(5, size=300).tolist())
    bound = sf.AccuracyBound(0.1)
    several = reached(cut_within(problem, bound), labels_of(problem)[0])
    monkeypatch.setattr(solve_dual, "_MANY", 100)
    cut = cut_within(problem, bound)
    assert problem.losses(cut).max() <= 0.1 + SLACK
    assert 1 < reached(cut, labels_of(problem)[0]) <= several


# Against asking for less and less


def reached_by(method, table, bound):
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    target = bound.target(table.schema.sensitive)
    try:
        groups = method.groups(Job(quasi, sensitive, bound, Randomness(1)))
    except InfeasibleError:
        return 1.0
    labels = problem_of(table, bound).labels(target)[0] if target is not None else None
    return reached(Cut(groups.order, groups.starts), labels)


@settings(max_examples=60)
@given(tables(min_rows=4, max_rows=30), st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.7]), st.booleans())
def test_at_least_what_a_scan_of_the_direct_heuristic_reaches(table, max_ncp, of_k):
    bound = sf.AccuracyBound(max_ncp, maximise="k") if of_k else sf.AccuracyBound(max_ncp, column="disease")
    found = reached_by(sf.Hilbert(), table, bound)
    for search in ("scan", "binary"):
        assert found >= reached_by(sf.IPCSD(search=search), table, bound) - SLACK
    best_of_two = reached_by(sf.Ordered(best_of=("hilbert", "idistance"), polish=False), table, bound)
    assert best_of_two >= found - SLACK


@pytest.mark.data
@pytest.mark.parametrize("max_ncp", [0.2, 0.4, 0.7])
def test_adult_within_a_bound_is_more_private_than_by_scanning(data_folder, max_ncp):
    adult = pl.read_csv(data_folder / "relational" / "adult.csv.gz", null_values="?").head(2000)
    quasi = ["age", "workclass", "education-num", "marital-status", "race", "sex"]
    table = sf.Table(adult, sf.Schema(quasi=quasi, sensitive=["occupation"]))
    bound = sf.AccuracyBound(max_ncp)
    found = {method: reached_by(method, table, bound) for method in (sf.Hilbert(), sf.IPCSD(), sf.Ordered())}
    scanned = found[sf.IPCSD()]
    print(
        f"\nadult, 2,000 rows, max_ncp={max_ncp}: " + ", ".join(f"{type(m).__name__} {l:.2f}" for m, l in found.items())
    )
    assert found[sf.Hilbert()] >= scanned
    assert found[sf.Ordered()] >= scanned
    assert sf.publish(table, sf.Hilbert(polish=True), bound, seed=1).verdict.reached[repr(bound)] >= scanned
