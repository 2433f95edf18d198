"""Rules of hierarchies: paths, intervals, prefixes and the calendar, with every refusal."""

from __future__ import annotations

import datetime as dt
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.tree import Tree
from sfumato.ground.errors import SchemaError
from support.hierarchy_trees import assert_same_tree, is_monotone, labels_up, read_again


def test_a_value_that_paths_lack_is_named():
    hierarchy = Hierarchy.from_paths([("a", "x", "*"), ("b", "x", "*")])
    with pytest.raises(SchemaError, match="lacks the value 'c' and 1 more; add a line for each"):
        hierarchy.tree(["a", "c", "d"])
    with pytest.raises(SchemaError, match="lacks the value 'c'; add a line"):
        hierarchy.tree(["c"])


def test_all_values_of_the_rule_are_leaves_present_or_not():
    assert Hierarchy.from_paths([("a", "*"), ("b", "*")]).tree(["a"]).leaves == ("a", "b")


def test_flat():
    tree = Hierarchy.flat([3, 1.5, True, dt.date(2024, 1, 2), np.float64(0.5), np.int32(7)]).tree([3, 1.5])
    assert tree.leaves == ("3", "1.5", "true", "2024-01-02", "0.5", "7")
    assert tree.height == 1
    with pytest.raises(SchemaError, match="names the value '1' twice"):
        Hierarchy.flat([1, 1.0])


def test_intervals_by_widths():
    tree = Hierarchy.intervals([5, 10], low=0, high=25).tree([0, 3, 4.5, 7, 24])
    assert labels_up(tree, 3) == ["3", "[0, 5)", "[0, 10)", "*"]
    assert labels_up(tree, 24) == ["24", "[20, 25)", "[20, 30)", "*"]
    assert tree.leaves == ("0", "3", "4.5", "7", "24")
    costs = dict(zip(tree.labels, tree.loss.tolist(), strict=True))
    assert costs["[0, 5)"] == pytest.approx(5 / 30)
    assert costs["[0, 10)"] == pytest.approx(10 / 30)
    assert costs["[20, 25)"] == 0  # one value only
    assert costs["*"] == 1


@pytest.mark.parametrize(("value", "label"), [(17, "[0, 18)"), (18, "[18, 30)"), (29.999, "[18, 30)"), (0, "[0, 18)")])
def test_intervals_by_breaks_are_half_open(value, label):
    hierarchy = Hierarchy.intervals(breaks=[[0, 18, 30, 45, 65, 120], [0, 18, 65, 120]])
    assert labels_up(hierarchy.tree([value]), value)[1] == label


def test_one_level_of_breaks_and_numpy_breaks():
    assert Hierarchy.intervals(breaks=[0, 10, 20]) == Hierarchy.intervals(breaks=[[0, 10, 20]])
    assert Hierarchy.intervals(breaks=np.array([0, 10, 20])) == Hierarchy.intervals(breaks=[0, 10, 20])
    assert Hierarchy.intervals(np.array([5]), low=np.int64(0), high=np.int64(10)).to_dict()["breaks"] == [[0, 5, 10]]


def test_an_interval_that_does_not_change_from_level_to_level_is_one_node():
    tree = Hierarchy.intervals(breaks=[[0, 5, 10, 20], [0, 10, 20]]).tree([1, 12])
    assert labels_up(tree, 12) == ["12", "[10, 20)", "*"]


def test_decimal_widths_nest_as_they_are_written():
    tree = Hierarchy.intervals([0.1, 0.3, 0.9], low=0, high=1.8).tree([0.3, 0.75])
    assert labels_up(tree, 0.3) == ["0.3", "[0.3, 0.4)", "[0.3, 0.6)", "[0, 0.9)", "*"]
    assert labels_up(tree, 0.75) == ["0.75", "[0.7, 0.8)", "[0.6, 0.9)", "[0, 0.9)", "*"]


def test_intervals_of_dates():
    day = dt.date
    hierarchy = Hierarchy.intervals([7, 28], low="2024-01-01", high=day(2024, 2, 26))
    tree = hierarchy.tree([day(2024, 1, 9), dt.datetime(2024, 1, 20, 13, 30)])
    assert labels_up(tree, day(2024, 1, 9)) == [
        "2024-01-09",
        "[2024-01-08, 2024-01-15)",
        "[2024-01-01, 2024-01-29)",
        "*",
    ]
    assert labels_up(tree, dt.datetime(2024, 1, 20, 13, 30))[0] == "2024-01-20 13:30:00"
    assert_same_tree(tree, read_again(hierarchy).tree([day(2024, 1, 9), dt.datetime(2024, 1, 20, 13, 30)]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either widths"),
        ({"widths": [5], "breaks": [0, 1]}, "either widths"),
        ({"widths": [5], "low": 0}, "need low and high"),
        ({"widths": [0], "low": 0, "high": 9}, "width must be above 0, got 0"),
        ({"widths": [-1], "low": 0, "high": 9}, "width must be above 0, got -1"),
        ({"widths": [5], "low": 9, "high": 0}, "high must be above low, got 9 and 0"),
        ({"widths": [], "low": 0, "high": 9}, "one level at least"),
        ({"widths": [5, 12], "low": 0, "high": 60}, "edge 12 cuts through a finer interval"),
        ({"widths": [10, 5], "low": 0, "high": 60}, "edge 5 cuts through a finer interval"),
        ({"breaks": [[0, 10, 20], [0, 15, 20]]}, "edge 15 cuts through"),
        ({"breaks": [[0, 10, 20, 30], [0, 20, 25]]}, "edge 25 cuts through"),
        ({"breaks": [[0, 10, 20], [-10, 20]]}, "edge -10 cuts through"),
        ({"breaks": [0, 10, 10]}, "must rise"),
        ({"breaks": [5]}, "two at least"),
        ({"breaks": []}, "two at least"),
        ({"breaks": [0, "x"]}, "numbers or dates, got 'x'"),
        ({"breaks": [0, float("nan")]}, "numbers or dates"),
        ({"breaks": [0, float("inf")]}, "numbers or dates"),
        ({"breaks": [0, 10**400]}, "numbers or dates"),
        ({"breaks": [0, None]}, "numbers or dates"),
        ({"breaks": [0, "2024-01-01"]}, "all numbers or all dates"),
    ],
)
def test_bad_intervals_are_refused(arguments, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.intervals(**arguments)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (25, r"lacks the value '25'; its intervals cover \[0, 25\) only"),
        (-1, r"lacks the value '-1'; its intervals cover \[0, 25\) only"),
        ("x", "lacks the value 'x': it is no number; declare the column's kind as number"),
        (dt.date(1970, 1, 2), "it is no number"),
    ],
)
def test_a_value_outside_the_intervals_is_named(value, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.intervals([5, 10], low=0, high=25).tree([3, value])


def test_numbers_have_no_place_among_dates():
    with pytest.raises(SchemaError, match="lacks the value '7': it is no date"):
        Hierarchy.intervals(breaks=[dt.date(1970, 1, 1), dt.date(1980, 1, 1)]).tree([7])


@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=12, unique=True).map(sorted),
    st.data(),
)
def test_intervals_against_brute_force(edges, data):
    coarse = sorted({edges[0], edges[-1], *data.draw(st.lists(st.sampled_from(edges)))})
    values = data.draw(st.lists(st.integers(edges[0], edges[-1] - 1), min_size=1, max_size=20, unique=True))
    tree = Hierarchy.intervals(breaks=[edges, coarse]).tree(values)
    assert is_monotone(tree)
    assert tree.leaves == tuple(str(value) for value in sorted(values))
    for value in values:
        a, b = next((a, b) for a, b in itertools.pairwise(edges) if a <= value < b)
        c, d = next((c, d) for c, d in itertools.pairwise(coarse) if c <= value < d)
        labels = [str(value), f"[{a}, {b})", *([f"[{c}, {d})"] if (a, b) != (c, d) else []), "*"]
        assert labels_up(tree, value) == labels


def test_prefixes():
    tree = Hierarchy.prefixes(5).tree(["53715", "53710", "02138"])
    assert tree.leaves == ("02138", "53710", "53715")
    assert labels_up(tree, "53715") == ["53715", "5371*", "537**", "53***", "5****", "*"]
    kept = Hierarchy.prefixes(5, keep=[3]).tree(["53715"])
    assert labels_up(kept, "53715") == ["53715", "537**", "*"]


def test_codes_read_as_numbers_get_their_leading_zeros_back():
    tree = Hierarchy.prefixes(5, keep=[3]).tree([2138, 2139.0, 53715])
    assert labels_up(tree, 2138) == ["2138", "021**", "*"]
    assert labels_up(tree, 2139.0) == ["2139", "021**", "*"]
    assert tree.leaves == ("2138", "2139", "53715")


def test_shorter_codes_keep_what_they_have():
    tree = Hierarchy.prefixes(4).tree(["A1", "A12", "B"])
    assert labels_up(tree, "A1") == ["A1", "A*", "*"]
    assert labels_up(tree, "A12") == ["A12", "A1*", "A**", "*"]
    assert labels_up(tree, "B") == ["B", "*"]


def test_codes_that_are_already_cut():
    tree = Hierarchy.prefixes(5).tree(["53715", "5371*", "537**"])
    assert labels_up(tree, "5371*")[:3] == ["5371*", "5371*", "537**"]
    assert labels_up(tree, "537**")[:3] == ["537**", "537**", "53***"]


@pytest.mark.parametrize(
    ("length", "keep", "message"),
    [
        (0, None, "length of 1 or more, got 0"),
        ("5", [3], "length of 1 or more, got '5'"),
        (5, [5], "ever fewer characters, from 4 to 1"),
        (5, [2, 3], "ever fewer characters"),
        (5, [3, 0], "ever fewer characters"),
    ],
)
def test_bad_prefixes_are_refused(length, keep, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.prefixes(length, keep)


@pytest.mark.parametrize("value", ["537150", 537150, 5371.5])
def test_a_code_that_is_too_long_is_named(value):
    with pytest.raises(SchemaError, match=f"lacks the value '{value}': it has more than 5 characters"):
        Hierarchy.prefixes(5).tree(["53715", value])


def test_calendar_parts():
    date = dt.date(2024, 5, 17)
    every = Hierarchy.calendar(["day", "month", "quarter", "year", "decade", "century"]).tree([date])
    assert labels_up(every, date) == ["2024-05-17", "2024-05", "2024-Q2", "2024", "2020s", "2000-2099", "*"]
    assert labels_up(Hierarchy.calendar().tree([date]), date) == [
        "2024-05-17",
        "2024-05",
        "2024-Q2",
        "2024",
        "2020s",
        "*",
    ]


@pytest.mark.parametrize(
    ("date", "week"),
    [(dt.date(2024, 12, 30), "2025-W01"), (dt.date(2021, 1, 3), "2020-W53"), (dt.date(2024, 5, 17), "2024-W20")],
)
def test_weeks_are_iso_weeks(date, week):
    assert labels_up(Hierarchy.calendar(["week"]).tree([date]), date)[1] == week


@pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 2), (9, 3), (10, 4), (12, 4)])
def test_quarters(month, quarter):
    date = dt.date(1999, month, 1)
    assert labels_up(Hierarchy.calendar(["quarter"]).tree([date]), date)[1] == f"1999-Q{quarter}"


def test_times_lie_in_their_day_midnight_too():
    midnight, noon = dt.datetime(2024, 5, 17), dt.datetime(2024, 5, 17, 12)
    tree = Hierarchy.calendar(["day", "month"]).tree([noon, midnight])
    assert labels_up(tree, midnight) == ["2024-05-17", "2024-05-17", "2024-05", "*"]
    assert labels_up(tree, noon) == ["2024-05-17 12:00:00", "2024-05-17", "2024-05", "*"]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (["fortnight"], "calendar parts are day, week, .* got fortnight"),
        ([], "got none"),
        (["year", "month"], "grow coarser, got year, month"),
        (["month", "month"], "grow coarser"),
        (["week", "month"], "a week can lie in two months"),
        (["day", "week", "year"], "a week can lie in two months"),
    ],
)
def test_bad_calendars_are_refused(parts, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.calendar(parts)


def test_what_is_no_date_is_named():
    with pytest.raises(SchemaError, match="lacks the value '2024': it is no date; declare the column's kind as date"):
        Hierarchy.calendar().tree([2024])


def test_a_written_tree_is_built_once(monkeypatch):
    built = []
    monkeypatch.setattr(Tree, "from_paths", lambda paths, build=Tree.from_paths: built.append(1) or build(paths))
    rule = Hierarchy.from_paths([("a", "x", "*"), ("b", "x", "*")])
    assert rule.tree(["a"]) is rule.tree(["b"])
    assert len(built) == 1


def test_a_label_that_a_line_repeats_is_published_once():
    lines = [("u", "unknown", "unknown", "*"), ("Europe", "Europe", "*", "*"), ("Italy", "Europe", "*", "*")]
    hierarchy = Hierarchy.from_paths(lines)
    assert hierarchy.published({"unknown", "Europe"}).to_dict()["paths"] == [["unknown", "*"], ["Europe", "*"]]
    assert hierarchy.published({"u", "unknown", "Italy", "Europe"}).to_dict()["paths"] == [
        ["u", "unknown", "*"], ["Italy", "Europe", "*"],
    ]  # fmt: skip
    assert hierarchy.published({"*"}) is None
