"""A comparison that goes on: only with what is the same in all that results follow from, and from files that are whole."""

import json
import os
import threading
from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.verbs.comparing.kept import Kept, checked_folder
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.subject import subject_of

TABLE = hospital(60)
SUBJECT = subject_of(TABLE, 200)
POINT = Point(
    method=sf.Mondrian(), promise=sf.KAnonymity(5), came="done", figures={"gcp": 0.25}, verdict="holds",
    found=("smallest class 5",), seconds=0.1, digest="ab", made_by=sf.Ordered(trials=2),
)  # fmt: skip
PLANNED = Point(method=sf.Mondrian(), promise=sf.KAnonymity(5))


def opened(folder, *, subject=SUBJECT, seed=b"secret", given=False):
    return Kept(folder, subject, seed, given=given)


@pytest.fixture
def kept(tmp_path):
    folder = tmp_path / "kept"
    opened(folder).keep(POINT)
    return folder


def lines_of(folder):
    return (folder / "points.jsonl").read_text().splitlines()


def test_what_came_to_an_end_is_known_again_with_the_seed(kept):
    again = opened(kept, seed=b"another")
    assert again.seed == b"secret"
    assert list(again.known([PLANNED])) == [POINT]
    assert list(again.known([Point(method=sf.Mondrian(), promise=sf.KAnonymity(6))])) == []


def test_only_releases_and_refusals_are_kept(kept):
    n_lines = len(lines_of(kept))
    for came in ("failed", "too slow", "not tried"):
        opened(kept).keep(replace(POINT, came=came))
    assert len(lines_of(kept)) == n_lines
    opened(kept).keep(replace(POINT, came="refused", why="k is too large"))
    assert len(lines_of(kept)) == n_lines + 1


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (subject_of(hospital(50), 200), "holds a comparison of other data; choose another folder"),
        (subject_of(sf.Table(TABLE.frame, sf.Schema(quasi=["age"])), 200), "of the same records with another schema"),
        (replace(SUBJECT, n_queries=20), "with n_queries=200, and 20 are asked for"),
        (replace(SUBJECT, version="9.9"), "by sfumato 0.1.0, and this is 9.9"),
    ],
)
def test_a_comparison_of_something_else_is_refused(kept, subject, message):
    with pytest.raises(ParameterError, match=message):
        opened(kept, subject=subject)


def test_another_seed_is_refused(kept):
    assert opened(kept, given=True).seed == b"secret"
    with pytest.raises(ParameterError, match="with another seed; leave seed out"):
        opened(kept, seed=b"another", given=True)


@pytest.mark.parametrize("seed", ["xyz", None, "", 5, ["00"]], ids=str)
def test_a_seed_that_cannot_be_read_is_told_and_not_shown(kept, seed):
    head, *rest = lines_of(kept)
    (kept / "points.jsonl").write_text("\n".join([json.dumps({**json.loads(head), "seed": seed}), *rest]) + "\n")
    with pytest.raises(ParameterError, match=r"line 1 of '.*points.jsonl' has no seed that can be read; choose"):
        opened(kept)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"key": None}, "key must be a text, got None"),
        ({"key": ...}, "key must be a text, and there is none"),
        ({"came": "odd"}, "came must be done or refused, got 'odd'"),
        ({"figures": None}, "figures must be numbers by name, got None"),
        ({"figures": {"gcp": None}}, "figures must be numbers by name"),
        ({"verdict": 3}, "verdict must be a text, got 3"),
        ({"found": "holds"}, "found must be a list of texts"),
        ({"seconds": "fast"}, "seconds must be a number"),
        ({"digest": ...}, "digest must be a text, and there is none"),
        ({"why": None}, "why must be a text"),
        ({"made_by": {"name": "Nobody"}}, "made_by must be a method"),
        ({"made_by": 3}, "made_by must be a method"),
        ({"made_by": {"name": "Ordered", "trials": 0}}, "made_by must be a method"),
    ],
    ids=str,
)
def test_a_damaged_line_is_told(kept, change, message):
    head, line = lines_of(kept)
    changed = {name: value for name, value in {**json.loads(line), **change}.items() if value is not ...}
    (kept / "points.jsonl").write_text(f"{head}\n{json.dumps(changed)}\n")
    with pytest.raises(ParameterError, match=rf"line 2 of '.*' is damaged: {message}.*; remove the line, or choose"):
        opened(kept)


def test_a_line_that_is_no_point_is_told(kept):
    with (kept / "points.jsonl").open("a") as file:
        file.write("[1]\n")
    with pytest.raises(ParameterError, match=r"line 3 .* is damaged: it holds \[1\], and no point"):
        opened(kept)


def test_a_line_that_was_cut_off_is_passed_over(kept):
    with (kept / "points.jsonl").open("a") as file:
        file.write('{"key": "Mondrian KAn')
    again = opened(kept)
    assert list(again.known([PLANNED])) == [POINT]
    again.keep(replace(POINT, promise=sf.KAnonymity(7)))
    assert len(list(opened(kept).known([PLANNED, replace(PLANNED, promise=sf.KAnonymity(7))]))) == 2


@pytest.mark.parametrize(
    "content", ["nonsense\n", "[]\n", "{}\n", "\n", "[" * 100_000 + "\n"], ids=lambda each: each[:5]
)
def test_what_is_no_comparison_is_told(kept, content):
    (kept / "points.jsonl").write_text(content)
    with pytest.raises(ParameterError, match="is no comparison that can go on; choose another folder"):
        opened(kept)


# -- folders -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["", "a\0b", 3, b"folder"], ids=repr)
def test_what_is_no_folder_is_refused(given):
    with pytest.raises(ParameterError, match="folder must be"):
        checked_folder(given)


def test_a_folder_with_something_else_is_refused(tmp_path, kept):
    assert checked_folder(None) is None
    assert checked_folder(kept) == kept
    assert checked_folder(tmp_path / "new") == tmp_path / "new"
    with pytest.raises(ParameterError, match="holds something else than a comparison; choose a new or an empty folder"):
        checked_folder(tmp_path)
    with pytest.raises(ParameterError, match="cannot keep a comparison: File name too long"):
        checked_folder(tmp_path / ("x" * 300))
    for folder in (tmp_path / "out", tmp_path / "out" / "choice"):
        folder.mkdir()
        (tmp_path / "out" / "release.json").write_text("{}")
        with pytest.raises(ParameterError, match="is or lies in a release, which others read"):
            checked_folder(folder)


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_the_folder_is_the_owners(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o755)
    for folder in (empty, tmp_path / "new"):
        opened(folder)
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / "points.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_written_is_told(kept, monkeypatch):
    begun = opened(kept)
    (kept / "points.jsonl").rename(kept / "elsewhere")
    with pytest.raises(
        ParameterError, match=r"points.jsonl' cannot be written: No such file .*; mend that and compare"
    ):
        begun.keep(POINT)
    assert not (kept / "points.jsonl").exists()
    (kept / "elsewhere").rename(kept / "points.jsonl")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ParameterError, match=r"points.jsonl' cannot be written: No space left on device"):
        begun.keep(POINT)


def test_of_comparisons_that_begin_at_once_all_have_one_seed(tmp_path):
    seeds, start = [], threading.Barrier(8)

    def begin(number):
        start.wait()
        seeds.append(opened(tmp_path / "kept", seed=bytes([number + 1])).seed)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seeds) == 8
    assert len(set(seeds)) == 1
    assert len(lines_of(tmp_path / "kept")) == 1
