"""Excel workbooks: one sheet as a table, its first row that is not empty as the names of columns."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from sfumato.data.apart import read_apart
from sfumato.data.values import text
from sfumato.ground.errors import DataError, suggest
from sfumato.ground.optional import load_optional

__all__ = ["load", "read_excel"]

_LARGEST = 1 << 32
"""Bytes that a workbook may unpack to."""


def read_excel(file: Path, *, sheet: str | None = None, missing: Sequence[str] = ("",)) -> pl.DataFrame:
    """Read a sheet of a workbook; cells that are empty, hold an error such as #N/A or one of `missing` have no value.

    Numbers, dates and times have their types; a column that mixes types is text, and text stays text.
    """
    load_optional("python_calamine", to="reading Excel files", install="sfumato[excel]")
    return read_apart(f"{__name__}:load", file, "Excel", sheet=sheet, missing=list(missing))[0]


def load(file: Path, *, sheet: str | None, missing: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Do the work of `read_excel`, in this process."""
    from python_calamine import PasswordError, load_workbook

    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            if sum(part.file_size for part in packed.infolist()) > _LARGEST:
                raise DataError(f"file '{file}' unpacks to more than 4 GiB; save it as CSV")
    try:
        workbook = load_workbook(file)
    except PasswordError:
        raise DataError(f"file '{file}' is locked by a password; save it without one") from None
    found, where = _sheet(file, workbook, sheet)
    rows = found.to_python(skip_empty_area=True)
    if not any(_filled(row) for row in rows):
        raise DataError(f"{where} is empty; give a sheet with a row of column names and one row per record")
    first_row, first_column = found.start
    top = next(i for i, row in enumerate(rows) if _filled(row))
    rows, first_row = rows[top:], first_row + top
    while not _filled(rows[-1]):
        rows.pop()
    _refuse_gaps(rows, first_row, where)
    _refuse_merged(found.merged_cell_ranges or [], first_row, len(rows), where)
    header, columns = rows[0], list(zip(*rows[1:], strict=True)) or [()] * len(rows[0])
    names = _names(header, columns, first_row, first_column, where)
    marks = {"", *missing}
    series = []
    for i, name in names.items():
        values = [None if text(value) in marks else value for value in columns[i]]
        series.append(_column(name, values, where, first_row))
    return pl.DataFrame(series), {}


def _filled(row: Sequence[Any]) -> bool:
    return any(value != "" for value in row)


def _sheet(file: Path, workbook: Any, name: str | None) -> tuple[Any, str]:
    """The sheet of that name; without one the only sheet that people see and that holds anything."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    tables = [each for each in workbook.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    names = [each.name for each in tables]
    if name is not None:
        if name not in names:
            raise DataError(f"file '{file}' has no sheet {name!r}{suggest(name, names)}")
        return workbook.get_sheet_by_name(name), f"file '{file}', sheet {name!r}"
    seen = [each.name for each in tables if each.visible == SheetVisibleEnum.Visible] or names
    sheets = {each: workbook.get_sheet_by_name(each) for each in seen}
    held = [each for each, sheet in sheets.items() if sheet.start is not None] or seen[:1]
    if not held:
        raise DataError(f"file '{file}' has no sheet of cells; save the table as CSV")
    if len(held) > 1:
        listed = ", ".join(map(repr, held[:12]))
        raise DataError(f"file '{file}' has the sheets {listed}; name one of them, as in sheet={held[0]!r}")
    return sheets[held[0]], f"file '{file}', sheet {held[0]!r}"


def _refuse_gaps(rows: Sequence[Sequence[Any]], first_row: int, where: str) -> None:
    """Refuse an empty row with more below it: a note under a table would be taken for a record."""
    empty = next((i for i, row in enumerate(rows) if not _filled(row)), None)
    if empty is not None:
        raise DataError(
            f"{where}: row {first_row + empty + 1} is empty and more follows; delete the empty row, or whatever stands "
            f"below the table"
        )


def _refuse_merged(merged: Sequence[Any], first_row: int, n_rows: int, where: str) -> None:
    """Refuse merged cells in the table: only the first of them holds the value."""
    for (top, left), (bottom, right) in merged:
        if bottom >= first_row and top < first_row + n_rows:
            cells = f"{_letters(left)}{top + 1}:{_letters(right)}{bottom + 1}"
            raise DataError(f"{where}: the cells {cells} are merged; unmerge them and give each cell its value")


def _letters(column: int) -> str:
    """The name of a column in a spreadsheet.

    >>> _letters(0), _letters(25), _letters(26), _letters(701), _letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _names(
    header: Sequence[Any], columns: Sequence[Sequence[Any]], row: int, first_column: int, where: str
) -> dict[int, str]:
    """The names of columns by place, without columns that have neither a name nor a value."""
    names: dict[int, str] = {}
    for i, (given, values) in enumerate(zip(header, columns, strict=True)):
        name = text(given).strip()
        if not name and not _filled(values):
            continue
        if not name:
            raise DataError(
                f"{where}: column {_letters(first_column + i)} has no name in row {row + 1}, the first that is not "
                f"empty; give it one, or delete the rows above the names"
            )
        if name in names.values():
            raise DataError(f"{where}: two columns are called {name!r} in row {row + 1}; rename one of them")
        names[i] = name
    return names


def _column(name: str, values: list[Any], where: str, header_row: int) -> pl.Series:
    """A column in the type that all its cells have; as text where they have several."""
    types = {type(value) for value in values if value is not None}
    if types and types <= {int, float}:
        whole = all(value is None or (float(value).is_integer() and abs(value) < 2**53) for value in values)
        return pl.Series(name, [value if value is None else int(value) if whole else float(value) for value in values])
    if types and types <= {dt.date, dt.datetime}:
        return _dates(name, values)
    if dt.time in types and types & {dt.date, dt.datetime}:
        at = next(i for i, value in enumerate(values) if type(value) is dt.time)
        raise DataError(
            f"{where}: column {name!r} holds dates, and row {header_row + at + 2} a time of day (a date of 1900-01-01, "
            f"or of nothing, is one for Excel); mend it or empty it"
        )
    if types == {dt.timedelta}:
        return pl.Series(name, values, dtype=pl.Duration("us"))
    return pl.Series(name, [None if value is None else text(value) for value in values], dtype=pl.String)


def _dates(name: str, values: list[Any]) -> pl.Series:
    moments = [
        value if value is None or isinstance(value, dt.datetime) else dt.datetime.combine(value, dt.time())
        for value in values
    ]
    series = pl.Series(name, moments, dtype=pl.Datetime("us"))
    days = series.dt.date()
    return days if bool((days.cast(pl.Datetime("us")) == series).all()) else series
