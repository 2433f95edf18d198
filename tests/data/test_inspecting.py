"""inspect_table: figures against brute force, suggestions by name and by value."""

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

from sfumato.data.hierarchy_rules import Calendar, Intervals, Prefixes
from sfumato.data.inspecting import NOTICE, inspect_table
from sfumato.data.recognising import by_name, by_values, words
from sfumato.data.schema import Schema
from sfumato.data.schema_file import schema_from_dict
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.ground.errors import ParameterError


def look(series, name="thing"):
    return inspect_table(Table(pl.DataFrame({name: series}))).columns[0]


# -- figures ---------------------------------------------------------------------------------------------------------
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


# -- names -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("letter", "names"),
    [
        ("A", "name, Name, patient_name, FirstName, last-name, SURNAME, Vorname, nachname, prénom, apellidos, cognome"),
        ("B", "address, street_address, HomeAddress, Straße, adresse, dirección, indirizzo, zip, ZIPCode, "
              "zip_code, PLZ, Postleitzahl, code_postal, código_postal, CAP, city, county, Wohnort, ville, lat"),
        ("C", "birth_date, DOB, DateOfBirth, Geburtsdatum, date_naissance, fecha_de_nacimiento, data_nascita, "
              "admission_date, discharge date, date_of_death"),
        ("D", "phone, phone_number, Telefon, mobile, teléfono, tel"), ("E", "fax, FaxNumber, fax_no"),
        ("F", "email, e-mail, EMail, email_address, correo, courriel"),
        ("G", "ssn, SSN, social_security_number, national_id, codice_fiscale, DNI, passport, "
              "Sozialversicherungsnummer"),
        ("H", "mrn, MRN, medical_record_number, Fallnummer"),
        ("I", "health_plan_number, insurance_id, policyNumber, Versichertennummer, medicare_number"),
        ("J", "account, account_number, IBAN, credit_card, Kontonummer"),
        ("K", "license_number, driver_license, licence no, Führerschein"),
        ("L", "vin, license_plate, plate, Kennzeichen, vehicle_id"),
        ("M", "device_serial, serial_number, device_id, IMEI"),
        ("N", "url, website, homepage"), ("O", "ip, ip_address, IPAddress, mac_address"),
        ("P", "fingerprint, voice_print, biometric"), ("Q", "photo, picture, Foto"),
        ("R", "patient_id, PatientID, customer_number, employee no, user_id"),
    ],
)  # fmt: skip
def test_safe_harbor_names(letter, names):
    for name in names.split(", "):
        found = by_name(name)
        assert found is not None, name
        assert found.hipaa == letter, (name, found)
        assert found.role in ("identifier", "quasi"), name


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("sensitive", "disease, Diagnosis, primary_diagnosis, ICD10, icd_10_code, salary, annual_income, religion, "
                      "hiv_status, Krankheit, Einkommen, salaire, cause_of_death, drug_name"),
        ("quasi", "age, Alter, sex, Gender, Geschlecht, race, ethnicity, marital-status, occupation, education, "
                  "nationality, native-country, edad, sexo, profession"),
        ("plain", "cost, length_of_stay, stay_days, department, systolic"),
    ],
)  # fmt: skip
def test_other_names(role, names):
    for name in names.split(", "):
        found = by_name(name)
        assert found is not None, name
        assert found.role == role, (name, found)


@pytest.mark.parametrize(
    "name", ["hospital_name", "account_type", "white_cell_x", "village", "x1", "", "___", "sexton"]
)
def test_names_that_only_resemble(name):
    found = by_name(name)
    assert found is None or found.role == "quasi"


def test_words_of_a_name():
    assert words("PatientFirstName") == ["patient", "first", "name"]
    assert words("ICD10Code") == ["icd10", "code"]
    assert words("Größe (cm)") == ["grosse", "cm"]


# -- values ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("values", "letter"),
    [
        (["a@b.org", "c.d@e.co.uk"], "F"), (["123-45-6789", "987-65-4321"], "G"), (["10.0.0.1", "192.168.1.20"], "O"),
        (["fe80::1", "2001:db8::ff00:42:8329"], "O"), (["https://x.org/a", "www.y.com"], "N"),
        (["+49 30 1234567", "+1-212-555-0101"], "D"), (["(212) 555-0101", "212-555-0199", "030 1234567"], "D"),
        (["31.12.1999", "1.2.2003"], "C"), (["12/31/1999", "01/02/2003"], "C"),
    ],
)  # fmt: skip
def test_values_that_look_like_something(values, letter):
    found = by_values(pl.Series(values))
    assert found is not None
    assert found.hipaa == letter
    assert found.role == ("quasi" if letter == "C" else "identifier")
    assert look(values).hipaa == letter


@pytest.mark.parametrize(
    "values",
    [
        ["flu", "cold"],
        ["02139", "10001"],
        ["A12.3", "B45.6"],
        ["1 2", "3"],
        [None, None],
        ["01-01301", "06-03712"] * 20,
    ],
)
def test_values_that_look_like_nothing(values):
    assert by_values(pl.Series(values, dtype=pl.String)) is None


# -- suggestions -----------------------------------------------------------------------------------------------------
def test_suggestions_by_what_the_values_do():
    n = 200
    assert look([f"w{i}x" for i in range(n)]).role == "identifier"  # near-unique text
    assert look(list(range(n))).role == "identifier"  # numbers the rows
    assert look([i * 7 for i in range(n)], "record_id").role == "identifier"
    assert look([i % 3 for i in range(n)], "group_id").role == "quasi"
    assert look(["always"] * n).role == "plain"
    assert look([None] * n).role == "plain"
    assert look(["always", None] * n).role == "quasi"
    notes = [f"short note about a visit, in which somebody may well be named {i % 150}" for i in range(n)]
    assert look(notes).role == "identifier"
    assert look([["a"], ["b"]] * n).role == "identifier"
    assert look([i % 9 for i in range(n)], "height").role == "quasi"
    assert look([dt.date(2024, 1, 1) + dt.timedelta(i) for i in range(n)]).role == "quasi"
    assert look([i * 1.01 for i in range(n)], "cost").reason.endswith("so round it or declare it quasi")
    assert look([i % 2 for i in range(n)], "ssn").role == "identifier"  # the name weighs more
    assert look([f"Town {i}" for i in range(n)], "city").role == "quasi"


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


def test_what_nobody_knows_is_never_suggested_plain():
    assert look(["x", "y"] * 30, "qqq").role == "quasi"


def test_hierarchies_are_rules_that_list_no_value():
    assert look(["02139", "10001", "10002", "53715", "60601", "94103"], "zip").hierarchy == Prefixes(5, (4, 3, 2, 1))
    assert look([10001, 2139, 3, 4, 5, 6] * 4, "zip").hierarchy == Prefixes(5, (4, 3, 2, 1))
    assert isinstance(look([dt.date(2024, 1, i) for i in range(1, 30)]).hierarchy, Calendar)
    ages = look(list(range(101)) * 2, "age").hierarchy
    assert isinstance(ages, Intervals)
    assert [level[1] - level[0] for level in ages.levels] == [5, 10, 50]
    assert look(["f", "m"] * 9, "sex").hierarchy is None


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.integers(-(2**40), 2**40), min_size=11, max_size=40)
    | st.lists(st.floats(-1e9, 1e9, allow_subnormal=False), min_size=11, max_size=40)
    | st.lists(st.floats(0, 1e-3, allow_subnormal=False), min_size=11, max_size=40)
)
def test_round_intervals_hold_every_value(numbers):
    hierarchy = look(pl.Series(numbers), "height").hierarchy
    if hierarchy is not None:
        tree = hierarchy.tree(set(numbers))
        assert tree.n_leaves == len({float(number) for number in numbers})


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
    assert "All 2 quasi-identifiers together: 0.0% of rows are unique" in " ".join(shown.getvalue().split())


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
