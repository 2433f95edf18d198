"""Any promise along a line: the frontier walk, and how far a group is from what it must keep."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.privacy.criteria import holds, shortfall
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.grouping.cutting.any_promise_walk import walk_groups
from sfumato.tables.grouping.cutting.problem import Cut
from support.cut_lines import is_partition, labelled, lists, problem_of
from support.tables_strategies import EUROPE, tables

METHODS = [
    sf.Hilbert(),
    sf.Hilbert(polish=True),
    sf.IDistance(centres=3),
    sf.Ordered(trials=3),
    sf.Ordered(best_of=("lexicographic", "idistance"), trials=2, polish=False),
]
SINGLE = [
    *(sf.TCloseness(t, distance=distance) for t in (0.0, 0.25, 0.6) for distance in ("emd", "variational", "kl")),
    sf.TCloseness(0.2, columns=("home",)),
    sf.TCloseness(0.15, columns=("score",)),
    *(sf.LDiversity(l, kind="entropy") for l in (1.5, 2, 2.8)),
    *(sf.LDiversity(l, kind="distinct") for l in (1, 2, 3)),
    *(sf.LDiversity(l, kind="recursive", c=c) for l, c in ((1, 2), (2, 0.75), (2, 3), (3, 1.5))),
    *(sf.LDiversity(l) for l in (1, 1.2, 4 / 3, 2, 2.5)),
    sf.LDiversity(2, columns=("disease",)),
]


@st.composite
def sensitive_tables(draw, max_rows=24):
    """Tables with a sensitive category, number and place, all of which may be missing."""
    table = draw(tables(max_rows=max_rows))
    n = len(table)
    places = st.sampled_from(["Italy", "France", "US", "Brazil", "Chile", None])
    home = pl.Series("home", ["Spain", *draw(st.lists(places, min_size=n - 1, max_size=n - 1))], dtype=pl.String)
    hide = draw(st.sampled_from([0, 0, 3]))
    frame = table.frame.with_columns(home)
    if hide:
        frame = frame.with_columns(score=pl.when(pl.int_range(pl.len()) % hide == 1).then(None).otherwise("score"))
    quasi = table.schema.quasi
    schema = sf.Schema(
        quasi=quasi, sensitive=["disease", "score", "home"],
        hierarchies={"home": EUROPE, **{name: EUROPE for name in quasi if name.endswith("tree")}},
        orders={name: ["low", "mid", "high"] for name in quasi if name.endswith("ordinal")},
    )  # fmt: skip
    return sf.Table(frame, schema)


@st.composite
def promises(draw):
    """One promise, or two, and often a k."""
    promise = draw(st.sampled_from(SINGLE))
    if draw(st.booleans()):
        promise &= draw(st.sampled_from(SINGLE))
    k = draw(st.sampled_from([0, 0, 2, 5]))
    return promise & sf.KAnonymity(k) if k else promise


@settings(max_examples=100)
@given(sensitive_tables(), promises(), st.sampled_from(METHODS))
def test_every_promise_that_can_be_kept_is_kept(table, promise, method):
    possible = promise.limit(len(table), encode(table, table.schema.sensitive)) is None
    try:
        release = sf.publish(table, method, promise, seed=1)
    except InfeasibleError:
        assert not possible
    else:
        assert possible
        assert release.verdict.holds
        assert len(release.data) == len(table)


# The walk itself


def walked(problem):
    kinds, n_kinds = problem.profiles
    return lists(Cut(*walk_groups(problem.criteria, kinds, n_kinds)))


class Judge:
    """What a promise says of groups of places on a line."""

    def __init__(self, problem):
        self.criteria = problem.criteria
        self.scratch = np.zeros(self.criteria.n_nodes)

    def _given(self, group):
        codes = self.criteria.codes[list(group)] + self.criteria.offset[:-1]
        return self.criteria, len(group), np.bincount(codes.ravel(), minlength=len(self.criteria.total)), self.scratch

    def holds(self, group):
        return holds(*self._given(group))

    def shortfall(self, group):
        return shortfall(*self._given(group))


def plain_walk(kinds, judge, reach=16):
    """The walk without heaps: a group takes the nearest record that brings it, or else the rest, closer."""
    left, groups = list(range(len(kinds))), []
    while left:
        group = []
        while left:
            first = {}
            for record in left:
                first.setdefault(kinds[record], record)
            near = sorted(first.values())[: reach if group else 1]
            lacking, for_rest = judge.shortfall(group) if group else 1.0, False
            if group and lacking == 0.0:
                lacking, for_rest = judge.shortfall(left), True

            def after(record, group=group, for_rest=for_rest):
                rest = [other for other in left if other != record]
                return judge.shortfall([*group, record]) + (judge.shortfall(rest) if for_rest and rest else 0.0)

            chosen = near[0]
            if group and len(near) > 1:
                values = [after(record) for record in near]
                better = [record for record, value in zip(near, values, strict=True) if value < lacking]
                chosen = better[0] if better else near[values.index(min(values))]
            left.remove(chosen)
            group.append(chosen)
            if judge.holds(group) and (not left or judge.holds(left)):
                break
        groups.append(sorted(group))
    return groups


@settings(max_examples=100)
@given(sensitive_tables(max_rows=18), promises(), st.data())
def test_the_walk_equals_a_plain_one(table, promise, data):
    if promise.limit(len(table), encode(table, table.schema.sensitive)) is not None:
        return
    problem = problem_of(table, promise, data.draw(st.permutations(range(len(table)))))
    judge = Judge(problem)
    groups = walked(problem)
    assert is_partition(groups, len(table))
    assert all(judge.holds(group) for group in groups)
    assert groups == plain_walk(problem.profiles[0].tolist(), judge)


def test_groups_are_as_small_as_the_promise_allows():
    """Two values in turn: pairs of neighbours, and with k = 3 groups of at least three."""
    table = labelled(range(12), [0, 1] * 6)
    assert walked(problem_of(table, sf.TCloseness(0.0))) == [[i, i + 1] for i in range(0, 12, 2)]
    sizes = [len(group) for group in walked(problem_of(table, sf.LDiversity(2, kind="distinct") & sf.KAnonymity(3)))]
    assert sizes == [3, 3, 3, 3]


def test_a_group_never_leaves_a_rest_that_cannot_keep_the_promise():
    """The first pair is diverse, but would leave one value alone: it has to take more."""
    table = labelled(range(6), [0, 1, 0, 0, 1, 0])
    for promise in (sf.LDiversity(1.5), sf.LDiversity(2, kind="distinct"), sf.LDiversity(2, kind="recursive", c=3)):
        groups = walked(problem_of(table, promise))
        judge = Judge(problem_of(table, promise))
        assert all(judge.holds(group) for group in groups)
    assert walked(problem_of(table, sf.LDiversity(1.5))) == [[0, 1, 2], [3, 4, 5]]


def test_with_more_values_than_can_be_compared_it_still_holds():
    """More than 8,192 counts: two records of the frontier are compared at a time."""
    labels = list(range(4500)) + [i % 4 for i in range(4500)]
    problem = problem_of(labelled(range(9000), labels), sf.LDiversity(2, kind="distinct"))
    groups = walked(problem)
    assert is_partition(groups, 9000)
    assert all(len({labels[record] for record in group}) >= 2 for group in groups)


# How far a group is from being allowed


@settings(max_examples=150)
@given(sensitive_tables(), promises(), st.data())
def test_the_shortfall_is_nothing_exactly_where_the_promise_holds(table, promise, data):
    problem = problem_of(table, promise)
    judge = Judge(problem)
    for _ in range(6):
        group = sorted(data.draw(st.sets(st.integers(0, len(table) - 1), min_size=1)))
        lacking = judge.shortfall(group)
        assert lacking >= 0.0
        assert np.isfinite(lacking)
        assert (lacking == 0.0) == judge.holds(group)


@settings(max_examples=60)
@given(sensitive_tables(max_rows=16), st.sampled_from(SINGLE), st.data())
def test_a_group_holds_where_its_published_class_would(table, promise, data):
    """Against the check that reads published tables: two groups, decided one at a time."""
    n = len(table)
    side = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=int)
    groups = [np.flatnonzero(side == number).tolist() for number in (0, 1) if (side == number).any()]
    frame = table.frame.with_columns(side=pl.Series(side))
    verdict = sf.verify(
        sf.Table(
            frame, sf.Schema(quasi=["side"], sensitive=["disease", "score", "home"], hierarchies={"home": EUROPE})
        ),
        promise=promise,
    )
    judge = Judge(problem_of(table, promise))
    assert verdict.holds == all(judge.holds(group) for group in groups)


@pytest.mark.parametrize(
    ("promise", "groups"),
    [
        (sf.LDiversity(2), ([0, 0, 0], [0, 0, 0, 1], [0, 0, 1], [0, 1])),
        (sf.LDiversity(3, kind="distinct"), ([0, 0], [0, 1], [0, 1, 2])),
        (sf.LDiversity(3, kind="entropy"), ([0, 0], [0, 1], [0, 1, 1], [0, 1, 1, 2], [0, 1, 2])),
        (sf.LDiversity(2, kind="recursive", c=2), ([0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1], [0, 1])),
        (sf.TCloseness(0.1), ([0], [0, 1], [0, 1, 2], [0, 1, 2, 3])),
        (sf.TCloseness(0.1, distance="kl"), ([0], [0, 1], [0, 1, 2], [0, 1, 2, 3])),
        (sf.KAnonymity(4), ([0], [0, 0], [0, 0, 0], [0, 0, 0, 0])),
    ],
)
def test_the_shortfall_falls_on_the_way_to_the_promise(promise, groups):
    labels = [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5
    table = labelled(range(20), labels)
    criteria = criteria_for(promise, 20, encode(table, ["s"]))
    scratch = np.zeros(criteria.n_nodes)
    lacking = [
        shortfall(criteria, len(group), np.bincount(group, minlength=len(criteria.total)), scratch) for group in groups
    ]
    assert all(a > b for a, b in itertools.pairwise(lacking))
    assert lacking[-1] == 0.0
