"""Tests mirror the tree: whoever edits `sfumato/tables/lattice/incognito.py` finds `tests/tables/lattice/test_incognito.py`."""

from pathlib import Path

import pytest

import sfumato

SOURCE, TESTS = Path(sfumato.__file__).parent, Path(__file__).parents[1]
APART = {
    "baselines": "methods that the benchmarks compare with",
    "common": "rules of the house that every method, promise, attack, shape and figure is put through",
    "house": "the house itself: imports, the documentation, the map, the tests",
    "real": "what the methods reach on real data",
    "reproduce": "the experiments of the papers at a tiny size",
}
"""Folders of tests that stand for no room, and what is in them."""


def mirrored_files():
    for path in sorted(TESTS.rglob("test_*.py")):
        where = path.relative_to(TESTS)
        if where.parts[0] not in APART:
            yield where


@pytest.mark.parametrize("where", list(mirrored_files()), ids=str)
def test_a_test_file_carries_the_name_of_a_module(where):
    """The module's name, or the name and what of it is tested."""
    modules = {path.stem for path in (SOURCE / where.parent).glob("*.py")} - {"__init__", "__main__"}
    name = where.stem.removeprefix("test_")
    assert any(name == module or name.startswith(f"{module}_") for module in modules), (
        f"{where} is called after no module of sfumato/{where.parent}"
    )


def test_no_test_is_filed_by_who_found_the_fault():
    assert not [str(path) for path in TESTS.rglob("*.py") if "review" in path.name]


def test_folders_apart_are_there():
    assert {path.name for path in TESTS.iterdir() if path.is_dir() and path.name in APART} == set(APART)
