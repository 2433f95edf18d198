"""`sfumato inspect`: a schema that is suggested, and graphs described without names."""

import json

from sfumato.cli import run
from support.commands import run_words


def test_the_suggested_schema_can_be_used_as_it_is(folder, capsys):
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 0
    assert run(["publish", "patients.csv", "--schema", "s.toml", "--k", "4", "-o", "out", "--no-report"]) == 0
    assert run(["inspect", "patients.csv", "-o", "s.toml"]) == 2
    assert "exists already" in capsys.readouterr().err


def test_inspect_describes_a_graph_without_names(friends, capsys):
    assert run_words("inspect", friends, "--direction", "any") == 0
    said = capsys.readouterr().out
    assert "vertices" in said
    assert "sfumato risk" in said
    assert "p1" not in said
    assert run_words("inspect", friends, "--direction", "any", "--json") == 0
    assert json.loads(capsys.readouterr().out)["n_vertices"] == 119
    assert run_words("inspect", friends, "--direction", "any", "-o", "schema.toml") == 2
    assert "graphs have no schema" in capsys.readouterr().err
