"""Fuzzed releases, read by a checker that shares no code with sfumato; `benchmarks/fuzz_releases.py` runs thousands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from sfumato.contracts.method import known_methods
from support import fuzzing, plain_cells, plain_checker, plain_distances, plain_sets, plain_truth
from support.house import METHODS, mixed
from support.plain_checker import Folder, check_files
from support.plain_sets import check_baskets, check_graph
from support.tampering import cells, columnar, first_row, saved, told


def test_every_method_is_among_them():
    """But for those that no seed repeats: a case could not be run again."""
    assert sorted(fuzzing.METHODS) == [name for name in METHODS if known_methods()[name].repeatable]


def test_the_checker_shares_nothing_with_what_it_checks():
    for module in (plain_checker, plain_cells, plain_distances, plain_sets, plain_truth):
        text = Path(module.__file__).read_text(encoding="utf-8")
        assert "import sfumato" not in text
        assert "from sfumato" not in text
        assert "polars" not in text


@pytest.mark.parametrize("seed", range(3, 11))
def test_some_releases_are_what_they_say(seed, tmp_path):
    outcome = fuzzing.fuzz(seed, tmp_path)
    assert outcome.word in ("held", "refused", "stopped"), outcome.false


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(7000, 7150))
def test_releases_are_what_they_say(seed, tmp_path):
    outcome = fuzzing.fuzz(seed, tmp_path)
    assert outcome.word in ("held", "refused", "stopped"), outcome.false


# -- a checker that never fails is worth nothing ---------------------------------------------------------------------

TOO_MUCH = [
    ("classes.parquet", {"name": "KAnonymity", "k": 50}), ("classes.csv", {"name": "KAnonymity", "k": 50}),
    ("classes.arrow", {"name": "Exchangeable", "k": 50}), ("classes.parquet", {"name": "LDiversity", "l": 5}),
    ("classes.parquet", {"name": "LDiversity", "l": 6, "kind": "distinct"}), ("classes.parquet", {"name": "LDiversity", "l": 5, "kind": "entropy"}),
    ("classes.parquet", {"name": "LDiversity", "l": 3, "kind": "recursive", "c": 0.5}), ("classes.parquet", {"name": "TCloseness", "t": 0.05}),
    ("classes.parquet", {"name": "TCloseness", "t": 0.05, "distance": "variational"}), ("classes.parquet", {"name": "TCloseness", "t": 0.05, "distance": "kl"}),
    ("classes.parquet", {"name": "BetaLikeness", "beta": 0.05}), ("classes.parquet", {"name": "BetaLikeness", "beta": 0.05, "enhanced": False}),
    ("classes.parquet", {"name": "DeltaDisclosure", "delta": 0.05}), ("classes.parquet", {"name": "KMap", "k": 50}),
    ("classes.parquet", {"name": "DeltaPresence", "low": 0, "high": 0.1}), ("two tables.parquet", {"name": "LDiversity", "l": 5}),
    ("two tables.csv", {"name": "KAnonymity", "k": 5}), ("subdomains.parquet", {"name": "PPrivate", "target": {"name": "uniform"}, "within": 0}),
    ("sequence.parquet", {"name": "MInvariance", "m": 9}), ("sequence.parquet", {"name": "KAnonymity", "k": 9}),
    ("Apriori.parquet", {"name": "KMAnonymity", "k": 50, "m": 2}), ("Apriori.csv", {"name": "KMAnonymity", "k": 50, "m": 2}),
    ("KDegree.parquet", {"name": "DegreeAnonymity", "k": 30}), ("KDegree.csv", {"name": "DegreeAnonymity", "k": 30}),
]  # fmt: skip


@pytest.mark.parametrize(("base", "promise"), TOO_MUCH, ids=str)
def test_the_checker_finds_what_is_promised_too_much(base, promise, tmp_path):
    folder = tmp_path / "out"
    shutil.copytree(saved(base), folder)
    told("promise", value=promise)(folder)
    files = Folder(folder)
    if "graph" in files.public:
        found = check_graph(files)
    elif "baskets" in files.public:
        found = check_baskets(files, None, None)
    else:
        found = check_files(files, population=mixed().frame.to_dicts())
    assert found.false
    assert found.checked == [promise["name"]]


UNTRUE = [("age", lambda v: "[1, 2]"), ("town", lambda v: "99"), ("sex", lambda v: "x"), ("illness", lambda v: "none")]


@pytest.mark.parametrize(("column", "change"), UNTRUE, ids=[column for column, _ in UNTRUE])
def test_the_checker_finds_what_is_not_true(column, change, tmp_path):
    kept = saved("classes.parquet")
    shutil.copytree(kept, tmp_path / "out")
    columnar(cells(column, first_row(change)))(tmp_path / "out")
    found = check_files(Folder(tmp_path / "out", kept.parent / "owner" / kept.name), mixed().frame.to_dicts())
    assert any(text.startswith(f"{column}: ") and "does not cover" in text for text in found.false)
    true = check_files(Folder(kept, kept.parent / "owner" / kept.name), mixed().frame.to_dicts())
    assert true.false == []
    assert json.loads((kept / "release.json").read_text())["rows"] == 90
