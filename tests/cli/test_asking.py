"""`sfumato ask`: what spread is, and how to ask where a question cannot be read."""

from __future__ import annotations

import json

import pytest

from sfumato.cli import run
from support.commands import PUBLISH


@pytest.fixture
def release(folder, capsys):
    assert run([*PUBLISH, "--no-report"]) == 0
    capsys.readouterr()
    return folder / "out"


def test_english_is_answered_with_two_examples_and_the_columns(release, capsys):
    assert run(["ask", "out", "how many women over 60?"]) == 2
    said = capsys.readouterr().err
    assert "SELECT AVG(salary) FROM release WHERE age > 30, or SELECT COUNT(*) FROM release GROUP BY sex" in said
    assert 'the columns are "age", ' in said


def test_spread_is_explained_where_it_is_told(release, capsys):
    assert run(["ask", "out", "SELECT COUNT(*) FROM release WHERE age > 61"]) == 0
    said = capsys.readouterr().out
    assert ("spread" in said.splitlines()[0]) == ("(spread: the standard deviation of the estimate" in said)
    assert run(["ask", "out", "SELECT COUNT(*) FROM release", "--json"]) == 0
    assert "(spread" not in capsys.readouterr().out


def test_baskets_say_how_items_are_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("39 48\n39\n48 41\n39 48\n")
    assert run(["publish", "b.dat", "--k", "2", "-o", "out", "--no-report"]) == 0
    for question in ("SELECT COUNT(*) FROM release WHERE item = '39'", "how many?"):
        capsys.readouterr()
        assert run(["ask", "out", question]) == 2
        assert 'in double quotes, as in SELECT COUNT(*) FROM release WHERE "39" AND NOT "' in capsys.readouterr().err
    assert run(["ask", "out", 'SELECT COUNT(*) FROM release WHERE "39" AND NOT "41"']) == 0


def test_a_value_that_is_not_published_is_told(release, capsys):
    question = "SELECT COUNT(*) FROM release WHERE diagnosis = 'asthmaa'"
    said = "no published row shows 'asthmaa' in column 'diagnosis'; did you mean 'asthma'?"
    assert run(["ask", "out", question]) == 0
    assert f"COUNT(*): 0 (exact; 0 records)\n  note: {said}\n" in capsys.readouterr().out
    assert run(["ask", "out", question, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [said]
