"""A corpus of bad input: every case ends with one sentence and its exit code, and nothing is written."""

import hashlib
import json
import re
import shutil

import pytest

from sfumato.cli import run
from support.bad_input import write_good_files
from support.bad_inputs import all_cases

CASES = all_cases()
QUICK = 10
"""Every so many cases one is in the default run; all of them are with the long tests."""
FOREIGN = re.compile(
    r"Traceback|polars|panicked|pyo3|numpy|pyarrow|pydantic|duckdb\.|ComputeError|ArrowInvalid|RecursionError|<class"
    r"|object at 0x|File \"|shape: \(|ColumnNotFound|SchemaError|sqlglot",
)
RELEASES = {
    "R": "publish p.csv --schema s.toml --k 2 --no-report -o R",
    "A": "publish p.csv --schema s.toml --k 2 --no-report --format arrow -o A",
    "C": "publish p.csv --schema s.toml --k 2 --no-report --format csv -o C",
    "B": "publish b.dat --k 2 --no-report -o B",
    "G": "publish e.txt --method EdgePerturbation --param mu=0.1 --no-report -o G",
}


@pytest.fixture(scope="module")
def good_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    write_good_files(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in RELEASES.values():
            assert run([*command.split(), "--seed", "3"]) == 0
    return folder


def put(folder, name, content):
    """Write a file of a case; in a release, some words stand for a change of what is there."""
    path = folder / name
    if path.name == "edit":
        certificate = json.loads((path.parent / "release.json").read_text())
        keys, value = json.loads(content)
        place = certificate
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value
        (path.parent / "release.json").write_text(json.dumps(certificate))
    elif content == b"gone" and len(path.relative_to(folder).parts) > 1:
        path.unlink()
    elif content == b"half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif content == b"zeros":
        path.write_bytes(bytes(path.stat().st_size))
    else:
        path.write_bytes(content)


def files_of(folder):
    """Every file below a folder, with a digest of what it holds."""
    paths = sorted(folder.rglob("*"))
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "" for path in paths}


def prepare(case, good, folder):
    """Lay out the good files, the releases that the case names, and its own files."""
    write_good_files(folder)
    for name in RELEASES:
        if name in case.words:
            shutil.copytree(good / name, folder / name)
            (folder / "owner").mkdir(exist_ok=True)
            shutil.copytree(good / "owner" / name, folder / "owner" / name)
    for name, content in case.files.items():
        put(folder, name, content)


def test_there_are_many():
    assert len(CASES) >= 400


def each_case():
    """The cases, those beyond the quick ones marked as slow."""
    for number, case in enumerate(CASES):
        name = re.sub(r"[^ -~]|[\[\]:]", "_", case.name)[:80]
        yield pytest.param(case, marks=[pytest.mark.slow] if number % QUICK else [], id=name)


def test_each_says_part_of_its_sentence():
    assert not [case.name for case in CASES if not case.says]


@pytest.mark.parametrize("case", list(each_case()))
def test_one_sentence_and_nothing_written(case, good_folder, tmp_path, monkeypatch, capfd):
    prepare(case, good_folder, tmp_path)
    before = files_of(tmp_path)
    monkeypatch.chdir(tmp_path)
    capfd.readouterr()
    assert run(case.words) == case.code
    said = capfd.readouterr()
    broken = case.code == 1 and said.out and not said.err  # a verdict: what is broken, in words
    text = said.out if broken else said.err
    assert case.says in text
    assert not FOREIGN.search(text), text
    assert broken or (text.startswith("sfumato: ") and text.count("\n") == 1 and text.endswith("\n")), text
    assert len(text) < 5_000
    assert files_of(tmp_path) == before
