"""What a column is likely to be, by its name and by how its values look.

The eighteen identifiers of HIPAA's Safe Harbor (45 CFR 164.514(b)(2)) come first, (A) to (R); then what an outsider
may know of a person, what nobody should learn, and what is seldom known outside. Names are taken apart into words,
without case or accents: `PatientFirstName`, `patient_first_name` and `patient firstname` are the same.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import polars as pl

from sfumato.data.schema import Role

__all__ = ["Recognised", "is_row_id", "recognise_name", "recognise_values", "words"]


@dataclass(frozen=True)
class Recognised:
    """A role, what the column seems to be, and the letter of Safe Harbor's list where it is on it."""

    role: Role
    what: str
    hipaa: str | None = None


_PERSONS = {
    "patient", "person", "subject", "member", "customer", "client", "user", "employee", "student", "participant",
    "insured", "subscriber", "kunde", "kunden", "patienten", "versicherten", "mitglied", "mitglieds", "personal",
    "paciente", "cliente", "paziente", "assistito",
}  # fmt: skip

# Each rule: role, what it is, Safe Harbor's letter, and the names, separated by commas. The longest name that fits
# wins; one marked = must be the whole name of the column, one marked ~ may be any part of a word of it.
_RULES: tuple[tuple[Role, str, str | None, str], ...] = (
    ("identifier", "an e-mail address", "F",
     "email, e mail, mail, email address, mail address, correo, courriel, correo electronico, posta elettronica"),
    ("identifier", "an IP or network address", "O",
     "ip, ip address, ip addr, ipv4, ipv6, =mac, mac address, ip adresse, adresse ip, direccion ip, indirizzo ip"),
    ("identifier", "a web address", "N",
     "url, uri, website, web site, homepage, web address, =link, site web, sitio web"),
    ("identifier", "a fax number", "E",
     "fax, fax number, faxnummer, fax no, telefax, numero fax"),
    ("identifier", "a telephone number", "D",
     "phone, telephone, =tel, tel no, mobile, =cell, cell phone, phone number, mobile number, contact number, telefon, "
     "telefonnummer, handy, handynummer, telefono, movil, cellulare, portable, telephone portable"),
    ("identifier", "a social security or national number", "G",
     "ssn, social security, social security number, social insurance, sin number, nino, national id, national "
     "insurance, national number, tax id, tin, cpf, passport, passport number, sozialversicherungsnummer, sv nummer, "
     "svnr, ahv, steuer id, personalausweis, reisepass, nir, numero securite sociale, securite sociale, dni, nie, nif, "
     "curp, seguridad social, pasaporte, codice fiscale, passaporto, id card, identity number, nhs number, nhs no"),
    ("identifier", "a medical record number", "H",
     "mrn, medical record, medical record number, record number, chart number, chart no, case number, case id, "
     "encounter id, visit id, hospital number, fallnummer, fall nr, aktenzeichen, patientennummer, patienten nr, "
     "numero dossier, numero historia, historia clinica, cartella clinica"),
    ("identifier", "a health plan number", "I",
     "health plan, health plan number, insurance number, insurance id, policy number, policy id, beneficiary, "
     "beneficiary id, medicare, medicare number, medicaid, versichertennummer, versicherungsnummer, "
     "krankenkassennummer, kvnr, numero assure, numero afiliado, tessera sanitaria, member number"),
    ("identifier", "an account or card number", "J",
     "account, account number, account no, acct, acct no, iban, bank account, credit card, card number, cc number, "
     "kontonummer, konto, kreditkarte, numero compte, cuenta, numero cuenta, conto, conto corrente"),
    ("identifier", "a certificate or licence number", "K",
     "license, licence, license number, licence number, license no, certificate number, driver license, drivers "
     "license, driving licence, fuehrerschein, fuhrerschein, permis, licencia, patente"),
    ("identifier", "a vehicle number or plate", "L",
     "vin, plate, license plate, licence plate, number plate, plate number, vehicle id, vehicle number, registration "
     "plate, kennzeichen, kfz, immatriculation, matricula, targa"),
    ("identifier", "a device number", "M",
     "device id, device serial, serial, serial number, serial no, imei, udi, implant serial, seriennummer, numero "
     "serie, numero de serie, numero di serie"),
    ("identifier", "a biometric record", "P",
     "fingerprint, finger print, voiceprint, voice print, retina, iris scan, biometric, face id, dna, genome, "
     "fingerabdruck, empreinte, huella, impronta"),
    ("identifier", "a photograph", "Q",
     "photo, photograph, picture, portrait, headshot, face image, foto, lichtbild, imagen"),
    ("identifier", "a name", "A",
     "name, first name, last name, full name, surname, given name, family name, middle name, maiden name, forename, "
     "patient name, person name, customer name, client name, employee name, user name, username, login, nickname, "
     "contact name, mother name, father name, spouse name, initials, vorname, nachname, familienname, geburtsname, "
     "nom, prenom, nom de famille, nombre, apellido, apellidos, cognome, nome, nominativo"),
    ("identifier", "a street address", "B",
     "address, street, street address, home address, addr, address line, address 1, address1, address 2, address2, "
     "house number, apartment, adresse, anschrift, strasse, hausnummer, rue, adresse postale, direccion, calle, "
     "domicilio, indirizzo, =via"),
    ("identifier", "a precise place", "B",
     "latitude, longitude, =lat, =lon, =lng, gps, =geo, coordinates, geocode"),
    ("sensitive", "health", None,
     "disease, diseases, diagnosis, diagnoses, diagnostic, dx, icd, icd9, icd10, icd 10, illness, condition, disorder, "
     "symptom, symptoms, hiv, aids, cancer, tumor, tumour, comorbidity, cause of death, causes of death, death cause, "
     "mental health, disability, pregnancy, pregnant, medication, drug, drugs, prescription, treatment, treatments, "
     "therapy, surgery, surgical procedure, medical procedure, operation, genotype, injury, injuries, injured, injury "
     "severity, accident severity, severity, wound, wounded, wounds, trauma, fatality, fatal, killed, overdose, "
     "suicide, smoking, substance abuse, alcohol, diagnose, diagnosen, krankheit, erkrankung, behinderung, medikament, "
     "medikamente, behandlung, therapie, verletzung, verletzungen, verletzt, verletzungsschwere, unfallschwere, "
     "todesursache, befund, eingriff, symptome, schwangerschaft, maladie, blessure, blesse, gravite, traitement, "
     "cause de deces, diagnostico, enfermedad, lesion, lesiones, herida, heridas, tratamiento, gravedad, causa de "
     "muerte, diagnosi, malattia, ferita, ferite, lesioni, trattamento, terapia, causa di morte, gravita, handicap, "
     "~diagnos, ~verletz, ~behandlung, ~therap, ~krankheit, ~erkrankung, ~injur, ~medikament, ~maladie, ~enfermedad"),
    ("sensitive", "income or wealth", None,
     "salary, income, wage, wages, earnings, pay, compensation, net worth, wealth, debt, credit score, capital gain, "
     "capital loss, gehalt, einkommen, lohn, verdienst, salaire, revenu, salario, ingresos, ingreso, sueldo, "
     "stipendio, reddito"),
    ("sensitive", "belief, opinion or sexual life", None,
     "religion, faith, belief, political party, party, politics, vote, union, union member, sexual orientation, "
     "orientation, konfession, partei, gewerkschaft, parti, syndicat, partido, religione, partito"),
    ("sensitive", "offences or conduct", None,
     "crime, offense, offence, conviction, criminal record, arrest, charge, verdict, straftat, vorstrafe, delito, "
     "reato"),
    ("quasi", "a date of birth", "C",
     "dob, birth date, birthdate, date of birth, birth day, birthday, birth year, year of birth, yob, born, "
     "geburtsdatum, geburtstag, geburtsjahr, date naissance, date de naissance, annee naissance, fecha nacimiento, "
     "fecha de nacimiento, data nascita, data di nascita"),
    ("quasi", "a date about the person", "C",
     "admission date, date of admission, admitted, admit date, discharge date, date of discharge, discharged, death "
     "date, date of death, deceased, service date, visit date, event date, aufnahmedatum, entlassungsdatum, "
     "sterbedatum, date entree, date sortie, date deces, fecha ingreso, fecha alta, fecha muerte, data ricovero, data "
     "dimissione"),
    ("quasi", "a ZIP or postal code", "B",
     "zip, zip code, zipcode, zip5, postal, postal code, postcode, post code, plz, postleitzahl, code postal, codigo "
     "postal, =cp, =cap, codice postale"),
    ("quasi", "a place", "B",
     "city, town, county, municipality, district, precinct, parish, village, suburb, census tract, neighborhood, "
     "neighbourhood, region, state, province, country, birthplace, birth place, place of birth, location, native "
     "country, ort, stadt, wohnort, gemeinde, landkreis, kreis, bundesland, land, geburtsort, ville, commune, "
     "departement, pays, ciudad, municipio, provincia, estado, pais, citta, comune, regione, paese, canton, kanton"),
    ("quasi", "an age", None,
     "age, age group, age at, alter, age years, age in years, edad, eta, lebensalter"),
    ("quasi", "sex or gender", None,
     "sex, gender, geschlecht, sexe, genre, sexo, genero, sesso, genere"),
    ("quasi", "origin", None,
     "race, ethnicity, ethnic, ethnic group, nationality, citizenship, ancestry, language, mother tongue, native "
     "language, nationalitat, nationalitaet, staatsangehorigkeit, staatsangehoerigkeit, herkunft, sprache, "
     "nationalite, langue, nacionalidad, idioma, etnia, nazionalita, cittadinanza, lingua"),
    ("quasi", "family status", None,
     "marital, marital status, civil status, married, family status, household, household size, relationship, "
     "children, number of children, n children, familienstand, kinder, haushalt, situation familiale, etat civil, "
     "enfants, estado civil, hijos, stato civile, figli"),
    ("quasi", "education or work", None,
     "education, education num, school, degree, occupation, job, job title, profession, employer, workclass, work "
     "class, industry, position, rank, veteran, military, bildung, abschluss, ausbildung, beruf, arbeitgeber, metier, "
     "diplome, employeur, educacion, profesion, ocupacion, empleo, istruzione, titolo di studio, professione, lavoro"),
    ("quasi", "a visible feature", None,
     "height, weight, bmi, body mass, eye color, eye colour, hair color, hair colour, blood type, blood group, "
     "groesse, grosse, gewicht, taille, poids, altura, peso, altezza"),
    ("plain", "something that outsiders seldom know", None,
     "cost, costs, charges, price, amount, stay, stay days, length of stay, los, days, duration, count, score, result, "
     "lab, dose, blood pressure, systolic, diastolic, cholesterol, glucose, heart rate, temperature, ward, department, "
     "unit, kosten, betrag, dauer, station, abteilung, cout, duree, coste, costo, durata, reparto"),
)  # fmt: skip

_ROW_ID_WORDS = {"id", "uuid", "guid", "identifier", "key", "rowid", "index", "number", "no", "nr", "nummer", "numero"}
_ID_WORDS = _ROW_ID_WORDS | {"ids", "num", "code"}


def words(name: str) -> list[str]:
    """The words of a column name, lower case and without accents."""
    cut = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    plain = unicodedata.normalize("NFKD", cut.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.findall(r"[a-z0-9]+", plain.lower())


_LOOSE = {"a name", "a web address", "an account or card number", "a place"}
"""What only a whole name or its end may mean: `drug_name` names no person, `account_type` is no account."""


def _fits(parts: list[str], phrase: str, *, loose: bool) -> bool:
    if phrase.startswith("~"):
        return any(phrase[1:] in part for part in parts)
    wanted = phrase.removeprefix("=").split()
    n, joined = len(wanted), "".join(wanted)
    if "".join(parts) == joined:
        return True
    if phrase.startswith("="):
        return False
    if loose:
        return len(joined) >= 5 and (parts[-n:] == wanted or parts[-1] == joined)
    return any(parts[i : i + n] == wanted for i in range(len(parts) - n + 1)) or (n > 1 and joined in parts)


def recognise_name(name: str) -> Recognised | None:
    """Say what the name of a column tells, or None. The longest phrase wins: `ip address` before `address`."""
    parts = words(name)
    if len(parts) > 1 and parts[-1] in _ID_WORDS and _PERSONS.intersection(parts[:-1]):
        return Recognised("identifier", "a number given to a person", "R")
    best, size = None, 0
    for role, what, letter, names in _RULES:
        for phrase in names.split(", "):
            if len(phrase) > size and parts and _fits(parts, phrase, loose=what in _LOOSE):
                best, size = Recognised(role, what, letter), len(phrase)
    return best


def is_row_id(name: str) -> bool:
    """Whether the name is that of a key; to be believed only where values are nearly all different."""
    return bool(_ROW_ID_WORDS & set(words(name)))


_PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("e-mail addresses", "F", r"^[^@\s]+@[^@\s]+\.[A-Za-z]{2,}$"),
    ("social security numbers", "G", r"^\d{3}-\d{2}-\d{4}$"),
    ("IP addresses", "O", r"^(?:\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4})$"),
    ("web addresses", "N", r"^(?i:(?:https?|ftp)://\S+|www\.\S+\.\S+)$"),
    ("telephone numbers", "D", r"^\+\d[\d\s().\-/]{6,18}\d$"),
    ("telephone numbers", "D", r"^\(?\d{2,5}\)?[\s.\-/]{1,2}\d{2,4}[\s.\-/]?\d{2,5}(?:[\s.\-]\d{2,4})*$"),
)
_WRITTEN_DATE = (
    r"^(?:\d{1,2}[./\-]\d{1,2}[./\-](?:\d{2}|\d{4})|\d{4}[./\-]\d{1,2}[./\-]\d{1,2}"
    r"|\d{1,2}[./\- ]{1,2}[A-Za-z]{3,9}[./\- ]{1,2}\d{2,4}|[A-Za-z]{3,9} \d{1,2}, ?\d{4})(?:[ T]\d{1,2}:\d{2}.*)?$"
)
_SAMPLE = 2_000
_MOST = 0.8
_OWN = 0.1
"""Codes of areas can look like telephone numbers, but people share them: fewer than this share are different."""


def recognise_values(series: pl.Series) -> Recognised | None:
    """Say what the values of a text column look like, or None."""
    looked_at = series.drop_nulls().head(20 * _SAMPLE)
    distinct = looked_at.unique()
    values = distinct.head(_SAMPLE).str.strip_chars()
    if len(values) == 0:
        return None
    shared = len(distinct) < _OWN * len(looked_at)

    def share(pattern: str) -> float:
        return float(values.str.contains(pattern).sum()) / len(values)

    if share(_WRITTEN_DATE) >= _MOST:
        return Recognised("quasi", "dates", "C")
    for what, letter, pattern in _PATTERNS:
        if share(pattern) >= _MOST and not (shared and what == "telephone numbers"):
            return Recognised("identifier", what, letter)
    return None
