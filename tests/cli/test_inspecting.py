"""`sfumato inspect`: a schema that is suggested, and graphs described without names."""

import json

from sfumato.cli import run
from support.commands import run_words


def test_the_suggested_schema_can_be_used_as_it_is(folder, capsys):
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 0
    assert run(["publish", "patients.csv", "--schema", "s.toml", "--k", "4", "-o", "out", "--no-report"]) == 0
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_rows_of_one_person_are_asked_about_and_refused_until_it_is_answered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i // 6},{20 + i // 6},{'abc'[i % 3]}\n" for i in range(60))
    (tmp_path / "visits.csv").write_text(f"patient_id,age,diagnosis\n{rows}")
    assert run_words("inspect", "visits.csv", "-o", "s.toml") == 0
    assert "patient_id repeats: 60 rows share 10 values." in " ".join(capsys.readouterr().out.split())
    publish = ("publish", "visits.csv", "--schema", "s.toml", "--k", "5", "--l", "3", "-o", "out", "--no-report")
    assert run_words(*publish) == 2
    said = capsys.readouterr().err
    assert "the identifier 'patient_id' repeats: 60 rows have 10 of them" in said
    assert len(said.strip().splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"visits.csv", "s.toml"}
    schema = tmp_path / "s.toml"
    schema.write_text(schema.read_text().replace("# rows_are_persons = true", "rows_are_persons = true"))
    assert run_words(*publish) == 0
    assert json.loads((tmp_path / "out" / "release.json").read_text())["public"]["schema"]["rows_are_persons"] is True


def test_inspect_describes_a_graph_without_names(friends, capsys):
    assert run_words("inspect", friends, "--direction", "any") == 0
    said = capsys.readouterr().out
    assert "vertices" in said
    assert "sfumato risk" in said
    assert "p1" not in said
    assert run_words("inspect", friends, "--direction", "any", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_vertices"] == 119
    assert run_words("inspect", friends, "--direction", "any", "-o", "schema.toml") == 2
    assert "graphs have no schema" in capsys.readouterr().err
