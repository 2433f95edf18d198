"""One linear relation, as a text or as coefficients: its rows, and a name that tells none."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.tables.pattern.poi import PoI
from support.pattern_properties import AGES, COSTS, assert_interval, extract_rows, small_view
from support.pattern_tables import setting_of, sorted_table


def line(setting, **weights):
    """A row of coefficients, one list per column."""
    result = np.zeros(setting.numbers.shape)
    for name, given_weights in weights.items():
        result[setting.place(name)] = given_weights
    return result.ravel()


def test_a_text_is_one_row_over_its_cells():
    setting = small_view()
    matrix, bound, found = extract_rows(PoI("2 * age[0] - cost[2] <= age[4] + 7"), setting)
    assert matrix.tolist() == [line(setting, age=[2, 0, 0, 0, -1], cost=[0, 0, -1, 0, 0]).tolist()]
    assert bound.tolist() == [7.0]
    assert found.names == ("'2 * age[0] - cost[2] <= age[4] + 7'",)
    assert not found.rows.equal.any()


def test_at_least_is_turned_round_and_equal_is_kept():
    setting = small_view()
    matrix, bound, _ = extract_rows(PoI("age[4] >= 50"), setting)
    assert (matrix[0] == line(setting, age=[0, 0, 0, 0, -1])).all()
    assert bound.tolist() == [-50.0]
    _, bound, found = extract_rows(PoI("age[1] - age[3] = 0"), setting)
    assert found.rows.equal.tolist() == [True]
    assert bound.tolist() == [0.0]


def test_a_chain_is_two_rows_of_one_name():
    setting = small_view()
    matrix, bound, found = extract_rows(PoI("20 <= age[2] <= age[0]"), setting)
    assert matrix.tolist() == [
        line(setting, age=[0, 0, -1, 0, 0]).tolist(), line(setting, age=[-1, 0, 1, 0, 0]).tolist(),
    ]  # fmt: skip
    assert bound.tolist() == [-20.0, 0.0]
    assert len(found.names) == 1


def test_means_and_sums_over_a_condition():
    setting = small_view()
    matrix, bound, _ = extract_rows(PoI("mean(age[g = 'a']) + sum(cost) <= 60"), setting)
    assert (matrix[0] == line(setting, age=[0.5, 0, 0.5, 0, 0], cost=[1] * 5)).all()
    assert bound.tolist() == [60.0]
    matrix, _, _ = extract_rows(PoI("sum(age[cost > 2 AND g IS NOT NULL]) <= 1000"), setting)
    assert (matrix[0] == line(setting, age=[1, 0, 1, 0, 1])).all()


def test_two_equal_signs_are_one_and_quoted_ones_are_two():
    setting = setting_of({"x": [1, 2, 3, 4], "g": ["a", "b", "a==b", "a=b"]})
    for condition, rows in (("g == 'a'", [0]), ("g = 'a==b'", [2]), ("g == 'a=b' OR x == 2", [1, 3])):
        matrix, _, _ = extract_rows(PoI(f"sum(x[{condition}]) <= 99"), setting)
        assert np.flatnonzero(matrix[0]).tolist() == rows


def test_within_is_two_rows_about_what_it_is():
    setting = small_view()
    matrix, bound, _ = extract_rows(PoI("sum(cost) + 5 within 10%"), setting)
    assert (matrix == np.array([1, -1])[:, None] * line(setting, cost=[1] * 5)).all()
    assert_interval(bound, 20, 2.5)
    _, bound, _ = extract_rows(PoI("age[0] - age[2] within 2"), setting)
    assert_interval(bound, 5, 2)
    _, bound, found = extract_rows(PoI("sum(age) within 0"), setting)
    assert found.rows.equal.tolist() == [True]
    assert bound.tolist() == [sum(AGES)]


@pytest.mark.parametrize(
    ("relation", "bound", "sign"), [("<=", 201.0, 1), (">=", 100.0, -1), ("==", sum(AGES) + COSTS[0], 1)]
)
def test_coefficients_are_a_row(relation, bound, sign):
    setting = small_view()
    given_coefficients = {"age": [1] * 5, "cost": [1, 0, 0, 0, 0]}
    matrix, found_bound, found = extract_rows(
        PoI(coefficients=given_coefficients, bound=bound, relation=relation), setting
    )
    assert (matrix[0] == sign * line(setting, age=[1] * 5, cost=[1, 0, 0, 0, 0])).all()
    assert found_bound.tolist() == [sign * bound]
    assert found.rows.equal.tolist() == [relation == "=="]
    assert "age" in found.names[0]


def test_text_and_coefficients_say_the_same():
    setting = small_view()
    by_text, text_bound, _ = extract_rows(PoI("age[0] - 2*age[1] + 0.5*cost[4] <= 10"), setting)
    by_number, number_bound, _ = extract_rows(
        PoI(coefficients={"age": [1, -2, 0, 0, 0], "cost": [0, 0, 0, 0, 0.5]}, bound=10), setting
    )
    assert (by_text == by_number).all()
    assert (text_bound == number_bound).all()


def test_coefficients_from_numpy_survive_too():
    given_coefficients = PoI(coefficients={"age": np.array([1.0, 0.0, 2.5])}, bound=np.float64(4))
    plain = json.loads(json.dumps(given_coefficients.to_dict()))
    assert plain["coefficients"] == {"age": [1.0, 0.0, 2.5]}


def test_names_tell_no_rows(tmp_path):
    table = sorted_table(20)
    keep = [sf.Blocks(5), *(sf.PoI(f"cost[{i}] <= 5000") for i in range(20))]
    release = sf.publish(table, sf.PatternPreserving(keep), sf.Exchangeable(5), seed=1)
    assert set(release.files["properties"]["property"].cast(pl.String)) == {"Blocks(k=5)", "cost[...] <= 5000"}
    given = [float(i) for i in range(20)]
    weighted = sf.PatternPreserving(sf.PoI(coefficients={"cost": given}, bound=1e9))
    for each in (release, sf.publish(table, weighted, seed=1)):
        each.save(tmp_path / each.method["keep"][0]["name"])
        text = (tmp_path / each.method["keep"][0]["name"] / "release.json").read_text()
        assert "cost[1" not in text
        assert "17.0" not in text
