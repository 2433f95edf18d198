"""What a column is likely to be, by its name and by its values."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.data.recognising import recognise_name, recognise_values, words
from support.inspected import inspect_series


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
        found = recognise_name(name)
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
        found = recognise_name(name)
        assert found is not None, name
        assert found.role == role, (name, found)


@pytest.mark.parametrize(
    "name", ["hospital_name", "account_type", "white_cell_x", "village", "x1", "", "___", "sexton"]
)
def test_names_that_only_resemble(name):
    found = recognise_name(name)
    assert found is None or found.role == "quasi"


def test_words_of_a_name():
    assert words("PatientFirstName") == ["patient", "first", "name"]
    assert words("ICD10Code") == ["icd10", "code"]
    assert words("Größe (cm)") == ["grosse", "cm"]


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
    found = recognise_values(pl.Series(values))
    assert found is not None
    assert found.hipaa == letter
    assert found.role == ("quasi" if letter == "C" else "identifier")
    assert inspect_series(values).hipaa == letter


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
    assert recognise_values(pl.Series(values, dtype=pl.String)) is None


@pytest.mark.parametrize(
    "name",
    ["injury", "D_injury", "INJURY_SEVERITY", "accident severity", "cause_of_death", "wounded", "treatment", "Therapie", "therapy_type",
     "Verletzung", "Verletzungsgrad", "Behandlungsart", "Hauptdiagnose", "Todesursache", "blessure", "lesiones", "ferita",
     "Vorerkrankungen", "Medikamente", "Befund"],
)  # fmt: skip
def test_what_was_done_to_bodies_is_health(name):
    found = recognise_name(name)
    assert found is not None
    assert (found.role, found.what) == ("sensitive", "health")


def test_when_it_was_is_a_date_that_others_know():
    days = pl.Series([f"2024-01-{i:02}" for i in range(1, 29)]).str.to_date()
    for name in ("Behandlungsdatum", "injury_date", "Diagnosedatum"):
        assert inspect_series(days, name).role == "quasi"
