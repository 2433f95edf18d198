"""Schema files: every mistake at once, and files that read back as they were written."""

from __future__ import annotations

import datetime as dt
import json
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


bound_pairs = st.sampled_from(
    [
        (None, None), (0, None), (-1.5, 1e300), (None, dt.date(2024, 1, 1)), (5e-324, 0.1),
        (dt.datetime(2024, 1, 1, 12, 30, 1, 5), dt.datetime(2025, 1, 1, tzinfo=dt.UTC)), (1, np.float64(2)),
    ]
)  # fmt: skip


names = st.sampled_from(MESSY) | st.text(max_size=8)


@st.composite
def columns(draw):
    order = draw(st.none() | st.lists(names, min_size=1, max_size=4, unique=True))
    low, high = draw(bound_pairs)
    kind = draw(st.sampled_from(["category", "ordinal"] if order else [None, "integer", "number", "date", "category"]))
    form = draw(st.sampled_from([None, "dd.mm.yyyy", "mm/dd/yyyy HH:MM"])) if kind == "date" else None
    return Column(
        name=draw(names), role=draw(st.sampled_from(["identifier", "quasi", "sensitive", "plain"])), kind=kind,
        low=low, high=high, weight=draw(st.sampled_from([1.0, 2, 0.1, 1e-7])), hierarchy=draw(hierarchies),
        order=tuple(order) if order else None, missing=draw(st.sampled_from(["value", "refuse", "withhold"])),
        missing_values=tuple(draw(st.lists(names, max_size=3))), date_format=form,
        labels=draw(st.none() | st.dictionaries(names, names, max_size=3)),
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


@pytest.mark.parametrize(
    ("key", "meant"),
    [("missing_value", "missing_values"), ("na_values", "missing_values"), ("missing_codes", "missing_values"),
     ("missings", "missing"), ("format", "date_format"), ("value_labels", "labels")],
)  # fmt: skip
def test_a_key_of_another_tool_leads_to_ours(key, meant):
    with pytest.raises(SchemaError, match=f"unknown key '{key}'; did you mean '{meant}'"):
        from_text(f'[columns.age]\nrole = "quasi"\n{key} = ["998"]\n')


def test_what_belongs_to_a_column_is_told_so():
    with pytest.raises(SchemaError, match="unknown key 'missing_values'; it belongs to a column"):
        from_text('missing_values = ["998"]\n[columns.age]\nrole = "quasi"\n')


def test_codes_given_as_the_rule_lead_to_missing_values():
    for text in (
        'missing = ["998"]\n[columns.age]\nrole = "quasi"\n',
        '[columns.age]\nrole = "quasi"\nmissing = ["998"]\n',
    ):
        with pytest.raises(SchemaError, match=r'declared by missing_values = \["998"\]'):
            from_text(text)


def test_comments_and_a_head():
    schema = Schema(quasi=["age"])
    written = write_schema(schema, {"age": ["one", "two\nthree"]}, head="hello\n\nworld")
    assert from_text(written) == schema
    assert written.splitlines()[:3] == ["# hello", "#", "# world"]
    assert written.splitlines()[-5:] == ["# one", "# two", "# three", '[columns."age"]', 'role = "quasi"']


def test_defaults_are_left_out():
    assert schema_to_dict(Schema(quasi=["a"])) == {"rest": "identifier", "columns": {"a": {"role": "quasi"}}}


def test_that_rows_are_persons_reads_back():
    schema = Schema(identifier=["id"], quasi=["age"], rows_are_persons=True)
    assert schema_from_dict(tomllib.loads(write_schema(schema))) == schema
    assert schema_from_dict(json.loads(json.dumps(schema_to_dict(schema)))) == schema
    assert "rows_are_persons" not in schema_to_dict(Schema(quasi=["age"]))
    with pytest.raises(SchemaError, match="rows_are_persons must be true or false, got 'yes'"):
        schema_from_dict({"rows_are_persons": "yes", "columns": {"age": {"role": "quasi"}}})
