"""l-diverse groups along a line: the linear heuristic against its plain version, and what it promises."""

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
from sfumato.tables.grouping.cutting import solve_direct
from sfumato.tables.grouping.cutting.l_heuristic import diverse_groups
from sfumato.tables.grouping.cutting.problem import Cut
from sfumato.tables.grouping.job import Job
from support import naive_partitions as naive
from support.cut_lines import (
    eligible_lines,
    is_partition,
    labelled,
    labelled_problem,
    least_privacy,
    lists,
    numbered,
    problem_of,
)
from support.tables_strategies import tables


def diverse(problem, l, *, look_ahead):
    """The groups of the kernel, in the order in which they are formed."""
    labels, n_labels = problem.labels(problem.sensitive[0].name)
    cut = diverse_groups(problem.columns, problem.words, problem.data, labels, n_labels, l, look_ahead)
    return lists(Cut(*cut))


def check_groups(groups, labels, l, *, look_ahead):
    assert is_partition(groups, len(labels))
    assert all(len({labels[record] for record in group}) == len(group) >= l for group in groups)
    assert look_ahead or max(map(len, groups)) <= 2 * l - 1


def plain_diverse(labels, l, loss):
    """The heuristic with our look-ahead: would the group with the next record lose less than the l nearest together?"""
    left, groups = list(range(len(labels))), []

    def frontier():
        first = {}
        for record in left:
            first.setdefault(labels[record], record)
        return sorted(first.values())

    def leaves_eligible(group):
        return naive.is_eligible([labels[record] for record in left if record not in group], l)

    while left:
        lowest, frequency = frontier(), Counter(labels[record] for record in left)
        frequent = sorted(lowest, key=lambda record: (-frequency[labels[record]], record))
        tried = itertools.chain.from_iterable(
            ([by[:size] for size in range(l, len(by) + 1)]) for by in (lowest, frequent)
        )
        group = next(group for group in tried if leaves_eligible(group))
        left = [record for record in left if record not in group]
        while left:
            ahead = frontier()[:l]
            fits = labels[ahead[0]] not in {labels[record] for record in group} and leaves_eligible(ahead[:1])
            if not fits or not loss([*group, ahead[0]]) < loss(ahead):
                break
            group.append(left.pop(left.index(ahead[0])))
        groups.append(sorted(group))
    return groups


# Against the plain versions


@settings(max_examples=200)
@given(eligible_lines())
def test_without_look_ahead_it_is_the_heuristic_of_the_paper(line):
    values, labels, l = line
    groups = diverse(labelled_problem(values, labels), l, look_ahead=False)
    assert groups == naive.diverse_heuristic(values, labels, l, refine=False)
    check_groups(groups, labels, l, look_ahead=False)


@settings(max_examples=100)
@given(tables(min_rows=2, max_rows=20), st.data())
def test_with_look_ahead_it_is_a_plain_walk_in_any_columns(table, data):
    order = data.draw(st.permutations(range(len(table))))
    problem = problem_of(table, sf.KAnonymity(1), order)
    labels = problem.labels("disease")[0].tolist()
    most = len(labels) // max(Counter(labels).values())
    for l in range(1, most + 1):
        groups = diverse(problem, l, look_ahead=True)
        assert groups == plain_diverse(labels, l, problem.loss)
        check_groups(groups, labels, l, look_ahead=True)


@settings(max_examples=100)
@given(eligible_lines(max_size=30, n_labels=8, top=60))
def test_with_look_ahead_it_never_fails_either(line):
    values, labels, l = line
    check_groups(diverse(labelled_problem(values, labels), l, look_ahead=True), labels, l, look_ahead=True)


LINE_A = (7, 9, 11, 17, 18, 22), (0, 3, 2, 0, 2, 3)
LINE_B = (6, 9, 11, 12, 13, 17, 23, 24, 26), (3, 0, 0, 1, 4, 1, 1, 0, 4)
LINE_8 = (1, 2, 3, 5, 8, 9, 12, 14), (0, 0, 1, 0, 1, 2, 2, 1)


@pytest.mark.parametrize(
    ("line", "l", "look_ahead", "expected"),
    [
        (LINE_8, 2, False, [[1, 3], [2, 8], [5, 9], [12, 14]]),
        (LINE_8, 2, True, [[1, 3], [2, 8], [5, 9], [12, 14]]),
        (LINE_A, 2, False, [[7, 9], [11, 17], [18, 22]]),
        (LINE_A, 3, False, [[7, 9, 11], [17, 18, 22]]),
        (LINE_A, 2, True, [[7, 9, 11], [17, 18, 22]]),
        (LINE_B, 2, True, [[6, 9], [11, 12, 13], [17, 24], [23, 26]]),
        (LINE_B, 3, True, [[6, 9, 12], [11, 13, 17], [23, 24, 26]]),
    ],
)
def test_vectors_e8_and_e10(line, l, look_ahead, expected):
    values, labels = line
    groups = diverse(labelled_problem(values, numbered(labels)), l, look_ahead=look_ahead)
    assert [[values[place] for place in group] for group in groups] == expected


def test_vector_e11_two_groups_of_four():
    labels = [0, 0, 1, 1, 2, 2, 3, 3]
    for look_ahead in (False, True):
        groups = diverse(labelled_problem(range(8), labels), 3, look_ahead=look_ahead)
        assert [sorted(labels[place] for place in group) for group in groups] == [[0, 1, 2, 3]] * 2


@pytest.mark.parametrize("l", [2, 3, 5])
def test_labels_that_only_just_reach_l(l):
    """One label, then two, with exactly one in l records: no group may leave any of them out."""
    for n_top in (1, 2):
        rest = [n_top + i for i in range((l - n_top) * 6)]
        for labels in ([label for label in range(n_top) for _ in range(6)] + rest, rest + list(range(n_top)) * 6):
            for look_ahead in (False, True):
                groups = diverse(labelled_problem(range(len(labels)), numbered(labels)), l, look_ahead=look_ahead)
                check_groups(groups, labels, l, look_ahead=look_ahead)
                assert len(groups) == 6


def test_equal_shares_make_groups_of_all_labels():
    labels = [label for label in range(5) for _ in range(7)]
    groups = diverse(labelled_problem(range(35), labels), 5, look_ahead=True)
    assert sorted(map(len, groups)) == [5] * 7


@pytest.mark.parametrize("l", [2, 5])
def test_more_values_than_the_fall_back_compares(l):
    """1,500 values of one record each, and one that l groups in all can just hold."""
    singles = 1500
    top = singles // (l - 1)
    for at_end in (False, True):
        labels = [singles] * top
        labels = [*range(singles), *labels] if at_end else [*labels, *range(singles)]
        groups = diverse(labelled_problem(range(len(labels)), labels), l, look_ahead=True)
        check_groups(groups, labels, l, look_ahead=True)
        assert all(any(labels[place] == singles for place in group) for group in groups)


def test_labels_all_different():
    groups = diverse(labelled_problem(range(3000), list(range(3000))), 7, look_ahead=False)
    assert groups[0] == list(range(7))
    assert {len(group) for group in groups[:-1]} == {7}
    check_groups(groups, list(range(3000)), 7, look_ahead=False)


def test_a_long_line_of_uneven_labels():
    random = Randomness("long line")
    labels = numbered(np.minimum(random.integers(40, size=4000), random.integers(40, size=4000)).tolist())
    most = 4000 // max(Counter(labels).values())
    problem = labelled_problem(sorted(random.integers(10_000, size=4000).tolist()), labels)
    for l in (2, 5, most - 1, most):
        for look_ahead in (False, True):
            check_groups(diverse(problem, l, look_ahead=look_ahead), labels, l, look_ahead=look_ahead)


# Through publish


@settings(max_examples=40)
@given(eligible_lines(max_size=30), st.sampled_from([1, 2, 4, 9]), st.booleans())
def test_k_and_l_are_both_kept(line, k, polish):
    values, labels, l = line
    promise = sf.KAnonymity(k) & sf.LDiversity(l)
    if k > len(values):
        return
    release = sf.publish(labelled(values, labels), sf.Hilbert(polish=polish), promise, seed=1)
    assert release.verdict.holds
    assert release.verdict.reached[f"LDiversity({l})"] >= l
    assert release.verdict.reached[f"KAnonymity(k={k})"] >= k


@settings(max_examples=60)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=14), st.integers(2, 6))
def test_what_cannot_be_met_is_refused_and_all_else_is_met(labels, l):
    table = labelled(range(len(labels)), labels)
    if naive.is_eligible(labels, l):
        assert sf.publish(table, sf.Hilbert(), sf.LDiversity(l), seed=1).verdict.holds
    else:
        top, best = max(Counter(labels).values()), len(labels) / max(Counter(labels).values())
        with pytest.raises(InfeasibleError, match=rf"on column 's'.* has {top} of {len(labels)} records") as refusal:
            sf.publish(table, sf.Hilbert(), sf.LDiversity(l), seed=1)
        assert str(refusal.value).endswith(f"the best is l={int(best * 100 + 1e-6) / 100:g}")


def test_fewer_values_than_l_are_refused():
    with pytest.raises(InfeasibleError, match=r"LDiversity\(3\) cannot be met on column 's'.*2 values occur.* is l=2"):
        sf.publish(labelled(range(6), [0, 1] * 3), sf.Hilbert(), sf.LDiversity(3), seed=1)


@pytest.mark.parametrize(
    ("promise", "walks"),
    [
        (sf.LDiversity(2), False),
        (sf.LDiversity(3.0), False),
        (sf.LDiversity(2) & sf.KAnonymity(2), False),
        (sf.LDiversity(2) & sf.LDiversity(3, columns=("s",)), False),
        (sf.LDiversity(3) & sf.LDiversity(2), False),
        (sf.LDiversity(2) & sf.KAnonymity(3), True),  # the cheaper of both
        (sf.LDiversity(2.5), True),
        (sf.LDiversity(2, kind="distinct"), True),
        (sf.LDiversity(2) & sf.TCloseness(0.5), True),
    ],
)
def test_which_promises_the_heuristic_keeps(monkeypatch, promise, walks):
    walked = []
    walk = solve_direct.walk_groups
    monkeypatch.setattr(
        solve_direct, "walk_groups", lambda *given_arguments: walked.append(1) or walk(*given_arguments)
    )
    labels = [(i * i + i // 3) % 5 for i in range(60)]
    release = sf.publish(labelled([(i * 37) % 60 for i in range(60)], labels), sf.Hilbert(), promise, seed=1)
    assert release.verdict.holds
    assert bool(walked) == walks


def test_two_sensitive_columns_are_both_kept():
    frame = labelled(range(45), [i % 4 for i in range(45)]).frame.with_columns(
        t=pl.Series(["uvw"[(i // 3) % 3] for i in range(45)])
    )
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s", "t"]))
    for promise in (sf.LDiversity(2), sf.LDiversity(2, columns=("s",)) & sf.LDiversity(3, columns=("t",))):
        assert sf.publish(table, sf.Hilbert(), promise, seed=1).verdict.holds


def test_a_missing_sensitive_value_is_a_value():
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "s": ["a", None, None, "a"]})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(2), seed=1)
    assert sorted(release.data.frame["x"].unique().to_list()) == ["[1, 2]", "[3, 4]"]


def test_the_exact_cut_is_not_worse_and_needs_a_whole_l():
    values, labels = LINE_A
    table = labelled(values, numbered(labels))
    quasi, sensitive = encode(table, ["x"]), encode(table, ["s"])
    losses = {}
    for solve in ("heuristic", "optimal", "dual"):
        groups = sf.Hilbert(solve=solve).groups(Job(quasi, sensitive, sf.LDiversity(2), Randomness(1)))
        problem = problem_of(table, sf.LDiversity(2))
        found = lists(Cut(groups.order, groups.starts))
        assert least_privacy(numbered(labels), found) >= 2
        losses[solve] = problem.total(Cut(groups.order, groups.starts))
    assert losses["optimal"] <= losses["heuristic"]
    with pytest.raises(
        sf.errors.ParameterError, match=r"solve='optimal' is for LDiversity with a whole l on one column"
    ):
        sf.publish(table, sf.Hilbert(solve="optimal"), sf.KAnonymity(2))


@pytest.mark.parametrize(("l", "copies"), [(1100, 3), (3000, 5)])
def test_l_in_the_thousands(l, copies):
    """Exactly eligible, more values than the fall-back step compares, the frequent one last on the line."""
    n = copies * l
    values = [f"v{i}" for i in range(n - copies)] + ["often"] * copies
    table = sf.Table(pl.DataFrame({"q": range(n), "s": values}), sf.Schema(quasi=["q"], sensitive=["s"]))
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(l), seed=1)
    assert release.verdict.reached == {f"LDiversity({l:g})": float(l)}
