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


def test_an_attack_stops_when_its_time_is_over_and_says_on_how_many(friends, tmp_path, capsys, monkeypatch):
    assert run_words("publish", friends, "--mu", "0.01", "--seed", "1", "-o", tmp_path / "out", "--no-report") == 0
    monkeypatch.setattr("sfumato.graphs.attacks.planted.os.cpu_count", lambda: 1)
    asked = ("attack", tmp_path / "out", friends, "--param", "accounts=6", "--param", "trials=40")
    capsys.readouterr()
    assert run_words(*asked, "--within", "1e-9") == 0
    said = capsys.readouterr().out
    assert "note: of 1 fresh publications" in said
    assert "the time was over: 1 of 40 publications were tried" in said
    assert run_words(*asked, "--within", "0", "--json") == 0
    whole = json.loads(capsys.readouterr().out)
    assert run_words(*asked, "--within", "500", "--json") == 0
    assert json.loads(capsys.readouterr().out) == whole
    assert not any("the time was over" in note for note in whole["notes"])


def test_seconds_are_a_number_that_is_not_below_0(friends, tmp_path, capsys):
    assert run_words("attack", tmp_path, friends, "--within", "-1") == 2
    assert "--within takes a number of seconds" in capsys.readouterr().err


def test_of_baskets_it_is_told_too_what_can_be_read_for_certain(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.dat").write_text("".join(f"{i % 7} {i % 5 + 10} {i % 3 + 20}\n" for i in range(60)))
    assert run_words("publish", "b.dat", "--k", "3", "-o", "out", "--no-report") == 0
    capsys.readouterr()
    assert run_words("attack", "out", "b.dat") == 0
    said = capsys.readouterr().out
    assert said.index("ItemKnowledge(") < said.index("ReadBack()")
    assert run_words("attack", "out", "b.dat", "--json") == 0
    assert "read" in str(json.loads(capsys.readouterr().out)["read_back"])
    assert run_words("attack", "out", "b.dat", "--attack", "ItemKnowledge") == 0
    assert "ReadBack" not in capsys.readouterr().out
