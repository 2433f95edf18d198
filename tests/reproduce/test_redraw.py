"""What was found is described anew, word for word, by who has none of the evaluation data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks.reproduce.baskets import __main__ as baskets
from benchmarks.reproduce.distribution import __main__ as distribution
from benchmarks.reproduce.figures import run
from benchmarks.reproduce.graphs import __main__ as graphs
from benchmarks.reproduce.graphs.settings import graph_of
from benchmarks.reproduce.tods import __main__ as tods

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("baskets_figures", baskets),
        ("distribution", distribution),
        ("graphs_figures", graphs),
        ("tods", tods),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_figures_are_described_without_the_data(name, command, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", [name, "--full", "--redraw", "--out", str(tmp_path)])
    before = json.loads((RESULTS / f"{name}.json").read_text())
    (tmp_path / f"{name}.json").write_text(json.dumps(before))
    scales = (command.SMALL, command.FULL)
    run(name, "", command.FIGURES, scales, chart=lambda _: "", page=lambda _: "", times=command.TIMES)
    after = json.loads((tmp_path / f"{name}.json").read_text())
    assert list(after["figures"]) == list(before["figures"])
    for number, figure in after["figures"].items():
        assert figure["setting"] == before["figures"][number]["setting"]


def test_figures_that_are_run_need_the_data(tmp_path, monkeypatch):
    monkeypatch.delenv("SFUMATO_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["tods", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"set SFUMATO_DATA .*evaluation-data\.md"):
        run("tods", "", tods.FIGURES, (tods.SMALL, tods.FULL), chart=lambda _: "", page=lambda _: "", times=tods.TIMES)


def test_a_file_that_is_not_there_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("SFUMATO_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["graphs_figures", "--only", "49", "--out", str(tmp_path)])
    scales = (graphs.SMALL, graphs.FULL)
    graph_of.cache_clear()
    with pytest.raises(SystemExit, match=r"wiki-Vote\.txt\.gz.*evaluation-data\.md"):
        run("graphs_figures", "", graphs.FIGURES, scales, chart=lambda _: "", page=lambda _: "", times=graphs.TIMES)
