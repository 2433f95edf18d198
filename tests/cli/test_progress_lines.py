"""A line on standard error now and then, where it is no terminal."""

from __future__ import annotations

import time

from sfumato.cli import progress_lines
from sfumato.cli.progress_lines import told_steps


def test_a_line_is_told_while_work_lasts_and_none_of_short_work(capsys, monkeypatch):
    monkeypatch.delenv("SFUMATO_PROGRESS", raising=False)
    with told_steps(2, "attacking") as progress:
        progress.step("quickly")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress_lines, "EVERY_S", 0.02)
    with told_steps(2, "attacking") as progress:
        progress.step("looking around")
        progress.share(0.5)
        time.sleep(0.15)
    told = capsys.readouterr().err.splitlines()
    assert told
    assert told[-1] == "sfumato: attacking since 0 s: looking around, 25% done"


def test_progress_can_be_turned_off(capsys, monkeypatch):
    monkeypatch.setenv("SFUMATO_PROGRESS", "0")
    monkeypatch.setattr(progress_lines, "EVERY_S", 0.01)
    with told_steps(1, "attacking"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
