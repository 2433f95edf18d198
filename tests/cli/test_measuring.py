"""`sfumato measure`: what to act on first, each figure with its meaning."""

from __future__ import annotations

from sfumato.cli import run
from sfumato.ground.figures import catalogue
from support.commands import PUBLISH


def test_the_figures_to_act_on_come_first_and_every_one_says_what_it_means(folder, capsys):
    assert run([*PUBLISH, "--no-report"]) == 0
    capsys.readouterr()
    assert run(["measure", "out", "patients.csv", "--schema", "schema.toml"]) == 0
    said = capsys.readouterr().out
    first, _, rest = said.partition("\nmore on what was lost\n")
    assert first.startswith("look at these first\n  gcp ")
    for name in ("gcp", "query_error_median", "prosecutor_max", "marketer"):
        assert f"  {name} " in first
        assert f"  {name} " not in rest
        assert catalogue()[name].meaning in first
    assert "distortion_relative" in rest
    assert "customary for public files; it is a custom and no law" in rest
    assert run(["measure", "out"]) == 0
    assert "prosecutor_max" in capsys.readouterr().out
