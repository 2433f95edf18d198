"""Data as they come: codes for no value, German dates and numbers, declared once in the schema and read by every verb."""

import json
import random
import re

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run

SCHEMA = """
[columns.Alter]
role = "quasi"
low = 0
high = 120
missing_values = ["998", "999"]
[columns.Geburtsdatum]
role = "quasi"
date_format = "dd.mm.yyyy"
missing_values = ["01.01.1900"]
[columns."Gewicht (kg)"]
role = "quasi"
kind = "number"
missing_values = ["n/a", "N/A"]
[columns.Geschlecht]
role = "quasi"
kind = "category"
missing_values = ["9"]
labels = { 1 = "male", 2 = "female", 3 = "diverse" }
[columns.Kosten]
role = "plain"
[columns.Diagnose]
role = "sensitive"
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder with a German export, its schema, and a release of it."""
    folder = tmp_path_factory.mktemp("clinic")
    draw = random.Random(4)
    lines = ["Alter;Geburtsdatum;Gewicht (kg);Geschlecht;Kosten;Diagnose"]
    for i in range(240):
        age = draw.choice(["998", "999"]) if i % 17 == 0 else str(draw.randint(18, 90))
        born = (
            "01.01.1900"
            if i % 19 == 0
            else f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.{draw.randint(1930, 2005)}"
        )
        weight = draw.choice(["n/a", " N/A "]) if i % 13 == 0 else f"{draw.randint(45, 120)},{draw.randint(1, 9)}"
        cost = f"{draw.randint(1, 9)}.{draw.randint(0, 999):03},{draw.randint(10, 99)}"
        lines.append(f"{age};{born};{weight};{draw.choice('129')};{cost};{draw.choice(['Grippe', 'Asthma', 'Gicht'])}")
    (folder / "klinik.csv").write_text("\n".join(lines) + "\n", encoding="latin-1")
    (folder / "schema.toml").write_text(SCHEMA)
    assert run(["publish", str(folder / "klinik.csv"), "--schema", str(folder / "schema.toml"), "--k", "5", "--l", "2",
                "--no-report", "-o", str(folder / "out")]) == 0  # fmt: skip
    return folder


@pytest.mark.parametrize("words", [
    ["verify", "out", "--original", "klinik.csv"], ["verify", "out"], ["measure", "out", "klinik.csv", "--n-queries", "5"],
    ["attack", "out", "klinik.csv", "--attack", "LinkageAttack", "--seed", "1"],
    ["attack", "out", "klinik.csv", "--attack", "LinkageAttack", "--param", "outside=klinik.csv", "--seed", "1"],
    ["verify", "out", "--original", "klinik.csv", "--schema", "schema.toml"],
], ids=" ".join)  # fmt: skip
def test_every_verb_reads_the_original_as_the_release_says(clinic, monkeypatch, words, capsys):
    monkeypatch.chdir(clinic)
    assert run(words) == 0, capsys.readouterr().err


def test_what_is_published_is_of_values_alone(clinic):
    release = sf.load_release(clinic / "out")
    shown = json.dumps(release.data.frame.select(pl.all().cast(pl.String)).to_dict(as_series=False))
    for code in ("998", "999", "1900-01-01", "n/a", "N/A"):
        assert not re.search(rf"(?<![0-9]){code}(?![0-9])", shown)
    sex = release.schema.column("Geschlecht")
    assert sex.missing_values == ("9",)
    assert sex.labels == {"1": "male", "2": "female"}
    assert release.schema.column("Geburtsdatum").date_format == "dd.mm.yyyy"
    assert release.data.frame["Kosten"].dtype == pl.Float64
    assert release.data.schema.column("Geburtsdatum").date_format is None


@pytest.mark.parametrize("method", [sf.AdditiveNoise(scale=0.3), sf.Condensation(), sf.MDAV()], ids=repr)
def test_a_published_number_that_equals_a_code_is_a_number(tmp_path, method):
    """Drawn and changed values may fall on any number, and are read back as they were written."""
    codes = {"x": list(range(-99, 199, 2)), "y": list(range(-99, 199, 2))}
    frame = pl.DataFrame({"x": range(0, 80, 2), "y": [i * 7 % 80 // 2 * 2 for i in range(40)]})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"], missing_values=codes))
    assert not table.frame.null_count().sum_horizontal().item()
    promise = None if isinstance(method, sf.AdditiveNoise) else sf.KAnonymity(3)
    release = sf.publish(table, method, promise, seed=3)
    assert not release.data.frame.null_count().sum_horizontal().item()
    assert set(release.data.frame["x"].round().cast(int) % 2) == {0, 1}
    again = sf.load_release(release.save(tmp_path / "out", report=False))
    assert again.data.frame.equals(release.data.frame)


def test_an_ambiguous_date_is_a_question_and_no_guess(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "us.csv").write_text("born,ill\n" + "03/04/1990,a\n05/06/1991,b\n" * 10)
    (tmp_path / "s.toml").write_text(
        '[columns.born]\nrole = "quasi"\nkind = "date"\n[columns.ill]\nrole = "sensitive"\n'
    )
    assert run(["publish", "us.csv", "--schema", "s.toml", "--k", "2", "-o", "out"]) == 2
    said = capsys.readouterr().err
    assert "'03/04/1990' at row 1 may be 1990-04-03 or 1990-03-04" in said
    assert 'declare date_format = "dd/mm/yyyy" or "mm/dd/yyyy"' in said
    assert not (tmp_path / "out").exists()


def test_a_file_of_others_is_read_by_its_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.csv").write_text("sex,ill\n1,a\n1,b\n9,a\n,b\n")
    (tmp_path / "s.toml").write_text(
        '[columns.sex]\nrole = "quasi"\nmissing_values = ["9"]\n[columns.ill]\nrole = "sensitive"\n'
    )
    assert run(["verify", "f.csv", "--schema", "s.toml", "--k", "2"]) == 0
