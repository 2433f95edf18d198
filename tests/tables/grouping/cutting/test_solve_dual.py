"""The dual problem on a line: the most privacy within a bound on the loss, against exhaustive search."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.cutting import solve_dual
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.cutting.solve_dual import cut_privacy, cut_within_bound, grow_and_adjust
from sfumato.tables.grouping.job import Job
from support import naive_partitions as naive
from support.bounded_lines import SLACK, labels_of, lines_of_tables
from support.cut_lines import eligible_lines, is_partition, labelled, labelled_problem, least_privacy, lists, problem_of
from support.tables_strategies import tables


@settings(max_examples=60)
@given(lines_of_tables(max_rows=10))
def test_of_all_cuts_with_the_largest_k_the_cheapest_is_taken(given_line):
    problem, loss, bound = given_line
    cut = cut_within_bound(problem, sf.AccuracyBound(bound, maximise="k"))
    k = int(np.diff(cut.starts).min())
    allowed = naive.consecutive(range(problem.n), lambda run: len(run) >= k and loss(run) <= bound + SLACK)
    cheapest = min(naive.total_loss("weighted", loss, groups) for groups in allowed)
    assert problem.total(cut) * problem.n == pytest.approx(cheapest, abs=1e-9)


def test_a_large_k_is_cut_without_the_cheapest_cut(monkeypatch):
    problem = labelled_problem(range(60), [0] * 60)
    bound = sf.AccuracyBound(14 / 59, maximise="k")
    cheapest = cut_within_bound(problem, bound)
    monkeypatch.setattr(solve_dual, "_LARGE_K", 1)
    monkeypatch.setattr(solve_dual, "optimal_starts", None)
    short = cut_within_bound(problem, bound)
    assert np.diff(cheapest.starts).min() == np.diff(short.starts).min() == 15
    assert problem.losses(short).max() <= 14 / 59 + SLACK


@settings(max_examples=80)
@given(eligible_lines(max_size=8, n_labels=4, top=12), st.integers(0, 12))
def test_never_more_private_than_the_best_of_all_partitions(line, max_extent):
    values, labels, _ = line
    bound = min(1.0, max_extent / max(values[-1] - values[0], 1))
    problem = labelled_problem(values, labels)
    best = naive.best_within(labels, max_extent if values[0] < values[-1] else 0, naive.extents(values))
    assert (
        cut_privacy(grow_and_adjust(problem, bound, labels_of(problem)[0]), labels_of(problem)[0])
        <= float(best) + SLACK
    )
    for solve in ("heuristic", "optimal"):
        cut = cut_within_bound(problem, sf.AccuracyBound(bound), solve)
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
        cut = cut_within_bound(problem, sf.AccuracyBound(max_extent / extent))
        n_best += least_privacy(labels, lists(cut)) == naive.best_within(labels, max_extent, naive.extents(values))
    assert n_best >= 146


def test_several_attempts_compete(monkeypatch):
    """Each of them is looked at, and the most private wins; of equals the one that loses less."""
    random = Randomness("compete")
    table = labelled(random.integers(500, size=120), random.integers(6, size=120))
    problem = problem_of(table, sf.AccuracyBound(0.2), np.argsort(table.frame["x"].to_numpy(), kind="stable"))
    labels, n_labels = labels_of(problem)
    attempts = list(solve_dual._heuristic_cuts(problem, 0.2, labels, n_labels))
    assert len(attempts) == 5
    best = max((cut_privacy(cut, labels), -problem.total(cut)) for cut in attempts)
    monkeypatch.setattr(solve_dual, "_l_values_to_try", lambda labels, found: [])  # no direct heuristic
    cut = cut_within_bound(problem, sf.AccuracyBound(0.2))
    assert (cut_privacy(cut, labels), -problem.total(cut)) == best


def test_the_direct_heuristic_is_asked_for_the_largest_l_first(monkeypatch):
    """Within 8 it meets the bound for l = 2 and l = 4, not for 3 and 5."""
    values = (3, 4, 5, 10, 13, 14, 15, 21, 27, 28, 30, 31, 33, 34, 35, 39)
    problem = labelled_problem(values, (0, 5, 2, 4, 4, 5, 1, 3, 1, 2, 3, 1, 2, 4, 5, 0))
    monkeypatch.setattr(solve_dual, "_heuristic_cuts", lambda *given_arguments: [Cut.consecutive(np.arange(17))])
    monkeypatch.setattr(solve_dual, "raise_cut", lambda problem, max_loss, labels, n_labels, cut: cut)
    assert cut_privacy(cut_within_bound(problem, sf.AccuracyBound(8 / 36)), labels_of(problem)[0]) == 4


@pytest.mark.parametrize(
    ("n", "top", "found"), [(12, 2, 1), (12, 2, 6), (12, 2, 7), (1000, 1, 3), (200, 3, 2), (5, 5, 1)]
)
def test_what_the_direct_heuristic_is_asked_for(n, top, found):
    labels = np.array([0] * top + list(range(1, n - top + 1)))
    asked = solve_dual._l_values_to_try(labels, found)
    possible = list(range(n // top, found, -1))
    assert asked == sorted(set(asked), reverse=True)
    assert set(asked) <= set(possible)
    assert asked == possible if len(possible) <= 64 else len(asked) == 64
    assert asked[:1] == possible[:1]


def test_large_tables_make_one_attempt(monkeypatch):
    random = Randomness("large")
    problem = labelled_problem(sorted(random.integers(900, size=300).tolist()), random.integers(5, size=300).tolist())
    bound = sf.AccuracyBound(0.1)
    several = cut_privacy(cut_within_bound(problem, bound), labels_of(problem)[0])
    monkeypatch.setattr(solve_dual, "_MANY", 100)
    cut = cut_within_bound(problem, bound)
    assert problem.losses(cut).max() <= 0.1 + SLACK
    assert 1 < cut_privacy(cut, labels_of(problem)[0]) <= several


# Against asking for less and less
def reached_by(method, table, bound):
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    target = bound.target(table.schema.sensitive)
    try:
        groups = method.groups(Job(quasi, sensitive, bound, Randomness(1)))
    except InfeasibleError:
        return 1.0
    labels = problem_of(table, bound).labels(target)[0] if target is not None else None
    return cut_privacy(Cut(groups.order, groups.starts), labels)


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


def test_a_bound_on_a_table_whose_values_all_differ():
    n = 20_000
    table = sf.Table(pl.DataFrame({"q": range(n), "s": range(n)}), sf.Schema(quasi=["q"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.AccuracyBound(0.05), seed=1)
    assert release.verdict.reached["AccuracyBound(max_ncp=0.05)"] == pytest.approx(1000, rel=0.05)


@pytest.mark.parametrize("most", [1.0, 0.5])
def test_a_bound_beside_another_promise(most):
    table = sf.Table(
        pl.DataFrame({"q": range(20), "s": ["a", "b"] * 10}), sf.Schema(quasi=["q"], sensitive=["s"])
    )  # fmt: skip
    promise = sf.AccuracyBound(most) & sf.KAnonymity(5)
    release = sf.publish(table, sf.Hilbert(), promise, seed=1)
    assert release.verdict.holds
    assert release.verdict.reached["KAnonymity(k=5)"] >= 5
