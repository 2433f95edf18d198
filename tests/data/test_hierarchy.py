"""Hierarchies: every constructor, every refusal, and that the published rule gives the same tree again."""

from __future__ import annotations

import datetime as dt
import itertools
import json
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Intervals, Paths, Prefixes
from sfumato.data.values import as_number, text
from sfumato.ground.errors import SchemaError


def chain(tree, value):
    """The labels from a value up to the root."""
    node, labels = int(tree.leaf_node[tree.leaf_of[text(value)]]), []
    while node != -1:
        labels.append(tree.labels[node])
        node = int(tree.parent[node])
    return labels


def again(hierarchy):
    """The hierarchy as a reader of the release gets it."""
    return Hierarchy.from_dict(json.loads(json.dumps(hierarchy.to_dict())))


def assert_same(one, two):
    assert one.labels == two.labels
    assert one.leaves == two.leaves
    assert one.parent.tolist() == two.parent.tolist()
    assert one.loss.tolist() == two.loss.tolist()


def monotone(tree):
    return all(tree.loss[i] <= tree.loss[tree.parent[i]] for i in range(1, len(tree.labels)))


# -- files -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def csv_file(tmp_path):
    def write(content, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_csv_of_paths(csv_file):
    tree = Hierarchy.from_csv(csv_file("53715;5371*;*\n53710;5371*;*\n52100;5210*;*\n")).tree(["53715"])
    assert tree.labels == ("*", "5371*", "53715", "53710", "5210*", "52100")


def test_csv_with_ragged_depth_bom_quotes_padding_and_blank_lines(csv_file):
    content = '\ufeffItaly;Europe;*\r\n\r\n"Côte; d\'Ivoire" ;Africa ;*\r\n"a ""b""";*;\r\nUS;North;America;*\r\n;;\r\n'
    tree = Hierarchy.from_csv(csv_file(content)).tree([])
    assert set(tree.leaves) == {"Italy", "Côte; d'Ivoire", 'a "b"', "US"}
    assert chain(tree, 'a "b"') == ['a "b"', "*"]
    assert chain(tree, "US") == ["US", "North", "America", "*"]


def test_csv_cells_may_hold_line_breaks_and_are_not_split_elsewhere(csv_file):
    tree = Hierarchy.from_csv(csv_file('"two\nlines";x;*\npara\u2029graph;x;*\n')).tree([])
    assert tree.leaves == ("two\nlines", "para\u2029graph")


def test_csv_with_another_separator(csv_file):
    assert Hierarchy.from_csv(csv_file("a,x,*\nb,x,*\n"), sep=",").tree(["a"]).labels == ("*", "x", "a", "b")


@pytest.mark.parametrize(
    ("content", "sep", "message"),
    [
        ("", ";", "is empty; give one line per value"),
        ("\n \n;;\n", ";", "is empty"),
        ("a,x,*\nb,x,*\n", ";", "has one level only; is ';' its separator"),
        ("a;x;*\na;y;*\n", ";", "names the value 'a' twice; keep one line"),
        ("a;x;*\n", ";;", "cannot be split at ';;'"),
        ("é;x;*\n".encode("latin-1"), ";", "is not UTF-8"),
        ("a;o;x;*\nb;o;y;*\n", ";", "puts 'o' below both 'x' and 'y'"),
    ],
)
def test_bad_files_are_named_and_explained(csv_file, content, sep, message):
    path = csv_file(content)
    with pytest.raises(SchemaError, match=message) as caught:
        Hierarchy.from_csv(path, sep=sep)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SchemaError, match="does not exist"):
        Hierarchy.from_csv(tmp_path / "none.csv")
    with pytest.raises(SchemaError, match="cannot be read"):
        Hierarchy.from_csv(tmp_path)


@pytest.mark.data
def test_the_arx_files_of_adult(data_folder):
    folder = data_folder / "relational" / "adult_hierarchies"
    shapes = {}
    for path in sorted(folder.glob("adult_hierarchy_*.csv")):
        hierarchy = Hierarchy.from_csv(path)
        tree = hierarchy.tree([])
        lines = [line.split(";") for line in path.read_text().splitlines() if line]
        for line in lines:
            assert chain(tree, line[0]) == line
        assert tree.labels[0] == "*"
        assert monotone(tree)
        assert_same(tree, again(hierarchy).tree([]))
        shapes[path.stem.removeprefix("adult_hierarchy_")] = (tree.n_leaves, tree.height)
    assert shapes == {
        "age": (100, 4), "education": (16, 3), "marital-status": (7, 2), "native-country": (41, 2),
        "occupation": (14, 2), "race": (5, 1), "salary-class": (2, 1), "sex": (2, 1), "workclass": (8, 2),
    }  # fmt: skip


# -- paths -----------------------------------------------------------------------------------------------------------
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


@pytest.mark.parametrize(
    "make",
    [lambda: Hierarchy.flat("abc"), lambda: Hierarchy.from_paths(["abc"]), lambda: Hierarchy.from_paths("abc")],
)
def test_text_is_no_list(make):
    with pytest.raises(SchemaError, match="takes lists, got the text 'abc'"):
        make()


@pytest.mark.parametrize("make", [lambda: Hierarchy.flat([]), lambda: Hierarchy.from_paths([]), lambda: Paths(())])
def test_an_empty_hierarchy_is_refused(make):
    with pytest.raises(SchemaError, match="at least one value"):
        make()


# -- intervals -------------------------------------------------------------------------------------------------------
def test_intervals_by_widths():
    tree = Hierarchy.intervals([5, 10], low=0, high=25).tree([0, 3, 4.5, 7, 24])
    assert chain(tree, 3) == ["3", "[0, 5)", "[0, 10)", "*"]
    assert chain(tree, 24) == ["24", "[20, 25)", "[20, 30)", "*"]
    assert tree.leaves == ("0", "3", "4.5", "7", "24")
    costs = dict(zip(tree.labels, tree.loss.tolist(), strict=True))
    assert costs["[0, 5)"] == pytest.approx(5 / 30)
    assert costs["[0, 10)"] == pytest.approx(10 / 30)
    assert costs["[20, 25)"] == 0  # one value only
    assert costs["*"] == 1


@pytest.mark.parametrize(("value", "label"), [(17, "[0, 18)"), (18, "[18, 30)"), (29.999, "[18, 30)"), (0, "[0, 18)")])
def test_intervals_by_breaks_are_half_open(value, label):
    hierarchy = Hierarchy.intervals(breaks=[[0, 18, 30, 45, 65, 120], [0, 18, 65, 120]])
    assert chain(hierarchy.tree([value]), value)[1] == label


def test_one_level_of_breaks_and_numpy_breaks():
    assert Hierarchy.intervals(breaks=[0, 10, 20]) == Hierarchy.intervals(breaks=[[0, 10, 20]])
    assert Hierarchy.intervals(breaks=np.array([0, 10, 20])) == Hierarchy.intervals(breaks=[0, 10, 20])
    assert Hierarchy.intervals(np.array([5]), low=np.int64(0), high=np.int64(10)).to_dict()["breaks"] == [[0, 5, 10]]


def test_an_interval_that_does_not_change_from_level_to_level_is_one_node():
    tree = Hierarchy.intervals(breaks=[[0, 5, 10, 20], [0, 10, 20]]).tree([1, 12])
    assert chain(tree, 12) == ["12", "[10, 20)", "*"]


def test_decimal_widths_nest_as_they_are_written():
    tree = Hierarchy.intervals([0.1, 0.3, 0.9], low=0, high=1.8).tree([0.3, 0.75])
    assert chain(tree, 0.3) == ["0.3", "[0.3, 0.4)", "[0.3, 0.6)", "[0, 0.9)", "*"]
    assert chain(tree, 0.75) == ["0.75", "[0.7, 0.8)", "[0.6, 0.9)", "[0, 0.9)", "*"]


def test_intervals_of_dates():
    day = dt.date
    hierarchy = Hierarchy.intervals([7, 28], low="2024-01-01", high=day(2024, 2, 26))
    tree = hierarchy.tree([day(2024, 1, 9), dt.datetime(2024, 1, 20, 13, 30)])
    assert chain(tree, day(2024, 1, 9)) == ["2024-01-09", "[2024-01-08, 2024-01-15)", "[2024-01-01, 2024-01-29)", "*"]
    assert chain(tree, dt.datetime(2024, 1, 20, 13, 30))[0] == "2024-01-20 13:30:00"
    assert_same(tree, again(hierarchy).tree([day(2024, 1, 9), dt.datetime(2024, 1, 20, 13, 30)]))


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
    assert monotone(tree)
    assert tree.leaves == tuple(str(value) for value in sorted(values))
    for value in values:
        a, b = next((a, b) for a, b in itertools.pairwise(edges) if a <= value < b)
        c, d = next((c, d) for c, d in itertools.pairwise(coarse) if c <= value < d)
        labels = [str(value), f"[{a}, {b})", *([f"[{c}, {d})"] if (a, b) != (c, d) else []), "*"]
        assert chain(tree, value) == labels


# -- prefixes --------------------------------------------------------------------------------------------------------
def test_prefixes():
    tree = Hierarchy.prefixes(5).tree(["53715", "53710", "02138"])
    assert tree.leaves == ("02138", "53710", "53715")
    assert chain(tree, "53715") == ["53715", "5371*", "537**", "53***", "5****", "*"]
    kept = Hierarchy.prefixes(5, keep=[3]).tree(["53715"])
    assert chain(kept, "53715") == ["53715", "537**", "*"]


def test_codes_read_as_numbers_get_their_leading_zeros_back():
    tree = Hierarchy.prefixes(5, keep=[3]).tree([2138, 2139.0, 53715])
    assert chain(tree, 2138) == ["2138", "021**", "*"]
    assert chain(tree, 2139.0) == ["2139", "021**", "*"]
    assert tree.leaves == ("2138", "2139", "53715")


def test_shorter_codes_keep_what_they_have():
    tree = Hierarchy.prefixes(4).tree(["A1", "A12", "B"])
    assert chain(tree, "A1") == ["A1", "A*", "*"]
    assert chain(tree, "A12") == ["A12", "A1*", "A**", "*"]
    assert chain(tree, "B") == ["B", "*"]


def test_codes_that_are_already_cut():
    tree = Hierarchy.prefixes(5).tree(["53715", "5371*", "537**"])
    assert chain(tree, "5371*")[:3] == ["5371*", "5371*", "537**"]
    assert chain(tree, "537**")[:3] == ["537**", "537**", "53***"]


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


# -- calendar --------------------------------------------------------------------------------------------------------
def test_calendar_parts():
    date = dt.date(2024, 5, 17)
    every = Hierarchy.calendar(["day", "month", "quarter", "year", "decade", "century"]).tree([date])
    assert chain(every, date) == ["2024-05-17", "2024-05", "2024-Q2", "2024", "2020s", "2000-2099", "*"]
    assert chain(Hierarchy.calendar().tree([date]), date) == ["2024-05-17", "2024-05", "2024-Q2", "2024", "2020s", "*"]


@pytest.mark.parametrize(
    ("date", "week"),
    [(dt.date(2024, 12, 30), "2025-W01"), (dt.date(2021, 1, 3), "2020-W53"), (dt.date(2024, 5, 17), "2024-W20")],
)
def test_weeks_are_iso_weeks(date, week):
    assert chain(Hierarchy.calendar(["week"]).tree([date]), date)[1] == week


@pytest.mark.parametrize(("month", "quarter"), [(1, 1), (3, 1), (4, 2), (9, 3), (10, 4), (12, 4)])
def test_quarters(month, quarter):
    date = dt.date(1999, month, 1)
    assert chain(Hierarchy.calendar(["quarter"]).tree([date]), date)[1] == f"1999-Q{quarter}"


def test_times_lie_in_their_day_midnight_too():
    midnight, noon = dt.datetime(2024, 5, 17), dt.datetime(2024, 5, 17, 12)
    tree = Hierarchy.calendar(["day", "month"]).tree([noon, midnight])
    assert chain(tree, midnight) == ["2024-05-17", "2024-05-17", "2024-05", "*"]
    assert chain(tree, noon) == ["2024-05-17 12:00:00", "2024-05-17", "2024-05", "*"]


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


# -- automatic -------------------------------------------------------------------------------------------------------
def rows_below(tree, counts, node):
    return sum(counts.get(leaf, 0) for leaf in tree.leaves[tree.first[node] : tree.last[node] + 1])


def assert_balanced(tree, values):
    """Of every pair of siblings, no cut between their values would share the rows more evenly."""
    counts = {}
    for value in values:
        counts[text(value)] = counts.get(text(value), 0) + 1
    for node in range(len(tree.labels)):
        children = tree.children(node)
        assert len(children) <= 2 or all(tree.first[c] == tree.last[c] for c in children)
        if len(children) != 2:
            continue
        sizes = [counts[leaf] for leaf in tree.leaves[tree.first[node] : tree.last[node] + 1]]
        apart = abs(rows_below(tree, counts, children[0]) - rows_below(tree, counts, children[1]))
        assert apart == min(abs(sum(sizes[:i]) - sum(sizes[i:])) for i in range(1, len(sizes)))


skewed = st.lists(st.integers(0, 40) | st.just(7), min_size=1, max_size=80)


@given(skewed)
def test_automatic_for_numbers_is_balanced(values):
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(sorted(set(values)))
    assert_balanced(tree, values)
    assert monotone(tree)
    assert isinstance(hierarchy, Intervals if len(set(values)) > 1 else Paths)
    assert_same(tree, again(hierarchy).tree(sorted(set(values))))


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([0.0, -0.5]), min_size=1, max_size=60))
def test_automatic_for_floats_holds_every_value(values):
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_same(tree, again(hierarchy).tree(values))
    assert tree.height <= 7


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=60))
def test_automatic_for_dates_is_balanced(values):
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_balanced(tree, values)
    assert_same(tree, again(hierarchy).tree(values))


@given(st.lists(st.text("abcdefgh, {}\"'", min_size=1, max_size=5), min_size=1, max_size=40))
def test_automatic_for_categories_is_balanced(values):
    values = [f" {value}" for value in values]  # never a code
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_balanced(tree, values)
    assert tree.leaves == tuple(sorted(set(values)))
    assert len(set(tree.labels)) == len(tree.labels)
    assert_same(tree, again(hierarchy).tree(values))


def test_automatic_for_numbers_with_huge_skew():
    values = [0] * 10_000 + list(range(1, 64))
    tree = Hierarchy.automatic(values).tree(sorted(set(values)))
    assert_balanced(tree, values)
    assert chain(tree, 0)[-2] == "[0, 1)"


def test_automatic_levels():
    tree = Hierarchy.automatic(list(range(1000))).tree(range(1000))
    assert tree.height == 6  # 5 halvings, and the values
    assert {len(tree.children(node)) for node in range(len(tree.labels)) if tree.depth[node] < 5} == {2}
    sizes = [int(tree.last[n] - tree.first[n]) + 1 for n in range(len(tree.labels)) if tree.depth[n] == 5]
    assert len(sizes) == 32
    assert max(sizes) - min(sizes) <= 1


def test_automatic_for_codes():
    assert Hierarchy.automatic(["53715", "02138", None]) == Hierarchy.prefixes(5)
    assert Hierarchy.automatic(["E11.9", "I10.0"]) == Hierarchy.prefixes(5)
    assert not isinstance(Hierarchy.automatic(["red", "tan"]), Prefixes)
    assert not isinstance(Hierarchy.automatic(["12", "13"]), Prefixes)
    assert not isinstance(Hierarchy.automatic(["53715", "538"]), Prefixes)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([5, 5, 5], ("*", "5")),
        ([1, 2], ("*", "[1, 2)", "1", "[2, 3)", "2")),
        (["x", "x"], ("*", "x")),
        (["x", "y"], ("*", "x", "y")),
        ([True, False], ("*", "false", "true")),
        ([dt.date(2024, 1, 1)], ("*", "2024-01-01")),
        (["a", "b", "b", "c"], ("*", "a", "{b, c}", "b", "c")),
        (["a", "b, c", "d", "d", "d"], ("*", '{a, "b, c"}', "a", "b, c", "d")),
    ],
)
def test_automatic_for_few_values(values, labels):
    assert Hierarchy.automatic(values).tree(sorted(set(values))).labels == labels


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("count", [1, 2, 3]),
        pl.Series("count", ["a", "b", "c"]),
        pl.Series("x", [Decimal("1.50"), Decimal(2)]),
        pl.Series("x", [dt.time(1), dt.time(2)]),
        pl.Series("x", ["a", "b"], dtype=pl.Categorical),
        pl.Series("x", ["b", "a"], dtype=pl.Enum(["b", "a"])),
        pl.Series("x", [1.5, float("nan"), None]),
        pl.Series("x", [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 5)]),
        pl.Series("x", [dt.datetime(2024, 1, 1), dt.datetime(2024, 7, 1)]).dt.replace_time_zone("Europe/Rome"),
        np.array([1.0, 2.0, 2.5]),
    ],
    ids=str,
)
def test_automatic_for_every_type(column):
    hierarchy = Hierarchy.automatic(column)
    values = [v for v in (column.to_list() if isinstance(column, pl.Series) else column) if v is not None and v == v]
    shown = [str(v) if isinstance(v, (dt.time, str)) else v for v in values]
    assert_same(hierarchy.tree(shown), again(hierarchy).tree(shown))


def test_automatic_where_clocks_go_back():
    """02:30 comes twice; the hierarchy follows the moments, not the clock."""
    column = pl.Series("t", [dt.datetime(2024, 10, 27, 0, 30), dt.datetime(2024, 10, 27, 1, 10)])
    column = column.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Rome")
    values = column.to_list()
    assert as_number(values[0]) < as_number(values[1])
    assert len(Hierarchy.automatic(column).tree(values).leaves) == 2


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([], "no value to fit"),
        ([None, None], "no value to fit"),
        ([float("nan")], "no value to fit"),
        ([1.0, float("inf")], "infinite values"),
        (pl.Series("t", [dt.timedelta(1)]), "column 't' holds Duration"),
    ],
)
def test_automatic_refuses(column, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.automatic(column)


# -- plain data ------------------------------------------------------------------------------------------------------
DAYS = [dt.date(2024, 1, 1), dt.date(2024, 2, 29), dt.date(2025, 12, 31)]


@pytest.mark.parametrize(
    ("hierarchy", "values"),
    [
        (Hierarchy.from_paths([("a", "x", "*"), ("b", "*")]), ["a", "b"]),
        (Hierarchy.flat(["a", 'q"uote', "ünï"]), ["a"]),
        (Hierarchy.intervals([5, 10], low=0, high=100), [1, 7, 99]),
        (Hierarchy.intervals([0.1, 0.3], low=-1, high=1), [-0.95, 0.2]),
        (Hierarchy.intervals(breaks=[[0, 18, 65], [0, 65]]), [17, 18]),
        (Hierarchy.intervals([31], low=dt.date(2024, 1, 1), high=dt.date(2026, 1, 1)), DAYS),
        (Hierarchy.intervals(breaks=[dt.datetime(2024, 1, 1), dt.datetime(2026, 1, 1, 12, 30)]), DAYS),
        (Hierarchy.prefixes(5), ["53715", "02138"]),
        (Hierarchy.prefixes(5, keep=[3, 1]), ["53715", "02138"]),
        (Hierarchy.calendar(), DAYS),
        (Hierarchy.calendar(["week"]), DAYS),
    ],
)
def test_the_published_rule_gives_the_same_tree(hierarchy, values):
    assert again(hierarchy) == hierarchy
    assert_same(hierarchy.tree(values), again(hierarchy).tree(values))
    assert again(hierarchy).describe() == hierarchy.describe()


@pytest.mark.parametrize(
    ("given_dict", "message"),
    [
        ({"type": "zigzag"}, "must be one of csv, paths, .* got 'zigzag'"),
        ({}, "got None"),
        ({"type": "paths"}, "type 'paths': .*missing"),
        ({"type": "paths", "paths": 5}, "type 'paths'"),
        ({"type": "flat"}, "type 'flat': .*values"),
        ({"type": "intervals", "width": [5]}, "type 'intervals': .*width"),
        ({"type": "intervals", "breaks": 5}, "type 'intervals'"),
        ({"type": "prefixes", "length": 5, "keep": 3}, "type 'prefixes'"),
        ({"type": "calendar", "parts": "month"}, "calendar parts are"),
        ({"type": "csv"}, "type 'csv': .*path"),
    ],
)
def test_bad_plain_data_are_refused(given_dict, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.from_dict(given_dict)


def test_describe_over_values_and_over_the_rule():
    assert Hierarchy.prefixes(3, keep=[1]).describe(["537", "021", "538"]) == (
        "*  (3 values)\n├─ 0**  (1 value)\n│  └─ 021\n└─ 5**  (2 values)\n   ├─ 537\n   └─ 538"
    )
    assert Hierarchy.prefixes(2).describe() == "*  (2 values)\n└─ 1*  (2 values)\n   ├─ 12\n   └─ 19"
    assert Hierarchy.intervals(breaks=[0, 5, 9]).describe() == (
        "*  (2 values)\n├─ [0, 5)  (1 value)\n│  └─ 0\n└─ [5, 9)  (1 value)\n   └─ 5"
    )
    assert "2024-Q1" in Hierarchy.calendar().describe()
    assert Hierarchy.prefixes(12).describe()
    assert Hierarchy.calendar().describe([]) == "*  (0 values)"
    assert Hierarchy.flat(range(100)).describe().splitlines()[-1] == "└─ ... 60 more values"


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 10))
@settings(max_examples=60)
def test_text_of_numbers_reads_back(number, whole):
    assert float(text(number)) == number
    assert text(float(whole)) == str(whole) == text(np.float64(whole)) == text(np.int8(whole))
