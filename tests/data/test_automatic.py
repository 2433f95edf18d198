"""Hierarchies fitted to a column: balanced, for every type, and published as a rule."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Intervals, Paths, Prefixes
from sfumato.data.values import as_number, text
from sfumato.ground.errors import SchemaError
from support.hierarchy_trees import assert_same_tree, is_monotone, labels_up, read_again


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
    assert is_monotone(tree)
    assert isinstance(hierarchy, Intervals if len(set(values)) > 1 else Paths)
    assert_same_tree(tree, read_again(hierarchy).tree(sorted(set(values))))


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False) | st.sampled_from([0.0, -0.5]), min_size=1, max_size=60))
def test_automatic_for_floats_holds_every_value(values):
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_same_tree(tree, read_again(hierarchy).tree(values))
    assert tree.height <= 7


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=60))
def test_automatic_for_dates_is_balanced(values):
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_balanced(tree, values)
    assert_same_tree(tree, read_again(hierarchy).tree(values))


@given(st.lists(st.text("abcdefgh, {}\"'", min_size=1, max_size=5), min_size=1, max_size=40))
def test_automatic_for_categories_is_balanced(values):
    values = [f" {value}" for value in values]  # never a code
    hierarchy = Hierarchy.automatic(values)
    tree = hierarchy.tree(values)
    assert_balanced(tree, values)
    assert tree.leaves == tuple(sorted(set(values)))
    assert len(set(tree.labels)) == len(tree.labels)
    assert_same_tree(tree, read_again(hierarchy).tree(values))


def test_automatic_for_numbers_with_huge_skew():
    values = [0] * 10_000 + list(range(1, 64))
    tree = Hierarchy.automatic(values).tree(sorted(set(values)))
    assert_balanced(tree, values)
    assert labels_up(tree, 0)[-2] == "[0, 1)"


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
    assert_same_tree(hierarchy.tree(shown), read_again(hierarchy).tree(shown))


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


def test_no_date_loses_its_year_first():
    written = [f"{1 + i % 28:02}.{1 + i % 12:02}.{1950 + i}" for i in range(60)]
    assert not isinstance(Hierarchy.automatic(written), Prefixes)
    assert isinstance(Hierarchy.automatic([f"{each[6:]}-{each[3:5]}-{each[:2]}" for each in written]), Prefixes)
