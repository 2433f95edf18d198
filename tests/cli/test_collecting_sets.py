"""Surveys that ask for sets of items, through `sfumato collect` and `sfumato estimate`, in files of both formats."""

from __future__ import annotations

import json

import polars as pl
import pytest

from sfumato import collection
from sfumato.cli import run
from sfumato.collection.collector.store import open_store
from support.surveys import drawn_reports

SURVEY = """
title = "Health"
[[question]]
name = "has"
text = "Which of these do you have?"
items = ["asthma", "gout", "migraine"]
randomizer = {name = "CutAndPaste", sizes = [2], cutoff = 3, rho = 0.2, padded = true}
[[question]]
name = "had"
text = "Which one or two did you have?"
items = ["asthma", "gout", "migraine"]
randomizer = {name = "SelectASize", keep = [[0.3, 0.7], [0.1, 0.3, 0.6]], rho = 0.2, itemset_size = 1}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A survey and answers to it, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(SURVEY)
    has, had = [["asthma", "gout"], [], ["gout"]] * 200, [["asthma", "gout"], ["gout"], ["gout"]] * 200
    pl.DataFrame({"has": has, "had": had}).write_parquet("answers.parquet")
    pl.DataFrame({"has": map(";".join, has), "had": map(";".join, had)}).write_csv("answers.csv")
    return tmp_path


def result(capsys, *words):
    code = run([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("answers", ["answers.csv", "answers.parquet"])
@pytest.mark.parametrize("file", ["reports.csv", "reports.parquet"])
def test_sets_become_reports_a_release_and_estimates(folder, capsys, answers, file):
    assert run(["collect", "randomize", answers, "survey.toml", "-o", file]) == 0
    capsys.readouterr()
    assert run(["estimate", file, "--survey", "survey.toml"]) == 0
    of_file = capsys.readouterr().out
    lines = of_file.splitlines()
    assert lines[0] == "Which of these do you have?"
    assert lines[1].split() == ["share", "of", "estimate", "std.", "error", "95%", "interval"]
    assert [line.split()[0] for line in lines[2:5]] == ["asthma", "gout", "migraine"]
    assert all("%" in line for line in lines[2:5])
    code, found = result(capsys, "estimate", file, "--survey", "survey.toml")
    shares = {row["value"]: row for row in found["has"]}
    assert code == 0
    for item, share in {"asthma": 1 / 3, "gout": 2 / 3, "migraine": 0}.items():
        assert abs(shares[item]["share"] - share) < 5 * shares[item]["stderr"]
    assert run(["collect", "publish", "survey.toml", "--reports", file, "-o", "out"]) == 0
    assert "is declared" in capsys.readouterr().out
    assert run(["verify", "out"]) == 0
    assert "which reports to 'had' tell as it is" in capsys.readouterr().out
    assert run(["estimate", "out"]) == 0
    assert capsys.readouterr().out == of_file


@pytest.mark.parametrize("file", ["reports.csv", "reports.parquet"])
def test_a_store_of_sets_is_exported(folder, capsys, file):
    survey = collection.read_survey("survey.toml")
    store = open_store("survey.sqlite", survey)
    for i in range(20):
        store.add(f"{i:032x}", drawn_reports(survey))
    wanted = survey.whole_numbers(survey.report_frame(store.submissions()))
    store.close()
    assert result(capsys, "collect", "export", "survey.toml", "-o", file)[1]["reports"] == 20
    read = pl.read_csv(file) if file.endswith("csv") else pl.read_parquet(file)
    assert survey.whole_numbers(read).equals(wanted)
    assert run(["estimate", file, "--survey", "survey.toml"]) == 0


def test_a_set_that_is_too_large_is_named(folder, capsys):
    (folder / "more.csv").write_text("has,had\nasthma;gout;migraine,gout\n")
    assert run(["collect", "randomize", "more.csv", "survey.toml", "-o", "r.csv"]) == 2
    said = capsys.readouterr().err
    assert "column 'has': answer 1 has 3 items, and sets of at most 2 are asked for" in said
    assert said.count("\n") == 1
