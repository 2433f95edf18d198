"""`sfumato publish` of a graph: known by how its file begins, perturbed by `--mu`, and no circle of errors."""

from __future__ import annotations

import gzip
import json
import shlex

import pytest

from sfumato.cli import run
from support.commands import run_words


@pytest.fixture
def snap(tmp_path, monkeypatch):
    """A list of edges as SNAP writes them, in the folder in which commands run."""
    lines = [f"{a}\t{b}" for a in range(40) for b in (a + 1, a + 3, (a * 7) % 40) if a != b]
    text = "# Undirected graph\n# FromNodeId\tToNodeId\n" + "\n".join(lines) + "\n"
    (tmp_path / "snap.txt.gz").write_bytes(gzip.compress(text.encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_graph_is_published_by_mu_alone_and_verified(snap, capsys):
    assert run(["publish", "snap.txt.gz", "--mu", "1e-2", "-o", "out", "--no-report"]) == 0
    said = capsys.readouterr().out
    assert "with EdgePerturbation\n" in said
    assert "what was lost: " in said
    assert json.loads((snap / "out" / "release.json").read_text())["method"] == {"name": "EdgePerturbation", "mu": 0.01}
    assert run(["verify", "out"]) == 0
    assert "is declared" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "snap.txt.gz"]) == 0
    assert run(["measure", "out", "snap.txt.gz"]) == 0
    assert "edges_kept" in capsys.readouterr().out


def test_a_changed_graph_release_is_still_an_error(snap, capsys):
    assert run(["publish", "snap.txt.gz", "--mu", "0.01", "-o", "out", "--no-report", "--format", "csv"]) == 0
    data = snap / "out" / "data.csv"
    data.write_text(data.read_text().replace("\n", "\n0,1\n", 1))
    assert run(["verify", "out"]) == 1
    assert run(["publish", "snap.txt.gz", "--method", "Relabelling", "-o", "named", "--no-report"]) == 0
    capsys.readouterr()
    assert run(["verify", "named"]) == 1
    assert "NOT decided" in capsys.readouterr().out


@pytest.mark.parametrize("promise", [[], ["--k", "10"]])
def test_a_graph_without_mu_is_told_how_it_is_published(snap, capsys, promise):
    assert run(["publish", "snap.txt.gz", *promise, "-o", "out"]) == 2
    err = capsys.readouterr().err
    assert "holds a graph" in err
    assert "--mu" in err
    assert "`sfumato risk snap.txt.gz`" in err


def test_mu_goes_with_no_other_method_and_with_no_promise(snap, capsys):
    assert run(["publish", "snap.txt.gz", "--method", "KDegree", "--mu", "0.1", "-o", "out"]) == 2
    assert "--mu is for EdgePerturbation" in capsys.readouterr().err
    assert run(["publish", "snap.txt.gz", "--k", "5", "--mu", "0.1", "-o", "out"]) == 2
    assert "keeps no promise" in capsys.readouterr().err
    assert run(["publish", "snap.txt.gz", "--mu", "0.7", "-o", "out"]) == 2


def test_where_it_cannot_be_told_the_way_to_say_it_is(snap, capsys):
    (snap / "names.txt").write_text("ann bob\nbob cy\n")
    assert run(["publish", "names.txt", "-o", "out", "--k", "2"]) == 2
    assert "say --direction any" in capsys.readouterr().err
    assert run(["publish", "names.txt", "--direction", "any", "--mu", "0.1", "-o", "out", "--no-report"]) == 0


def test_the_command_that_risk_ends_with_runs_as_printed(snap, capsys):
    (snap / "two words.txt").write_bytes(gzip.decompress((snap / "snap.txt.gz").read_bytes()))
    assert run_words("risk", "two words.txt", "--accounts", "4", "--mu", "0.01") == 0
    last = capsys.readouterr().out.splitlines()[-1].strip()
    words = shlex.split(last)
    assert words[:3] == ["sfumato", "publish", "two words.txt"]
    assert run([*words[1:], "--no-report"]) == 0
    assert (snap / "out" / "release.json").exists()
