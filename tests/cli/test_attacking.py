"""`sfumato attack`: the strongest adversary by default, others by name."""

from __future__ import annotations

import json

from support.commands import run_words


def test_attack_takes_the_strongest_adversary_by_default(friends, tmp_path, capsys):
    assert run_words(
        "publish", friends, "--method", "EdgePerturbation", "--param", "mu=0.01", "--seed", "1", "-o", tmp_path / "out"
    ) == 0  # fmt: skip
    assert (tmp_path / "out" / "report.html").exists()
    capsys.readouterr()
    assert run_words("verify", tmp_path / "out", "--json") == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["word"] == "declared"
    assert verdict["declared"] == ["every pair of vertices was flipped with probability mu=0.01"]
    assert run_words("attack", tmp_path / "out", friends, "--param", "accounts=8", "--param", "trials=2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attack"]["name"] == "StructuralAttack"
    assert set(found["found"]) == {"success", "accounts", "victims", "mistaken"}
    assert run_words("attack", tmp_path / "out", friends, "--attack", "DegreeAttack") == 0
    assert "found_before" in capsys.readouterr().out
    assert run_words("attack", tmp_path / "out", friends, "--attack", "ItemKnowledge") == 2
    assert "ItemKnowledge attacks PublishedBaskets" in capsys.readouterr().err
