"""Levels of generalisation: nested partitions whose labels and losses are those of the hierarchy."""

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import sfumato as sf
from sfumato.data.encoding import encode, restrict_to_rows
from sfumato.ground.errors import SchemaError
from sfumato.tables.coding.levels import level_labels, levels_of
from support.arx_files import arx_lines, labels_at, n_levels
from support.naive_lattice import lattices

UNEQUAL = sf.Hierarchy.from_paths([
    ("Bonn", "Rhine", "Germany", "Europe"), ("Cologne", "Rhine", "Germany", "Europe"), ("Jena", "Germany", "Europe"),
    ("Malta", "Europe"),
])  # fmt: skip


def coded(values, **roles):
    table = sf.Table(pl.DataFrame({"c": values}), sf.Schema(quasi=["c"], **roles))
    return encode(table, ["c"])[0]


def test_a_level_cuts_the_tree_above_its_deepest_values():
    column = coded(["Bonn", "Jena", "Malta", "Cologne"], hierarchies={"c": UNEQUAL})
    shown = [dict(zip(column.values, level_labels(column, level), strict=False)) for level in range(4)]
    assert shown[0] == {"Bonn": "Bonn", "Cologne": "Cologne", "Jena": "Jena", "Malta": "Malta"}
    assert shown[1] == {"Bonn": "Rhine", "Cologne": "Rhine", "Jena": "Jena", "Malta": "Malta"}
    assert shown[2] == {"Bonn": "Germany", "Cologne": "Germany", "Jena": "Germany", "Malta": "Malta"}
    assert set(shown[3].values()) == {"Europe"}


def test_losses_are_shares_of_leaves_and_a_missing_value_is_hidden_at_the_top_alone():
    column = coded(["Bonn", "Jena", None], hierarchies={"c": UNEQUAL})
    levels = levels_of([column])
    losses = [levels.loss[at : at + 5].tolist() for at in levels.offset[0]]
    assert losses == [[0, 0, 0, 0, 0], [0, 0.5, 0.5, 0, 0], [0, 0.75, 0.75, 0.75, 0], [1, 1, 1, 1, 1]]
    assert [level_labels(column, level)[-1] for level in range(4)] == [None, None, None, "*"]
    assert level_labels(column, 3) == ["*"] * 5  # a root would say that there is a value


@pytest.mark.parametrize(("values", "roles", "shown"), [
    ([3, 1, None], {}, ["1", "3", None]), (["b", "a, c", None], {}, ["{a, c}", "b", None]),
    (["low", "high", None], {"orders": {"c": ["low", "mid", "high"]}}, ["low", "mid", "high", None]),
])  # fmt: skip
def test_without_a_hierarchy_there_are_two_levels(values, roles, shown):
    column = coded(values, **roles)
    levels = levels_of([column])
    assert levels.tops.tolist() == [1]
    assert len(level_labels(column, 0)) == len(shown)
    assert level_labels(column, 0)[-1] is None
    assert level_labels(column, 1) == ["*"] * len(shown)
    assert levels.n_parts[0].tolist() == [len(shown), 1]


@settings(max_examples=60)
@given(lattices())
def test_levels_are_nested_and_as_the_paths_say(made):
    quasi = encode(made.table, made.table.schema.quasi)
    levels = levels_of(quasi)
    assert tuple(levels.tops.tolist()) == made.tops
    assert levels.weight.sum() == pytest.approx(1)
    for c, column in enumerate(quasi):
        before = None
        for level in range(made.tops[c] + 1):
            at = levels.offset[c, level]
            part, loss = levels.part[at : at + column.n_codes + 1], levels.loss[at : at + column.n_codes + 1]
            assert part.max() + 1 == levels.n_parts[c, level]
            labels = level_labels(column, level)
            for code in np.unique(column.codes):
                value = made.frame[column.name][int(np.flatnonzero(column.codes == code)[0])]
                text, cost = made.cell(column.name, value, level)
                label = labels[code] if code >= 0 else labels[-1]
                assert label == text
                assert loss[code + 1] == pytest.approx(cost)
            if before is not None:
                assert len(set(zip(before.tolist(), part.tolist(), strict=True))) == len(set(before.tolist()))
            before = part


def test_halved_ranges_are_nested_have_equal_numbers_of_records_and_cost_their_width():
    column = coded([0, 0, 0, 0, 1, 2, 3, 8])
    levels = levels_of([column], halved=True)
    parts = [levels.part[at + 1 : at + 6].tolist() for at in levels.offset[0]]
    losses = [levels.loss[at + 1 : at + 6].tolist() for at in levels.offset[0]]
    assert len(set(parts[0])) == 5
    assert losses[0] == [0] * 5
    assert parts[1][0] != parts[1][1]
    assert parts[2] == [1, 2, 2, 2, 2]  # half of the records are 0
    assert losses[2] == [0, 0.875, 0.875, 0.875, 0.875]
    assert losses[-1] == [1] * 5
    for fine, coarse in itertools.pairwise(parts):
        assert len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def test_numbers_that_no_row_has_are_no_values_of_these_rows():
    column = coded([5, None, 9, 7])
    part = restrict_to_rows(column, np.array([2, 1, 0]))
    assert part.values.to_list() == [5, 9]
    assert part.codes.tolist() == [1, -1, 0]
    assert part.position.tolist() == [0, 1]
    ordinal = coded(["low", "high"], orders={"c": ["low", "mid", "high"]})
    assert restrict_to_rows(ordinal, np.array([1])).values.to_list() == ["low", "mid", "high"]


@settings(max_examples=80)
@given(arx_lines())
def test_level_j_of_an_arx_file_is_its_column_j(lines):
    column = coded([line[0] for line in lines], hierarchies={"c": sf.Hierarchy.from_paths(lines)})
    levels = levels_of([column])
    assert levels.tops.tolist() == [n_levels(lines) - 1]
    for level in range(n_levels(lines)):
        shown = dict(zip(column.values, level_labels(column, level), strict=False))
        wanted = labels_at(lines, level)
        assert shown == wanted
        at = levels.offset[0, level] + 1
        parts = dict(zip(column.values, levels.part[at : at + len(lines)].tolist(), strict=True))
        for a, b in itertools.combinations(shown, 2):
            assert (parts[a] == parts[b]) == (wanted[a] == wanted[b])


def test_a_line_that_stays_at_a_label_shows_it_from_its_column_on(tmp_path):
    (tmp_path / "h.csv").write_text("u;unknown;unknown;*\nx;*;*;*\na;ab;abc;*\nb;ab;abc;*\nc;c;abc;*\n")
    column = coded(list("uxabc"), hierarchies={"c": sf.Hierarchy.from_csv(tmp_path / "h.csv")})
    shown = [dict(zip(column.values, level_labels(column, level), strict=False)) for level in range(4)]
    assert shown[1] == {"u": "unknown", "x": "*", "a": "ab", "b": "ab", "c": "c"}
    assert shown[2] == {"u": "unknown", "x": "*", "a": "abc", "b": "abc", "c": "abc"}
    assert set(shown[3].values()) == {"*"}
    losses = dict(zip(column.values, levels_of([column]).loss[7:12].tolist(), strict=True))
    assert losses == {"u": 0.0, "x": 1.0, "a": 0.4, "b": 0.4, "c": 0.0}


def test_lines_of_unequal_length_are_aligned_at_the_root():
    paths = [("y", "y", "*"), ("z", "y", "y", "*"), ("v", "*")]
    column = coded(list("yzv"), hierarchies={"c": sf.Hierarchy.from_paths(paths)})
    shown = [dict(zip(column.values, level_labels(column, level), strict=False)) for level in range(4)]
    assert shown[1:3] == [{"y": "y", "z": "y", "v": "v"}, {"y": "y", "z": "y", "v": "v"}]
    assert levels_of([column]).n_parts.tolist() == [[4, 3, 3, 1]]


def test_intervals_that_two_levels_share_are_shown_at_both():
    ages = sf.Hierarchy.intervals(breaks=[[0, 18, 30, 65], [0, 18, 65]])
    column = coded([4, 18, 44], hierarchies={"c": ages})
    assert level_labels(column, 1)[:-1] == ["[0, 18)", "[18, 30)", "[30, 65)"]
    assert level_labels(column, 2)[:-1] == ["[0, 18)", "[18, 65)", "[18, 65)"]


def test_lines_that_agree_at_a_level_and_part_above_it_are_refused_where_levels_are_shown():
    apart = sf.Hierarchy.from_paths([("x", "A", "A", "*"), ("y", "A", "*", "*"), ("z", "B", "B", "*")])
    column = coded(list("xyz"), hierarchies={"c": apart})
    said = "column 'c': the hierarchy shows 'x' and 'y' both as 'A' at level 1, and as 'A' and '\\*' at level 2; give"
    with pytest.raises(SchemaError, match=said):
        levels_of([column])
    assert levels_of([column], halved=True).tops.tolist() == [2]
    assert level_labels(column, 0) == ["x", "y", "z", None]
