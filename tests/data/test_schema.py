"""Schemas: roles, mistakes (all of them at once), and files that read back as they were written."""

from __future__ import annotations

import datetime as dt
import json
import re
import tomllib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column, Schema
from sfumato.data.schema_file import schema_from_dict, schema_to_dict, write_schema
from sfumato.ground.errors import SchemaError

MESSY = [
    "a.b",
    'say "hi"',
    "back\\slash",
    "größe in m²",
    "",
    " ",
    "[columns]",
    "#no",
    "a\nb",
    "tab\t",
    "\x7f",
    "日本",
    "=",
]


def from_text(content):
    return schema_from_dict(tomllib.loads(content))


# -- roles -----------------------------------------------------------------------------------------------------------
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


# -- files -----------------------------------------------------------------------------------------------------------
def test_every_mistake_in_a_file_is_reported_at_once(tmp_path):
    file = tmp_path / "schema.toml"
    file.write_text(
        """
        rest = "everyone"
        missing = "drop"
        colums = 3
        [columns.age]
        role = "quasy"
        kind = "int"
        weigth = 2
        low = 90
        high = 10
        [columns.zip]
        hierarchy = "none.csv"
        kind = "ordinal"
        [columns.sex]
        role = "quasi"
        order = 7
        hierarchy = { type = "zigzag" }
        [columns]
        born = 1980
        """
    )
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(file)
    message = str(caught.value)
    for mistake in (
        f"schema file '{file}': ",
        "unknown key 'colums'; did you mean 'columns'?",
        "rest must be one of identifier, quasi, sensitive, plain, got 'everyone'",
        "missing must be one of value, refuse, withhold, got 'drop'",
        "column 'age': role must be one of",
        "column 'age': kind must be one of",
        "column 'age': unknown key 'weigth'; did you mean 'weight'?",
        "column 'age': low must be below high, got 90 and 10",
        "column 'zip' has no role; give one of",
        "column 'zip': an ordinal column needs its order",
        "none.csv' does not exist",
        "column 'sex': order must list the values from lowest to highest, got 7",
        "column 'sex': hierarchy type must be one of",
        "column 'born' must be a table with a role, got 1980",
    ):
        assert mistake in message, mistake


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no columns; write a table"),
        ("columns = 3", "no columns; write a table"),
        ("[columns", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
    ],
)
def test_files_that_are_no_schema(tmp_path, content, message):
    file = tmp_path / "schema.toml"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SchemaError, match=message):
        Schema.from_toml(file)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SchemaError, match="does not exist; `sfumato inspect DATA` writes one"):
        Schema.from_toml(tmp_path / "none.toml")
    with pytest.raises(SchemaError, match="cannot be read"):
        Schema.from_toml(tmp_path)


def test_hierarchy_files_are_found_beside_the_schema(tmp_path):
    (tmp_path / "zip.csv").write_text("1;x;*\n2;x;*\n")
    (tmp_path / "comma.csv").write_text("1,x,*\n2,x,*\n")
    (tmp_path / "schema.toml").write_text(
        "\ufeff"
        '[columns.zip]\nrole = "quasi"\nhierarchy = "zip.csv"\n'
        '[columns.b]\nrole = "quasi"\nhierarchy = { type = "csv", path = "comma.csv", sep = "," }\n',
        encoding="utf-8",
    )
    schema = Schema.from_toml(tmp_path / "schema.toml")
    assert schema.column("zip").hierarchy.tree([]).labels == ("*", "x", "1", "2")
    assert schema.column("b").hierarchy == schema.column("zip").hierarchy


hierarchies = st.sampled_from(
    [
        None,
        Hierarchy.prefixes(5, keep=[3]),
        Hierarchy.calendar(),
        Hierarchy.flat(MESSY),
        Hierarchy.intervals([0.1, 0.3], low=0, high=3),
        Hierarchy.intervals(breaks=[dt.date(2020, 1, 1), dt.date(2024, 1, 1)]),
    ]
)
bounds = st.sampled_from(
    [
        (None, None), (0, None), (-1.5, 1e300), (None, dt.date(2024, 1, 1)), (5e-324, 0.1),
        (dt.datetime(2024, 1, 1, 12, 30, 1, 5), dt.datetime(2025, 1, 1, tzinfo=dt.UTC)), (1, np.float64(2)),
    ]
)  # fmt: skip
names = st.sampled_from(MESSY) | st.text(max_size=8)


@st.composite
def columns(draw):
    order = draw(st.none() | st.lists(names, min_size=1, max_size=4, unique=True))
    low, high = draw(bounds)
    kind = draw(st.sampled_from(["category", "ordinal"] if order else [None, "integer", "number", "date", "category"]))
    return Column(
        name=draw(names), role=draw(st.sampled_from(["identifier", "quasi", "sensitive", "plain"])), kind=kind,
        low=low, high=high, weight=draw(st.sampled_from([1.0, 2, 0.1, 1e-7])), hierarchy=draw(hierarchies),
        order=tuple(order) if order else None, missing=draw(st.sampled_from(["value", "refuse", "withhold"])),
    )  # fmt: skip


@given(
    st.lists(columns(), min_size=1, max_size=4, unique_by=lambda column: column.name),
    st.sampled_from(["identifier", "plain"]),
)
@settings(max_examples=150)
def test_a_schema_reads_back_from_toml_and_json(given_columns, rest):
    schema = Schema.of(given_columns, rest=rest)
    assert from_text(schema.to_toml()) == schema
    plain = json.loads(json.dumps(schema_to_dict(schema), default=lambda date: date.isoformat()))
    assert schema_from_dict(plain) == schema


@pytest.mark.parametrize("name", MESSY)
def test_messy_column_names_read_back(name):
    schema = Schema(quasi=[name], orders={name: MESSY})
    assert from_text(schema.to_toml()) == schema


def test_comments_and_a_head():
    schema = Schema(quasi=["age"])
    written = write_schema(schema, {"age": ["one", "two\nthree"]}, head="hello\n\nworld")
    assert from_text(written) == schema
    assert written.splitlines()[:3] == ["# hello", "#", "# world"]
    assert written.splitlines()[-5:] == ["# one", "# two", "# three", '[columns."age"]', 'role = "quasi"']


def test_defaults_are_left_out():
    assert schema_to_dict(Schema(quasi=["a"])) == {"rest": "identifier", "columns": {"a": {"role": "quasi"}}}
