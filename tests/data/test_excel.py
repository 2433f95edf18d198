"""Excel files as people make them: titles, gaps, merged cells, several sheets, dates, codes and errors."""

from __future__ import annotations

import base64
import datetime as dt
import sys
import zlib

import polars as pl
import pytest

from sfumato.data.excel import _letters
from sfumato.data.reading import read_table
from sfumato.data.schema import Schema
from sfumato.ground.errors import DataError, MissingLibraryError, ParameterError, SchemaError
from support.damaged_files import damaged
from support.read_tables import plain_values

pytest.importorskip("python_calamine", reason="needs sfumato[excel]")
xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs sfumato[excel]")

_OLD = (
    "c-rk)O=uHA6#i!OAKUzy3awB=(W<qS#DM0~u1dA1l;}k(f~F=yY1xJl5PPv&a})$mikCt?c&U2v2Y=9;f>6<eAP9+q7f*tMhc@e*"
    "x4W9w3Jqu>vR{}t^WMz+=4Ic^?9Z!(aAo#RM-?kD00(Ni5AHgfpyIQX5U5|*Wz(v?RCF6n1)rA^>2~2^>r0Q!q0Dy`3T``}kpw<a"
    "IgSE`C$)TR9kHKd$O;)lKS_b>WC@_1ql&OR#d0IdTRid+%e`#5#Im2pR>UzZsKY%ea}^&|y0|X@$$O7|-mxWtHawTB_}pb-jCEmO"
    "aV$I0WF4K(7R-SXI+WM)MX3jI1Abs|urHnN8zEE>rDV_Hn;rwcTD$sb%(kzuU4ZQ0m)kvmuzM+qEA3YlCom2DByW;3!r0;jAJmy_"
    "X)Ldm^4cO&d^XEMt9&fy016XRH0(@P(`e;rWGy6IKs*uOy+<m$NJ+($$%J20@fi_Xc1E=F-f1D3Ly+5H-a#RnW%1^h*XhxWdV(#}"
    "Jg;&0*eZjCj`PxkoCDnBU@3cg*kdQl3(UHi+Z`;Uw7jYA&a|10gEKtlBKLOFJW0kIbz5C~JGIN758dx9e^hr+dw!@o6`g;p&Z3Jh"
    "QjYxPZw9@hS6sU)@j$g|VV*SaS+@Un>Ufoq8M|)YB7<0x`-~7~X=w85h@YBbUMoX$kmfMC#422Zxt!*B!CaIbJf_$L@kDU?g=7pc"
    "mt;{^VNsaHZL%2o@|Y|NvwV6YSvGhi%YYKWUFkw+=`Z+U!-fqTHf-3iVWZh0jCTTl0+r90F7x@`V}93JqEfRzll-?hj7j>H=%w-i"
    "G^&d@+tB*i1edV5#2S69?}ZXaX!at;G0Jg_H@tr7?M2l8pEWy%{@xa9bpBc+asK1^e*lEz+qM"
)
"""A workbook of Excel 97, compressed: id, plz, wann, n of two patients."""


@pytest.fixture(autouse=True)
def read_here(monkeypatch):
    """In this process, as calamine ends none at these files; `test_apart` has the other way."""
    monkeypatch.setattr(sys, "executable", "")


@pytest.fixture
def book(tmp_path):
    """Write a workbook, a list of rows for each sheet; dates get the format of dates."""

    def write(change=None, name="k.xlsx", **sheets):
        with xlsxwriter.Workbook(tmp_path / name, {"default_date_format": "dd.mm.yyyy"}) as made:
            for sheet, rows in sheets.items():
                cells = made.add_worksheet(sheet)
                for i, row in enumerate(rows):
                    for j, value in enumerate(row):
                        if isinstance(value, str) and value.startswith("="):
                            cells.write_formula(i, j, value, None, "#N/A" if "NA" in value else 7)
                        elif isinstance(value, str):
                            cells.write_string(i, j, value)
                        elif value is not None:
                            cells.write(i, j, value)
                if change is not None:
                    change(made, cells)
        return tmp_path / name

    return write


def test_a_table_as_it_comes(book):
    day, moment = dt.date(2024, 12, 31), dt.datetime(2024, 12, 31, 10, 30)
    file = book(
        Klinik=[
            [],
            [None, "id ", "zip", "when", "at", "n", "x", "note", "formula", "flag"],
            [None, 1, "02139", day, moment, 3, 1.5, "n/a", "=1+6", True],
            [None, 2, "00501", None, dt.datetime(2025, 1, 1), 4, 2, 5, "=NA()", False],
        ]
    )
    table = read_table(file)
    assert plain_values(table) == {
        "id": [1, 2], "zip": ["02139", "00501"], "when": [day, None], "at": [moment, dt.datetime(2025, 1, 1)],
        "n": [3, 4], "x": [1.5, 2.0], "note": ["n/a", "5"], "formula": [7, None], "flag": ["true", "false"],
    }  # fmt: skip
    assert table.frame.schema["id"] == pl.Int64
    marked = plain_values(read_table(file, missing=["", "n/a", "4"]))
    assert (marked["note"], marked["n"]) == ([None, 5], [3, None])


def test_empty_rows_and_columns_at_the_ends_are_no_part_of_it(book):
    def formatted(made, cells):
        cells.write_blank(40, 9, None, made.add_format({"bold": True}))
        cells.write_string(30, 1, "")

    file = book(formatted, A=[["a", None, "b"], [1, None, "x"], [2, None, "y"]])
    assert plain_values(read_table(file)) == {"a": [1, 2], "b": ["x", "y"]}


def test_a_sheet_of_several(book):
    file = book(Patienten=[["a"], [1]], Kosten=[["b"], [2]], Leer=[])
    with pytest.raises(
        DataError, match=r"k\.xlsx' has the sheets 'Patienten', 'Kosten'; name one of them, as in sheet='Pat"
    ):
        read_table(file)
    assert read_table(file, sheet="Kosten").columns == ["b"]
    with pytest.raises(DataError, match=r"has no sheet 'Kostn'; did you mean 'Kosten'\?"):
        read_table(file, sheet="Kostn")
    with pytest.raises(DataError, match=r"sheet 'Leer' is empty; give a sheet"):
        read_table(file, sheet="Leer")
    assert read_table(book(name="one.xlsx", Leer=[], Daten=[["a"], [1]])).columns == ["a"]


def test_sheets_are_of_workbooks(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(ParameterError, match=r"sheet goes with Excel files, and '.*x\.csv' is none; leave it out"):
        read_table(tmp_path / "x.csv", sheet="a")
    with pytest.raises(ParameterError, match="sheet goes with Excel files, and the source is a database"):
        read_table("sqlite:///x.db", sheet="a")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["Report of 2024"], ["a", "b"], [1, 2]], r"column B has no name in row 1, the first that is not empty"),
        ([["a", "a"], [1, 2]], r"two columns are called 'a' in row 1"),
        ([["a"], [1], [None], ["Source: us"]], r"row 3 is empty and more follows; delete the empty row"),
        ([["a"]], r"has column names but no records"),
        ([[]], r"'S' is empty; give a sheet"),
        ([["when"], [dt.date(2024, 1, 1)], [dt.time(8, 0)]], r"column 'when' holds dates, and row 3 a time of day"),
    ],
)  # fmt: skip
def test_what_is_no_table_is_told(book, rows, message):
    with pytest.raises(DataError, match=message):
        read_table(book(S=rows))


def test_merged_cells_are_told(book):
    file = book(lambda made, cells: cells.merge_range("B2:B3", "x"), S=[["a", "b"], [1], [2]])
    with pytest.raises(DataError, match=r"sheet 'S': the cells B2:B3 are merged; unmerge them"):
        read_table(file)


def test_a_schema_is_applied(book):
    file = book(S=[["age", "zip"], [30, "01"], [40, "02"]])
    table = read_table(file, Schema(quasi=["age", "zip"], kinds={"age": "number"}))
    assert table.frame.schema == {"age": pl.Float64, "zip": pl.String}
    with pytest.raises(SchemaError, match=r"k\.xlsx': column 'zip' is declared date but row 1 holds '01'"):
        read_table(file, Schema(quasi=["zip"], kinds={"zip": "date"}))


def test_the_oldest_kind_of_workbook(tmp_path):
    (tmp_path / "a.xls").write_bytes(zlib.decompress(base64.b85decode(_OLD)))
    assert plain_values(read_table(tmp_path / "a.xls")) == {
        "id": ["p1", "p2"], "plz": ["01067", "80331"], "wann": [dt.date(2024, 12, 31), dt.date(2023, 2, 28)],
        "n": [3.0, 4.5],
    }  # fmt: skip


def test_without_the_library_a_sentence_says_what_to_install(book, monkeypatch):
    file = book(S=[["a"], [1]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(
        MissingLibraryError, match=r"reading Excel files needs python_calamine.*pip install 'sfumato\[excel\]'"
    ):
        read_table(file)


def test_a_file_that_is_something_else(tmp_path):
    for content, message in (
        (b"", "is empty; write it again"),
        (b"a;b\n1;2\n", "is no Excel file, or is damaged; save"),
    ):
        (tmp_path / "a.xlsx").write_bytes(content)
        with pytest.raises(DataError, match=message):
            read_table(tmp_path / "a.xlsx")


@pytest.mark.parametrize("ending", [".xlsx", ".xls"])
def test_damaged_workbooks_are_told(book, tmp_path, ending):
    """Some make the library panic, which is no Exception."""
    old, said = zlib.decompress(base64.b85decode(_OLD)), set()
    content = old if ending == ".xls" else book(S=[["a", "b"], *([i, f"x{i}"] for i in range(20))]).read_bytes()
    file = tmp_path / f"d{ending}"
    for changed in damaged(content, 30):
        file.write_bytes(changed)
        try:
            read_table(file)
        except DataError as error:
            said.add(str(error))
    assert said
    assert all(f"{file}'" in each for each in said)


def test_letters_of_columns():
    assert [_letters(i) for i in (0, 25, 26, 16_383)] == ["A", "Z", "AA", "XFD"]
