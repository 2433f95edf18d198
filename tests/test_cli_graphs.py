"""Graphs on the command line: inspect, risk, publish and attack."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sfumato.cli import run as command


@pytest.fixture(scope="module")
def friends(tmp_path_factory):
    ends = np.random.default_rng(6).integers(0, 120, (500, 2))
    lines = "\n".join(f"p{a},p{b}" for a, b in ends if a != b)
    path = tmp_path_factory.mktemp("graphs") / "friends.csv"
    path.write_text("source,target\n" + lines + "\n", encoding="utf-8")
    return path


def run(*words):
    return command([str(word) for word in words])


def test_inspect_describes_a_graph_without_names(friends, capsys):
    assert run("inspect", friends, "--direction", "any") == 0
    said = capsys.readouterr().out
    assert "vertices" in said
    assert "sfumato risk" in said
    assert "p1" not in said
    assert run("inspect", friends, "--direction", "any", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_vertices"] == 119
    assert run("inspect", friends, "--direction", "any", "-o", "schema.toml") == 2
    assert "graphs have no schema" in capsys.readouterr().err


def test_risk_prints_tables_and_json(friends, capsys):
    assert run("risk", friends, "--mu", "0.001,0.01", "--accounts", "8") == 0
    said = capsys.readouterr().out
    assert "An adversary with 8 accounts" in said
    assert "0.001" in said
    assert run("risk", friends, "--mu", "0.01", "--accounts", "8", "--trials", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["trials"] == 2
    assert found["by_mu"][0]["measured"]["structural"]["high"] <= 1


def test_risk_refuses_in_one_sentence(friends, capsys):
    for words, said in ((("--mu", "0.1,x"), "got 'x'"), (("--accounts", "90"), "2 to 64"), (("--mu", "0.6"), "0.5")):
        assert run("risk", friends, *words) == 2
        assert said in capsys.readouterr().err


def test_attack_takes_the_strongest_adversary_by_default(friends, tmp_path, capsys):
    assert run(
        "publish", friends, "--method", "EdgePerturbation", "--param", "mu=0.01", "--seed", "1", "-o", tmp_path / "out"
    ) == 0  # fmt: skip
    assert (tmp_path / "out" / "report.html").exists()
    capsys.readouterr()
    assert run("verify", tmp_path / "out", "--json") == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["word"] == "declared"
    assert verdict["declared"] == ["every pair of vertices was flipped with probability mu=0.01"]
    assert run("attack", tmp_path / "out", friends, "--param", "accounts=8", "--param", "trials=2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attack"]["name"] == "StructuralAttack"
    assert set(found["found"]) == {"success", "accounts", "victims", "mistaken"}
    assert run("attack", tmp_path / "out", friends, "--attack", "DegreeAttack") == 0
    assert "found_before" in capsys.readouterr().out
    assert run("attack", tmp_path / "out", friends, "--attack", "ItemKnowledge") == 2
    assert "ItemKnowledge attacks PublishedBaskets" in capsys.readouterr().err
