from __future__ import annotations

from collections import Counter
from statistics import mean

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

import sfumato as sf
from sfumato.contracts.measurer import MeasureOptions
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.measures.by_shape import measure_classes
from sfumato.tables.measures.loss import utility
from support.measured_tables import (
    ORDERED,
    cell_loss,
    classes_of,
    distinct,
    domain,
    make_table,
    number,
    published,
    read,
    releases,
    true_loss,
)

FEW = settings(max_examples=25, deadline=None)
TEN = [1, 2, 4, 7, 11, 12, 13, 20, 22, 29]


def one_column(values, kind="integer"):
    frame = pl.DataFrame({"x": values, "s": ["a"] * len(values)})
    return Table(frame, Schema(quasi=["x"], sensitive=["s"], kinds={"x": kind}))


# -- oracles -----------------------------------------------------------------------------------------------


@FEW
@given(releases())
def test_utility_agrees_with_a_loop_over_rows(release):
    table, outcome, k = release
    frame, forms, rows = outcome.frame, outcome.public["forms"], outcome.rows.tolist()
    quasi = table.schema.quasi
    found = utility(frame, forms, table, outcome.rows, k=k)

    classes = classes_of(frame, quasi)
    weights = {name: table.schema.column(name).weight for name in quasi}
    total = sum(weights.values())
    n = frame.height
    losses = {}
    for shown, members in classes.items():
        for name, cell in zip(quasi, shown, strict=True):
            if forms[name] == "value":
                behind = [table.frame[name][rows[i]] for i in members]
                losses[shown, name] = true_loss(behind, name, table)
            else:
                losses[shown, name] = cell_loss(cell, name, table)
    ncp = {q: sum(len(m) * losses[s, q] for s, m in classes.items()) / n for q in quasi}
    of_class = {s: sum(weights[q] / total * losses[s, q] for q in quasi) for s in classes}
    assert dict(found.by_column["ncp"]) == pytest.approx(ncp)
    assert found["gcp"] == pytest.approx(sum(weights[q] / total * ncp[q] for q in quasi))
    assert found["il1"] == pytest.approx(mean(of_class.values()))
    assert found["il_inf"] == pytest.approx(max(of_class.values()))

    volume = 0.0
    for shown, members in classes.items():
        product = 1.0
        for name in quasi:
            product *= losses[shown, name] or 1 / len(distinct(table, name) | set(domain_values(name)))
        volume += len(members) * product / n
    assert found["volume"] == pytest.approx(volume)

    plain = {s: m for s, m in classes.items() if set(s) != {"*"}}
    hidden = n - sum(map(len, plain.values()))
    assert found["suppressed_rows"] == hidden
    assert found["suppressed_cells"] == sum(cell == "*" for row in frame.select(quasi).rows() for cell in row)
    assert found["discernibility"] == sum(len(m) ** 2 for m in plain.values()) + hidden * n
    assert found["n_classes"] == len(plain)
    if plain:
        assert found["average_class_size"] == pytest.approx(mean(map(len, plain.values())))
        assert found["c_avg"] == pytest.approx(mean(map(len, plain.values())) / k)
    else:
        assert "c_avg" not in found
    majority = sum(max(Counter(frame["disease"][i] for i in m).values()) for m in classes.values())
    assert found["classification"] == pytest.approx(1 - majority / n)


def domain_values(name):
    """An ordinal column has all values of its order, present or not."""
    return ["low", "middle", "high", "top"] if name == "grade" else []


@FEW
@given(releases())
def test_distortion_agrees_with_a_loop_over_entries(release):
    table, outcome, _ = release
    found = utility(outcome.frame, outcome.public["forms"], table, outcome.rows, relative=True)
    errors, relative = [], []
    for name in set(ORDERED) & set(table.schema.quasi):
        first, last = domain(table, name)
        for i, row in enumerate(outcome.rows.tolist()):
            value = table.frame[name][row]
            inside, _ = read(outcome.frame[name][i], name)
            if value is None or inside == []:
                continue
            shown = (first + last) / 2 if inside is None else (inside[0] + inside[1]) / 2
            apart = abs(shown - number(value, name))
            errors.append(apart / (last - first) if last > first else 0.0)
            if name in ("age", "income"):
                scale = max(abs(value), 0.01 * (last - first))
                relative.append(apart / scale if scale else 0.0)
    assert ("distortion" in found) == bool(errors)
    assert ("distortion_relative" in found) == bool(relative) == any("distortion_relative" in n for n in found.notes)
    if errors:
        assert found["distortion"] == pytest.approx(mean(errors))
    if relative:
        assert found["distortion_relative"] == pytest.approx(mean(relative))


@FEW
@given(releases(show=("ranges",)))
def test_what_is_measured_on_cells_needs_no_row_map(release):
    table, outcome, k = release
    forms = outcome.public["forms"]
    with_map = utility(outcome.frame, forms, table, outcome.rows, k=k)
    without = utility(outcome.frame, forms, table, k=k)
    assert "distortion" not in without
    assert dict(without) == {name: value for name, value in with_map.items() if name != "distortion"}


# -- vectors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "gcp", "il_inf"), [(2, 38 / 280, 7 / 28), (3, 57 / 280, 9 / 28), (4, 130 / 280, 16 / 28)]
)
def test_gcp_of_the_ten_numbers(k, gcp, il_inf):
    """Vectors E-1 to E-3."""
    table = one_column(TEN)
    outcome = published(table, Hilbert(), k)
    found = utility(outcome.frame, outcome.public["forms"], table, outcome.rows)
    assert found["gcp"] == pytest.approx(gcp)
    assert found.by_column["ncp"]["x"] == pytest.approx(gcp)
    assert found["il_inf"] == pytest.approx(il_inf)


@pytest.mark.parametrize(("pair", "shown", "ncp"), [(["Italy", "France"], "Europe", 3 / 5), (["US", "Spain"], "*", 1)])
def test_ncp_of_countries(pair, shown, ncp):
    """Ghinita et al., TODS 2009, section 6: vector E-12."""
    table = make_table({"country": pair, "disease": ["flu", "ok"]}, ["country"])
    outcome = published(table, Mondrian(), 2)
    assert outcome.frame["country"].to_list() == [shown] * 2
    assert utility(outcome.frame, outcome.public["forms"], table)["gcp"] == pytest.approx(ncp)


MIXED = {
    "age": [20, 21, 25, None, 31], "income": [0.0, 1.25, None, 0.5, 7.0], "grade": ["low", "top", "low", "high", None],
    "country": ["US", "Spain", "US", None, "Italy"], "job": ["cook", "nurse", None, "smith", "cook"],
    "disease": ["flu", "ok", "ok", "hiv", "flu"],
}  # fmt: skip


def test_the_untouched_table_loses_nothing_and_one_class_everything():
    table = make_table(MIXED, ["age", "income", "grade", "country", "job"])
    for k, expected in ((1, 0.0), (5, 1.0)):
        outcome = published(table, Mondrian(), k)
        found = utility(outcome.frame, outcome.public["forms"], table, outcome.rows)
        assert found["gcp"] == found["ncp"] == found["il_inf"] == found["il1"] == expected
        assert found["discernibility"] == (5 if k == 1 else 25)
    untouched = utility(table.frame, {}, table, np.arange(5))
    assert untouched["gcp"] == untouched["distortion"] == 0.0


def test_single_values_are_charged_for_their_class_only_with_the_row_map():
    table = one_column(TEN)
    outcome = published(table, Hilbert(show="means"), 2)
    known = utility(outcome.frame, outcome.public["forms"], table, outcome.rows)
    blind = utility(outcome.frame, outcome.public["forms"], table)
    assert known["gcp"] == pytest.approx(38 / 280)
    assert blind["gcp"] == 0.0
    assert any("row map" in note for note in blind.notes)


def test_weights_shift_the_loss_between_columns():
    frame = pl.DataFrame({"a": [0, 10], "b": [5, 6]})
    table = Table(frame, Schema(quasi=["a", "b"], weights={"a": 3.0}))
    shown = pl.DataFrame({"a": ["[0, 10]"] * 2, "b": ["5", "6"]})
    found = utility(shown, {"a": "range", "b": "range"}, table)
    assert (found["gcp"], found["ncp"]) == (0.75, 0.5)


def test_suppressed_withheld_and_dropped_data_count_as_lost():
    frame = pl.DataFrame({"a": [0, 5, 10, 10], "b": ["x", "y", "x", "y"], "s": ["u", "v", "u", "u"]})
    table = Table(frame, Schema(quasi=["a", "b"], sensitive=["s"]))
    shown = pl.DataFrame({"a": ["0", "*", "10"], "b": ["x", "*", "*"], "s": ["u", "v", "u"]})
    found = utility(shown, {"a": "range", "b": "set"}, table, np.array([0, 1, 2]), k=1)
    assert dict(found.by_column["ncp"]) == {"a": 0.5, "b": 0.75}
    assert (found["suppressed_rows"], found["suppressed_cells"], found["withheld_rows"]) == (1, 3, 1)
    assert found["discernibility"] == 1 + 1 + 2 * 4
    assert found["n_classes"] == 2
    assert found["classification"] == 0.25  # the withheld row
    assert found["distortion"] == 0.0  # the middle of the domain happens to be right
    assert len(found.notes) == 2
    dropped = utility(shown.drop("b"), {"a": "range"}, table)
    assert dropped.by_column["ncp"]["b"] == 1.0
    assert any("b" in note for note in dropped.notes)


def test_declared_bounds_are_the_domain():
    table = Table(pl.DataFrame({"a": [20, 40]}), Schema(quasi=["a"], bounds={"a": (0, 100)}))
    shown = pl.DataFrame({"a": ["[20, 40]", "*"]})
    found = utility(shown, {"a": "range"}, table, np.array([0, 1]))
    assert found.by_column["ncp"]["a"] == pytest.approx((0.2 + 1) / 2)
    assert found["distortion"] == pytest.approx((0.1 + 0.1) / 2)


def test_numbers_under_a_hierarchy_stand_in_the_middle_of_their_leaves():
    hierarchy = Hierarchy.intervals([10], low=0, high=40)
    table = Table(pl.DataFrame({"a": [0, 4, 10, 30]}), Schema(quasi=["a"], hierarchies={"a": hierarchy}))
    shown = pl.DataFrame({"a": ["[0, 10)", "[0, 10)", "*", "30"]})
    found = utility(shown, {"a": "node"}, table, np.arange(4))
    assert found["distortion"] == pytest.approx((2 + 2 + 5 + 0) / 30 / 4)
    zips = Table(pl.DataFrame({"a": [10, 11]}), Schema(quasi=["a"], hierarchies={"a": Hierarchy.prefixes(2)}))
    assert "distortion" not in utility(pl.DataFrame({"a": ["1*", "1*"]}), {"a": "node"}, zips, np.arange(2))


def test_a_relative_distortion_survives_zero():
    table = one_column([0.0, 100.0], kind="number")
    shown = pl.DataFrame({"x": ["[0, 100]"] * 2})
    found = utility(shown, {"x": "range"}, table, np.arange(2), relative=True)
    assert found["distortion"] == 0.5
    assert found["distortion_relative"] == pytest.approx((50 / 1 + 50 / 100) / 2)


def test_labels():
    table = make_table(MIXED, ["age", "country"])
    outcome = published(table, Mondrian(), 5)
    forms = outcome.public["forms"]
    assert utility(outcome.frame, forms, table, label="disease")["classification"] == pytest.approx(3 / 5)
    assert utility(outcome.frame, forms, table, outcome.rows, label="age")["classification"] == pytest.approx(4 / 5)
    assert "classification" not in utility(outcome.frame, forms, table, label="age")
    unlabelled = Table(pl.DataFrame({"x": [1, 2]}), Schema(quasi=["x"]))
    assert "classification" not in utility(unlabelled.frame, {}, unlabelled)
    with pytest.raises(SchemaError, match="did you mean 'disease'"):
        utility(outcome.frame, forms, table, label="diseas")


def test_what_follows_the_records_is_the_owners():
    table = make_table(MIXED, ["age", "country"])
    ranges, means = published(table, Mondrian(), 2), published(table, Mondrian(show="means"), 2)
    loss = {"gcp", "ncp", "il1", "il_inf", "volume"}
    for outcome, public in ((ranges, loss), (means, set())):
        found = utility(outcome.frame, outcome.public["forms"], table, outcome.rows, relative=True)
        assert loss | {"distortion", "distortion_relative", "classification"} <= set(found)
        assert set(found.public) & {*loss, "distortion", "distortion_relative"} == public
        assert set(found.public.by_column) == public & {"ncp"}
        assert not any("distortion" in note for note in found.public.notes)
        assert "classification" in found.public
    hidden = utility(ranges.frame, ranges.public["forms"], table, ranges.rows, label="age")
    assert "classification" in hidden
    assert "classification" not in hidden.public  # the labels came by the owner's row map


def test_rows_without_a_record_behind_them_are_left_out_of_the_distortion():
    table = one_column([0, 10])
    shown = pl.DataFrame({"x": ["[0, 10]", "0", "10"]})
    assert utility(shown, {"x": "range"}, table, np.array([1, 0, -1]))["distortion"] == 0.25
    with pytest.raises(ParameterError, match="rows must name"):
        utility(shown, {"x": "range"}, table, np.array([1, 0]))
    with pytest.raises(ParameterError, match="rows must be below 2"):
        utility(shown, {"x": "range"}, table, np.array([1, 0, 2]))


def test_without_the_original_only_sizes_and_risk_are_known():
    shown = pl.DataFrame({"a": ["[0, 1]"] * 3 + ["2"] * 2, "s": list("uvwxy")})
    found = measure_classes(shown, {"a": "range"}, None, None, MeasureOptions(k=2))
    assert found["discernibility"] == 13
    assert (found["n_classes"], found["average_class_size"], found["c_avg"]) == (2, 2.5, 1.25)
    assert found["prosecutor_max"] == 0.5
    assert "gcp" not in found
    assert found.by_column == {}


def test_all_measures_of_classes_together():
    table = make_table(MIXED, ["age", "country"])
    outcome = published(table, Mondrian(), 2)
    asked = MeasureOptions(k=2, population=table)
    found = measure_classes(outcome.frame, outcome.public["forms"], table, outcome.rows, asked)
    assert {"gcp", "distortion", "query_error_median", "prosecutor_max", "journalist_max", "marketer"} <= set(found)
    assert set(found.group("risk")) | set(found.group("utility")) == set(found)
    assert all(np.isfinite(list(found.values())))
    empty = measure_classes(outcome.frame.clear(), outcome.public["forms"], table, None, MeasureOptions())
    assert empty["gcp"] == 1.0
    assert empty["withheld_rows"] == 5


def test_the_input_is_not_changed():
    table = make_table(MIXED, ["age", "country", "job"])
    outcome = published(table, Mondrian(), 2)
    before, rows = outcome.frame.clone(), outcome.rows.copy()
    measure_classes(outcome.frame, outcome.public["forms"], table, outcome.rows, MeasureOptions())
    assert before.equals(outcome.frame)
    assert (rows == outcome.rows).all()


def test_a_star_may_be_the_mode():
    frame = pl.DataFrame({"a": ["*", "*", "*", "b", "c", "c"], "n": [1, 1, 1, 2, 2, 2]})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["a", "n"])), sf.Mondrian(show="means"), sf.KAnonymity(3))
    assert sf.measure(release)["suppressed_rows"] == 0
    assert sf.measure(release)["gcp"] < 0.5
