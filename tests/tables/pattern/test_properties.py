"""Every family of properties: what it extracts equals what a loop over the values says, and holds in the original."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.tables.pattern.blocks import Blocks
from sfumato.tables.pattern.poi import PoI
from sfumato.tables.pattern.properties import Between, Localities, Means, Order, Ratios, Sums, property_from_dict
from support.pattern_properties import AGES, COSTS, assert_interval, cells_of, extract_rows, small_view
from support.pattern_tables import dense, hold, publish, setting_of, table_of


@pytest.mark.parametrize(
    "property",
    [Sums(), Means(), PoI("sum(cost) within 1%"), Blocks(5, keep=("mean",)), Ratios("cost", "age")],
    ids=repr,
)
def test_bounds_do_not_tell_the_value_they_hold(property):
    """The value lies anywhere in its interval: rows are published."""
    places = []
    for seed in range(300):
        setting = setting_of({"cost": COSTS, "age": AGES}, seed=seed)
        rows = property.extract(setting).rows
        if isinstance(property, Ratios):
            matrix, ratio = dense(rows, 10), sum(COSTS) / sum(AGES)
            high, low = -matrix[0, 5] / matrix[0, 0], -matrix[1, 5] / matrix[1, 0]
            places.append((ratio - low) / (high - low))
        else:
            value = dense(rows, 10)[0] @ cells_of(setting)
            places.append((value + rows.bound[1]) / (rows.bound[0] + rows.bound[1]))
    assert kstest(places, "uniform").pvalue > 1e-4


def test_the_length_of_an_interval_does_not_tell_the_value():
    """A share of what it is, and the share is in the name: the length must not be that share of the value."""
    setting = setting_of({"cost": COSTS, "age": AGES})
    cells = cells_of(setting)
    for property in (Sums(within=0.1), Means(within=0.1), PoI("sum(cost) within 10%")):
        rows = property.extract(setting).rows
        for r in range(0, rows.n, 2):
            value = dense(rows, 10)[r] @ cells
            assert (rows.bound[r] + rows.bound[r + 1]) / 0.1 != pytest.approx(value, rel=1e-6)
    matrix = dense(Ratios("cost", "age", within=0.1).extract(setting).rows, 10)
    high, low = -matrix[0, 5] / matrix[0, 0], -matrix[1, 5] / matrix[1, 0]
    assert (high - low) / 0.1 != pytest.approx(sum(COSTS) / sum(AGES), rel=1e-6)


@pytest.mark.parametrize(
    ("property", "message"),
    [
        (PoI("age[5] <= 3"), "there is no row 5, the last is 4"),
        (PoI("weight[0] <= 3"), "no column is called 'weight'"),
        (PoI("agee[0] <= 3"), "age"),
        (PoI("g[0] <= 3"), "column 'g' is not substituted"),
        (PoI("mean(age[g = 'z']) <= 3"), "picks no row"),
        (PoI("mean(age[g >< 'z']) <= 3"), "cannot be read"),
        (PoI("mean(age[nothing = 1]) <= 3"), "cannot be read"),
        (PoI("mean(age[cost]) <= 3"), "is no condition"),
        (PoI("mean(age[age + 1]) <= 3"), "is no condition"),
        (PoI(coefficients={"age": [1, 2]}), "are 2, the table has 5 rows"),
        (PoI(coefficients={"weight": [1] * 5}), "no column is called 'weight'"),
        (Order(columns=("weight",)), "no column is called 'weight'"),
        (Sums(by="h"), "no column is called 'h'"),
        (Between(by="h"), "no column is called 'h'"),
        (Ratios("age", "g"), "column 'g' is not substituted"),
    ],
)
def test_what_the_table_lacks_is_named(property, message):
    with pytest.raises(ParameterError, match=r".") as error:
        property.extract(small_view())
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PoI(), "takes either a text"),
        (lambda: PoI("a[0] <= 1", {"a": [1]}), "takes either a text"),
        (lambda: PoI("a[0] <"), "property 'a[0] <'"),
        (lambda: PoI(coefficients={"a": [1]}, relation="<"), "relation must be <=, >= or =="),
        (lambda: Localities(share=0), "share must be above 0"),
        (lambda: Localities(share=1.5), "share must be above 0"),
        (lambda: Localities(share=True), "share must be above 0"),
        (lambda: Sums(within=-0.1), "within must be 0 or more"),
        (lambda: Means(within=float("nan")), "within must be 0 or more"),
        (lambda: Ratios("a", "b", within=True), "within must be 0 or more"),
        (lambda: Blocks(1), "k must be a whole number >= 2"),
        (lambda: Blocks(True), "k must be a whole number >= 2"),
        (lambda: Blocks(3, keep=()), "keep must name some of range, mean"),
        (lambda: Blocks(3, keep=("median",)), "keep must name some of range, mean"),
        (lambda: Blocks(3, within=2), "within must lie between 0 and 1"),
    ],
)
def test_wrong_parameters_are_told_at_once(make, message):
    with pytest.raises(ParameterError, match=r".") as error:
        make()
    assert message in str(error.value)


# -- order and localities ----------------------------------------------------------------------------------
def test_order_links_neighbours_and_ties():
    setting = small_view()
    matrix, bound, found = extract_rows(Order(columns=("age",)), setting)
    steps = {tuple(row) for row in matrix[:, :5].tolist()}
    assert len(steps) == len(matrix) == 3
    assert not bound.any()
    assert not matrix[:, 5:].any()
    assert [sorted(tie.tolist()) for tie in found.ties] == [[1, 3]]
    assert (0, 0, 1, 0, 0) in {tuple(np.maximum(row, 0)) for row in steps}  # 25 is below 30


@settings(max_examples=60)
@given(
    st.lists(st.none() | st.integers(0, 8), min_size=2, max_size=10).filter(lambda v: any(x is not None for x in v)),
    st.integers(1, 3),
)
def test_order_holds_exactly_where_the_order_is_the_same(values, n_parts):
    """Within partitions: other values keep all rows and ties exactly if they have the same order."""
    partition = np.arange(len(values)) % n_parts
    setting = setting_of({"x": pl.Series(values, dtype=pl.Int64)}, partition=partition)
    _, _, found = extract_rows(Order(), setting)
    stream = np.random.default_rng(len(values))
    original = setting.numbers[0]
    for other in (original**2, -original, stream.integers(0, 9, len(values)).astype(float), original + 3):
        other = np.where(np.isnan(original), np.nan, other)
        pairs = [
            (i, j)
            for i, j in itertools.permutations(range(len(values)), 2)
            if partition[i] == partition[j] and values[i] is not None and values[j] is not None
        ]
        same = all(
            (other[i] <= other[j] if original[i] < original[j] else True)
            and (other[i] == other[j] if original[i] == original[j] else True)
            for i, j in pairs
        )
        kept = hold(found.rows, np.nan_to_num(other)) and all(len(set(other[tie])) == 1 for tie in found.ties)
        assert kept == same


def test_a_share_of_localities_is_a_random_part_of_all():
    values = [float(x) for x in (np.random.default_rng(5).uniform(size=30) * 100).round(3)]
    everything = Localities().extract(setting_of({"x": values})).rows
    near = {
        tuple(row) for row in dense(everything, 30).tolist() if np.abs(row).sum() == 4
    }  # fmt: skip
    chosen = []
    for seed in (1, 2, 1):
        part = Localities(share=0.3).extract(setting_of({"x": values}, seed=seed)).rows
        kept = {tuple(row) for row in dense(part, 30).tolist() if np.abs(row).sum() == 4}
        assert kept <= near
        assert len(kept) == round(0.3 * len(near))
        chosen.append(kept)
    assert chosen[0] == chosen[2] != chosen[1]


def test_localities_stay_within_partitions():
    setting = setting_of({"x": [1, 2, 4, 8, 16, 32]}, partition=[0, 1, 0, 1, 0, 1])
    matrix, _, found = extract_rows(Localities(), setting)
    for row in matrix:
        assert len({c % 2 for c in np.flatnonzero(row)}) == 1
    assert found.ties == ()


# -- sums, means, ratios -----------------------------------------------------------------------------------
def by_group(setting, column, by):
    """The known rows of every group, by a loop."""
    groups = {}
    for r in range(setting.n_rows):
        value = setting.table.frame[column][r]
        if value is not None:
            groups.setdefault(setting.table.frame[by][r] if by else "", []).append(r)
    return groups


columns_of_numbers = st.lists(st.none() | st.integers(-9, 9).map(float), min_size=3, max_size=8)


@settings(max_examples=80)
@given(columns_of_numbers, st.booleans(), st.sampled_from([0.0, 0.01, 0.5]), st.data())
def test_sums_and_means_by_group(values, grouped, within, data):
    if all(value is None for value in values):
        return
    groups = data.draw(st.lists(st.sampled_from(["a", "b", None]), min_size=len(values), max_size=len(values)))
    setting = setting_of({"x": pl.Series(values, dtype=pl.Float64), "g": pl.Series(groups, dtype=pl.String)})
    members = by_group(setting, "x", "g" if grouped else None)
    for family, word in ((Sums, "sum"), (Means, "mean")):
        matrix, bound, found = extract_rows(family(by="g" if grouped else None, within=within), setting)
        assert len(found.names) == len(members)
        expected = []
        for rows in members.values():
            weight = 1.0 if word == "sum" else 1.0 / len(rows)
            total = sum(values[r] for r in rows)
            scale = abs(total) or sum(abs(values[r]) for r in rows)
            coefficients = [weight if r in rows else 0.0 for r in range(len(values))]
            margin = weight * within * scale
            expected.append((coefficients, weight * total, margin))
        for coefficients, value, margin in expected:
            here = np.flatnonzero([np.allclose(row, coefficients) for row in matrix])
            assert len(here) == 1
            if margin == 0.0:
                assert bound[here[0]] == pytest.approx(value)
                assert found.rows.equal[here[0]]
            else:
                assert matrix[here[0] + 1] == pytest.approx(-np.array(coefficients))
                assert_interval(bound[here[0] : here[0] + 2], value, margin)
        assert len(matrix) == sum(1 if margin == 0.0 else 2 for *_, margin in expected)
        assert all(name.startswith(f"{word}(x") for name in found.names)


def test_names_say_the_group_and_the_margin():
    _, _, found = extract_rows(Means(by="g", within=0.05, columns=("age",)), small_view())
    assert found.names == (
        "mean(age[g = 'a']) within 5%", "mean(age[g = 'b']) within 5%", "mean(age[g = None]) within 5%",
    )  # fmt: skip
    _, _, found = extract_rows(Sums(columns="cost"), small_view())
    assert found.names == ("sum(cost) within 1%",)


@pytest.mark.parametrize("name", ["row", "rows", "picked", "index"])
def test_groups_may_be_named_anything(name):
    setting = setting_of({"x": [1, 2, 3, 4], name: ["a", "b", "a", "b"]}, quasi=["x"])
    matrix, _, _ = extract_rows(Sums(by=name), setting)
    assert np.abs(matrix[::2]).tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]
    matrix, _, _ = extract_rows(PoI(f"sum(x[{name} = 'a']) <= 9"), setting)
    assert matrix.tolist() == [[1, 0, 1, 0]]


@pytest.mark.parametrize("groups", [[1, 2, 1, None], [True, False, True, None], [0.5, 1.5, 0.5, None],
                                    [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 1, 1), None]])  # fmt: skip
def test_groups_may_be_of_any_type(groups):
    setting = setting_of({"x": [1, 2, 3, 4], "g": groups}, quasi=["x"])
    matrix, _, found = extract_rows(Sums(by="g"), setting)
    assert sorted(np.abs(matrix[::2]).tolist()) == [[0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 1, 0]]
    assert len(found.names) == 3


@settings(max_examples=100)
@given(columns_of_numbers, st.sampled_from([0.0, 0.01, 0.3]), st.data())
def test_ratios_hold_exactly_within_their_margin(tops, within, data):
    """Other values keep the rows exactly if the ratio stays within its share, and the lower sum keeps its sign."""
    n = len(tops)
    bottoms = data.draw(st.lists(st.none() | st.integers(-5, 9).map(float), min_size=n, max_size=n))
    known = [r for r in range(n) if tops[r] is not None and bottoms[r] is not None]
    if not known:
        return
    setting = setting_of({"a": pl.Series(tops, dtype=pl.Float64), "b": pl.Series(bottoms, dtype=pl.Float64)})
    above, below = sum(tops[r] for r in known), sum(bottoms[r] for r in known)
    if below == 0:
        with pytest.raises(ParameterError, match="the sum of 'b' is 0"):
            Ratios("a", "b", within=within).extract(setting)
        return
    matrix, _, found = extract_rows(Ratios("a", "b", within=within), setting)
    assert found.names == (f"ratio of a to b within {100 * within:g}%",)
    ratio = above / below
    low = high = ratio
    if within > 0:
        high, low = (-matrix[side, n + known[0]] / matrix[side, known[0]] for side in (0, 1))
        assert within * abs(ratio) / 2 <= high - low <= within * abs(ratio) * (1 + 1e-9)
    assert low - 1e-9 <= ratio <= high + 1e-9
    stream = np.random.default_rng(n)
    for _ in range(12):
        cells = cells_of(setting)
        cells[known] += stream.integers(-2, 3, len(known)) * 0.5
        cells[np.array(known) + n] += stream.integers(-2, 3, len(known)) * 0.5
        top, bottom = cells[known].sum(), cells[np.array(known) + n].sum()
        if bottom == 0 or (within == 0.0 and bottom * below < 0):
            continue
        off = max(top / bottom - high, low - top / bottom)
        if abs(off) < 1e-9 and within > 0:
            continue
        assert hold(found.rows, cells, 1e-9) == (off <= 1e-9 and bottom * below > 0)


def test_ratios_by_group():
    setting = small_view()
    matrix, _, found = extract_rows(Ratios("cost", "age", by="g", within=0.1), setting)
    assert len(found.names) == 3
    assert found.names[0] == "ratio of cost[g = 'a'] to age[g = 'a'] within 10%"
    first = matrix[found.rows.source == 0]
    assert (first[0, 5:] == [1, 0, 1, 0, 0]).all()
    assert (first[1, 5:] == [-1, 0, -1, 0, 0]).all()
    high, low = -first[0, 0], first[1, 0]
    assert (first[:2, :5] == np.outer([-high, low], [1, 0, 1, 0, 0])).all()
    ratio = (3.5 + 8.0) / (30 + 25)
    assert low <= ratio <= high
    assert 0.05 * ratio <= high - low <= 0.1 * ratio * (1 + 1e-9)


# -- between groups ----------------------------------------------------------------------------------------
@settings(max_examples=60)
@given(st.data())
def test_between_keeps_order_and_nearness_of_means(data):
    n = data.draw(st.integers(3, 10))
    values = data.draw(st.lists(st.none() | st.integers(0, 12), min_size=n, max_size=n))
    groups = data.draw(st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=n, max_size=n))
    if all(value is None for value in values):
        return
    setting = setting_of({"x": pl.Series(values, dtype=pl.Int64), "g": pl.Series(groups, dtype=pl.String)})
    _, _, found = extract_rows(Between(by="g"), setting)
    members = list(by_group(setting, "x", "g").values())
    means = [sum(values[r] for r in rows) / len(rows) for rows in members]
    stream = np.random.default_rng(n)
    original = cells_of(setting)
    for _ in range(8):
        cells = original + stream.integers(-2, 3, n) * 0.25
        new = [cells[rows].mean() for rows in members]
        same = True
        for i, j in itertools.permutations(range(len(members)), 2):
            if means[i] < means[j] - 1e-9:
                same &= bool(new[i] <= new[j] + 1e-12)
            elif abs(means[i] - means[j]) < 1e-9:
                same &= bool(abs(new[i] - new[j]) <= 1e-12)
        for i, j, k in itertools.permutations(range(len(members)), 3):
            if means[i] < means[j] - 1e-9 and means[j] < means[k] - 1e-9:
                gap, new_gap = 2 * means[j] - means[i] - means[k], 2 * new[j] - new[i] - new[k]
                if gap > 1e-9:
                    same &= bool(new_gap >= -1e-12)
                elif gap < -1e-9:
                    same &= bool(new_gap <= 1e-12)
                else:
                    same &= hold(found.rows, cells) or bool(new_gap <= 1e-12)
        assert hold(found.rows, cells, 1e-11) == same


def test_between_of_one_group_says_nothing():
    found = Between(by="g").extract(setting_of({"x": [1, 2, 3], "g": ["a", "a", "a"]}))
    assert found.rows.n == 0


def test_groups_of_equal_means_keep_equal_means():
    found = Between(by="g").extract(setting_of({"x": [1, 3, 2, 2, 9], "g": ["a", "a", "b", "b", "c"]}))
    assert found.rows.equal.sum() == 1
    assert found.rows.n == 2


# -- missing values, dates ---------------------------------------------------------------------------------
def test_a_missing_value_cannot_be_named_and_is_left_out_of_sums():
    setting = setting_of({"x": [1, None, 3], "y": [2, 5, 7]})
    with pytest.raises(ParameterError, match="column 'x' has no value in row 1"):
        PoI("x[1] <= y[1]").extract(setting)
    with pytest.raises(ParameterError, match="column 'x' has no value in row 1"):
        PoI(coefficients={"x": [0, 1, 0]}).extract(setting)
    with pytest.raises(ParameterError, match="none of these rows has a value of 'x'"):
        PoI("mean(x[y = 5]) <= 1").extract(setting)
    assert PoI(coefficients={"x": [1, 0, 1]}, bound=4).extract(setting).rows.n == 1
    matrix, _, _ = extract_rows(PoI("mean(x) <= 2"), setting)
    assert matrix[0].tolist() == [0.5, 0, 0.5, 0, 0, 0]
    for property in (Order(), Localities(), Sums(), Means(), Ratios("x", "y")):
        found = property.extract(setting)
        assert 1 not in found.rows.variable


def test_a_group_without_values_is_left_out():
    setting = setting_of({"x": [1, None, 3], "g": ["a", "b", "a"]})
    _, _, found = extract_rows(Sums(by="g"), setting)
    assert len(found.names) == 1
    _, _, found = extract_rows(Between(by="g"), setting)
    assert found.rows.n == 0


def test_dates_count_in_days():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 1, 9)]
    setting = setting_of({"d": days})
    matrix, bound, _ = extract_rows(PoI("d[1] - d[0] within 1"), setting)
    assert matrix[0].tolist() == [-1, 1, 0]
    assert_interval(bound, 2, 1)


# -- what does not hold ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "property",
    [
        PoI("x[0] >= x[1]"),
        PoI("x[0] + x[1] = 4"),
        PoI("1 <= x[0] <= x[1] <= 1.5"),
        PoI("mean(x) <= 2.3"),
        PoI(coefficients={"x": [1, 1, 0]}, bound=2.9),
        PoI(coefficients={"x": [1, 1, 0]}, bound=3.1, relation="=="),
    ],
)
def test_a_property_that_does_not_hold_is_refused_by_name(property):
    table = table_of({"x": [1.0, 2.0, 4.0]})
    with pytest.raises(ParameterError, match="does not hold in the original") as error:
        publish(table, [Order(), property, Sums()])
    assert property.extract(setting_of({"x": [1.0, 2.0, 4.0]})).names[0] in str(error.value)


# -- as plain data -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "property",
    [
        PoI("age[0] <= 3"),
        PoI(coefficients={"age": [1, 0, 2.5]}, bound=4, relation=">="),
        Order(),
        Order(columns=("age", "cost")),
        Localities(),
        Localities(share=0.05, columns=("age",)),
        Sums(),
        Sums(by="g", within=0.1, columns=("age",)),
        Means(by="g", within=0),
        Ratios("a", "b"),
        Ratios("a", "b", by="g", within=0.2),
        Between(by="g"),
        Between(by="g", columns=("age",)),
        Blocks(5),
        Blocks(5, keep=("mean",), within=0, grouping=sf.Hilbert(fast=True)),
    ],
)
def test_properties_survive_as_plain_data(property):
    plain = json.loads(json.dumps(property.to_dict()))
    assert plain["name"] == type(property).__name__
    assert property_from_dict(plain) == property


def test_unknown_names_are_told():
    with pytest.raises(ParameterError, match="no property is called 'Orders'; did you mean 'Order'"):
        property_from_dict({"name": "Orders"})
    with pytest.raises(ParameterError, match="Sums has no parameter 'bye'"):
        property_from_dict({"name": "Sums", "bye": "g"})


def test_every_property_is_known_to_a_recipe_in_a_fresh_process():
    """Nothing else has loaded the files that they stand in."""
    program = (
        "from sfumato.contracts.method import method_from_dict\n"
        "for keep in ({'name': 'Blocks', 'k': 4}, {'name': 'PoI', 'text': 'age[1] <= age[2]'}, {'name': 'Order'}):\n"
        "    print(type(method_from_dict({'name': 'PatternPreserving', 'keep': keep}).properties[0]).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["Blocks", "PoI", "Order"], done.stderr
