"""Files of SPSS, Stata and SAS: labels, user-missing values, dates, and damage that ends the process that reads it."""

from __future__ import annotations

import datetime as dt
import sys

import polars as pl
import pytest

from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.data.statistical import load
from sfumato.ground.errors import DataError, MissingLibraryError
from support.damaged_files import damaged
from support.read_tables import plain_values

pyreadstat = pytest.importorskip("pyreadstat", reason="needs sfumato[stats]")

DAY, MOMENT = dt.date(2024, 12, 31), dt.datetime(2024, 12, 31, 10, 30)
FRAME = pl.DataFrame(
    {
        "sex": [1, 2, 1, 9], "age": [30, 41, None, 99], "name": ["ä", "b", "", "c"], "day": [DAY, None, DAY, DAY],
        "at": [MOMENT, None, MOMENT, MOMENT], "x": [1.5, 2.5, 3.5, -99.0], "code": ["A", "B", "A", "C"],
    }
)  # fmt: skip
MEANINGS = {"sex": {1: "male", 2: "female", 9: "refused"}, "age": {99: "99 or more"}}
WRITERS = {".sav": "write_sav", ".zsav": "write_sav", ".por": "write_por", ".dta": "write_dta", ".xpt": "write_xport"}


@pytest.fixture(autouse=True)
def read_here(request, monkeypatch):
    """Sound files are read in this process, which is quicker."""
    if "file" not in request.node.name:
        monkeypatch.setattr(sys, "executable", "")


def written(path, frame=FRAME, **options):
    compressed = {"compress": True} if path.suffix == ".zsav" else {}
    getattr(pyreadstat, WRITERS[path.suffix])(frame, str(path), **compressed, **options)
    return path


def test_spss_with_labels_and_user_missing_values(tmp_path):
    file = written(
        tmp_path / "a.sav", variable_value_labels={**MEANINGS, "code": {"A": "first", "C": "none"}},
        missing_ranges={"sex": [9], "x": [{"lo": -99, "hi": -90}], "code": ["C"]},
    )  # fmt: skip
    table = read_table(file)
    assert plain_values(table) == {
        "sex": ["1", "2", "1", None], "age": [30, 41, None, 99], "name": ["ä", "b", None, "c"],
        "day": [DAY, None, DAY, DAY], "at": [MOMENT, None, MOMENT, MOMENT], "x": [1.5, 2.5, 3.5, None],
        "code": ["A", "B", "A", None],
    }  # fmt: skip
    labels = {"sex": {"1": "male", "2": "female"}, "age": {"99": "99 or more"}, "code": {"A": "first"}}
    assert table.labels == labels
    declared = table.with_schema(Schema(quasi=["sex", "age"], sensitive=["code"], labels={"code": {"A": "mine"}}))
    assert declared.schema.column("sex").labels == labels["sex"]
    assert declared.schema.column("sex").kind == "category"
    assert declared.schema.column("age").kind == "integer"
    assert declared.schema.column("code").labels == {"A": "mine"}
    assert read_table(file, Schema(quasi=["sex"])).schema.column("sex").labels == labels["sex"]
    assert read_table(file, Schema(quasi=["sex"], kinds={"sex": "integer"})).frame["sex"].to_list() == [1, 2, 1, None]


def test_stata_with_labels_and_periods(tmp_path):
    periods = pl.DataFrame({"sex": [1, 2, 1], "month": [780, 0, None], "quarter": [4, 5, 6]})
    file = written(
        tmp_path / "a.dta", periods,
        variable_value_labels={"sex": MEANINGS["sex"]}, variable_format={"month": "%tm", "quarter": "%tq"},
    )  # fmt: skip
    table = read_table(file)
    assert plain_values(table) == {
        "sex": ["1", "2", "1"], "month": [dt.date(2025, 1, 1), dt.date(1960, 1, 1), None],
        "quarter": [dt.date(1961, 1, 1), dt.date(1961, 4, 1), dt.date(1961, 7, 1)],
    }  # fmt: skip
    assert table.labels == {"sex": {"1": "male", "2": "female", "9": "refused"}}


@pytest.mark.parametrize("ending", [".zsav", ".por", ".dta", ".xpt"])
def test_values_and_dates_of_the_others(tmp_path, ending):
    frame = FRAME.with_columns(name=pl.Series(["a", "b", "", "c"]))
    table = read_table(written(tmp_path / f"a{ending}", frame))
    found = {name.lower(): values for name, values in plain_values(table).items()}
    assert found == {**FRAME.to_dict(as_series=False), "name": ["a", "b", None, "c"]}
    assert not table.labels


def test_months_of_spss(tmp_path):
    file = written(tmp_path / "a.sav", pl.DataFrame({"m": [MOMENT, None]}), variable_format={"m": "MOYR8"})
    assert plain_values(read_table(file)) == {"m": [DAY, None]}


def test_cells_that_mean_missing(tmp_path):
    table = read_table(written(tmp_path / "a.dta"), missing=["", "99", "b"])
    assert table.frame["age"].to_list() == [30, 41, None, None]
    assert table.frame["name"].to_list() == ["ä", None, None, "c"]


def test_without_the_library_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    file = written(tmp_path / "a.sav")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(
        MissingLibraryError, match=r"reading SPSS files needs pyreadstat.*pip install 'sfumato\[stats\]'"
    ):
        read_table(file)


def test_a_file_that_ends_the_process_that_reads_it(tmp_path):
    """The library does not check how many values a column declares missing."""
    file = written(
        tmp_path / "a.sav", variable_value_labels={**MEANINGS, "code": {"A": "alpha", "B": "beta"}},
        missing_ranges={"sex": [9], "x": [{"lo": -99, "hi": -90}], "code": ["C"]}, column_labels={"sex": "Sex of person"},
    )  # fmt: skip
    content = bytearray(file.read_bytes())
    content[241] ^= 128
    with pytest.raises(DataError, match="is no SPSS file, or is damaged"):
        _read(tmp_path / "d.sav", bytes(content))


@pytest.mark.parametrize("ending", [".sav", ".dta", ".sas7bdat", ".xpt", ".por"])
def test_something_else(tmp_path, ending):
    with pytest.raises(
        DataError, match=r"is no (SPSS|Stata|SAS) file, or is damaged; save it again, or save it as CSV"
    ):
        _read(tmp_path / f"x{ending}", b"a,b\n1,2\n")


@pytest.mark.slow
@pytest.mark.parametrize("ending", list(WRITERS))
def test_damaged_files_are_told(tmp_path, ending):
    sound = written(tmp_path / f"a{ending}", FRAME.with_columns(name=pl.lit("a")))
    for changed in damaged(sound.read_bytes(), 30):
        _told(tmp_path / f"d{ending}", changed)


def _read(file, content):
    file.write_bytes(content)
    return read_table(file)


def _told(file, content):
    """A damaged file is read all the same, or refused in a sentence; nothing else."""
    said = str(file)
    try:
        _read(file, content)
    except DataError as error:
        said = str(error)
    assert str(file) in said


def test_files_of_spss_are_read_without_pandas(tmp_path, monkeypatch):
    pyreadstat.write_sav(FRAME, tmp_path / "a.sav", missing_ranges={"age": [99]})
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame, _ = load(tmp_path / "a.sav", missing=[""])
    assert frame["age"].to_list() == [30, 41, None, None]
