"""`sfumato inspect --curse`: sentences, JSON, a picture, and refusals."""

import json

import pytest

from sfumato.cli import run
from sfumato.datasets import hospital


def test_the_command(tmp_path, capsys):
    file = tmp_path / "stays.csv"
    hospital(400).frame.write_csv(file)
    assert run(["inspect", str(file), "--curse", "--k", "2,10", "--plot", str(tmp_path / "c.svg")]) == 0
    said = capsys.readouterr().out
    assert "added one by one" in said
    assert "k = 10: " in said
    assert "was guessed" in said
    assert (tmp_path / "c.svg").is_file()
    assert not (tmp_path / "schema.toml").exists()
    assert run(["inspect", str(file)]) == 0
    capsys.readouterr()
    schema = str(tmp_path / "schema.toml")
    assert run(["inspect", str(file), "--curse", "--schema", schema, "--max-loss", "0.5", "--json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert given["max_loss"] == 0.5
    assert [each["k"] for each in given["k"]] == [2, 5, 10, 50]
    assert len(given["k"][0]["loss"]) == len(given["columns"]) == len(given["alone"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "5"], "go with --curse"),
        (["--plot", "a.png"], "go with --curse"),
        (["--curse", "--k", "five"], "whole numbers separated by commas"),
        (["--curse", "--plot", "a.pdf"], "--plot draws to"),
        (["--curse", "-o", "a.toml"], "writes no schema"),
        (["--curse", "--direction", "any"], "columns of a table"),
        (["--curse", "--k", "5000"], "k=5000 needs"),
    ],
)
def test_the_command_refuses(tmp_path, capsys, options, said):
    file = tmp_path / "stays.csv"
    hospital(60).frame.write_csv(file)
    assert run(["inspect", str(file), *options]) == 2
    assert said in capsys.readouterr().err
