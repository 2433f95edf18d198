"""Free text is told by what a column is called and by what stands in its cells."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.data.free_text import is_free_text, is_named_free_text
from sfumato.data.inspecting import inspect_table
from sfumato.data.persons import refuse_repeated_persons
from sfumato.data.recognising import recognise_name
from sfumato.data.table import Table
from support.inspected import inspect_series

NAMES = (
    "Bemerkung", "Notiz", "Kommentar", "Anmerkung", "remark", "Remarks", "comment", "doctorComments", "note", "notes",
    "freitext", "memo", "Commentaire", "observaciones", "Arztnotiz", "treatment_notes",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_remarks_is_enough(name):
    look = inspect_series(["wieder da", "kommt morgen", "nichts"] * 40, name)
    assert (look.role, look.short) == ("identifier", "free text")
    assert look.reason.startswith("free text, in which people may be named")


@pytest.mark.parametrize("cell", [
    "Tel. 0351-410566 anrufen", "Rückruf +49 351 410566", "0171/1234567 Tochter", "call (555) 123-4567 first",
    "schreibt an a.jaeger@web.de", "fils 06 12 34 56 78", "Herr Jäger klagt", "Mrs Jones was here",
])  # fmt: skip
def test_one_cell_is_enough(cell):
    look = inspect_series(["ok", "offen", "erledigt"] * 40 + [cell], "Vorgang")
    assert (look.role, look.short) == ("identifier", "free text")


def test_sentences_that_repeat_in_part():
    said = [f"klagt seit {i % 40} Tagen über Schmerzen" for i in range(300)]
    assert inspect_series(said, "Verlauf").role == "identifier"


@pytest.mark.parametrize(("name", "values"), [
    ("diagnosis", ["type 2 diabetes", "coronary heart disease", "chronic obstructive pulmonary disease", "flu"]),
    ("thing", ["type 2 diabetes", "coronary heart disease", "asthma"]),
    ("opinion_on_it", ["strongly agree", "neither agree nor disagree", "do not agree at all"]),
    ("bracket", ["1000-1999 EUR", "10000 - 19999 EUR", "$50,000 - $74,999"]),
    ("period", ["05-2023 to 07-2023", "01/2024 bis 03/2024"]),
    ("tract", ["0351-4105", "0351-4106", "0352-1000"]),
    ("note", ["1+", "2-", "3"]),
    ("note_type", ["ward round", "discharge", "phone"]),
    ("diagnosis_description", ["type 2 diabetes", "asthma", "flu"]),
    ("description", ["type 2 diabetes", "asthma", "flu"]),
    ("memory", ["good", "bad day", "poor recall"]),
])  # fmt: skip
def test_labels_of_categories_are_none(name, values):
    series = pl.Series(name, values * 50)
    assert not is_free_text(series, name, recognise_name(name))
    assert inspect_series(series, name).role != "identifier"


def test_numbers_are_no_text():
    assert inspect_series([1, 2, 3] * 40, "note").role == "quasi"


def test_remarks_that_repeat_are_nobodys_key():
    rows = {"Bemerkung": ["ruft wieder an", "nichts Neues"] * 20, "age": [20 + i % 9 for i in range(40)]}
    found = inspect_table(Table(pl.DataFrame(rows)))
    assert found.schema.identifier == ["Bemerkung"]
    assert not found.repeats
    assert not found.refused
    refuse_repeated_persons(Table(pl.DataFrame(rows), found.schema))


def test_names_of_remarks():
    assert all(is_named_free_text(name) for name in NAMES)
    assert not any(map(is_named_free_text, ("age", "notebook", "comment_id", "", "Datum")))
