"""Exchanges between groups: what they keep, and what they find."""

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.cutting.polish import polish_by_exchange
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.cutting.solve_direct import cut_line, polish_cut
from sfumato.tables.grouping.cutting.solve_dual import cut_privacy, cut_within_bound
from sfumato.tables.grouping.job import Job
from support.cut_lines import eligible_lines, labelled, labelled_problem, lists, problem_of
from support.naive import ncp
from support.tables_strategies import tables


def exchanged(problem, kinds, cut, *, window=20, passes=4, max_loss=np.inf):
    """The groups after the exchanges, and how many were made."""
    order = cut.order.copy()
    n_made = polish_by_exchange(
        problem.columns, problem.words, problem.data, kinds, int(kinds.max(initial=0)) + 1, order, cut.starts, window,
        passes, max_loss,
    )  # fmt: skip
    return Cut(order, cut.starts), n_made


@st.composite
def grouped_tables(draw, max_rows=16):
    """A table in some order, cut at random places of another order, and kinds of its records."""
    table = draw(tables(min_rows=2, max_rows=max_rows))
    n = len(table)
    problem = problem_of(table, sf.KAnonymity(1), draw(st.permutations(range(n))))
    inner = draw(st.sets(st.integers(1, n - 1), max_size=n // 2))
    cut = Cut(np.array(draw(st.permutations(range(n)))), np.array([0, *sorted(inner), n]))
    n_kinds = draw(st.integers(1, 4))
    kinds = np.array(draw(st.lists(st.integers(0, n_kinds - 1), min_size=n, max_size=n)), dtype=np.int64)
    return table, problem, cut, kinds


def histograms(cut, kinds):
    return [Counter(kinds[places].tolist()) for places in map(np.array, lists(cut))]


@settings(max_examples=120)
@given(grouped_tables(), st.sampled_from([1, 3, 20]), st.sampled_from([1, 4]), st.sampled_from([0.2, 0.5, np.inf]))
def test_sizes_and_kinds_stay_and_the_loss_never_rises(given_groups, window, passes, max_loss):
    _, problem, cut, kinds = given_groups
    after, n_made = exchanged(problem, kinds, cut, window=window, passes=passes, max_loss=max_loss)
    assert sorted(after.order.tolist()) == list(range(problem.n))
    assert after.starts.tolist() == cut.starts.tolist()
    assert histograms(after, kinds) == histograms(cut, kinds)
    before, now = problem.total(cut), problem.total(after)
    assert now < before if n_made else now == before
    assert (n_made > 0) == (lists(after) != lists(cut))
    for old, new in zip(problem.losses(cut), problem.losses(after), strict=True):
        assert new <= max(old, max_loss)


@settings(max_examples=60)
@given(grouped_tables(max_rows=9))
def test_no_exchange_is_left_that_would_help(given_groups):
    """With every record in reach and passes to spare, against all pairs of one kind."""
    table, problem, cut, kinds = given_groups
    after, _ = exchanged(problem, kinds, cut, window=problem.n, passes=100)
    coded = encode(table, table.schema.quasi)
    groups = [[int(problem.rows[place]) for place in group] for group in lists(after)]
    kind_of = {int(row): kind for row, kind in zip(problem.rows, kinds, strict=True)}
    for one, two in itertools.combinations(groups, 2):
        before = len(one) * ncp(coded, one) + len(two) * ncp(coded, two)
        for a, b in itertools.product(one, two):
            if kind_of[a] == kind_of[b]:
                swapped = [b if row == a else row for row in one], [a if row == b else row for row in two]
                assert sum(len(group) * ncp(coded, group) for group in swapped) >= before - 1e-9


@settings(max_examples=40)
@given(tables(min_rows=2, max_rows=30), st.sampled_from(["k", "l", "both", "t"]))
def test_promises_are_kept_through_polish(table, kind):
    promise = {
        "k": sf.KAnonymity(2), "l": sf.LDiversity(2, columns=("disease",)),
        "both": sf.LDiversity(1.5), "t": sf.TCloseness(0.4) & sf.KAnonymity(2),
    }[kind]  # fmt: skip
    if promise.limit(len(table), encode(table, table.schema.sensitive)) is not None:
        return
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    losses = []
    for polish in (False, True):
        assert sf.publish(table, sf.Hilbert(polish=polish), promise, seed=1).verdict.holds
        groups = sf.Hilbert(polish=polish).groups(Job(quasi, sensitive, promise, Randomness(1)))
        losses.append(problem_of(table, promise).total(Cut(groups.order, groups.starts)))
    assert losses[1] <= losses[0]


def test_vector_e5_is_found_from_the_best_cut():
    """0, 49 | 50, 51, 100 costs 248 and is the best of consecutive groups; 0, 100 | 49, 50, 51 costs 206."""
    problem = labelled_problem((0, 49, 50, 51, 100), [0] * 5, sf.KAnonymity(2))
    cut = cut_line(problem)
    assert problem.total(cut) * 500 == pytest.approx(248)
    better = polish_cut(problem, cut)
    assert problem.total(better) * 500 == pytest.approx(206)
    assert sorted(lists(better)) == [[0, 4], [1, 2, 3]]


NESTED = Cut(np.arange(5), np.array([0, 2, 5]))  # 0, 49 | 50, 51, 100, where 49 and 100 should change places


def test_records_of_another_kind_stay():
    problem = labelled_problem((0, 49, 50, 51, 100), [0] * 5)
    for kinds, n_expected in (([0, 1, 2, 3, 4], 0), ([0, 0, 1, 1, 2], 0), ([0, 1, 0, 0, 1], 1)):
        assert exchanged(problem, np.array(kinds), NESTED)[1] == n_expected


def test_a_bound_on_the_loss_forbids_the_exchange():
    """0 and 100 together lose everything; the groups of the cut lose 0.49 and 0.5."""
    problem = labelled_problem((0, 49, 50, 51, 100), [0] * 5)
    kinds = np.array([0, 1, 0, 0, 1])
    assert exchanged(problem, kinds, NESTED, max_loss=0.99)[1] == 0
    assert exchanged(problem, kinds, NESTED, max_loss=1.0)[1] == 1


def test_only_records_in_the_window_are_tried():
    """The only exchange that helps is with the far end of the line, behind forty records of the same kind."""
    problem = problem_of(labelled([0, 50, *([50] * 40), 1, 50], [0] * 44), sf.KAnonymity(1))
    cut = Cut(np.arange(44), np.array([0, 2, 42, 44]))
    kinds = np.zeros(44, dtype=np.int64)
    assert exchanged(problem, kinds, cut, window=20)[1] == 0
    better, n_made = exchanged(problem, kinds, cut, window=43)
    assert n_made == 1
    assert [0, 42] in lists(better)


def test_more_passes_go_on_where_the_first_ended():
    """Records in an order that has nothing to do with their values: one pass is not enough."""
    values = [(i * 31) % 60 for i in range(60)]
    problem = problem_of(labelled(values, [0] * 60), sf.KAnonymity(1))
    cut, kinds = Cut(np.arange(60), np.arange(0, 61, 6)), np.zeros(60, dtype=np.int64)
    once, more = (exchanged(problem, kinds, cut, passes=passes)[0] for passes in (1, 10))
    assert problem.total(more) < problem.total(once) < problem.total(cut)


# With a bound on the loss


@settings(max_examples=60)
@given(eligible_lines(max_size=24, n_labels=5), st.sampled_from([0.1, 0.2, 0.4, 0.7]))
def test_the_privacy_reached_within_a_bound_does_not_fall(line, max_ncp):
    values, labels, _ = line
    bound = sf.AccuracyBound(max_ncp)
    problem = labelled_problem(values, labels, bound)
    cut = cut_within_bound(problem, bound)
    after = polish_cut(problem, cut, max_ncp)
    numbers = problem.labels("s")[0]
    assert cut_privacy(after, numbers) == cut_privacy(cut, numbers)
    assert histograms(after, numbers) == histograms(cut, numbers)
    assert problem.losses(after).max() <= max_ncp + 1e-9


def test_polish_once_lowered_the_l_that_was_reached():
    """Without the column whose l is sought among the kinds, exchanges mixed its values at will."""
    random = Randomness("fell")
    frame = labelled(random.integers(100, size=300), random.integers(5, size=300)).frame
    frame = frame.with_columns(y=pl.Series(random.integers(100, size=300)))
    table, bound = sf.Table(frame, sf.Schema(quasi=["x", "y"], sensitive=["s"])), sf.AccuracyBound(0.15)
    quasi, sensitive = encode(table, ["x", "y"]), encode(table, ["s"])
    found, losses = {}, {}
    for polish in (False, True):
        groups = sf.Hilbert(polish=polish).groups(Job(quasi, sensitive, bound, Randomness(1)))
        cut = Cut(groups.order, groups.starts)
        found[polish] = cut_privacy(cut, sensitive[0].codes.astype(np.int64))
        losses[polish] = problem_of(table, bound).total(cut)
    assert found[True] == found[False] >= 2
    assert losses[True] < losses[False]


@settings(max_examples=25)
@given(tables(min_rows=4, max_rows=24), st.sampled_from([0.2, 0.4, 0.6]), st.booleans())
def test_polished_releases_within_a_bound_are_as_private(table, max_ncp, of_k):
    bound = sf.AccuracyBound(max_ncp, maximise="k") if of_k else sf.AccuracyBound(max_ncp, column="disease")
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    labels = None if of_k else sensitive[0].codes.astype(np.int64)
    found = []
    for polish in (False, True):
        try:
            groups = sf.Hilbert(polish=polish).groups(Job(quasi, sensitive, bound, Randomness(1)))
        except InfeasibleError:
            found.append(1.0)
        else:
            found.append(cut_privacy(Cut(groups.order, groups.starts), labels))
            assert problem_of(table, bound).losses(Cut(groups.order, groups.starts)).max() <= max_ncp + 1e-9
    assert found[0] == found[1]
