"""Signed certificates: a release of the owner's, as the owner left it, and nothing else."""

from __future__ import annotations

import json
import shutil
import stat
import sys

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from support.edited_releases import sign_again


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    pytest.importorskip("cryptography")
    folder = tmp_path_factory.mktemp("signed")
    for name in ("owner-key", "other"):
        assert run(["keys", str(folder / name)]) == 0
    release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    release.save(folder / "out", report=False, sign=folder / "owner-key.key")
    sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=2).save(folder / "bare", report=False)
    return folder


@pytest.fixture
def copied(signed, tmp_path):
    return shutil.copytree(signed, tmp_path / "copied")


def test_a_signed_release(copied, capsys):
    assert stat.S_IMODE((copied / "owner-key.key").stat().st_mode) == 0o600
    release = sf.load_release(copied / "out")
    assert not release.damage
    verdict = sf.verify(release, signed_by=copied / "owner-key.pub")
    assert verdict.holds
    assert not any("who made" in text for text in verdict.not_covered)
    assert run(["verify", str(copied / "out"), "--signed-by", str(copied / "owner-key.pub")]) == 0
    assert "who made" not in capsys.readouterr().out


def test_another_key(copied):
    verdict = sf.verify(sf.load_release(copied / "out"), signed_by=copied / "other.pub")
    assert verdict.broken == ("the certificate is signed with another key than 'other.pub'",)


def test_no_signature(copied, capsys):
    verdict = sf.verify(sf.load_release(copied / "bare"), signed_by=copied / "owner-key.pub")
    assert verdict.broken == ("the certificate is not signed",)
    assert run(["verify", str(copied / "bare"), "--signed-by", str(copied / "owner-key.pub")]) == 1
    assert "the certificate is not signed" in capsys.readouterr().out
    assert (
        "who made the release: its certificate is not signed" in sf.verify(sf.load_release(copied / "bare")).not_covered
    )
    assert any("no key was given" in text for text in sf.verify(sf.load_release(copied / "out")).not_covered)


def test_a_certificate_that_was_edited(copied):
    certificate = json.loads((copied / "out" / "release.json").read_text())
    certificate["method"]["note"] = "a forger was here"
    sign_again(copied / "out", certificate)
    verdict = sf.verify(sf.load_release(copied / "out"), signed_by=copied / "owner-key.pub")
    assert verdict.broken == ("the certificate has changed since it was signed",)


def test_a_signature_of_another_release(copied):
    shutil.copy(copied / "out" / "release.sig", copied / "bare" / "release.sig")
    verdict = sf.verify(sf.load_release(copied / "bare"), signed_by=copied / "owner-key.pub")
    assert verdict.word == "broken"


@pytest.mark.parametrize("text", ["", "3", "[" * 10_000, "{}", '{"format": "sfumato signature 1", "signature": "?"}'])
def test_a_damaged_signature_is_one_sentence(copied, text, capsys):
    (copied / "out" / "release.sig").write_text(text)
    assert run(["verify", str(copied / "out")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("sfumato: the signature in 'out'")
    assert said.count("\n") == 1


def test_a_signature_that_says_more_is_a_damaged_one(copied):
    file = copied / "out" / "release.sig"
    said = json.loads(file.read_text())
    for more in ({"note": "Ann has HIV"}, {"key": "Ann has HIV"}, {"key": 7}):
        file.write_text(json.dumps(said | more))
        with pytest.raises(sf.errors.ReleaseError, match="says other things than whose it is"):
            sf.load_release(copied / "out")
    elsewhere = file.rename(copied / "elsewhere.sig")
    elsewhere.write_text(json.dumps(said))
    file.symlink_to(elsewhere)
    assert "'release.sig' is a link" in sf.verify(sf.load_release(copied / "out", check=False)).broken[0]


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_keys_have_a_name(signed, name, capsys):
    assert run(["keys", name]) == 2
    assert "keys need a name" in capsys.readouterr().err


def test_bad_keys_are_one_sentence(copied, capsys, tmp_path):
    (tmp_path / "no.pub").write_text("no key")
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n")
    for arguments in (
        ["verify", str(copied / "out"), "--signed-by", str(tmp_path / "no.pub")],
        ["verify", str(copied / "out"), "--signed-by", str(tmp_path / "missing.pub")],
        ["verify", str(copied / "out"), "--signed-by", str(copied / "owner-key.key")],
        ["verify", str(table), "--quasi", "a", "--k", "1", "--signed-by", str(copied / "owner-key.pub")],
        ["keys", str(copied / "owner-key")],
    ):
        assert run(arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1
    release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    with pytest.raises(sf.errors.ParameterError, match="holds no private key"):
        release.save(tmp_path / "out", sign=copied / "owner-key.pub")
    assert not (tmp_path / "out").exists()
    with pytest.raises(sf.errors.ParameterError, match="only a release on disk is signed"):
        sf.verify(release, signed_by=copied / "owner-key.pub")


def test_without_the_package_there_is_a_sentence(tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(sf.errors.SfumatoError, match="pip install cryptography"):
        sf.verify(_saved(tmp_path), signed_by=tmp_path / "x.pub")
    assert run(["keys", str(tmp_path / "a")]) == 2
    assert not (tmp_path / "a.key").exists()


def _saved(tmp_path):
    release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    return sf.load_release(release.save(tmp_path / "out", report=False))


def test_formulas_are_escaped_by_choice(tmp_path):
    import polars as pl

    names = ["=1+1", "-5", "+x", "'q", "@a", "plain", "-a", "x"]
    frame = pl.DataFrame({"a": range(8), "s": names})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=1)
    for escape in (False, True):
        out = release.save(tmp_path / str(escape), format="csv", escape_formulas=escape)
        cells = set(pl.read_csv(out / "data.csv", quote_char='"', infer_schema=False)["s"])
        assert cells == ({"'=1+1", "-5", "'+x", "''q", "'@a", "plain", "'-a", "x"} if escape else set(names))
        loaded = sf.load_release(out)
        assert sorted(loaded.data.frame["s"]) == sorted(names)
        assert sf.verify(loaded, table).holds
    with pytest.raises(sf.errors.ReleaseError, match="in CSV files alone"):
        release.save(tmp_path / "x", format="parquet", escape_formulas=True)
