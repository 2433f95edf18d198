"""A reader in a process apart: what it says comes back, and its end is told as damage of the file."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import polars as pl
import pytest

from sfumato.data.apart import read_apart
from sfumato.ground.errors import DataError, ParameterError

HERE = Path(__file__)


def give(file, *, n):
    print("noise on the way")
    return pl.DataFrame({"a": list(range(n))}), {"name": file.name}


def die(file):
    os.abort()


def refuse(file):
    raise ParameterError("no, thank you")


def fail(file):
    raise ZeroDivisionError


@pytest.fixture
def reader(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE.parent))
    return lambda name: f"test_apart:{name}"


def test_frame_and_notes_come_back(reader):
    frame, notes = read_apart(reader("give"), HERE, "test", n=3)
    assert (frame["a"].to_list(), notes) == ([0, 1, 2], {"name": "test_apart.py"})


@pytest.mark.parametrize("name", ["die", "fail"])
def test_its_end_is_told(reader, name):
    with pytest.raises(DataError, match=r"test_apart\.py' is no test file, or is damaged; save it again"):
        read_apart(reader(name), HERE, "test")


def test_its_sentences_come_back(reader):
    with pytest.raises(ParameterError, match=r"^no, thank you$"):
        read_apart(reader("refuse"), HERE, "test")


def test_without_an_interpreter_it_is_read_here(reader, monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    assert read_apart(reader("give"), HERE, "test", n=1)[0].height == 1
