"""Releases that somebody tampered with: none is certified that should not be, and nobody sees a traceback.

`support/tampering.py` generates them, each with what must become of it.
"""

from __future__ import annotations

from collections import Counter

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import DamagedReleaseError
from support.plain_checker import Folder, check_files
from support.plain_sets import check_baskets, check_graph
from support.tampering import copy_of, everything

ALL = list(everything())
FEW = ("classes.parquet", "classes.csv", "two tables.parquet", "subdomains.parquet", "Apriori.csv", "KDegree.parquet")
QUICK = [tampering for tampering in ALL if tampering.base in FEW][::17]
WORDS = {"caught": ("broken", "damaged"), "open": ("not decided",), "stands": ("holds", "declared")}


def word_of(folder):
    """What `verify` says of a folder, or `damaged`."""
    try:
        return sf.verify(sf.load_release(folder, check=False)).word
    except DamagedReleaseError:
        return "damaged"


def found_false(folder):
    """What a reader finds who shares no code with sfumato."""
    files = Folder(folder)
    if "graph" in files.public:
        return check_graph(files).false
    return (check_baskets(files, None, None) if "baskets" in files.public else check_files(files)).false


def fault_of(tampering, where, capsys):
    """None where it becomes of a tampering what must become of it; otherwise what became of it."""
    folder = copy_of(tampering.base, where)
    tampering.edit(folder)
    code = run(["verify", str(folder)])
    said = "".join(capsys.readouterr())
    word = word_of(folder)
    if code != (0 if tampering.outcome == "stands" else 1) or word not in WORDS[tampering.outcome]:
        return f"{tampering} ({tampering.outcome}): exit code {code}, {word}: {said[:300]}"
    if "Traceback" in said or "panicked" in said:
        return f"{tampering}: {said[-300:]}"
    if tampering.outcome == "stands" and found_false(folder):
        return f"{tampering}: certified, and {found_false(folder)[0]}"
    return None


def test_they_are_many_and_no_two_are_alike():
    assert len(ALL) >= 300
    assert [name for name, n in Counter(map(str, ALL)).items() if n > 1] == []
    assert {"caught", "stands", "open"} == {tampering.outcome for tampering in ALL}
    assert all(tampering.why for tampering in ALL if tampering.outcome != "caught")


@pytest.mark.parametrize("tampering", QUICK, ids=str)
def test_some_tamperings(tampering, tmp_path, capsys):
    assert fault_of(tampering, tmp_path, capsys) is None


@pytest.mark.slow
@pytest.mark.parametrize("base", sorted({tampering.base for tampering in ALL}))
def test_every_tampering(base, tmp_path, capsys):
    own = [tampering for tampering in ALL if tampering.base == base and tampering not in QUICK]
    faults = [fault for tampering in own if (fault := fault_of(tampering, tmp_path, capsys)) is not None]
    assert faults == []


@pytest.mark.slow
@pytest.mark.parametrize("base", sorted({tampering.base for tampering in ALL}))
def test_what_nobody_touched_is_never_broken(base, tmp_path):
    folder = copy_of(base, tmp_path)
    assert word_of(folder) in ("holds", "declared", "not decided")
    assert found_false(folder) == []
