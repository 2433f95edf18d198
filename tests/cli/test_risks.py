"""`sfumato risk`: tables and JSON, refusals in a sentence."""

from __future__ import annotations

import json

from support.commands import run_words


def test_risk_prints_tables_and_json(friends, capsys):
    assert run_words("risk", friends, "--mu", "0.001,0.01", "--accounts", "8") == 0
    said = capsys.readouterr().out
    assert "An adversary with 8 accounts" in said
    assert "0.001" in said
    assert run_words("risk", friends, "--mu", "0.01", "--accounts", "8", "--trials", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["trials"] == 2
    assert found["by_mu"][0]["measured"]["structural"]["high"] <= 1


def test_risk_refuses_in_one_sentence(friends, capsys):
    for words, said in ((("--mu", "0.1,x"), "got 'x'"), (("--accounts", "90"), "2 to 64"), (("--mu", "0.6"), "0.5")):
        assert run_words("risk", friends, *words) == 2
        assert said in capsys.readouterr().err


def test_baskets_are_no_graph(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for content in ("1 2 3\n2 3\n1 4\n", "milk bread eggs\nmilk\nbread eggs\n"):
        (tmp_path / "korb.dat").write_text(content)
        assert run_words("risk", "korb.dat") == 2
        said = capsys.readouterr().err
        assert "looks like baskets" in said
        assert "delimiter" not in said
