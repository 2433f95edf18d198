"""Schemas: roles, contradictions, and all mistakes of a column at once."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pytest

from sfumato.data.schema import Column, Schema
from sfumato.ground.errors import SchemaError


def test_roles_and_the_rest():
    schema = Schema(identifier=["name"], quasi=["age", "zip"], sensitive=["disease"], plain=["visits"])
    assert schema.identifier == ["name"]
    assert schema.quasi == ["age", "zip"]
    assert schema.sensitive == ["disease"]
    assert schema.plain == ["visits"]
    assert schema.role("zip") == "quasi"
    assert schema.role("never mentioned") == "identifier"
    assert Schema(rest="plain").role("never mentioned") == "plain"
    assert schema.column("never mentioned") == Column(name="never mentioned", role="identifier")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"identifier": ["a"], "quasi": ["a"]}, "column 'a' has two roles, identifier and quasi; keep one"),
        ({"quasi": ["a", "a"]}, "column 'a' is named twice; keep one"),
        ({"quasi": "age"}, "quasi takes a list of columns, got the text 'age'; write ['age']"),
        ({"rest": "secret"}, "rest must be one of identifier, quasi, sensitive, plain, got 'secret'"),
        ({"quasi": ["age"], "kinds": {"agee": "integer"}}, "which has no role; did you mean 'age'?"),
        ({"quasi": ["age"], "kinds": {3: "integer"}}, "names the column 3, which has no role"),
        ({"quasi": ["age"], "bounds": {"age": 5}}, "bounds take a pair (low, high), got 5"),
        ({"quasi": ["age"], "bounds": {"age": (1, 2, 3)}}, "bounds take a pair (low, high), got (1, 2, 3)"),
        ({"quasi": [0]}, "a column is named by text; write '0'"),
    ],
)
def test_contradictions_are_refused(arguments, message):
    with pytest.raises(SchemaError, match=re.escape(message)):
        Schema(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"role": "secret"}, "role must be one of identifier, quasi, sensitive, plain, got 'secret'"),
        ({"kind": "float"}, "kind must be one of integer, number, date, category, ordinal, got 'float'"),
        ({"missing": "drop"}, "missing must be one of value, refuse, withhold, got 'drop'"),
        (
            {"missing": ["998", 999]},
            "missing must be one of value, refuse, withhold, got ['998', 999]; cells of a column that stand for no "
            'value are declared by missing_values = ["998", "999"]',
        ),
        (
            {"missing": "NA"},
            "missing must be one of value, refuse, withhold, got 'NA'; cells of a column that stand for no value are "
            'declared by missing_values = ["NA"]',
        ),
        ({"missing_values": "n/a"}, "missing_values must list cells that stand for no value, got 'n/a'"),
        ({"date_format": "tt.mm.jjjj"}, "date_format must be a form such as dd.mm.yyyy or mm/dd/yyyy HH:MM, got 'tt."),
        ({"date_format": "dd.mm.yyyy", "kind": "category"}, "date_format is for dates, and the kind is category"),
        ({"labels": {"1": 2}}, "labels must say what each value means"),
        ({"labels": ["male"]}, "labels must say what each value means"),
        ({"weight": 0}, "weight must be a number above 0, got 0"),
        ({"weight": float("nan")}, "weight must be a number above 0, got nan"),
        ({"weight": float("inf")}, "weight must be a number above 0, got inf"),
        ({"weight": "2"}, "weight must be a number above 0, got '2'"),
        ({"kind": "ordinal"}, "an ordinal column needs its order"),
        ({"order": ("a", "b", "a")}, "order names a value twice"),
        ({"order": ()}, "order must list the values from lowest to highest, got ()"),
        ({"order": "abc"}, "order must list the values from lowest to highest, got 'abc'"),
        ({"order": ("1", "2"), "kind": "integer"}, "order is for ordinal columns, and the kind is integer"),
        ({"low": "tomorrow"}, "a bound must be a number or a date, got 'tomorrow'"),
        ({"high": [3]}, "a bound must be a number or a date, got [3]"),
        ({"high": float("inf")}, "a bound must be a number or a date, got inf"),
        ({"low": 5, "high": 5}, "low must be below high, got 5 and 5"),
        ({"low": "2024-01-02", "high": dt.date(2024, 1, 1)}, "low must be below high, got 2024-01-02 and 2024-01-01"),
        (
            {"low": 5, "high": dt.date(2024, 1, 1)},
            "low and high must be two numbers or two dates, got 5 and 2024-01-01",
        ),
        ({"hierarchy": "zip.csv"}, "hierarchy must be a Hierarchy, got 'zip.csv'; read a file with Hierarchy.from_csv"),
    ],
)
def test_a_bad_column_is_named_and_explained(arguments, message):
    with pytest.raises(SchemaError, match=re.escape(f"column 'c': {message}")):
        Column(name="c", **arguments)


def test_all_mistakes_of_a_column_are_reported_at_once():
    with pytest.raises(SchemaError) as caught:
        Column(name="c", role="x", kind="y", missing="z", weight=-1, low="?", high="!", order=("a", "a"))
    assert str(caught.value).count("column 'c': ") == 7


def test_values_are_brought_to_plain_types():
    column = Column(name="c", low=np.int64(1), high=np.float64(2.5), weight=np.float64(2))
    assert (type(column.low), type(column.high)) == (int, float)
    assert Column(name="c", low="2024-02-29").low == dt.date(2024, 2, 29)
    assert Column(name="c", low="2024-02-29T12:30:00").low == dt.datetime(2024, 2, 29, 12, 30)
    assert Column(name="c", order=[1, 2.0, "x"]).order == ("1", "2", "x")
    assert Column(name="c", order=["a"]).kind == "ordinal"
    assert Column(name="c", order=["a"], kind="category").kind == "category"


def test_missing_for_all_or_by_column():
    schema = Schema(quasi=["a", "b"], missing="refuse")
    assert [schema.column(name).missing for name in "ab"] == ["refuse", "refuse"]
    schema = Schema(quasi=["a", "b"], missing={"b": "withhold"})
    assert [schema.column(name).missing for name in "ab"] == ["value", "withhold"]


def test_copies():
    schema = Schema(quasi=["a", "b"], kinds={"b": "date"})
    filled = schema.with_kinds({"a": "integer", "b": "category", "c": "date"})
    assert [filled.column(name).kind for name in "ab"] == ["integer", "date"]
    assert schema.column("a").kind is None
    assert list(filled.columns) == ["a", "b"]
    assert schema.with_columns(Column(name="c", role="plain")).plain == ["c"]
    with pytest.raises(SchemaError, match="column 'a' is named twice"):
        Schema.of([Column(name="a"), Column(name="a")])


def test_whether_rows_are_persons_is_kept_by_copies():
    schema = Schema(quasi=["age"], rows_are_persons=True)
    assert schema.with_columns(Column(name="sex", role="quasi")).rows_are_persons
    assert schema.with_kinds({"age": "integer"}).rows_are_persons
    assert not Schema(quasi=["age"]).rows_are_persons
    assert schema != Schema(quasi=["age"])
    with pytest.raises(SchemaError, match="rows_are_persons must be true or false, got 1"):
        Schema(rows_are_persons=1)


def test_how_cells_are_read_survives_every_copy():
    schema = Schema(
        quasi=["sex", "born"], missing_values={"sex": [9, "n/a", 9]}, date_formats={"born": "dd.mm.yyyy"},
        labels={"sex": {1: "male", "2": "female"}},
    )  # fmt: skip
    assert schema.column("sex").missing_values == ("9", "n/a")
    assert schema.column("born").kind == "date"
    for copy in (
        schema.with_columns(Column(name="other")), schema.with_kinds({"sex": "category"}),
        Schema.of(schema.columns.values()),
    ):  # fmt: skip
        assert copy.column("sex").missing_values == ("9", "n/a")
        assert copy.column("sex").labels == {"1": "male", "2": "female"}
        assert copy.column("born").date_format == "dd.mm.yyyy"
