"""inspect_table: figures against brute force, and nothing of a cell in them."""

from __future__ import annotations

import datetime as dt
import io
import itertools
import json
import time
import tomllib
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.hierarchy_rules import Intervals
from sfumato.data.inspecting import NOTICE, inspect_table
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError

cells = st.sampled_from(["a", "b", "c", None])


@settings(deadline=None, max_examples=80)
@given(
    rows=st.lists(
        st.tuples(cells, st.integers(0, 4) | st.none(), st.sampled_from([0.5, None])), min_size=1, max_size=30
    ),
    small=st.integers(1, 6),
)
def test_figures_are_those_of_counting(rows, small):
    names = ["sex", "age", "height"]
    frame = pl.DataFrame(rows, schema={"sex": pl.String, "age": pl.Int64, "height": pl.Float64}, orient="row")
    declared = [name for name in names if frame[name].null_count() < len(rows)]
    found = inspect_table(Table(frame, Schema(quasi=declared, rest="plain")), small=small)

    def unique(columns):
        counts = Counter(tuple(row[names.index(name)] for name in columns) for row in rows)
        return sum(n == 1 for n in counts.values()) / len(rows), counts

    for column in found.columns:
        present = [row[names.index(column.name)] for row in rows]
        assert column.distinct == len(set(present) - {None})
        assert column.missing == present.count(None)
        assert column.unique_share == pytest.approx(unique([column.name])[0])
    for pair in found.pairs:
        assert pair.unique_share == pytest.approx(unique(pair.columns)[0])
    assert len(found.pairs) == len(list(itertools.combinations(declared, 2)))
    if declared:
        share, counts = unique(declared)
        assert found.together.columns == tuple(declared)
        assert found.together.unique_share == pytest.approx(share)
        assert found.together.n_classes == len(counts)
        assert found.together.smallest_class == min(counts.values())
        assert found.together.small_share == pytest.approx(sum(n for n in counts.values() if n < small) / len(rows))
    else:
        assert found.together is None


def test_pairs_of_many_values_are_counted_by_sorting():
    n = 3_000
    frame = pl.DataFrame({"age": list(range(n)), "height": [i // 2 for i in range(n)], "race": ["x", "y"] * (n // 2)})
    found = inspect_table(Table(frame, Schema(quasi=["age", "height", "race"])))
    assert {pair.columns: pair.unique_share for pair in found.pairs} == {
        ("age", "height"): 1.0, ("age", "race"): 1.0, ("height", "race"): 1.0,
    }  # fmt: skip


def test_at_most_ten_pairs_the_worst_first():
    found = inspect_table(hospital(400))
    assert len(found.pairs) == 10
    assert [p.unique_share for p in found.pairs] == sorted((p.unique_share for p in found.pairs), reverse=True)
    assert len(inspect_table(hospital(400), max_pairs=3).pairs) == 3
    assert found.together.columns == ("age", "sex", "zip", "marital", "education", "admitted")


def test_every_type_can_be_looked_at():
    frame = pl.DataFrame(
        {
            "flag": [True, False, None], "time": [dt.time(1), dt.time(2), None], "gap": [dt.timedelta(1), None, None],
            "exact": pl.Series(["1.50", "2.25", None]).cast(pl.Decimal(10, 2)), "raw": [b"a", b"b", None],
            "label": pl.Series(["x", "y", "x"], dtype=pl.Categorical), "at": [dt.datetime(2024, 1, 1)] * 3,
            "both": [{"a": 1}, {"a": 2}, None], "small": pl.Series([1, 2, 2], dtype=pl.UInt8), "none": [None] * 3,
        }
    )  # fmt: skip
    found = {column.name: column for column in inspect_table(Table(frame)).columns}
    distinct = {"gap": 1, "at": 1, "none": 0}
    for name, column in found.items():
        assert column.distinct == distinct.get(name, 2), name
        assert column.missing == frame[name].null_count(), name


def test_the_suggested_schema_fits_the_table_and_survives_the_file():
    table = Table(hospital(500).frame)
    found = inspect_table(table)
    assert table.with_schema(found.schema).schema.sensitive == ["diagnosis"]
    text = found.to_toml()
    again = schema_from_dict(tomllib.loads(text))
    assert again == found.schema
    assert NOTICE in text.splitlines()[1]
    assert '# hierarchy = { type = "intervals"' in text
    assert "# identifier: the name suggests a medical record number (HIPAA H)" in text.splitlines()
    active = tomllib.loads(
        "\n".join(line.removeprefix("# ") if "# hierarchy" in line else line for line in text.splitlines())
    )
    schema_from_dict(active)  # the commented lines are right too
    assert isinstance(schema_from_dict(active).column("age").hierarchy, Intervals)


def test_odd_column_names_survive_the_file():
    names = ['say "hi"', "two\nlines", "a.b", "Ünïcode", "[x]", "#", " "]
    table = Table(pl.DataFrame({name: [1, 2] for name in names}))
    assert list(schema_from_dict(tomllib.loads(inspect_table(table).to_toml())).columns) == names


def test_declared_roles_are_kept():
    table = hospital(300)
    found = inspect_table(table)
    assert all(column.declared for column in found.columns)
    assert found.schema == table.schema
    some = inspect_table(table.with_schema(Schema(plain=["age"], rest="plain")))
    roles = {column.name: column.role for column in some.columns}
    assert roles["age"] == "plain"
    assert roles["zip"] == "quasi"
    assert some.schema.rest == "plain"


def test_no_cell_reaches_the_figures_or_the_terminal():
    from rich.console import Console

    cells = ["Xanthippe", "Quasimodo", "Zebedee", "Zyzzyva"]
    frame = pl.DataFrame({"name": cells * 9, "job": cells[::-1] * 9, "age": [88_731, 88_731, 3, 4] * 9})
    found = inspect_table(Table(frame))
    shown = io.StringIO()
    Console(file=shown, width=120).print(found.render())
    for text in (json.dumps(found.to_dict()), shown.getvalue(), found.to_toml()):
        assert not any(cell in text for cell in [*cells, "88731", "88,731"])
        assert "suggestions, not decisions" in text
    assert found.to_dict()["together"]["smallest_class"] == 9
    assert "The 2 columns that an outsider may know single out 0.0% of rows" in " ".join(shown.getvalue().split())
    assert "All 2 quasi-identifiers together: 0.0% of rows are unique" in repr(found)


def test_markup_in_a_column_name_is_only_text():
    from rich.console import Console

    shown = io.StringIO()
    Console(file=shown, width=120).print(inspect_table(Table(pl.DataFrame({"[red]a[/x]": [1, 2]}))).render())
    assert "[red]a[/x]" in shown.getvalue()


def test_an_empty_table_and_bad_options():
    found = inspect_table(Table(pl.DataFrame({"age": pl.Series([], dtype=pl.Int64)})))
    assert found.n_rows == 0
    assert found.together is None
    with pytest.raises(ParameterError, match="small must be at least 1, got 0"):
        inspect_table(hospital(5), small=0)


@pytest.mark.slow
def test_half_a_million_rows_take_seconds():
    frame = hospital(500_000).frame.with_columns(score_a=pl.col("cost") % 97, score_b=pl.col("stay_days") * 3)
    start = time.perf_counter()
    inspect_table(Table(frame))
    assert time.perf_counter() - start < 10


def test_identifiers_that_repeat_are_a_question():
    people = [i // 6 for i in range(60)]
    frame = pl.DataFrame({"patient_id": people, "visit_id": range(60), "age": [20 + p for p in people]})
    schema = Schema(identifier=["patient_id"], quasi=["age"])
    found = inspect_table(Table(frame.drop("visit_id"), schema))
    assert found.questions == [
        "patient_id repeats: 60 rows share 10 values. Are these rows one person's? Then give each person one row. "
        "`publish` refuses until you do, or say rows_are_persons = true."
    ]
    text = found.to_toml()
    assert "# rows_are_persons = true" in text.splitlines()
    assert schema_from_dict(tomllib.loads(text)) == found.schema
    answered = tomllib.loads(text.replace("# rows_are_persons", "rows_are_persons"))
    assert schema_from_dict(answered).rows_are_persons
    assert found.to_dict()["repeats"] == [{"columns": ["patient_id"], "rows": 60, "values": 10}]

    beside = inspect_table(Table(frame, Schema(identifier=["patient_id", "visit_id"], quasi=["age"])))
    assert [each.columns for each in beside.repeats] == [("patient_id",)]
    assert "refuses" not in beside.questions[0]
    assert "Are these rows one person's?" in beside.questions[0]
    assert "rows_are_persons" not in beside.to_toml()

    said = inspect_table(
        Table(frame.drop("visit_id"), Schema(identifier=["patient_id"], quasi=["age"], rows_are_persons=True))
    )
    assert said.schema.rows_are_persons
    assert "the schema says that all rows are persons" in said.questions[0]
    from rich.console import Console

    printed = io.StringIO()
    Console(file=printed, width=200).print(found.render())
    assert "Ask yourself" in printed.getvalue()


def test_unique_identifiers_raise_no_question():
    assert not inspect_table(Table(pl.DataFrame({"id": range(30), "age": [5] * 30}), Schema(identifier=["id"]))).repeats


def test_columns_that_say_the_same_are_a_question():
    illness = ["flu", "gout", "flu", "cold"] * 20
    frame = pl.DataFrame({
        "Diagnose": illness, "diagnose": [each.upper() for each in illness], "code": [len(each) for each in illness],
        "cost": [i * 1.5 for i in range(80)], "bill": [i * 3 for i in range(80)],
    })  # fmt: skip
    found = inspect_table(Table(frame))
    assert found.copies == (("Diagnose", "diagnose"),)
    assert found.questions[0] == (
        "Diagnose and diagnose say the same in every row, perhaps in other words. Leave one of them out?"
    )
    assert not [each for each in found.questions if each.startswith("diagnose goes with Diagnose")]


def test_figures_and_intervals_are_those_without_suspected_codes():
    ages = [20 + i % 60 for i in range(300)]
    clean = inspect_table(Table(pl.DataFrame({"age": ages}))).columns[0]
    dirty = inspect_table(Table(pl.DataFrame({"age": [*ages, 998, *[999] * 30]}))).columns[0]
    assert (dirty.distinct, dirty.hierarchy) == (clean.distinct, clean.hierarchy)
    assert dirty.suspected.values == (998, 999)
    assert dirty.suspected.n_rows == 31
    assert dirty.missing == 0


def test_the_schema_of_the_accidents_has_something_sensitive():
    frame = pl.DataFrame({"age": [20, 30, 40, 50] * 20, "injury": [0, 1, 2, 4] * 20, "D_injury": [0, 1, 2, 3] * 20})
    found = inspect_table(Table(frame))
    assert found.schema.sensitive == ["injury", "D_injury"]
    assert found.nothing_sensitive is None
    loud = inspect_table(Table(frame.select("age")))
    assert "# NOTHING IS SENSITIVE: no column is declared a secret" in loud.to_toml()
    assert loud.to_dict()["nothing_sensitive"]


def test_labels_of_values_come_into_the_schema():
    table = Table(pl.DataFrame({"sex": ["1", "2"] * 20}), labels={"sex": {"1": "male", "2": "female"}})
    text = inspect_table(table).to_toml()
    assert schema_from_dict(tomllib.loads(text)).column("sex").labels == {"1": "male", "2": "female"}
