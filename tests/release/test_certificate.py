"""Certificates: which files a release may have, what they are compared with, and what else lies in the folder."""

from __future__ import annotations

import json
import shutil

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.published.shape import shape_of
from sfumato.release.certificate import unread_statements
from support.edited_releases import sign_again
from support.house import METHODS, published


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    release = sf.publish(hospital(200), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    release.save(folder / "out", format="parquet")
    shutil.rmtree(folder / "owner")  # what a stranger gets
    return folder / "out"


@pytest.fixture
def out(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "out")


def certificate_of(out):
    return json.loads((out / "release.json").read_text())


def test_a_release_as_it_was_saved_holds(out, capsys):
    assert run(["verify", str(out)]) == 0
    assert "holds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["data.x.parquet", "data.parquet"], "it lists 'data.x.parquet', which is no file of a release"),
        (["data.parquet", "data.csv"], "it lists data.parquet and data.csv, and a release has one file of data"),
        (["data.d/../../other/data.parquet"], "which is no file of a release"),
        (["/etc/passwd", "data.parquet"], "which is no file of a release"),
        (["data.parquet", "original.parquet"], "it lists 'original.parquet', which is no file of a release"),
        (["DATA.parquet"], "which is no file of a release"),
        (["report.html"], "it does not list the data"),
    ],
)
def test_names_that_no_release_has_are_refused(out, capsys, names, message):
    certificate = certificate_of(out)
    entry = certificate["files"]["data.parquet"]
    other = out.parent / "other"
    other.mkdir()
    (out / "data.d").mkdir()
    for name in ("data.x.parquet", "data.csv", "original.parquet", "DATA.parquet", "../other/data.parquet"):
        shutil.copy(out / "data.parquet", out / name)
    certificate["files"] = dict.fromkeys(names, entry)
    (out / "release.json").write_text(json.dumps(certificate))
    assert run(["verify", str(out)]) == 1
    assert message in capsys.readouterr().err


def test_a_table_beside_must_be_listed_by_both(out):
    certificate = certificate_of(out)
    certificate["public"]["files"] = ["extra.parquet"]
    (out / "release.json").write_text(json.dumps(certificate))
    with pytest.raises(sf.errors.ReleaseError, match=r"names the table 'extra\.parquet', and does not list it"):
        sf.load_release(out)
    shutil.copy(out / "data.parquet", out / "extra.parquet")
    certificate["files"]["extra.parquet"] = certificate["files"]["data.parquet"]
    (out / "release.json").write_text(json.dumps(certificate))
    assert "the table 'extra' is published, and the release does not name it" in sf.verify(sf.load_release(out)).broken


@pytest.mark.parametrize(
    "name", ["original.csv", "people.XLSX", "sub/old.parquet", "dump.csv.gz", "notes.txt", ".hidden.csv", "x.sav"]
)
def test_foreign_data_break_a_release(out, name, capsys):
    (out / "sub").mkdir()
    (out / name).write_text("name,age\nAnn,41\n")
    assert run(["verify", str(out)]) == 1
    assert f"'{name}' lies in the release, and the certificate does not list it" in capsys.readouterr().out
    with pytest.raises(sf.errors.ReleaseError, match="does not list it"):
        sf.load_release(out)


def test_a_report_that_is_not_listed_breaks_a_release(out):
    certificate = certificate_of(out)
    del certificate["files"]["report.html"]
    (out / "release.json").write_text(json.dumps(certificate))
    assert any(
        "'report.html' lies in the release" in text for text in sf.verify(sf.load_release(out, check=False)).broken
    )


def test_other_files_are_named_as_not_covered(out, capsys):
    (out / "README.md").write_text("Hello.")
    verdict = sf.verify(sf.load_release(out))
    assert verdict.holds
    assert "'README.md', which the certificate does not list" in verdict.not_covered
    assert run(["verify", str(out)]) == 0
    assert "not covered: 'README.md'" in capsys.readouterr().out


def test_a_link_is_no_file_of_a_release(out):
    shutil.move(out / "data.parquet", out.parent / "elsewhere.parquet")
    (out / "data.parquet").symlink_to(out.parent / "elsewhere.parquet")
    assert "'data.parquet' is a link, and no file of the release" in sf.verify(sf.load_release(out, check=False)).broken


@pytest.mark.parametrize(
    ("where", "value", "clause"),
    [
        (("rows",), 7, "the certificate says 7 rows, and 200 are published"),
        (("files", "data.parquet", "bytes"), 7, "has not the number of bytes that the certificate says"),
        (("measures", "values", "discernibility"), 1, "the certificate says discernibility 1, and the files show"),
        (("measures", "values", "prosecutor_max"), 0.001, "and the files show 0.2"),
        (
            ("verdict", "found", 0),
            "smallest class 50 in 2 classes",
            "the certificate says 'smallest class 50 in 2 classes'",
        ),
        (("verdict", "reached", "KAnonymity(k=5)"), 50.0, "reaches 50, and the files show 5"),
    ],
)
def test_what_the_certificate_says_is_worked_out_again(out, where, value, clause):
    certificate = certificate_of(out)
    inside = certificate
    for key in where[:-1]:
        inside = inside[key]
    assert inside[where[-1]] != value
    inside[where[-1]] = value
    (out / "release.json").write_text(json.dumps(certificate))
    verdict = sf.verify(sf.load_release(out, check=False))
    assert verdict.word == "broken"
    assert any(clause in text for text in verdict.broken), verdict.broken


def test_what_cannot_be_worked_out_again_is_said(out):
    """The loss needs the records: with them it is compared, and without them it is named."""
    certificate = certificate_of(out)
    certificate["measures"]["values"]["gcp"] = 0.001
    sign_again(out, certificate)
    release = sf.load_release(out)
    alone = sf.verify(release)
    assert alone.holds
    assert any("'gcp'" in text for text in alone.not_covered)
    assert any("global certainty penalty" in text for text in sf.verify(release, hospital(200)).broken)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        '{"format": ' + "9" * 5_000 + "}",
        '{"a": NaN}',
        '{"format": 1, "format": 2}',
        "\ud800",
        "",
        "3",
        "\x00",
    ],
)
def test_what_is_no_certificate_is_one_sentence(out, capsys, text):
    (out / "release.json").write_bytes(text.encode(errors="surrogatepass"))
    assert run(["verify", str(out)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("sfumato: the certificate in 'out'")
    assert said.count("\n") == 1


def test_damaged_data_are_one_sentence(tmp_path, capfd):
    """Bits that were turned round, at many places of files of all formats: never more than a sentence."""
    release = sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    for format in ("arrow", "parquet", "csv"):
        out = release.save(tmp_path / format, format=format, report=False)
        whole = (out / f"data.{format}").read_bytes()
        certificate = certificate_of(out)
        for place in range(3, len(whole), max(1, len(whole) // 25)):
            damaged = bytearray(whole)
            damaged[place] ^= 0x55
            (out / f"data.{format}").write_bytes(damaged)
            sign_again(out, certificate)
            code = run(["verify", str(out)])
            said = capfd.readouterr()
            assert code in (0, 1)
            assert said.err.count("\n") <= 1
            assert not any(word in said.err + said.out for word in ("panicked", "polars", "Traceback", "pyo3"))


def test_statements_that_nothing_reads_are_named_as_not_covered(out):
    assert not sf.load_release(out).certified.unread
    certificate = certificate_of(out)
    certificate["notes"] = [["Ann", 34, "HIV"]]
    certificate["public"]["people"] = ["Ann"]
    certificate["files"][next(iter(certificate["files"]))]["of"] = "Ann"
    (out / "release.json").write_text(json.dumps(certificate))
    release = sf.load_release(out)
    assert release.certified.unread[:2] == ("notes", "public.people")
    said = [text for text in sf.verify(release).not_covered if "nothing here reads" in text]
    assert len(said) == 1
    assert said[0].startswith("'notes', 'public.people', 'files.")


@pytest.mark.parametrize("name", METHODS)
def test_every_statement_of_a_certificate_is_known(name):
    """Else `verify` would name what the package itself wrote as not covered."""
    made = published(name)[0]
    _, public = shape_of(made).frame_to_write("csv")
    assert not unread_statements({"public": public, "files": {}})


def test_the_certificate_is_no_link(out, tmp_path):
    (out / "release.json").rename(tmp_path / "elsewhere.json")
    (out / "release.json").symlink_to(tmp_path / "elsewhere.json")
    assert "'release.json' is a link, and no file of the release" in sf.load_release(out, check=False).damage
