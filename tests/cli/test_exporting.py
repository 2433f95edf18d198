"""`sfumato export`, and `--sheet`."""

from __future__ import annotations

import json

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital


@pytest.fixture
def folder(tmp_path, monkeypatch):
    sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1).save(tmp_path / "out", report=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_copy_and_what_it_is(folder, capsys):
    assert run(["export", "out", "x.csv"]) == 0
    said = capsys.readouterr().out
    assert "Wrote x.csv" in said
    assert "it is a copy: the certificate covers the files in out" in said
    assert run(["export", "out", "x.csv"]) == 2
    assert "or say --overwrite" in capsys.readouterr().err
    assert run(["export", "out", "x.csv", "--overwrite", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": ["x.csv"], "rows": 60}
    assert run(["verify", "out"]) == 0


@pytest.mark.parametrize(
    ("target", "code", "message"),
    [("out/x.csv", 2, "folder of a release"), ("x.doc", 2, "ends in .xlsx"), ("none/x.csv", 2, "there is no folder")],
)
def test_refusals(folder, capsys, target, code, message):
    assert run(["export", "out", target]) == code
    assert message in capsys.readouterr().err
    assert not (folder / target).exists()


def test_a_damaged_release_is_not_copied(folder, capsys):
    (folder / "out" / "data.csv").write_text("age\n1\n")
    assert run(["export", "out", "x.csv"]) == 1
    assert not (folder / "x.csv").exists()


def test_a_sheet_from_the_first_look_to_the_check(tmp_path, monkeypatch, capsys):
    pytest.importorskip("python_calamine", reason="needs sfumato[excel]")
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs sfumato[excel]")
    monkeypatch.chdir(tmp_path)
    with xlsxwriter.Workbook("k.xlsx") as book:
        for name in ("Kosten", "Patienten 2024"):
            sheet = book.add_worksheet(name)
            for i, row in enumerate([("age", "illness"), *((20 + i, "abc"[i % 3]) for i in range(30))]):
                sheet.write_row(i, 0, row)
    assert run(["inspect", "k.xlsx"]) == 2
    assert (
        "has the sheets 'Kosten', 'Patienten 2024'; name one of them, as in --sheet Kosten" in capsys.readouterr().err
    )
    assert run(["inspect", "k.xlsx", "--sheet", "Patienten 2024"]) == 0
    assert "--sheet 'Patienten 2024'" in capsys.readouterr().out
    schema = '[columns.age]\nrole = "quasi"\n[columns.illness]\nrole = "sensitive"\n'
    (tmp_path / "s.toml").write_text(schema)
    data = ["k.xlsx", "--schema", "s.toml", "--sheet", "Patienten 2024"]
    assert run(["publish", *data, "--k", "5", "-o", "out", "--no-report"]) == 0
    assert run(["verify", "out", "--original", *data]) == 0
    assert run(["publish", "x.dat", "--sheet", "a", "--k", "5", "-o", "o"]) == 2
