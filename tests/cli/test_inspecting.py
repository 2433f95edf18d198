"""`sfumato inspect`: a schema that is suggested, and graphs described without names."""

import json
import shlex

import pytest

from sfumato.cli import run
from sfumato.cli.inspecting import _without_password
from sfumato.data.schema import Schema
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


def test_what_was_said_of_the_data_stands_in_the_command(folder, capsys, monkeypatch):
    (folder / "out").mkdir()
    assert run(["inspect", "patients.csv", "-o", "s.toml", "--missing", "n/a,k.A."]) == 0
    assert (
        "\n  sfumato publish patients.csv --schema s.toml --missing n/a,k.A. --k 10 --l 3 -o out2\n"
        in capsys.readouterr().out
    )
    assert run(["inspect", "patients.csv", "-o", "s.toml", "--overwrite", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["next"].startswith("sfumato publish patients.csv --schema s.toml ")


def test_the_profile_is_for_the_owner_alone(folder, capsys):
    words = ("inspect", "patients.csv", "-o", "s.toml", "--html", "profile.html")
    assert run_words(*words) == 0
    assert "Wrote s.toml and profile.html" in capsys.readouterr().out
    page = folder / "profile.html"
    assert page.stat().st_mode & 0o777 == 0o600
    assert "For the owner only." in page.read_text(encoding="utf-8")
    (folder / "s.toml").unlink()
    assert run_words(*words) == 2
    assert "'profile.html' exists already" in capsys.readouterr().err
    assert not (folder / "s.toml").exists()
    assert run_words(*words, "--overwrite") == 0


def test_wide_says_everything(folder, capsys):
    assert run_words("inspect", "patients.csv", "-o", "s.toml", "--wide") == 0
    said = capsys.readouterr().out
    assert "Pairs that single out most rows" in said
    assert "the name suggests" in " ".join(said.split())


def test_graphs_and_baskets_are_told_by_what_stands_in_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.txt").write_text("# Nodes: 4\n1\t2\n2\t3\n3\t4\n")
    assert run_words("inspect", "g.txt") == 0
    assert "so they are read as the edges of a graph" in capsys.readouterr().out
    (tmp_path / "b.txt").write_text("1 2 3\n2 3\n1\n" * 10)
    assert run_words("inspect", "b.txt") == 0
    said = capsys.readouterr().out
    assert "so they are read as sets of items" in said
    assert "  sfumato publish b.txt --baskets fimi --k 10 -o out" in said
    (tmp_path / "o.csv").write_text("order,item\n" + "".join(f"{i // 2},{'ab'[i % 2]}\n" for i in range(40)))
    assert run_words("inspect", "o.csv") == 0
    assert "--baskets long --record order --item item" in capsys.readouterr().out
    assert run_words("inspect", "o.csv", "-o", "s.toml") == 0
    assert (tmp_path / "s.toml").exists()


def test_how_dates_are_written_stands_in_the_schema(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{1 + i % 28}.{1 + i % 12}.{1950 + i};2024-01-{1 + i % 28:02};{i % 9}\n" for i in range(60))
    (tmp_path / "k.csv").write_text(f"Geburtsdatum;Aufnahme;Kinder\n{rows}")
    assert run_words("inspect", "k.csv") == 0
    schema = Schema.from_toml("schema.toml")
    assert schema.column("Geburtsdatum").date_format == "d.m.yyyy"
    assert (schema.column("Aufnahme").kind, schema.column("Aufnahme").date_format) == ("date", None)


def test_no_password_is_printed():
    assert _without_password("postgresql://steward:se@cret@db.example/x?y=1") == "postgresql://steward@db.example/x?y=1"
    assert _without_password("data/my@file.csv") == "data/my@file.csv"


@pytest.mark.parametrize(("diagnoses", "other", "promised"), [
    ("abcd", "xyz", "--k 10 --l 3 "), ("aab", "xyz", "--k 10 "), ("abcd", "xy", "--k 10 --l 2 "),
    (("a", "b", ""), "xyz", "--k 10 --l 3 "), (("a", "", ""), "xyz", "--k 10 "),
])  # fmt: skip
def test_as_much_diversity_as_all_sensitive_columns_have(diagnoses, other, promised, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{20 + i % 30},{diagnoses[i % len(diagnoses)]},{other[i // 4 % len(other)]}\n" for i in range(240)
    ]  # fmt: skip
    (tmp_path / "p.csv").write_text("age,diagnosis,religion\n" + "".join(rows))
    assert run_words("inspect", "p.csv") == 0
    command = capsys.readouterr().out.splitlines()[-1]
    assert f" {promised}-o " in command
    assert run_words(*shlex.split(command)[1:], "--no-report") == 0


@pytest.mark.parametrize(
    "edges", ["von;nach\n1;2\n2;3\n3;4\n", "Quelle;Ziel\n1;2\n2;3\n3;4\n", "from\tto\n1\t2\n2\t3\n3\t4\n"]
)
def test_edges_below_the_names_of_their_ends_are_a_graph(tmp_path, monkeypatch, capsys, edges):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(edges)
    assert run_words("inspect", "edges.csv") == 0
    assert "4 vertices, 3 edges" in capsys.readouterr().out
    assert run_words("publish", "edges.csv", "--mu", "0.1", "--no-report", "-o", "out") == 0
    assert "Published 4 of 4 vertices with EdgePerturbation" in capsys.readouterr().out
    assert run_words("risk", "edges.csv", "--mu", "0.1", "--accounts", "3") == 0


def test_two_columns_of_something_else_are_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age;income\n30;40\n40;30\n30;30\n")
    assert run_words("inspect", "people.csv", "-o", "s.toml") == 0
    assert "3 rows, 2 columns" in capsys.readouterr().out
