"""`sfumato collect`, `sfumato serve collect` and `sfumato estimate --survey`, as they are typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import polars as pl
import pytest

from sfumato import collection
from sfumato.cli import run
from sfumato.collection.collector.store import open_store
from support.surveys import TEXT, drawn_reports, posted, submission


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A survey and answers to it, in the folder in which commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "survey.toml").write_text(TEXT)
    rows = (
        ["yes, I smoke", "no, I do not", "no, I do not"] * 200,
        ["never at all", "once or twice", "all the time"] * 200,
    )
    pl.DataFrame({"smokes": rows[0], "pain": rows[1], "id": range(600)}).write_csv("answers.csv")
    return tmp_path


def result(capsys, *words):
    code = run([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("file", ["reports.parquet", "reports.csv"])
def test_answers_become_reports_and_reports_estimates(folder, capsys, file):
    assert run(["collect", "randomize", "answers.csv", "survey.toml", "-o", file]) == 0
    said = capsys.readouterr().out
    assert "Wrote the reports of 600 respondents" in said
    assert "epsilon 2" in said
    reports = pl.read_parquet(file) if file.endswith("parquet") else pl.read_csv(file)
    assert "id" not in reports.columns
    assert run(["estimate", file, "--survey", "survey.toml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Do you smoke?"
    assert lines[1].split() == ["share", "of", "estimate", "std.", "error", "95%", "interval"]
    assert lines[2].strip().startswith("yes, I smoke ")
    code, found = result(capsys, "estimate", file, "--survey", "survey.toml", "--population", "sampled")
    assert code == 0
    row = found["smokes"][0]
    assert abs(row["share"] - 1 / 3) < 5 * row["stderr"]
    assert [each["value"] for each in found["pain"]] == list(collection.read_survey("survey.toml").questions[1].answers)


def test_two_runs_draw_anew(folder, capsys):
    for name in ("one.parquet", "two.parquet"):
        assert result(capsys, "collect", "randomize", "answers.csv", "survey.toml", "-o", name)[1]["reports"] == 600
    assert not pl.read_parquet("one.parquet").equals(pl.read_parquet("two.parquet"))


def test_a_store_is_exported(folder, capsys):
    survey = collection.read_survey("survey.toml")
    store = open_store("survey.sqlite", survey)
    for i in range(30):
        store.add(f"{i:032x}", drawn_reports(survey))
    wanted = survey.report_frame(store.submissions())
    store.close()
    assert result(capsys, "collect", "export", "survey.toml", "-o", "reports.parquet") == (
        0, {"file": "reports.parquet", "reports": 30, "epsilon": pytest.approx(2.0)}
    )  # fmt: skip
    assert pl.read_parquet("reports.parquet").equals(wanted)
    assert (
        run(["collect", "export", "survey.toml", "-o", "reports.parquet", "--overwrite", "--store", "survey.sqlite"])
        == 0
    )


def test_reports_become_a_release_that_is_declared(folder, capsys):
    assert run(["collect", "randomize", "answers.csv", "survey.toml", "-o", "reports.csv"]) == 0
    assert run(["collect", "publish", "survey.toml", "--reports", "reports.csv", "-o", "out"]) == 0
    assert "LocalDP(epsilon=2.0) is declared" in capsys.readouterr().out
    assert run(["verify", "out"]) == 0
    assert "is declared" in capsys.readouterr().out
    assert result(capsys, "verify", "out")[1]["word"] == "declared"
    assert run(["estimate", "out"]) == 0
    of_release = capsys.readouterr().out
    assert run(["estimate", "reports.csv", "--survey", "survey.toml"]) == 0
    assert capsys.readouterr().out == of_release
    code, found = result(capsys, "estimate", "out")
    assert (code, set(found)) == (0, {"smokes", "pain"})
    assert "local_epsilon" in result(capsys, "measure", "out")[1]["values"]
    assert run(["collect", "publish", "survey.toml", "--reports", "reports.csv", "-o", "out"]) == 2
    code, said = result(
        capsys, "collect", "publish", "survey.toml", "--reports", "reports.csv", "-o", "out", "--overwrite"
    )
    assert (code, said["rows"], said["verdict"]["word"]) == (0, 600, "declared")
    assert "<h1>Health at work</h1>" in (folder / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["collect", "randomize", "answers.csv", "nowhere.toml", "-o", "r.parquet"],
            "survey 'nowhere.toml' does not exist",
        ),
        (["collect", "randomize", "nowhere.csv", "survey.toml", "-o", "r.parquet"], "nowhere.csv"),
        (["collect", "randomize", "answers.csv", "survey.toml", "-o", "r.xlsx"], "ends in .parquet or .csv"),
        (["collect", "randomize", "answers.csv", "survey.toml", "-o", "answers.csv"], "say --overwrite"),
        (["collect", "randomize", "answers.csv", "survey.toml"], "output"),
        (["collect", "export", "survey.toml", "-o", "r.parquet"], "there is no store 'survey.sqlite'"),
        (["collect", "export", "survey.toml", "-o", "r.parquet", "--store", "ftp://a"], "a store is an SQLite file"),
        (["collect", "publish", "survey.toml", "-o", "out"], "there is no store 'survey.sqlite'"),
        (["collect", "publish", "survey.toml", "-o", "out", "--reports", "a", "--store", "b"], "leave one out"),
        (["estimate", "answers.csv", "--survey", "survey.toml"], "the reports have no column 'smokes.answer'"),
        (["estimate", "answers.csv", "--survey", "survey.toml", "--patterns"], "are for graphs"),
        (["estimate", "answers.csv", "--population", "sampled"], "--population goes with --survey"),
        (["serve", "collect", "survey.toml", "--host", "0.0.0.0"], "--certificate"),
        (["serve", "colect", "survey.toml"], "did you mean 'collect'?"),
    ],
)
def test_bad_commands_end_with_2_and_one_sentence(folder, capsys, words, message):
    if "--host" in words:
        pytest.importorskip("uvicorn", reason="the extra serve is not installed")
    assert run(words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (folder / "r.parquet").exists()
    assert not (folder / "survey.sqlite").exists()


def test_serving_says_where_and_stops_when_it_is_told_to(folder):
    pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")
    words = [sys.executable, "-m", "sfumato", "serve", "collect", "survey.toml", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    first, second, third = (process.stdout.readline() for _ in range(3))
    address = first.split()[-1]
    assert first.startswith("Health at work: people answer at http://127.0.0.1:")
    assert f"{address}estimates#" in second
    assert "survey.sqlite" in third
    assert posted(address, submission(drawn_reports(collection.read_survey("survey.toml"))))[0] == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Stopped; 1 submission is in 'survey.sqlite'" in out
    assert err == ""


def test_a_survey_that_promises_nothing_is_read_and_not_served(folder, capsys):
    pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")
    asked = '[[question]]\nname = "cups"\ntext = "How many?"\nbounds = [0, 9]\nrandomizer = {name = "UniformNoise", margin = 2}\n'
    (folder / "survey.toml").write_text(f'title = "Cups"\n{asked}')
    assert run(["serve", "collect", "survey.toml", "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "question 'cups': UniformNoise promises nothing to whoever answers" in said
    assert said.count("\n") == 1
    assert not (folder / "survey.sqlite").exists()
    assert collection.read_survey("survey.toml").privacy.gamma is None


def test_serving_stops_with_a_sentence_where_the_store_is_lost(folder, capsys, monkeypatch):
    pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")
    before = signal.getsignal(signal.SIGTERM)

    def lost(collector, listening):
        listening.socket.close()
        collector.store._run("DROP TABLE sfumato_answers")

    monkeypatch.setattr("sfumato.collection.collector.server.serve", lost)
    try:
        assert run(["serve", "collect", "survey.toml", "--port", "0"]) == 0
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "how many submissions there are cannot be told now: 'survey.sqlite' failed" in capsys.readouterr().out
