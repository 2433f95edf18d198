"""`sfumato estimate`: a header, the standard error and the interval."""

from __future__ import annotations

from sfumato.cli import run
from support.commands import run_words


def test_estimates_have_a_header_and_standard_errors(friends, tmp_path, capsys):
    assert run_words("publish", friends, "--mu", "0.01", "-o", tmp_path / "out", "--no-report", "--seed", "1") == 0
    capsys.readouterr()
    assert run_words("estimate", tmp_path / "out") == 0
    header, edges, *_ = capsys.readouterr().out.splitlines()
    assert header.split() == ["of", "the", "original", "estimate", "std.", "error", "95%", "interval"]
    name, value, error, low, _, high = edges.replace(",", "").split()
    assert name == "edges"
    assert abs(float(value) + 1.96 * float(error) - float(high)) < 0.05 * float(error) + 0.1
    assert float(low) < float(value) < float(high)


def test_the_help_says_what_the_metrics_are(capsys):
    assert run(["estimate", "--help"]) == 0
    said = capsys.readouterr().out
    assert "average_path_length" in said
    assert "Column names" not in said


def test_frequencies_have_a_header_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("sex,age\n" + "f,1\nm,2\n" * 40)
    (tmp_path / "s.toml").write_text('[columns.sex]\nrole = "quasi"\n[columns.age]\nrole = "plain"\n')
    given = ["--schema", "s.toml", "--method", "PRAM", "--param", "keep=0.8", "-o", "out", "--no-report"]
    assert run(["publish", "p.csv", *given]) == 0
    capsys.readouterr()
    assert run(["estimate", "out"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].split() == ["sex", "estimate", "std.", "error", "95%", "interval"]
    assert said[1].split()[0] == "f"
    assert len(said[1].split()) == 6
