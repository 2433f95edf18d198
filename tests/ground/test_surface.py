import subprocess
import sys
import time

import pytest

import sfumato as sf

CONTRACT = [
    "read_table", "Table", "Schema", "Hierarchy", "publish", "verify", "measure", "load_release",
    "KAnonymity", "LDiversity", "TCloseness", "Mondrian", "Hilbert",
]  # fmt: skip


def test_the_names_of_the_contract_are_there():
    for name in CONTRACT:
        assert name in sf.__all__
        assert getattr(sf, name).__name__ == name
        assert getattr(sf, name).__doc__, name


def test_every_public_name_loads_and_is_listed():
    for name in sf.__all__:
        assert getattr(sf, name) is not None
        assert name in dir(sf)


def test_dir_shows_the_api_alone():
    assert sf.publish
    assert sf.read_table
    assert set(dir(sf)) == {*sf.__all__, "collection", "datasets", "errors", "plots"}
    for name in ("datasets", "errors", "plots"):
        assert getattr(sf, name).__name__ == f"sfumato.{name}"
    with pytest.raises(AttributeError, match="did you mean 'Mondrian'"):
        sf.mondrian  # noqa: B018


def test_importing_is_quick_and_loads_nothing_heavy():
    code = "import sys, sfumato; print(','.join(m for m in ('polars', 'numba', 'pandas', 'duckdb', 'altair') if m in sys.modules))"
    started = time.perf_counter()
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert loaded == ""
    assert time.perf_counter() - started < 5  # the tight bound is the benchmark's; this one fails on a heavy import


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom sfumato.cli import run\nrun(['--help'])\n"
        "print('loaded:', [m for m in ('polars', 'numba', 'pandas', 'duckdb', 'altair') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip().endswith("loaded: []")
    assert "publish" in out
