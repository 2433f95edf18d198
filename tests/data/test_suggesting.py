"""Roles and hierarchies that are suggested, by what the values do."""

from __future__ import annotations

import datetime as dt

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy_rules import Calendar, Intervals, Prefixes
from support.inspected import inspect_series


def test_suggestions_by_what_the_values_do():
    n = 200
    assert inspect_series([f"w{i}x" for i in range(n)]).role == "identifier"  # near-unique text
    assert inspect_series(list(range(n))).role == "identifier"  # numbers the rows
    assert inspect_series([i * 7 for i in range(n)], "record_id").role == "identifier"
    assert inspect_series([i % 3 for i in range(n)], "group_id").role == "quasi"
    assert inspect_series(["always"] * n).role == "plain"
    assert inspect_series([None] * n).role == "plain"
    assert inspect_series(["always", None] * n).role == "quasi"
    notes = [f"short note about a visit, in which somebody may well be named {i % 150}" for i in range(n)]
    assert inspect_series(notes).role == "identifier"
    assert inspect_series([["a"], ["b"]] * n).role == "identifier"
    assert inspect_series([i % 9 for i in range(n)], "height").role == "quasi"
    assert inspect_series([dt.date(2024, 1, 1) + dt.timedelta(i) for i in range(n)]).role == "quasi"
    assert inspect_series([i * 1.01 for i in range(n)], "cost").reason.endswith("so round it or declare it quasi")
    assert inspect_series([i * 1.01 for i in range(n)], "cost").short == "seldom known, yet unique"
    assert inspect_series([i % 2 for i in range(n)], "ssn").role == "identifier"  # the name weighs more
    assert inspect_series([f"Town {i}" for i in range(n)], "city").role == "quasi"


def test_what_nobody_knows_is_never_suggested_plain():
    assert inspect_series(["x", "y"] * 30, "qqq").role == "quasi"


def test_hierarchies_are_rules_that_list_no_value():
    assert inspect_series(["02139", "10001", "10002", "53715", "60601", "94103"], "zip").hierarchy == Prefixes(
        5, (4, 3, 2, 1)
    )
    assert inspect_series([10001, 2139, 3, 4, 5, 6] * 4, "zip").hierarchy == Prefixes(5, (4, 3, 2, 1))
    assert isinstance(inspect_series([dt.date(2024, 1, i) for i in range(1, 30)]).hierarchy, Calendar)
    ages = inspect_series(list(range(101)) * 2, "age").hierarchy
    assert isinstance(ages, Intervals)
    assert [level[1] - level[0] for level in ages.levels] == [5, 10, 50]
    assert inspect_series(["f", "m"] * 9, "sex").hierarchy is None


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.integers(-(2**40), 2**40), min_size=11, max_size=40)
    | st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=11, max_size=40)
    | st.lists(st.floats(0, 1e-3, allow_subnormal=False), min_size=11, max_size=40)
)
def test_round_intervals_hold_every_value(numbers):
    look = inspect_series(pl.Series(numbers), "height")
    left = set(numbers) - set(look.suspected.values if look.suspected is not None else ())
    if look.hierarchy is not None:
        assert look.hierarchy.tree(left).n_leaves == len({float(number) for number in left})
