"""A sequence of releases on the command line."""

import json
import sys

import pytest

from sfumato.cli import run
from sfumato.recipe import read_recipe

SCHEMA = """
[columns.id]
role = "identifier"
[columns.age]
role = "quasi"
[columns.illness]
role = "sensitive"
"""
RECIPE = """
previous = ["out1"]
seed = 2
[input]
path = "second.csv"
schema = "schema.toml"
[method]
name = "Republishing"
[[promise]]
name = "MInvariance"
m = 2
[output]
folder = "out2"
report = false
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ills = ["flu", "gout", "cold", "HIV"]
    rows = [f"p{i},{20 + i * 7 % 50},{ills[i % 4]}" for i in range(60)]
    for name, part in (("first", rows[:40]), ("second", rows[8:48]), ("third", rows[16:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,age,illness", *part]) + "\n")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    first = RECIPE.replace("second", "first").replace('previous = ["out1"]', "").replace("out2", "out1")
    (tmp_path / "first.toml").write_text(first)
    (tmp_path / "second.toml").write_text(RECIPE)
    return tmp_path


def said(capsys, *arguments, code=0):
    assert run(list(arguments)) == code
    return capsys.readouterr()


def test_a_sequence_is_published_verified_and_attacked(folder, capsys):
    out = said(capsys, "publish", "first.toml").out
    assert "Published 40 of 40 rows with Republishing: MInvariance(m=2)" in out
    assert "over 1 earlier release" in said(capsys, "publish", "second.toml").out
    third = ("publish", "first.toml", "--previous", "out1", "--previous", "out2", "-o", "out3", "--seed", "3")
    (folder / "first.csv").write_text((folder / "third.csv").read_text())
    assert "over 2 earlier releases" in said(capsys, *third).out
    sequence = ("--previous", "out1", "--previous", "out2")
    found = json.loads(said(capsys, "verify", "out3", *sequence, "--json").out)
    assert found["holds"]
    assert "over 2 earlier releases" in found["found"][-1]
    assert run(["verify", "out3"]) == 1
    assert "decided alone" in capsys.readouterr().out
    original = ("--original", "third.csv", "--schema", "schema.toml")
    assert "against its own record" in said(capsys, "verify", "out3", *sequence, *original).out
    attacked = json.loads(
        said(capsys, "attack", "out3", "third.csv", "--schema", "schema.toml", *sequence, "--json").out
    )
    assert attacked["attack"] == {
        "name": "IntersectionAttack", "previous": 2, "knows_class": False, "sensitive": None, "people": 1000,
    }  # fmt: skip
    assert attacked["found"]["certain"]["value"] == 0
    assert attacked["found"]["posterior"]["value"] <= 0.5


def test_seeds_repeat_a_release(folder, capsys):
    said(capsys, "publish", "first.toml")
    said(capsys, "publish", "second.toml")
    said(capsys, "publish", "second.toml", "-o", "again")
    assert (folder / "out2" / "data.parquet").read_bytes() == (folder / "again" / "data.parquet").read_bytes()


def test_naive_publication_is_attacked_with_the_originals(folder, capsys):
    for name in ("first", "second"):
        options = ("--schema", "schema.toml", "--l", "2", "--seed", "1", "--no-report")
        said(capsys, "publish", f"{name}.csv", *options, "-o", name)
    options = ("--schema", "schema.toml", "--previous", "first", "--previous-original", "first.csv", "--json")
    found = json.loads(said(capsys, "attack", "second", "second.csv", *options).out)["found"]
    assert found["certain"]["value"] > 0
    assert found["certain_latest"]["value"] == 0
    wrong = ("attack", "second", "second.csv", "--schema", "schema.toml", "--previous", "first")
    assert "give its original" in said(capsys, *wrong, code=2).err


def test_mistakes_are_said_in_a_sentence(folder, capsys):
    said(capsys, "publish", "first.toml")
    assert "--previous needs a release folder" in said(
        capsys, "verify", "first.csv", "--quasi", "age", "--k", "2", "--previous", "out1", code=2
    ).err  # fmt: skip
    naive = ("publish", "first.csv", "--schema", "schema.toml", "--l", "2", "--previous", "out1", "-o", "x")
    assert "takes no account of earlier releases" in said(capsys, *naive, code=2).err
    assert "holds no release" in said(capsys, "publish", "second.toml", "--previous", "nowhere", code=2).err
    both = ("attack", "out1", "first.csv", "--schema", "schema.toml", "--previous-original", "first.csv")
    assert "--previous-original is given once for each --previous" in said(capsys, *both, code=2).err


def test_a_recipe_names_earlier_releases_beside_it(folder):
    assert read_recipe(folder / "second.toml").previous == (folder / "out1",)
    assert read_recipe(folder / "first.toml").previous == ()
    (folder / "wrong.toml").write_text(RECIPE.replace('["out1"]', '"out1"'))
    with pytest.raises(Exception, match="previous must be a list"):
        read_recipe(folder / "wrong.toml")
    assert sys.exc_info() == (None, None, None)
