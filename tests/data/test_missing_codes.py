"""Codes that stand for no value, held against a comparison cell by cell."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato import Column, Schema, Table, read_table
from sfumato.data.missing_codes import frame_without_codes, looks_like_code, without_codes
from sfumato.data.values import text

CODES = ("998", "-9", "n/a", "9.5", "1900-01-01", "", "0998")


def stands_for_none(value, codes):
    """The oracle: a text by its letters, a number by its value, anything else by its text."""
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip() in [code.strip() for code in codes]
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        for code in codes:
            try:
                if Decimal(code) == Decimal(str(value)):
                    return True
            except ArithmeticError:
                continue
        return False
    return text(value) in codes


VALUES = {
    "text": (pl.String, ["998", " 998 ", "998.0", "n/a", "N/A", "", "  ", "0998", "x", None]),
    "integer": (pl.Int64, [998, -9, 9, 0, 999, None, 2**53 + 1]),
    "small": (pl.UInt16, [998, 9, 0, None]),
    "float": (pl.Float64, [998.0, 9.5, -9.0, 0.1, None]),
    "decimal": (pl.Decimal(6, 2), [Decimal("998.00"), Decimal("9.50"), Decimal("1.00"), None]),
    "date": (pl.Date, [dt.date(1900, 1, 1), dt.date(1998, 1, 1), None]),
    "time": (pl.Datetime("us"), [dt.datetime(1900, 1, 1), dt.datetime(1900, 1, 1, 5), None]),
    "category": (pl.Categorical, ["998", "n/a", "x", None]),
    "enum": (pl.Enum(["998", "n/a", "x"]), ["998", "n/a", "x", None]),
    "flag": (pl.Boolean, [True, False, None]),
}


@pytest.mark.parametrize("kind", list(VALUES))
@pytest.mark.parametrize("codes", [CODES, ("true",), ("998",), ("9",), ()], ids=str)
def test_each_cell_is_compared_alone(kind, codes):
    dtype, values = VALUES[kind]
    drawn = [values[i] for i in np.random.default_rng(5).integers(0, len(values), 60)]
    series = pl.Series("x", drawn, dtype=dtype)
    found = without_codes(series, Column(name="x", missing_values=codes))
    assert found.dtype == dtype
    wanted = [None if value is None or stands_for_none(value, codes) else value for value in drawn]
    assert found.to_list() == wanted


def test_a_column_without_codes_is_left_alone():
    series = pl.Series("x", [998])
    assert without_codes(series, None) is series
    assert without_codes(series, Column(name="x")) is series
    nested = pl.Series("x", [[998]])
    assert without_codes(nested, Column(name="x", missing_values=["998"])) is nested


def test_codes_belong_to_their_column():
    frame = pl.DataFrame({"sex": [1, 9], "hour": [9, 9]})
    found = frame_without_codes(frame, Schema(quasi=["sex", "hour"], missing_values={"sex": [9]}))
    assert found.rows() == [(1, 9), (None, 9)]


def test_numbers_too_large_for_a_code_are_no_matter():
    series = pl.Series("x", [998, 2**62])
    column = Column(name="x", missing_values=["1e999", "99999999999999999999", "998"])
    assert without_codes(series, column).to_list() == [None, 2**62]


SCHEMA = Schema(
    quasi=["age", "weight", "born", "sex"],
    kinds={"sex": "category"},
    missing_values={"age": [998, 999], "weight": ["n/a"], "born": ["01.01.1900"], "sex": ["9"]},
    date_formats={"born": "dd.mm.yyyy"},
)  # fmt: skip
ROWS = {
    "age": [34, 998, 51, 999, None],
    "weight": ["70.5", "n/a", " n/a ", "81", "64"],
    "born": ["31.12.1980", "01.01.1900", "02.03.1990", "01.01.1900", "05.06.1971"],
    "sex": [1, 2, 9, 1, 2],
}
WANTED = {
    "age": [34, None, 51, None, None],
    "weight": [70.5, None, None, 81.0, 64.0],
    "born": [dt.date(1980, 12, 31), None, dt.date(1990, 3, 2), None, dt.date(1971, 6, 5)],
    "sex": ["1", "2", None, "1", "2"],
}


@pytest.mark.parametrize("source", ["polars", "pandas", "pyarrow", "csv", "semicolons", "parquet", "arrow", "ndjson"])
def test_every_source_is_read_alike(tmp_path, source):
    frame = pl.DataFrame(ROWS, strict=False)
    if source in ("polars", "pandas", "pyarrow"):
        given = {"polars": frame, "pandas": pd.DataFrame(ROWS), "pyarrow": pa.table(ROWS)}[source]
        table = Table(given, SCHEMA)
    else:
        file = tmp_path / f"data.{'csv' if source == 'semicolons' else source}"
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "arrow": frame.write_ipc, "ndjson": frame.write_ndjson,
         "semicolons": lambda path: frame.write_csv(path, separator=";")}[source](file)  # fmt: skip
        table = read_table(file, SCHEMA)
    assert table.frame.select(list(WANTED)).to_dict(as_series=False) == WANTED
    assert Table(table.frame, table.schema).frame.equals(table.frame)


def test_a_number_is_known_by_its_value_once_it_is_read(tmp_path):
    file = tmp_path / "d.csv"
    file.write_text("cost;n\n998,00;1\n1.957,70;2\n12,5;3\n")
    table = read_table(file, Schema(quasi=["cost"], rest="plain", missing_values={"cost": ["998"]}))
    assert table.frame["cost"].to_list() == [None, 1957.7, 12.5]


def test_dates_are_known_by_their_iso_text_and_by_their_form():
    dates = pl.DataFrame({"d": [dt.date(1900, 1, 1), dt.date(9999, 12, 31), dt.date(2020, 1, 1)]})
    schema = Schema(quasi=["d"], missing_values={"d": ["01.01.1900", "9999-12-31"]}, date_formats={"d": "dd.mm.yyyy"})
    assert Table(dates, schema).frame["d"].to_list() == [None, None, dt.date(2020, 1, 1)]


@pytest.mark.parametrize("value", [9, 99, 998, 999, 9999, 88, 77, -1, -9, -99, "n/a", "NA-code", "unknown", "?", ".",
                                   dt.date(9999, 12, 31), dt.date(1900, 1, 1), "k.A.", 99.9])  # fmt: skip
def test_values_that_look_like_codes(value):
    assert looks_like_code(value)


@pytest.mark.parametrize("value", [121, 150, 8, 7, 990, "Nadia", dt.date(1985, 1, 1), "x1", 2_000_000, -15])
def test_values_that_do_not(value):
    assert not looks_like_code(value)
