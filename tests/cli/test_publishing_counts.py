"""Counts with noise on the command line, by a recipe."""

import pytest

from sfumato.cli import run

RECIPE = """
[input]
path = "people.csv"
[schema.columns.id]
role = "identifier"
[method]
name = "NoisyCounts"
by = [["sex"], ["age"]]
[method.values]
sex = ["f", "m"]
[method.bins]
age = [0, 40, 90]
[output]
folder = "out"
"""


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    pytest.importorskip("opendp")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("id,sex,age\n" + "".join(f"p{i},{'fm'[i % 2]},{20 + i}\n" for i in range(40)))
    (tmp_path / "counts.toml").write_text(RECIPE)
    return "counts.toml"


def test_counts_are_told_of_as_counts(recipe, capsys):
    assert run(["publish", recipe]) == 0
    said = capsys.readouterr().out
    assert "Published 6 counts of 40 records with NoisyCounts: DifferentialPrivacy(epsilon=1.0)" in said
    assert "not published" not in said
    assert "WARNING" not in said


def test_readers_verify_and_ask_and_nobody_attacks(recipe, capsys):
    assert run(["publish", recipe]) == 0
    assert run(["verify", "out", "--original", "people.csv"]) == 0
    assert "checked on 6 published cells, against the original" in capsys.readouterr().out
    assert run(["ask", "out", "SELECT COUNT(*) FROM release WHERE sex = 'f'"]) == 0
    assert run(["attack", "out", "people.csv"]) == 2
    assert "this is one of noisy counts" in capsys.readouterr().err


def test_a_seed_is_refused(recipe, capsys):
    assert run(["publish", recipe, "--seed", "1"]) == 2
    assert "no seed repeats; leave seed out" in capsys.readouterr().err
