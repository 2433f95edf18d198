"""A release on disk: saved whole or not at all, and nothing of the owner's in it."""

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import PromiseBrokenError, ReleaseError
from sfumato.release import saving
from sfumato.release.certificate import FORMAT


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=11)


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("show", ["ranges", "means", "permutation"])
def test_no_public_figure_compares_with_the_records_themselves(tmp_path, show):
    """Who lists all assignments that a release allows could keep those that give the same figure."""
    table = hospital(120)
    promise = sf.LDiversity(3) if show == "permutation" else sf.KAnonymity(5)
    sf.publish(table, sf.Mondrian(show=show), promise, seed=2).save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    kept = json.loads((tmp_path / "owner" / "out" / "owner.json").read_text())["measures"]["values"]
    told = certificate["measures"]
    secret = {"query_error_median", "query_error_mean", "distortion"}
    secret |= {"gcp", "ncp", "il1", "il_inf", "volume"} if show == "means" else set()
    assert not secret & {*told["values"], *told["by_column"], *told["about"]}
    assert "query_error_median" in kept
    assert not any("query_error" in note or "distortion" in note for note in told["notes"])
    assert "query error" not in (tmp_path / "out" / "report.html").read_text().lower()


def test_the_layout_and_who_may_read_it(tmp_path, release):
    release.save(tmp_path / "deep" / "out")
    assert everything(tmp_path / "deep") == [
        "out", "out/data.csv", "out/release.json", "out/report.html",
        "owner", "owner/out", "owner/out/owner.json", "owner/out/report.html", "owner/out/rows.parquet",
    ]  # fmt: skip
    assert stat.S_IMODE((tmp_path / "deep" / "owner").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "deep" / "owner" / "out").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "deep" / "owner" / "out" / "owner.json").stat().st_mode) == 0o600


def test_nothing_of_the_owners_is_in_the_release(tmp_path, table, release):
    release.save(tmp_path / "out")
    published = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    published += (tmp_path / "out" / "release.json").read_bytes()
    assert release.owner.seed.hex().encode() not in published
    assert release.owner.seed not in published
    assert release.owner.original_sha256.encode() not in published
    assert str(tmp_path).encode() not in published
    for column in table.schema.identifier:
        for value in table.frame[column].to_list()[:50]:
            assert str(value).encode() not in published


def test_the_same_seed_gives_the_same_bytes(tmp_path, table):
    for name in ("a", "b"):
        sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=4).save(tmp_path / name)
    for file in ("data.csv", "release.json", "report.html"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_format_where_nobody_says_one(tmp_path, table, release, monkeypatch):
    def saved_as(made, name, **options):
        made.save(tmp_path / name, report=False, **options)
        (found,) = (tmp_path / name).glob("data.*")
        assert sf.verify(sf.load_release(tmp_path / name)).stands
        return found.suffix

    assert saved_as(release, "rows") == ".csv"
    assert saved_as(sf.load_release(tmp_path / "rows"), "again", format="parquet") == ".parquet"
    assert "types" not in sf.load_release(tmp_path / "again").public
    two = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=1)
    assert saved_as(two, "two tables") == ".parquet"
    blank = sf.Table(pl.DataFrame({"a": [1, 1, 2, 2], "t": ["", "x", "", "y"]}), sf.Schema(quasi=["a"], plain=["t"]))
    assert saved_as(sf.publish(blank, sf.Mondrian(), sf.KAnonymity(2), seed=1), "empty texts") == ".parquet"
    monkeypatch.setattr("sfumato.published.files._MOST_CSV_ROWS", len(release.data) - 1)
    assert saved_as(release, "large") == ".parquet"
    assert saved_as(release, "escaped", escape_formulas=True) == ".csv"
    assert saved_as(sf.load_release(tmp_path / "escaped"), "plain", format="csv") == ".csv"


def test_an_existing_folder_is_left_alone(tmp_path, release):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    with pytest.raises(ReleaseError, match="'out' exists already; choose another folder"):
        release.save(tmp_path / "out")
    assert everything(tmp_path) == ["out", "out/mine.txt"]
    with pytest.raises(ReleaseError, match="cannot be called 'owner'"):
        release.save(tmp_path / "owner")
    with pytest.raises(ReleaseError, match="format must be one of auto, parquet"):
        release.save(tmp_path / "new", format="xlsx")


def test_overwriting_replaces_whole_releases(tmp_path, table, release):
    release.save(tmp_path / "out")
    other = sf.publish(table, sf.Hilbert(), sf.KAnonymity(7), seed=1)
    other.save(tmp_path / "out", overwrite=True, report=False, format="csv")
    assert everything(tmp_path / "out") == ["data.csv", "release.json"]
    assert sf.load_release(tmp_path / "out").promise == sf.KAnonymity(7)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_broken_release_is_never_saved(tmp_path, release):
    frame = release.data.frame
    broken = replace(
        release, data=sf.Table(frame.with_columns(age=pl.int_range(frame.height).cast(pl.String)), release.data.schema)
    )
    with pytest.raises(PromiseBrokenError, match="the data as written do not keep the promise"):
        broken.save(tmp_path / "out")
    assert everything(tmp_path) == []


def test_csv_refuses_what_it_cannot_tell_apart(tmp_path):
    frame = pl.DataFrame({"q": [1, 1], "note": ["", "x"]})
    made = sf.publish(sf.Table(frame, sf.Schema(quasi=["q"], plain=["note"])), sf.Mondrian(), sf.KAnonymity(2))
    with pytest.raises(ReleaseError, match="column 'note' holds empty texts"):
        made.save(tmp_path / "out", format="csv")
    made.save(tmp_path / "out")


def test_a_full_disk_leaves_nothing(tmp_path, release, monkeypatch):
    """At every write in turn, the disk is full."""
    real_open = Path.open  # which write_text and write_bytes call
    for failing in ("release.json", "owner.json", "report.html"):

        def full(self, mode="r", *args, _failing=failing, **kwargs):
            if self.name == _failing and "w" in mode:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real_open(self, mode, *args, **kwargs)

        monkeypatch.setattr(Path, "open", full)
        with pytest.raises(ReleaseError, match="could not write 'out': the disk is full; nothing was saved"):
            release.save(tmp_path / "deep" / "out")
        assert everything(tmp_path) == []


def test_a_write_limit_of_the_system_leaves_nothing(tmp_path):
    """The operating system itself refuses to write more than 4 KB per file."""
    code = textwrap.dedent(f"""
        import resource, signal
        import sfumato as sf
        from sfumato.datasets import hospital
        release = sf.publish(hospital(1500), sf.Mondrian(), sf.KAnonymity(5), seed=1)
        release.save({str(tmp_path / "warm")!r}, report=False)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            release.save({str(tmp_path / "out")!r}, report=False)
        except sf.errors.ReleaseError as error:
            print("refused:", error)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "refused: could not write 'out'" in done.stdout, done.stderr
    assert [path.name for path in tmp_path.iterdir()].count("out") == 0
    assert not [path.name for path in tmp_path.rglob(".*")]


def test_a_stale_owner_part_is_replaced_where_that_is_asked_for(tmp_path, release):
    """Somebody removed the release alone."""
    release.save(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    with pytest.raises(ReleaseError, match="'owner/out' is there already"):
        release.save(tmp_path / "out", report=False)
    release.save(tmp_path / "out", report=False, overwrite=True)
    assert sf.load_release(tmp_path / "out").owner is not None


def test_saving_is_quick_enough_to_be_used(tmp_path, release):
    started = time.monotonic()
    release.save(tmp_path / "out")
    assert time.monotonic() - started < 30
    assert FORMAT in (tmp_path / "out" / "release.json").read_text()


def small_release(seed=None):
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    return sf.publish(
        sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2), seed=seed
    )


def test_overwrite_replaces_releases_only(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "patients.csv").write_text("a\n1\n")
    with pytest.raises(ReleaseError, match="holds no release"):
        small_release().save(tmp_path / "data", overwrite=True)
    assert (tmp_path / "data" / "patients.csv").exists()


def test_a_copy_without_owner_leaves_no_stale_map(tmp_path):
    small_release().save(tmp_path / "out")
    replace(small_release(), owner=None).save(tmp_path / "out", overwrite=True)
    assert sf.load_release(tmp_path / "out").owner is None


def test_names_that_no_folder_can_have(tmp_path):
    with pytest.raises(ReleaseError, match=r"no folder can be called 'o\\x00ut'; choose another name"):
        small_release().save(tmp_path / "o\0ut")
    assert everything(tmp_path) == []


def test_what_somebody_put_there_meanwhile_is_kept(tmp_path, monkeypatch):
    real = saving._write_owner

    def write(*args, **kwargs):
        real(*args, **kwargs)
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "mine.txt").write_text("keep")

    monkeypatch.setattr(saving, "_write_owner", write)
    with pytest.raises(ReleaseError, match="'out' exists already"):
        small_release().save(tmp_path / "out", report=False)
    assert everything(tmp_path) == ["out", "out/mine.txt"]


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("after", [True, False])
def test_the_owners_part_is_that_of_the_release(tmp_path, before, after):
    for has, seed in ((before, 1), (after, 2)):
        made = replace(small_release(seed), owner=small_release(seed).owner if has else None)
        made.save(tmp_path / "out", overwrite=True, report=False)
    loaded = sf.load_release(tmp_path / "out")
    assert (loaded.owner is not None) == after
    assert not after or loaded.owner.seed == small_release(2).owner.seed
    assert (tmp_path / "owner").exists() == after
    assert not list(tmp_path.rglob(".*"))


def test_the_owners_part_of_another_release_is_refused(tmp_path):
    for name, seed in (("a", 1), ("b", 2)):
        small_release(seed).save(tmp_path / name, report=False)
    shutil.rmtree(tmp_path / "owner" / "a")
    shutil.copytree(tmp_path / "owner" / "b", tmp_path / "owner" / "a")
    with pytest.raises(ReleaseError, match="what the owner kept in 'owner/a' is of another release"):
        sf.load_release(tmp_path / "a")
    verdict = sf.verify(sf.load_release(tmp_path / "a", check=False))
    assert not verdict.holds
    assert any("is of another release" in said for said in verdict.broken)


@pytest.mark.parametrize(
    ("function", "error"),
    [("open", errno.EROFS), ("mkdir", errno.EACCES), ("fsync", errno.ENOSPC), ("rename", errno.ENOSPC)],
)
def test_whatever_the_system_refuses_the_old_release_is_kept(tmp_path, monkeypatch, function, error):
    """At the first, second, third ... call in turn."""
    small_release(1).save(tmp_path / "out", report=False)
    before, seed = everything(tmp_path), small_release(1).owner.seed
    real = getattr(os, function)
    release = small_release(2)
    for failing in range(1, 40):
        left = [failing]

        def refuse(*args, left=left, **kwargs):
            left[0] -= 1
            if left[0] == 0:
                raise OSError(error, os.strerror(error))
            return real(*args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(os, function, refuse)
            try:
                release.save(tmp_path / "out", overwrite=True, report=False)
            except ReleaseError as refusal:
                said = str(refusal)
            else:
                break
        assert said.startswith("could not write 'out': ")
        assert said.endswith("; nothing was saved")
        assert everything(tmp_path) == before
        assert sf.load_release(tmp_path / "out").owner.seed == seed
    assert failing > 1
    assert sf.load_release(tmp_path / "out").owner.seed == release.owner.seed
