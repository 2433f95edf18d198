"""A release on disk: saved and loaded whole or not at all, and nothing of the owner's in it."""

import datetime as dt
import errno
import json
import os
import signal
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
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.ground.errors import (
    PromiseBrokenError,
    ReleaseError,
)
from sfumato.release import bundle
from support.edited_releases import hospital_table, sign_again


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=11)


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("show", ["ranges", "means"])
def test_saved_and_loaded_releases_are_the_same(tmp_path, table, format, show):
    made = sf.publish(table, sf.Hilbert(show=show), sf.KAnonymity(5), seed=2)
    made.save(tmp_path / "out", format=format)
    loaded = sf.load_release(tmp_path / "out")
    assert loaded.data.frame.equals(made.data.frame)
    assert loaded.promise == made.promise
    assert loaded.verdict.holds
    assert loaded.method == made.method
    assert loaded.owner.rows.tolist() == made.owner.rows.tolist()
    assert loaded.owner.seed == made.owner.seed
    assert loaded.owner.original_sha256 == made.owner.original_sha256
    assert sf.verify(loaded, original=table).holds
    told = sf.measure(made, table)
    for name in ("n_classes", "prosecutor_max", *(["gcp"] if show == "ranges" else [])):
        assert loaded.measures[name] == pytest.approx(told[name])


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
        "out", "out/data.parquet", "out/release.json", "out/report.html",
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


def test_parquet_holds_bounds_as_numbers_beside_the_text(tmp_path, release):
    release.save(tmp_path / "out")
    frame = pl.read_parquet(tmp_path / "out" / "data.parquet")
    assert frame["age_low"].dtype == pl.Int64
    row = frame.filter(pl.col("age").str.starts_with("[") & pl.col("age").str.ends_with("]")).row(0, named=True)
    assert f"[{row['age_low']}, {row['age_high']}]" == row["age"]
    assert "age_low" not in sf.load_release(tmp_path / "out").data.columns


def test_the_same_seed_gives_the_same_bytes(tmp_path, table):
    for name in ("a", "b"):
        sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=4).save(tmp_path / name)
    for file in ("data.parquet", "release.json", "report.html"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_changed_files_are_found(tmp_path, table, release):
    release.save(tmp_path / "out")
    file = tmp_path / "out" / "data.parquet"
    frame = pl.read_parquet(file)
    frame.with_columns(pl.col("diagnosis").reverse()).write_parquet(file)
    with pytest.raises(ReleaseError, match=r"'data.parquet' has changed since the certificate was written"):
        sf.load_release(tmp_path / "out")
    verdict = sf.verify(sf.load_release(tmp_path / "out", check=False))
    assert not verdict.holds
    (tmp_path / "out" / "report.html").unlink()
    with pytest.raises(ReleaseError, match=r"'report.html' is missing"):
        sf.load_release(tmp_path / "out")


def test_bounds_that_disagree_with_their_text_are_found(tmp_path, release):
    release.save(tmp_path / "out")
    file = tmp_path / "out" / "data.parquet"
    pl.read_parquet(file).with_columns(pl.col("age_low") + 1).write_parquet(file)
    with pytest.raises(ReleaseError, match="'age_low' do not agree with the ranges in 'age'"):
        sf.load_release(tmp_path / "out", check=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("{}", "unknown format"),
        ('{"format": "sfumato release 99"}', "unknown format"),
        ("[]", "unknown format"),
    ],
)
def test_bad_certificates(tmp_path, text, message):
    (tmp_path / "release.json").write_text(text)
    with pytest.raises(ReleaseError, match=message):
        sf.load_release(tmp_path)
    with pytest.raises(ReleaseError, match="holds no release"):
        sf.load_release(tmp_path / "nowhere")


def test_an_existing_folder_is_left_alone(tmp_path, release):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    with pytest.raises(ReleaseError, match="'out' exists already; choose another folder"):
        release.save(tmp_path / "out")
    assert everything(tmp_path) == ["out", "out/mine.txt"]
    with pytest.raises(ReleaseError, match="cannot be called 'owner'"):
        release.save(tmp_path / "owner")
    with pytest.raises(ReleaseError, match="format must be one of parquet"):
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
    assert everything(tmp_path) == ["owner"]


def test_csv_refuses_what_it_cannot_tell_apart(tmp_path):
    frame = pl.DataFrame({"q": [1, 1], "note": ["", "x"]})
    made = sf.publish(sf.Table(frame, sf.Schema(quasi=["q"], plain=["note"])), sf.Mondrian(), sf.KAnonymity(2))
    with pytest.raises(ReleaseError, match="column 'note' holds empty texts"):
        made.save(tmp_path / "out", format="csv")
    made.save(tmp_path / "out")


def test_a_full_disk_leaves_nothing(tmp_path, release, monkeypatch):
    """At every write in turn, the disk is full."""
    (tmp_path / "owner").mkdir(mode=0o700)
    real_write = Path.write_text
    for failing in ("release.json", "owner.json", "report.html"):

        def full(self, *args, _failing=failing, **kwargs):
            if self.name == _failing:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real_write(self, *args, **kwargs)

        monkeypatch.setattr(Path, "write_text", full)
        with pytest.raises(ReleaseError, match="could not write 'out': the disk is full; nothing was saved"):
            release.save(tmp_path / "out")
        assert everything(tmp_path) == ["owner"]


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
    assert not [path.name for path in tmp_path.rglob("*partial*")]


def test_kill_9_in_the_middle_leaves_a_whole_release_or_none(tmp_path):
    """Killed at every stage: the target is never half there, and the next save cleans up."""
    code = textwrap.dedent("""
        import sys, time
        from pathlib import Path
        import sfumato as sf
        from sfumato.release import bundle
        from sfumato.datasets import hospital
        stage, target = sys.argv[1], sys.argv[2]
        release = sf.publish(hospital(200), sf.Mondrian(), sf.KAnonymity(5), seed=1)
        def stop(*args, **kwargs):
            print("here", flush=True)
            time.sleep(60)
        setattr(bundle, stage, stop)
        release.save(target, report=False)
    """)
    for stage in ("_file_entry", "_write_owner", "_replace"):
        target = tmp_path / stage
        process = subprocess.Popen([sys.executable, "-c", code, stage, str(target)], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline().strip() == "here"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert not target.exists()
        assert list(tmp_path.glob(f".{stage}.partial-*"))
        release = sf.publish(hospital(200), sf.Mondrian(), sf.KAnonymity(5), seed=1)
        release.save(target, report=False)
        assert sf.load_release(target).verdict.holds
        assert not list(tmp_path.glob(f".{stage}.partial-*"))


def test_a_stale_owner_part_is_replaced(tmp_path, release):
    """Killed between the two renames: the owner's part is there, the release is not."""
    release.save(tmp_path / "out")
    import shutil

    shutil.rmtree(tmp_path / "out")
    release.save(tmp_path / "out", report=False)
    assert sf.load_release(tmp_path / "out").owner is not None


def test_dates_and_hierarchies_survive_the_certificate(tmp_path):

    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i * 11) for i in range(24)]
    frame = pl.DataFrame(
        {"d": days, "e": days, "n": [i * 1.5 for i in range(24)], "o": ["lo", "hi"] * 12, "s": ["a", "b", "c"] * 8}
    )
    schema = sf.Schema(
        quasi=["d", "e", "n", "o"], sensitive=["s"], bounds={"d": (dt.date(2023, 1, 1), dt.date(2025, 1, 1))},
        hierarchies={
            "e": sf.Hierarchy.intervals(breaks=[dt.date(2024, 1, 1), dt.date(2024, 6, 1), dt.date(2025, 1, 1)]),
            "s": sf.Hierarchy.flat(list("abc")),
        },
        orders={"o": ["lo", "hi"]},
    )  # fmt: skip
    table = sf.Table(frame, schema)
    for format in ("parquet", "csv"):
        made = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4) & sf.TCloseness(0.5), seed=1)
        made.save(tmp_path / format, format=format)
        loaded = sf.load_release(tmp_path / format)
        assert loaded.schema == made.schema
        assert sf.verify(loaded, original=table).holds
    json.loads((tmp_path / "csv" / "release.json").read_text())


def test_saving_is_quick_enough_to_be_used(tmp_path, release):
    started = time.monotonic()
    release.save(tmp_path / "out")
    assert time.monotonic() - started < 30
    assert bundle.FORMAT in (tmp_path / "out" / "release.json").read_text()


def small_release():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    return sf.publish(sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2))


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


@pytest.mark.parametrize("verb", ["verify", "measure"])
@pytest.mark.parametrize(
    "damage",
    [
        {"files": {}}, {"files": []}, {"files": {"data.parquet": 3}}, {"public": []}, {"public": {"schema": 3}},
        {"promise": 3}, {"promise": {"name": "All", "promises": []}}, {"verdict": {}}, {"verdict": 3}, {"measures": 3},
    ],
)  # fmt: skip
def test_a_damaged_certificate_is_one_sentence(tmp_path, verb, damage, capsys):
    small_release().save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    (tmp_path / "out" / "release.json").write_text(json.dumps(certificate | damage))
    assert run([verb, str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_forms_that_are_no_mapping_are_one_sentence(tmp_path):
    table = hospital_table()
    folder = tmp_path / "out"
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1).save(folder, report=False)
    certificate = json.loads((folder / "release.json").read_text())
    certificate["public"]["forms"] = ["age"]
    sign_again(folder, certificate)
    with pytest.raises(sf.errors.ReleaseError, match="damaged: it does not say how columns are shown"):
        sf.load_release(folder)
