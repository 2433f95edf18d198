"""A release and its owner's part are exchanged as one: whatever stops it, a whole old pair or a whole new one is read."""

import errno
import os
import shutil
import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ReleaseError
from sfumato.release import exchange
from sfumato.release.exchange import Exchange, exchanging, read_whole
from support.sudden_death import deaths, dies_at

SOURCE = Path(exchange.__file__)
CASES = [
    (None, "new"),
    (None, None),
    ("old", "new"),
    ("old", None),
    (None, "new", "replaces"),
    (None, None, "replaces"),
]
"""Whether the old pair and the new one have an owner's part; the last two replace a release that has none."""


@pytest.fixture(autouse=True)
def _unsynced(monkeypatch):
    """Processes are killed here, and not the system: what was written is seen without waiting for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


def save(folder, text, owner):
    with exchanging(folder) as pair:
        pair.make(owner=owner is not None)
        (pair.new_release / "release.json").write_text(text)
        (pair.new_release / "data.csv").write_text(text)
        if owner is not None:
            (pair.new_owner / "owner.json").write_text(owner)
        pair.commit()


def read(folder):
    """What the files of a release say, and those of its owner's part."""

    def texts(release, owner):
        if not release.is_dir():
            raise ReleaseError("no release")
        said = {path.read_text() for path in release.iterdir()}
        kept = owner / "owner.json"
        return ("/".join(sorted(said)), kept.read_text() if kept.is_file() else None)

    return read_whole(folder, texts)


def read_or_none(folder):
    try:
        return read(folder)
    except ReleaseError:
        return None


def everything(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def tree(owner):
    return [
        "out",
        "out/data.csv",
        "out/release.json",
        *(["owner", "owner/out", "owner/out/owner.json"] if owner else []),
    ]


def scene(place, case):
    """A function that makes the old state anew, what is read there, and what is read when the new one is saved."""
    old_owner, new_owner, *replaces = case
    old = ("old", old_owner) if old_owner or replaces else None

    def prepare():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        if old is not None:
            save(place / "out", *old)

    return prepare, old, ("new", new_owner)


def deny(*_):
    raise PermissionError(errno.EACCES, "not for you")


@pytest.mark.parametrize(
    "case",
    [CASES[2], CASES[3], *(pytest.param(case, marks=pytest.mark.slow) for case in CASES[:2] + CASES[4:])],
    ids=str,
)
def test_killed_at_every_file_operation_it_is_old_or_new_and_never_a_mixture(tmp_path, monkeypatch, case):
    out = tmp_path / "place" / "out"
    prepare, old, new = scene(out.parent, case)
    seen = []
    for _ in deaths(prepare, lambda: save(out, *new)):
        with monkeypatch.context() as patch:  # a reader who may not write
            patch.setattr(exchange, "_locked", deny)
            left = everything(out.parent)
            seen.append(read_or_none(out))
            assert everything(out.parent) == left
        assert read_or_none(out) == seen[-1]
        assert seen[-1] in (old, new)
        save(out, "newer", "newer")
        assert read(out) == ("newer", "newer")
        assert everything(out.parent) == tree("newer")
    assert seen[0] == old
    assert seen[-1] == new
    assert sum(before != after for before, after in pairwise(seen)) == 1
    assert len(seen) > 15


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_killed_at_every_line_it_is_old_or_new(tmp_path, case):
    out = tmp_path / "place" / "out"
    prepare, old, new = scene(out.parent, case)
    for _ in deaths(prepare, lambda: save(out, *new), lines_of=SOURCE):
        assert read_or_none(out) in (old, new)
        save(out, "newer", None)
        assert everything(out.parent) == tree(None)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[1:4], ids=str)
def test_whoever_finishes_it_may_die_as_well(tmp_path, case):
    out = tmp_path / "place" / "out"
    prepare, old, new = scene(out.parent, case)
    for n in deaths(prepare, lambda: save(out, *new)):
        found = None
        if not Exchange(out).committed:  # there is nothing to finish
            continue

        def again(n=n):
            prepare()
            dies_at(n, lambda: save(out, *new))

        for _ in deaths(again, lambda: read_or_none(out)):
            found = read_or_none(out)
            assert found in (old, new)
        for _ in deaths(again, lambda: save(out, "newer", None)):
            assert read_or_none(out) in (found, ("newer", None))


def test_all_that_is_new_is_on_the_disk_before_the_journal_is_there(tmp_path, monkeypatch):
    synced, journal = [], tmp_path / ".out.exchange"
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append((os.fstat(handle).st_ino, journal.exists())))
    save(tmp_path / "out", "new", "new")
    new = [tmp_path / each for each in tree("new") if each != "owner"]
    assert {(path.stat().st_ino, False) for path in new} <= set(synced)
    assert (tmp_path.stat().st_ino, True) in synced


def test_what_it_leaves(tmp_path):
    save(tmp_path / "out", "a", "a")
    assert everything(tmp_path) == tree("a")
    save(tmp_path / "out", "b", None)
    assert everything(tmp_path) == tree(None)


@pytest.mark.parametrize("kept", [None, "old"])
def test_work_that_fails_leaves_what_was_there(tmp_path, kept):
    if kept is not None:
        save(tmp_path / "deep" / "out", "old", kept)
    before = everything(tmp_path)
    with pytest.raises(TypeError):
        save(tmp_path / "deep" / "out", "half", 3)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_rename_that_the_system_refuses_takes_back_the_others(tmp_path, monkeypatch, case):
    out = tmp_path / "place" / "out"
    prepare, old, new = scene(out.parent, case)
    real = Path.rename
    for failing in range(9):
        prepare()
        before = everything(out.parent)
        calls = []

        def rename(self, target, calls=calls, failing=failing):
            calls.append(target)
            if len(calls) == failing + 1:
                raise OSError(errno.EBUSY, "busy")
            return real(self, target)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", rename)
            try:
                save(out, *new)
            except OSError:
                assert everything(out.parent) == before
                assert read_or_none(out) == old
                continue
        assert read(out) == new
        break
    assert failing in (1, 2, 3, 4)


def test_an_interruption_in_the_middle_is_finished_at_once(tmp_path, monkeypatch):
    save(tmp_path / "out", "old", "old")
    real = Path.rename

    def rename(self, target):
        real(self, target)
        monkeypatch.setattr(Path, "rename", real)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        save(tmp_path / "out", "new", "new")
    assert everything(tmp_path) == tree("new")
    assert read(tmp_path / "out") == ("new", "new")


def test_a_reader_who_may_not_look_at_the_owners_part_does_not_finish_without_it(tmp_path, monkeypatch):
    """Else the row map of the old release would stand beside the new one, and the new one be swept away."""
    out = tmp_path / "out"
    save(out, "old", "old")
    with exchanging(out) as pair:
        pair.make(owner=True)
        (pair.new_release / "release.json").write_text("new")
        (pair.new_owner / "owner.json").write_text("new")
        with monkeypatch.context() as patch:
            patch.setattr(Exchange, "_finish", lambda *_: None)
            pair.commit()
        with monkeypatch.context() as patch:
            real = Path.lstat
            patch.setattr(Path, "lstat", lambda self: deny() if self.parent.name == "owner" else real(self))
            with pytest.raises(PermissionError):
                Exchange(out).recover()
            assert pair.places() == (pair.new_release, pair.owner)
    assert read(out) == ("new", "new")


def test_what_an_owner_kept_is_not_replaced_unasked(tmp_path):
    """It may be all that leads from a release that was given away to its records."""
    release = sf.publish(sf.Table(pl.DataFrame({"a": [1, 1]}), sf.Schema(quasi=["a"])), sf.Mondrian(), sf.KAnonymity(2))
    out, kept = release.save(tmp_path / "out", report=False), tmp_path / "owner" / "out"
    (kept / "of whom").write_text("the first")
    shutil.rmtree(out)
    for saved in (release, replace(release, owner=None)):
        with pytest.raises(ReleaseError, match="'owner/out' is there already, of a release that is not here any more"):
            saved.save(out, report=False)
        assert (kept / "of whom").is_file()
        assert not out.exists()
    release.save(out, report=False, overwrite=True)
    assert not (kept / "of whom").exists()
    shutil.rmtree(kept)
    kept.write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(ReleaseError):
            release.save(out, report=False, overwrite=overwrite)
        assert kept.read_text() == "mine"


@pytest.mark.parametrize("name", [".out.new", ".out.old", ".out.lock", ".a b.exchange", "out/inner", "out/a/b"])
def test_no_release_lies_where_another_save_would_sweep_it_away(tmp_path, name):
    release = sf.publish(sf.Table(pl.DataFrame({"a": [1, 1]}), sf.Schema(quasi=["a"])), sf.Mondrian(), sf.KAnonymity(2))
    release.save(tmp_path / "out", report=False)
    with pytest.raises(ReleaseError, match=r"is a name for what is being saved|would lie inside the release 'out'"):
        release.save(tmp_path / name, report=False)
    assert not sf.load_release(tmp_path / "out").damage


def test_a_link_is_replaced_and_what_it_points_to_is_kept(tmp_path):
    save(tmp_path / "real", "old", None)
    (tmp_path / "out").symlink_to(tmp_path / "real")
    save(tmp_path / "out", "new", "new")
    assert not (tmp_path / "out").is_symlink()
    assert read(tmp_path / "out") == ("new", "new")
    assert read(tmp_path / "real") == ("old", None)
    assert not list(tmp_path.rglob(".*"))


def test_only_one_at_a_time(tmp_path):
    with exchanging(tmp_path / "out"):
        with (
            pytest.raises(ReleaseError, match="'out' is being saved by another process; wait for it"),
            exchanging(tmp_path / "out"),
        ):
            pass
        with exchanging(tmp_path / "other"):
            pass
    with exchanging(tmp_path / "out"):
        pass
    assert everything(tmp_path) == []


def test_the_lock_of_a_dead_process_is_nobodys(tmp_path):
    def work():
        with exchanging(tmp_path / "out"):
            os._exit(9)

    assert dies_at(10**9, work)
    assert everything(tmp_path) == [".out.lock"]
    save(tmp_path / "out", "a", None)
    assert everything(tmp_path) == tree(None)


def test_a_lock_that_was_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    real, path = exchange._try_lock, tmp_path / "lock"

    def late(handle):
        monkeypatch.setattr(exchange, "_try_lock", real)
        path.unlink()
        return real(handle)

    monkeypatch.setattr(exchange, "_try_lock", late)
    with exchange._locked(path) as mine:
        assert mine
        assert path.exists()
    assert not path.exists()


def race(folder, barrier, results, name):
    barrier.wait()
    try:
        with exchanging(folder) as pair:
            if folder.exists():
                raise ReleaseError("exists already")
            pair.make(owner=True)
            (pair.new_release / "release.json").write_text(name)
            (pair.new_owner / "owner.json").write_text(name)
            pair.commit()
        results.append(name)
    except ReleaseError:
        pass


def test_of_many_who_race_for_a_new_folder_one_wins(tmp_path):
    for trial in range(60):
        barrier, results, folder = threading.Barrier(4), [], tmp_path / f"deep{trial}" / "out"
        racers = [threading.Thread(target=race, args=(folder, barrier, results, str(i))) for i in range(4)]
        for racer in racers:
            racer.start()
        for racer in racers:
            racer.join()
        assert len(results) == 1
        assert read(folder) == (results[0], results[0])
        assert not list(tmp_path.rglob(".*"))


def test_a_reader_beside_a_writer_never_sees_a_mixture(tmp_path):
    out, stop, seen = tmp_path / "out", threading.Event(), set()
    save(out, "0", "0")

    def watch():
        while not stop.is_set():
            seen.add(read(out))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for n in range(1, 60):
        while True:
            try:
                save(out, str(n), str(n))
                break
            except ReleaseError:  # the reader finishes what it sees
                continue
    stop.set()
    watcher.join()
    assert len(seen) > 1
    assert all(release == owner for release, owner in seen)


def test_two_processes_have_one_lock(tmp_path):
    with exchanging(tmp_path / "out"):
        assert not dies_at(10**9, lambda: _refused(tmp_path / "out"))


def _refused(folder):
    try:
        with exchanging(folder):
            pass
    except ReleaseError:
        return
    raise AssertionError
