"""The map from the papers to the code is true, line by line: every file, function and test that it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from sfumato.contracts.attack import known_attacks
from sfumato.contracts.method import known_methods
from sfumato.privacy.promise import known_promises

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "map.md"
HEAD = "| section | what | where | test |"
WHERE = re.compile(r"`((?:[a-z0-9_]+/)*[a-z0-9_]+\.py):([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)`")
TEST = re.compile(r"`(tests/(?:[a-z0-9_]+/)*test_[a-z0-9_]+\.py)::(test_\w+)`")


class Row(NamedTuple):
    """A row of a table, by its line on the page."""

    line: int
    section: str
    what: str
    where: str
    test: str


def rows_of(text: str) -> list[Row]:
    """All rows of all tables; refused where a table has other columns."""
    rows, above = [], ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("|") and not above.startswith("|"):
            assert line == HEAD, f"line {number}: a table with other columns"
        elif line.startswith("|") and line != "|---|---|---|---|":
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 4, f"line {number}: {len(cells)} cells"
            rows.append(Row(number, *cells))
        above = line
    return rows


@cache
def defined_names(path: Path) -> frozenset[str]:
    """The functions and classes that a file defines at its top level, and the methods of these classes."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{each.name}" for each in node.body if isinstance(each, ast.FunctionDef)}
    return frozenset(names)


def code_path(path: str) -> Path:
    return ROOT / path if path.startswith("benchmarks/") else ROOT / "src" / "sfumato" / path


def untruth(row: Row) -> str | None:
    """What is not as the row says; None where all of it is true."""
    where, test = WHERE.fullmatch(row.where), TEST.fullmatch(row.test)
    if not row.section or not row.what:
        return "it does not say what it is about"
    if not where:
        return f"{row.where!r} is no `path.py:function`"
    if not test:
        return f"{row.test!r} is no `tests/path.py::test_name`"
    for path, name in ((code_path(where[1]), where[2]), (ROOT / test[1], test[2])):
        if not path.is_file():
            return f"there is no file {path.relative_to(ROOT)}"
        if name not in defined_names(path):
            return f"{path.relative_to(ROOT)} defines no {name}"
    return None


ROWS = rows_of(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"line {row.line}")
def test_a_row_leads_to_a_function_and_a_test(row):
    assert not untruth(row), f"{PAGE.name}, line {row.line}: {untruth(row)}"


def test_no_row_is_there_twice():
    told = [(row.section, row.where, row.test) for row in ROWS]
    assert not {each for each in told if told.count(each) > 1}


def registered_classes():
    """Every method, promise and attack of the package; those that tests made up are left out."""
    for classes in (known_methods(), known_promises(), known_attacks()):
        yield from (each for each in classes.values() if each.__module__.startswith("sfumato."))


@pytest.mark.parametrize(
    "cls", sorted(registered_classes(), key=lambda cls: cls.__name__), ids=lambda cls: cls.__name__
)
def test_every_method_promise_and_attack_is_on_the_map(cls):
    """Under its own file: as a class, or one of its methods."""
    path = cls.__module__.removeprefix("sfumato.").replace(".", "/") + ".py"
    assert any(re.match(rf"`{re.escape(path)}:{cls.__name__}\b", row.where) for row in ROWS), f"{cls.__name__} ({path})"


def test_every_baseline_is_on_the_map():
    for path in (ROOT / "benchmarks" / "baselines").glob("[a-z]*.py"):
        if path.stem not in ("flow", "label_check"):  # in no paper
            assert any(f"`benchmarks/baselines/{path.name}:" in row.where for row in ROWS), path.name


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("where", "`tables/grouping/hilbert_curve.py:Hilbert`"),
        ("where", "`tables/grouping/hilbert.py:hilbert_curve`"),
        ("where", "`tables/grouping/hilbert.py:Hilbert.lay`"),
        ("where", "`tables/grouping/hilbert.py:Line`"),  # imported there, and defined elsewhere
        ("where", "tables/grouping/hilbert.py:Hilbert"),
        ("where", ""),
        ("test", "`tests/tables/grouping/test_curve.py::test_groups_partition_the_rows`"),
        ("test", "`tests/tables/grouping/test_hilbert.py::test_nothing`"),
        ("test", "`tests/tables/grouping/test_hilbert.py::test_groups_partition_the_rows[Hilbert]`"),
        ("test", "`tests/tables/grouping/test_hilbert.py`"),
        ("test", ""),
        ("section", ""),
        ("what", ""),
    ],
)
def test_an_untrue_row_is_found(cell, text):
    true = Row(
        line=1, section="6", what="Hilbert", where="`tables/grouping/hilbert.py:Hilbert.line`",
        test="`tests/tables/grouping/test_hilbert.py::test_groups_partition_the_rows`",
    )  # fmt: skip
    assert untruth(true) is None
    assert untruth(true._replace(**{cell: text}))


@pytest.mark.parametrize(
    "text", ["| where | test |\n|---|---|\n| a | b |", f"{HEAD}\n|---|---|---|---|\n| 1 | two | three |"]
)
def test_tables_have_four_columns(text):
    with pytest.raises(AssertionError):
        rows_of(text)
