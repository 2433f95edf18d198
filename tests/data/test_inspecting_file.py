"""The schema file: what is active depends on no answer, and what may be uncommented is right."""

from __future__ import annotations

import tomllib

import polars as pl

from sfumato.data.hierarchy_rules import Calendar, Intervals
from sfumato.data.inspecting import inspect_table
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict
from sfumato.data.table import Table


def suggested(cells, name, uncomment=()):
    """The suggested column; with these keys uncommented, the first of each."""
    text = inspect_table(Table(pl.DataFrame({name: cells}))).to_toml()
    for key in uncomment:
        text = text.replace(f"# {key} = ", f"{key} = ", 1)
    return text, schema_from_dict(tomllib.loads(text))


def test_codes_for_no_value_are_suggested_and_never_applied():
    cells = [20 + i % 60 for i in range(120)] + [998] + [999] * 8
    text, schema = suggested(cells, "age")
    assert '# missing_values = [998, 999]  # 9 cells far above the rest; uncomment if they mean "unknown"' in text
    assert schema.column("age").missing_values == ()
    Table(pl.DataFrame({"age": cells}), schema)
    _, answered = suggested(cells, "age", ["missing_values", "hierarchy"])
    column = answered.column("age")
    assert column.missing_values == ("998", "999")
    assert isinstance(column.hierarchy, Intervals)
    assert column.hierarchy.levels[0][-1] <= 100
    assert Table(pl.DataFrame({"age": cells}), answered).frame["age"].null_count() == 9


def test_texts_among_numbers_leave_the_kind_open():
    cells = [f"{60 + i % 40}" for i in range(99)] + ["n/a"]
    text, schema = suggested(cells, "weight")
    assert "99.0% numbers; 'n/a' in 1 cell." in text
    assert schema.column("weight").kind is None
    assert schema.column("weight").hierarchy is None
    _, answered = suggested(cells, "weight", ["missing_values", "hierarchy"])
    assert answered.column("weight").missing_values == ("n/a",)


def test_dates_that_are_certain_have_a_calendar():
    text, schema = suggested([f"{1 + i % 28:02}.{1 + i % 12:02}.{30 + i % 60}" for i in range(60)], "Geburtsdatum")
    column = schema.column("Geburtsdatum")
    assert (column.kind, column.date_format) == ("date", "dd.mm.yy")
    assert isinstance(column.hierarchy, Calendar)
    assert "prefixes" not in text


def test_dates_that_are_not_certain_stay_text_without_a_hierarchy():
    cells = [f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/{1940 + i}" for i in range(60)]
    text, schema = suggested(cells, "born")
    column = schema.column("born")
    assert (column.role, column.kind, column.hierarchy, column.date_format) == ("quasi", "category", None, None)
    assert '# date_format = "dd/mm/yyyy"\n# date_format = "mm/dd/yyyy"' in text
    assert "born holds dates that can be read in 2 ways, dd/mm/yyyy or mm/dd/yyyy" in text
    said = inspect_table(Table(pl.DataFrame({"born": cells}))).asked[0].short
    assert said == "born: dates written dd/mm/yyyy or mm/dd/yyyy? Text until you say which."


def test_no_date_is_cut_from_the_right():
    """Not even one that no form reads, as there is no 31 February."""
    for cells in (
        ["31.02.1990", "01.02.1991", "03.04.1992", "05.06.1993", "07.08.1994", "09.10.1995", "11.12.1996"],
        ["1990-02-31", "1991-02-01", "1992-04-03", "1993-06-05", "1994-08-07", "1995-10-09", "1996-12-11"],
    ):
        text, _ = suggested(cells * 5, "seen")
        assert "prefixes" not in text, cells


def test_codes_are_categories_with_the_reason():
    text, schema = suggested([1, 2, 56, 48] * 10, "state")
    assert schema.column("state").kind == "category"
    assert "# category: whole numbers that seem to be codes (codes of place); a range of codes means nothing" in text


def test_a_declared_column_is_left_as_it_is():
    table = Table(pl.DataFrame({"age": [20, 30, 999] * 20}), Schema(quasi=["age"]))
    assert "missing_values" not in inspect_table(table).to_toml()
