"""Copies for other programs: what they hold, what they cannot hold, and where they may not lie."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.reading import read_table
from sfumato.ground.errors import MissingLibraryError, ParameterError, ReleaseError
from sfumato.release.export import _names

FRAME = pl.DataFrame(
    {
        "sex": ["1", "2"] * 10, "age": range(20), "note (free)": ["=1+1", "+x", "@a", "-b"] * 5,
        "number": [2**60, *range(19)], "born": [dt.date(1890, 1, 1), dt.date(1990, 1, 2)] * 10, "gap": [None, *[1] * 19],
    }
)  # fmt: skip
SCHEMA = sf.Schema(
    quasi=["age"], sensitive=["sex"], plain=["note (free)", "number", "born", "gap"],
    labels={"sex": {"1": "male", "2": "female"}},
)  # fmt: skip


@pytest.fixture(scope="module")
def release():
    return sf.publish(sf.Table(FRAME, SCHEMA), sf.Mondrian(), sf.KAnonymity(2), seed=1)


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_plain_files(tmp_path, release, ending):
    file = tmp_path / f"x{ending}"
    assert release.export(file) == [file]
    assert list(tmp_path.iterdir()) == [file]
    copy = read_table(file).frame
    assert copy.columns == [*FRAME.columns, "age_low", "age_high"]
    assert copy["age_low"].to_list() == release.to_polars(bounds=True)["age_low"].to_list()


def test_excel(tmp_path, release):
    pytest.importorskip("xlsxwriter", reason="needs sfumato[excel]")
    pytest.importorskip("python_calamine", reason="needs sfumato[excel]")
    (file,) = release.export(tmp_path / "x.xlsx")
    copy, shown = read_table(file, sheet="data").frame, release.to_polars(bounds=True)
    assert copy["age_low"].to_list() == shown["age_low"].to_list()
    assert copy["note (free)"].to_list() == shown["note (free)"].to_list()
    assert copy["gap"].to_list() == shown["gap"].to_list()
    assert copy["sex"].to_list() == shown["sex"].to_list()  # codes that are texts stay so
    assert {str(each) for each in copy["born"]} == {"1890-01-01", "1990-01-02"}
    assert str(2**60) in copy["number"].to_list()  # more digits than a number has there
    assert read_table(file, sheet="labels").frame.rows() == [("sex", "1", "male"), ("sex", "2", "female")]
    parts = __import__("zipfile").ZipFile(file)
    assert b"<f>" not in b"".join(parts.read(name) for name in parts.namelist() if "sheet" in name)


def test_excel_holds_so_many_rows(tmp_path, release, monkeypatch):
    pytest.importorskip("xlsxwriter", reason="needs sfumato[excel]")
    monkeypatch.setattr("sfumato.release.export._EXCEL_ROWS", 20)
    with pytest.raises(
        ReleaseError, match=r"'data' has 20 rows and 8 columns, and a sheet of Excel holds 19 rows.*\.csv"
    ):
        release.export(tmp_path / "x.xlsx")
    monkeypatch.setattr("sfumato.release.export._EXCEL_ROWS", 21)
    monkeypatch.setattr("sfumato.release.export._EXCEL_CELL", 3)
    with pytest.raises(ReleaseError, match=r"has a text of .* characters in row .*; export to \.csv or \.parquet"):
        release.export(tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_stata_and_spss(tmp_path, release, ending, monkeypatch):
    pytest.importorskip("pyreadstat", reason="needs sfumato[stats]")
    monkeypatch.setattr("sys.executable", "")
    (file,) = release.export(tmp_path / f"x{ending}")
    copy, shown = read_table(file), release.to_polars(bounds=True)
    assert copy.labels == {"sex": {"1": "male", "2": "female"}}
    assert copy.columns == ["sex", "age", "note__free_", "number", "born", "gap", "age_low", "age_high"]
    for name in ("sex", "age", "born", "gap", "age_low"):
        assert copy.frame[name].to_list() == shown[name].to_list()
    monkeypatch.setitem(__import__("sfumato").release.export._LONGEST_TEXT, ending, 3)
    with pytest.raises(ReleaseError, match=r"column 'age' has a text of .* bytes, and (Stata|SPSS) holds 3"):
        release.export(tmp_path / f"y{ending}")


def test_tables_beside_the_data(tmp_path):
    table = sf.Table(FRAME.select("age", "sex"), sf.Schema(quasi=["age"], sensitive=["sex"]))
    two = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=1)
    files = two.export(tmp_path / "x.csv")
    assert [file.name for file in files] == ["x.csv", "x_sensitive.csv"]
    files[0].unlink()
    with pytest.raises(ReleaseError, match=r"'x_sensitive\.csv' exists already"):
        two.export(tmp_path / "x.csv")
    assert not files[0].exists()
    two.export(tmp_path / "x.csv", overwrite=True)


def test_sets_and_graphs(tmp_path):
    baskets = sf.Baskets.from_lists([["a", "b"], ["a", "c"], ["b", "c"], ["a", "b"]] * 5)
    release = sf.publish(baskets, sf.Grouped(), sf.KAnonymity(2), seed=1)
    (file,) = release.export(tmp_path / "sets.csv")
    assert '["' in file.read_text()
    assert release.export(tmp_path / "sets.parquet")[0].exists()


def test_a_copy_lies_elsewhere(tmp_path, release):
    release.save(tmp_path / "out", report=False)
    (tmp_path / "out" / "sub").mkdir()
    for inside in ("out/x.csv", "out/sub/x.csv"):
        with pytest.raises(
            ReleaseError, match="'out' is the folder of a release, which holds nothing else; write elsewhere"
        ):
            release.export(tmp_path / inside)
    (tmp_path / "out" / "sub").rmdir()
    release.export(tmp_path / "x.csv")
    assert sf.verify(sf.load_release(tmp_path / "out")).holds


def test_bad_targets(tmp_path, release, monkeypatch):
    with pytest.raises(ParameterError, match=r"ends in \.xlsx, \.dta, \.sav, \.csv, \.parquet, got 'x\.doc'"):
        release.export(tmp_path / "x.doc")
    with pytest.raises(ReleaseError, match=r"there is no folder '.*none'; make it first"):
        release.export(tmp_path / "none" / "x.csv")
    release.export(tmp_path / "x.csv")
    with pytest.raises(ReleaseError, match=r"'x\.csv' exists already; name another file, or say overwrite"):
        release.export(tmp_path / "x.csv")
    for name, library, extra in (("x.xlsx", "xlsxwriter", "excel"), ("x.sav", "pyreadstat", "stats")):
        monkeypatch.setitem(__import__("sys").modules, library, None)
        with pytest.raises(MissingLibraryError, match=rf"needs {library}.*pip install 'sfumato\[{extra}\]'"):
            release.export(tmp_path / name)


def test_names_that_other_programs_take():
    assert _names(["age", "Größe (cm)", "2nd", "AGE", "all", "x" * 40, "x" * 41], 32) == {
        "age": "age", "Größe (cm)": "Gr__e__cm_", "2nd": "v2nd", "AGE": "AGE_2", "all": "all_",
        "x" * 40: "x" * 32, "x" * 41: "x" * 30 + "_2",
    }  # fmt: skip
