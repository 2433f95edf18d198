"""`sfumato methods` and `sfumato promises`: everything that there is, each in its own words."""

from __future__ import annotations

import json

import pytest

from sfumato.cli import run
from sfumato.contracts.method import known_methods
from sfumato.privacy.promise import known_promises
from sfumato.privacy.words import first_sentence


def test_all_methods_are_listed_recommended_ones_first(capsys):
    assert run(["methods"]) == 0
    said = capsys.readouterr().out
    for name, method in known_methods().items():
        assert f" {name} " in said
        assert first_sentence(method.__doc__) in said
    tables, sets, graphs = (said.index(title) for title in ("Tables\n", "Sets of items\n", "Graphs\n"))
    assert tables < sets < graphs
    part = said[tables:sets].splitlines()[1:-1]
    marked = [line.startswith("  * ") for line in part]
    assert any(marked)
    assert marked == sorted(marked, reverse=True)


@pytest.mark.parametrize("name", sorted(known_methods()))
def test_each_method_is_told_in_full(name, capsys):
    assert run(["methods", name.lower()]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{name}\n")
    assert "promises: " in said
    assert "Raise" not in said
    assert run(["methods", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == name


def test_all_promises_are_listed_with_their_options(capsys):
    assert run(["promises"]) == 0
    said = capsys.readouterr().out
    for name, promise in known_promises().items():
        assert f"  {name} " in said
        assert promise.option is None or f"({promise.option.flag}) " in said
    assert run(["promises", "LDiversity"]) == 0
    assert "asked for by --l" in capsys.readouterr().out
    assert run(["promises", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(known_promises())


def test_a_name_that_there_is_none_of(capsys):
    assert run(["methods", "mondrain"]) == 2
    assert "no method is called 'mondrain'; did you mean 'Mondrian'?" in capsys.readouterr().err


def test_a_command_that_there_is_none_of(capsys):
    assert run(["method"]) == 2
    assert capsys.readouterr().err == "sfumato: no command is called 'method'; did you mean 'methods'?\n"
    assert run(["zzz"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("sfumato: no command is called 'zzz'; there are inspect, publish, compare, verify, ")
    assert ", ;" not in said
