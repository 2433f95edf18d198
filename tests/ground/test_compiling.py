"""Kernels that other processes compile: the record can be read, and what it names exists."""

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numba import typeof, types

from sfumato.ground import compiling
from sfumato.ground.compiling import read_type, written_type
from sfumato.tables.coding.levels import Levels

RECORD = json.loads(files("sfumato.ground").joinpath("kernels.json").read_text())
SHARED = Path(__file__).parents[1] / "recorded_kernels.py"


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(3), np.zeros((2, 2), dtype=np.int32), np.zeros((4, 4))[::2], np.asfortranarray(np.zeros((2, 2))),
        1, 2.5, True, None, (1, 2), (1, 2.5), np.float32(1), np.zeros(2, dtype=bool),
        Levels(*[np.zeros(1)] * len(Levels._fields)),
    ],
    ids=str,
)  # fmt: skip
def test_types_are_read_as_they_were_written(value):
    kind = typeof(value)
    assert read_type(json.loads(json.dumps(written_type(kind)))) == kind


def test_an_array_that_must_not_be_written_stays_one():
    kind = types.Array(types.int64, 1, "C", readonly=True)
    assert read_type(written_type(kind)) == kind


def test_what_has_no_writing_is_refused():
    with pytest.raises(TypeError, match="takes a"):
        written_type(types.unicode_type)


@pytest.mark.parametrize("job", RECORD)
def test_the_record_names_kernels_that_exist(job):
    for module, name, written in RECORD[job]:
        kernel = getattr(import_module(f"sfumato.{module}"), name)
        assert len(kernel.py_func.__code__.co_varnames) >= len(written)
        assert len(tuple(map(read_type, written))) == len(written)


def test_the_defaults_are_recorded():
    assert {"LocalRecoding", "Ordered", "Grouped", "EdgePerturbation"} <= set(RECORD)


def test_processes_are_started_once_and_only_where_something_is_to_be_compiled(monkeypatch):
    started = []
    monkeypatch.setattr(compiling, "_begun", set())
    monkeypatch.setattr(compiling, "_start", lambda job, turn: started.append((job, turn)))
    monkeypatch.setattr(compiling, "_n_processes", lambda: 2)
    monkeypatch.setattr(compiling, "_is_kept", lambda call: False)
    monkeypatch.delenv("SFUMATO_COMPILE", raising=False)
    assert compiling.begin_compiling("Ordered")
    assert not compiling.begin_compiling("Ordered")
    assert not compiling.begin_compiling("no such method")
    assert started == [("Ordered", 0), ("Ordered", 1)]
    monkeypatch.setattr(compiling, "_is_kept", lambda call: True)
    assert not compiling.begin_compiling("Grouped")
    monkeypatch.setattr(compiling, "_is_kept", lambda call: False)
    monkeypatch.setenv("SFUMATO_COMPILE", "alone")
    assert compiling.begin_compiling("Hilbert")
    assert len(started) == 2


def test_who_has_one_core_or_no_folder_compiles_alone_and_waits_for_it(monkeypatch):
    """Nobody else will ever compile: a method that is left for the next time would be left for ever."""
    monkeypatch.delenv("SFUMATO_COMPILE", raising=False)
    for n_processes, keeps, alone in ((1, True, False), (0, True, True), (1, False, True)):
        monkeypatch.setattr(compiling, "_n_processes", lambda n=n_processes: n)
        monkeypatch.setattr("sfumato.ground.kernels.keeps_compiled", lambda keeps=keeps: keeps)
        assert compiling.compiles_alone() is alone


def test_every_process_goes_through_all_calls_in_an_order_of_its_own():
    orders = [list(compiling._own_calls("Ordered", turn)) for turn in range(3)]
    for order in orders:
        assert sorted(map(str, order)) == sorted(map(str, RECORD["Ordered"]))
    assert orders[0] == RECORD["Ordered"][::-1]
    assert orders[1] != orders[0]


@pytest.mark.slow
@pytest.mark.parametrize("job", ["LocalRecoding", "Ordered", "Grouped", "EdgePerturbation"])
def test_what_one_process_compiles_another_finds(job, tmp_path):
    """The kernels of the record are those that publishing calls; else: python tests/recorded_kernels.py --record."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "SFUMATO_COMPILE": "alone"}
    command = [sys.executable, "-m", "sfumato.ground.compiling", job, "0"]
    subprocess.run(command, env=environment, check=True)
    again = subprocess.run(
        [sys.executable, str(SHARED), "--job", job], env=environment, check=True, capture_output=True, text=True
    )
    assert json.loads(again.stdout.splitlines()[-1]) == []
    assert not list(tmp_path.rglob("*.turn"))
