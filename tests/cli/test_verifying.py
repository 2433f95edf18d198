"""`sfumato verify`: releases and files that others made."""

import polars as pl
import pytest

from sfumato.cli import run
from support.commands import PUBLISH, run_words


@pytest.mark.parametrize("column", ["0.12345678901234567811\n0.12345678901234567822", "1e5\n100000", "1\n1.0"])
def test_cells_of_a_file_are_the_text_they_are(tmp_path, column, capsys):
    (tmp_path / "f.csv").write_text("a\n" + column + "\n")
    assert run(["verify", str(tmp_path / "f.csv"), "--quasi", "a", "--k", "2"]) == 1


def test_the_command_line_verifies_with_the_population(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").mkdir()
    rows = [(20 + i // 2, "fm"[i % 2], f"s{i % 3}") for i in range(24)]
    pl.DataFrame(rows[:12], schema=["age", "sex", "s"], orient="row").write_csv("r/data.csv")
    pl.DataFrame(rows, schema=["age", "sex", "name"], orient="row").write_csv("r/voters.csv")
    (tmp_path / "r" / "recipe.toml").write_text(
        '[input]\npath = "data.csv"\n[schema.columns.age]\nrole = "quasi"\nhigh = 30\n[schema.columns.sex]\nrole = "quasi"\n'
        '[schema.columns.s]\nrole = "sensitive"\n[method]\nname = "Mondrian"\n[[promise]]\nname = "KAnonymity"\nk = 3\n'
        '[[promise]]\nname = "KMap"\nk = 3\npopulation = "voters.csv"\n[output]\nfolder = "out"\nreport = false\n'
    )
    assert run(["publish", "r/recipe.toml"]) == 0
    assert "people of 24" in capsys.readouterr().out
    assert run(["verify", "r/out"]) == 1
    assert "is NOT decided" in capsys.readouterr().out
    assert run(["verify", "r/out", "--population", "r/voters.csv"]) == 0
    assert run(["verify", "r/out", "--population", "r/data.csv"]) == 2
    assert "is another than that of KMap(k=3)" in capsys.readouterr().err
    assert run(["verify", "r/out", "--k", "3", "--population", "r/voters.csv"]) == 2
    assert "no promise speaks of a population" in capsys.readouterr().err
    assert run(["verify", "r/data.csv", "--quasi", "age", "--k", "1", "--population", "r/voters.csv"]) == 2


def test_a_file_that_sfumato_did_not_make(folder, capsys):
    pl.DataFrame({"age": ["3*", "3*", "*"], "zip": ["130", "130", "*"], "s": ["a", "b", "c"]}).write_csv("other.csv")
    assert run(["verify", "other.csv", "--quasi", "age,zip", "--k", "2"]) == 0
    out = capsys.readouterr().out
    assert "1 of 3 rows show nothing" in out
    assert run(["verify", "other.csv", "--quasi", "age,zip", "--k", "2", "--suppressed-rows", "class"]) == 1
    assert run(["verify", "other.csv", "--quasi", "age", "--k", "2", "--l", "2", "--sensitive", "s"]) == 0
    assert run(["verify", "other.csv", "--quasi", "age", "--l", "2"]) == 2
    assert "name them with --sensitive" in capsys.readouterr().err


def test_a_tampered_release_fails(folder, capsys):
    assert run([*PUBLISH, "--format", "csv"]) == 0
    text = (folder / "out" / "data.csv").read_text()
    (folder / "out" / "data.csv").write_text(text.replace("female", "male", 1))
    assert run(["verify", "out"]) == 1
    assert "has changed since the certificate was written" in capsys.readouterr().out
    assert run(["measure", "out"]) == 1


def test_orders_and_hierarchies_of_the_schema_count_in_other_files(folder, capsys):
    pl.DataFrame({"g": [1, 1, 2, 2], "s": ["low", "mid", "mid", "high"]}).write_csv("other.csv")
    (folder / "o.toml").write_text('[columns.s]\nrole = "sensitive"\norder = ["low", "mid", "high"]\n')
    assert run(["verify", "other.csv", "--quasi", "g", "--sensitive", "s", "--t", "0.4"]) == 0
    assert run(["verify", "other.csv", "--quasi", "g", "--schema", "o.toml", "--t", "0.2"]) == 1
    assert "0.2500" in capsys.readouterr().out


def test_a_release_of_stars_is_one_class_here_too(folder, capsys):
    pl.DataFrame({"c": list("abcd"), "s": ["x", "x", "x", "y"]}).write_csv("d.csv")
    (folder / "d.toml").write_text('[columns.c]\nrole = "quasi"\n[columns.s]\nrole = "sensitive"\n')
    assert run(["publish", "d.csv", "--schema", "d.toml", "--k", "4", "-o", "stars", "--no-report"]) == 0
    assert run(["verify", "stars", "--l", "2"]) == 1
    assert "smallest class" not in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--label", "--labels", "--record", "--item", "--baskets", "--direction"])
def test_how_sets_are_written_is_not_said_of_a_table(folder, capsys, option):
    assert run(PUBLISH) == 0
    value = {"--baskets": "long", "--direction": "any"}.get(option, "x")
    for more in ([], ["--original", "hospital.csv", "--schema", "schema.toml"]):
        assert run(["verify", "out", *more, option, value]) == 2
        assert f"{option} is for " in capsys.readouterr().err


def test_the_sheet_that_is_named_is_verified(tmp_path, monkeypatch, capsys):
    pytest.importorskip("python_calamine", reason="needs sfumato[excel]")
    xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs sfumato[excel]")
    monkeypatch.chdir(tmp_path)
    for file, sheets in (("two.xlsx", ("labels", "data")), ("one.xlsx", ("data",))):
        with xlsxwriter.Workbook(file) as book:
            for name in sheets:
                sheet = book.add_worksheet(name)
                for i, row in enumerate([("age",), *((20 + i // 5,) for i in range(20))]):
                    sheet.write_row(i, 0, row if name == "data" else ("x", i))
    asked = ("--quasi", "age", "--k", "5")
    assert run_words("verify", "two.xlsx", "--sheet", "data", *asked) == 0
    assert run_words("verify", "two.xlsx", *asked) == 2
    assert "as in --sheet labels" in capsys.readouterr().err
    assert run_words("verify", "one.xlsx", "--sheet", "daten", *asked) == 2
    assert "has no sheet 'daten'" in capsys.readouterr().err
    assert run_words("verify", "one.xlsx", "--baskets", "fimi", *asked) == 2
    assert "--baskets is for sets of items" in capsys.readouterr().err
