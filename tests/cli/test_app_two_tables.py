"""Two tables on the command line."""

from __future__ import annotations

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from support.permuted_tables import L3, PERMUTED


@pytest.fixture(scope="module")
def table():
    return hospital(300)


def test_the_command_line(tmp_path, monkeypatch, capsys, table):
    monkeypatch.chdir(tmp_path)
    table.frame.write_csv("patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    recipe = (
        '[input]\npath = "patients.csv"\nschema = "schema.toml"\n[method]\nname = "Mondrian"\nshow = "permutation"\n'
        '[promise]\nname = "LDiversity"\nl = 3\n[output]\nfolder = "out"\n'
    )
    (tmp_path / "recipe.toml").write_text(recipe)
    assert run(["publish", "recipe.toml"]) == 0
    assert "sensitive.parquet has the sensitive values by 'group'" in capsys.readouterr().out
    original = ["patients.csv", "--schema", "schema.toml"]
    assert run(["verify", "out"]) == 0
    assert run(["verify", "out", "--original", *original]) == 0
    assert "each row with its own record" in capsys.readouterr().out
    assert run(["verify", "out", "--k", "2"]) == 1
    assert run(["measure", "out", *original]) == 0
    capsys.readouterr()
    assert run(["measure", "out", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["values"]["attribute_max"] <= 1 / 3
    assert run(["publish", *original, "--method", "anatomy", "--l", "4", "-o", "two", "--no-report"]) == 0
    assert run(["publish", *original, "--show", "permutation", "--k", "4", "-o", "three"]) == 2
    assert "promise LDiversity, or show ranges" in capsys.readouterr().err
    listed = pl.read_parquet("out/sensitive.parquet")
    listed.slice(1).write_parquet("out/sensitive.parquet")
    assert run(["verify", "out"]) == 1


def test_an_original_without_its_schema(tmp_path, monkeypatch, capsys):
    """The release says what its columns are, and the number of the group is not one of the original's."""
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"x": range(6), "s": list("abcabc")})
    frame.write_csv("d.csv")
    sf.publish(sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"])), PERMUTED, L3, seed=1).save("out", report=False)
    assert run(["verify", "out", "--original", "d.csv"]) == 0
    assert run(["measure", "out", "d.csv"]) == 0
