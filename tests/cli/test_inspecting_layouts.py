"""The command that `inspect` prints runs as it is printed, for files as people have them."""

from __future__ import annotations

import shlex

import pytest

from sfumato.cli import run
from support.layouts import LAYOUTS

CASES = [pytest.param(layout, id=layout.name, marks=[] if layout.quick else [pytest.mark.slow]) for layout in LAYOUTS]


def commands(printed: str) -> list[str]:
    """The commands in what was printed, each on a line of its own."""
    return [line.strip() for line in printed.splitlines() if line.startswith("  sfumato ")]


def test_there_are_layouts_enough():
    assert len(LAYOUTS) >= 25
    assert len({layout.name for layout in LAYOUTS}) == len(LAYOUTS)


@pytest.mark.parametrize("layout", CASES)
def test_the_printed_command_runs_as_printed(layout, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    if layout.quick:  # what reports look like is tested elsewhere, and takes longest
        drawn = '<svg class="x" width="4" height="3">'
        monkeypatch.setattr("sfumato.report.charts._convert_to_svg", lambda spec: f"{drawn}</svg>")
    assert run(["inspect", layout.write(tmp_path), *layout.words]) == 0
    printed = capsys.readouterr().out
    told = commands(printed)
    assert len(told) == 1, printed
    code = run(shlex.split(told[0])[1:])
    assert code == 0, capsys.readouterr().err


CHOICES = (
    "German dates",
    "dates that may be either",
    "codes for no value",
    "marks for no value",
    "a hospital in German",
    "negative codes",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "layout", [layout for layout in LAYOUTS if layout.name in CHOICES], ids=lambda layout: layout.name
)
def test_what_may_be_uncommented_runs_too(layout, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["inspect", layout.write(tmp_path), *layout.words]) == 0
    told = commands(capsys.readouterr().out)[0]
    schema = tmp_path / "schema.toml"
    lines, uncommented, seen = [], 0, set()
    for line in schema.read_text(encoding="utf-8").splitlines():
        seen = set() if line.startswith("[") else seen
        key = next(
            (key for key in ("missing_values", "date_format", "hierarchy") if line.startswith(f"# {key} = ")), None
        )
        if key == "date_format" and lines[-1].startswith("kind ="):
            lines.pop()
        if key is not None and key not in seen:
            seen.add(key)
            line, uncommented = line.removeprefix("# "), uncommented + 1
        lines.append(line)
    assert uncommented or layout.name == "German dates"
    schema.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(shlex.split(told)[1:]) == 0, capsys.readouterr().err
