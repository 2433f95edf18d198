from __future__ import annotations

from statistics import mean

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, SchemaError
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.measures.risk import THRESHOLDS, risk
from support.measured_tables import classes_of, covers, make_table, published, releases, tables

FEW = settings(max_examples=25, deadline=None)


@FEW
@given(releases())
def test_prosecutor_and_marketer_agree_with_a_count_of_rows(release):
    table, outcome, k = release
    found = risk(outcome.frame, outcome.public["forms"], table)
    classes = classes_of(outcome.frame, table.schema.quasi)
    sizes = [len(members) for shown, members in classes.items() for _ in members if set(shown) != {"*"}]
    risks = [1 / size for size in sizes] or [0.0]
    assert found["prosecutor_max"] == pytest.approx(max(risks))
    assert found["prosecutor_average"] == pytest.approx(mean(risks))
    assert found["marketer"] == pytest.approx(mean(risks))
    for threshold in THRESHOLDS:
        assert found[f"prosecutor_above_{threshold:g}"] == pytest.approx(mean(r > threshold for r in risks))
    assert found["prosecutor_max"] <= 1 / k
    assert dict(risk(outcome.frame, outcome.public["forms"])) == dict(found)
    assert any("show nothing" in note for note in found.notes) == (len(sizes) < outcome.frame.height)


@FEW
@given(st.data())
def test_journalist_agrees_with_a_search_of_the_population(data):
    table, outcome, _ = data.draw(releases(show=("ranges",)))
    quasi = table.schema.quasi
    population = data.draw(tables(min_rows=1, max_rows=40, quasi=quasi))
    found = risk(outcome.frame, outcome.public["forms"], table, population=population)
    persons = population.frame.select(quasi).rows()
    f, F, few = [], [], 0
    for shown, members in classes_of(outcome.frame, quasi).items():
        if set(shown) == {"*"}:
            continue
        n = sum(all(covers(c, q, v) for c, q, v in zip(shown, quasi, p, strict=True)) for p in persons)
        few += n < len(members)
        f.append(len(members))
        F.append(n or len(members))
    if not f:
        assert "journalist_max" not in found
        return
    each = [1 / big for small, big in zip(f, F, strict=True) for _ in range(small)]
    assert found["journalist_max"] == pytest.approx(max(each))
    assert found["marketer"] == pytest.approx(mean(each))
    assert found["journalist_average"] == pytest.approx(max(mean(each), len(F) / sum(F)))
    for threshold in THRESHOLDS:
        assert found[f"journalist_above_{threshold:g}"] == pytest.approx(mean(r > threshold for r in each))
    assert any("fewer persons" in note for note in found.notes) == (few > 0)


@FEW
@given(releases(show=("ranges",)))
def test_the_original_as_population_is_no_worse_than_the_prosecutor(release):
    table, outcome, _ = release
    found = risk(outcome.frame, outcome.public["forms"], table, population=table)
    if "journalist_max" in found:
        assert found["journalist_max"] <= found["prosecutor_max"] + 1e-12
        assert found["marketer"] <= found["prosecutor_average"] + 1e-12
    assert not any("fewer persons" in note for note in found.notes)


def test_thresholds_are_strict():
    shown = pl.DataFrame({"a": ["x"] * 5 + ["y"] * 4 + ["z"] * 11})
    found = risk(shown, {"a": "set"})
    assert found["prosecutor_max"] == 0.25
    assert found["prosecutor_average"] == pytest.approx(3 / 20)
    assert found["prosecutor_above_0.2"] == pytest.approx(4 / 20)  # five are enough
    assert found["prosecutor_above_0.09"] == 1.0  # eleven are not: 1/11 = 0.0909
    assert "is above 5%" in found.notes[-1]


def test_suppressed_rows_are_set_aside():
    shown = pl.DataFrame({"a": ["x", "x", "*", "*", "*"], "b": ["1", "1", "*", "*", "2"]})
    found = risk(shown, {"a": "set", "b": "range"})
    assert found["prosecutor_average"] == pytest.approx(2 / 3)
    assert any("2 rows show nothing" in note for note in found.notes)
    nothing = risk(shown[2:4], {"a": "set", "b": "range"})
    assert set(nothing.values()) == {0.0}


def test_a_population_of_many_persons():
    rng = np.random.default_rng(4)
    n = 3000
    frame = pl.DataFrame(
        {"a": rng.integers(0, 40, n), "x": rng.normal(size=n).round(1), "job": rng.choice(list("pqrst"), n)}
    )
    population = Table(frame, Schema(quasi=["a", "x", "job"]))
    table = Table(frame[:300].with_columns(s=pl.lit("u")), Schema(quasi=["a", "x", "job"], sensitive=["s"]))
    outcome = published(table, Mondrian(), 3)
    found = risk(outcome.frame, outcome.public["forms"], table, population=population)
    smallest = n
    for shown in classes_of(outcome.frame, ["a", "x", "job"]):
        smallest = min(smallest, sum(_inside(shown, person) for person in frame.rows()))
    assert found["journalist_max"] == pytest.approx(1 / smallest)
    assert found["journalist_average"] < found["prosecutor_average"]


def _inside(shown, person):
    for cell, value in zip(shown[:2], person[:2], strict=True):
        low, high = (float(t) for t in cell.strip("[]").split(", ")) if cell.startswith("[") else (float(cell),) * 2
        if not low <= value <= high:
            return False
    return shown[2] == "*" or person[2] in shown[2].strip("{}").split(", ")


def test_a_population_may_be_typed_otherwise_and_reach_further():
    table = Table(pl.DataFrame({"a": [1, 3], "s": ["u", "v"]}),
                  Schema(quasi=["a"], sensitive=["s"], bounds={"a": (0, 5)}))  # fmt: skip
    population = Table(pl.DataFrame({"a": ["0", "2", "3", "3", "9", None]}))
    shown = pl.DataFrame({"a": ["[1, 3]", "[1, 3]"]})
    found = risk(shown, {"a": "range"}, table, population=population)
    assert found["journalist_max"] == pytest.approx(1 / 3)
    assert found["prosecutor_max"] == 0.5


def test_populations_that_cannot_be_used():
    table = make_table({"age": [20, 21], "disease": ["flu", "ok"]}, ["age"])
    outcome = published(table, Mondrian(), 2)
    forms = outcome.public["forms"]
    with pytest.raises(SchemaError, match="lacks the column 'age'; did you mean 'Age'"):
        risk(outcome.frame, forms, table, population=Table(pl.DataFrame({"Age": [20]})))
    with pytest.raises(DataError, match="no record"):
        risk(outcome.frame, forms, table, population=Table(table.frame.clear()))
    means = published(table, Mondrian(show="means"), 2)
    found = risk(means.frame, means.public["forms"], table, population=table)
    assert "journalist_max" not in found
    assert any("single values" in note for note in found.notes)
    nobody = risk(outcome.frame, forms, table, population=Table(pl.DataFrame({"age": [77]})))
    assert nobody["journalist_max"] == nobody["prosecutor_max"]
    assert any("cover nobody" in note for note in nobody.notes)
