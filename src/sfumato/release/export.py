"""A copy of published data for other programs: Excel, Stata, SPSS, CSV, Parquet.

A copy lies outside the release's folder and no certificate covers it: what is verified are the files of the release.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.data.values import text
from sfumato.ground.errors import ParameterError, ReleaseError, SfumatoError
from sfumato.ground.optional import load_optional
from sfumato.published.files import lists_as_json
from sfumato.published.shape import shape_of
from sfumato.release.certificate import CERTIFICATE

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["ENDINGS", "export"]

Labels = Mapping[str, Mapping[str, str]]

ENDINGS = (".xlsx", ".dta", ".sav", ".csv", ".parquet")
_EXCEL_ROWS, _EXCEL_COLUMNS, _EXCEL_CELL = 1_048_576, 16_384, 32_767
_LONGEST_TEXT = {".dta": 2_045, ".sav": 32_767}
"""Bytes that a text may have."""
_LONGEST_NAME = {".dta": 32, ".sav": 64}
_LONGEST_LABEL = {".dta": 32_000, ".sav": 120}
_RESERVED = {
    *("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"),
    *("byte", "double", "float", "if", "in", "int", "long", "using"),
}  # fmt: skip
"""Words that are no names in SPSS or in Stata."""


def export(release: Release, path: Path, *, overwrite: bool = False) -> list[Path]:
    """Write a copy of a release's data to a file, by the ending of its name; see `Release.export`."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ParameterError(f"a copy is written to a file that ends in {', '.join(ENDINGS)}, got '{path.name}'")
    _refuse_inside(path)
    shape = shape_of(release)
    tables = {"data": shape.frame_to_write("parquet")[0], **release.files}
    if ending != ".parquet":
        tables = {name: _single_values(frame) for name, frame in tables.items()}
    labels = _labels(release)
    if ending == ".xlsx":
        return [_put(path, lambda fresh: _write_xlsx(tables, labels, fresh), overwrite=overwrite)]
    write: dict[str, Callable[[pl.DataFrame, Labels, Path], None]] = {
        ".csv": lambda frame, _, fresh: frame.write_csv(fresh),
        ".parquet": lambda frame, _, fresh: frame.write_parquet(fresh),
        ".dta": lambda frame, labels, fresh: _write_statistical(frame, labels, fresh, ".dta"),
        ".sav": lambda frame, labels, fresh: _write_statistical(frame, labels, fresh, ".sav"),
    }
    targets = {name: path if name == "data" else path.with_name(f"{path.stem}_{name}{path.suffix}") for name in tables}
    for target in targets.values():
        _refuse_existing(target, overwrite=overwrite)
    return [
        _put(target, lambda fresh, frame=tables[name]: write[ending](frame, labels, fresh), overwrite=overwrite)  # type: ignore[misc]
        for name, target in targets.items()
    ]


def _refuse_inside(path: Path) -> None:
    """Refuse a file in the folder of a release, which holds what its certificate lists and nothing else."""
    where = path.expanduser().resolve().parent
    for folder in (where, *where.parents):
        if (folder / CERTIFICATE).is_file():
            raise ReleaseError(f"'{folder.name}' is the folder of a release, which holds nothing else; write elsewhere")


def _refuse_existing(path: Path, *, overwrite: bool) -> None:
    if path.is_dir():
        raise ReleaseError(f"'{path.name}' is a folder; name a file")
    if path.exists() and not overwrite:
        raise ReleaseError(f"'{path.name}' exists already; name another file, or say overwrite")


def _put(path: Path, write: Callable[[Path], None], *, overwrite: bool) -> Path:
    """Write a file, all or nothing."""
    _refuse_existing(path, overwrite=overwrite)
    fresh = path.with_name(f".{path.stem}.new{path.suffix}")
    try:
        if not path.parent.is_dir():
            raise ReleaseError(f"there is no folder '{path.parent}'; make it first")
        write(fresh)
        os.replace(fresh, path)  # noqa: PTH105  in one step
    except SfumatoError:
        raise
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise ReleaseError(f"could not write '{path.name}': {reason}; name another file") from None
    finally:
        fresh.unlink(missing_ok=True)
    return path


def _single_values(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with lists as JSON, and coded columns as text."""
    lists = [name for name, dtype in frame.schema.items() if isinstance(dtype, (pl.List, pl.Array))]
    coded = [name for name, dtype in frame.schema.items() if isinstance(dtype, (pl.Categorical, pl.Enum))]
    return lists_as_json(frame, lists).with_columns(pl.col(coded).cast(pl.String))


def _labels(release: Release) -> dict[str, Mapping[str, str]]:
    """What values mean, by column."""
    if shape_of(release).room != "tables":
        return {}
    columns = release.schema.columns.values()
    return {column.name: column.labels for column in columns if column.labels is not None}


# -- Excel -------------------------------------------------------------------------------------------------------
def _write_xlsx(tables: Mapping[str, pl.DataFrame], labels: Labels, path: Path) -> None:
    """Write a sheet for each table, and one that says what values mean; nothing becomes a formula or a link."""
    load_optional("xlsxwriter", to="writing Excel files", install="sfumato[excel]")
    from xlsxwriter import Workbook

    for name, frame in tables.items():
        if frame.height >= _EXCEL_ROWS or frame.width > _EXCEL_COLUMNS:
            raise ReleaseError(
                f"{name!r} has {frame.height:,} rows and {frame.width:,} columns, and a sheet of Excel holds "
                f"{_EXCEL_ROWS - 1:,} rows below the names and {_EXCEL_COLUMNS:,} columns; export to .csv or .parquet"
            )
    meanings = [(name, value, label) for name, given in labels.items() for value, label in given.items()]
    if meanings:
        shown = pl.DataFrame(meanings, schema=["column", "value", "label"], orient="row")
        tables = {**tables, "labels" if "labels" not in tables else "meanings of values": shown}
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "nan_inf_to_errors": True,
    }
    with Workbook(str(path), options) as book:
        day, moment = book.add_format({"num_format": "yyyy-mm-dd"}), book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        bold = book.add_format({"bold": True})
        for name, frame in tables.items():
            sheet = book.add_worksheet(name[:31])
            for i, column in enumerate(frame.columns):
                sheet.write_string(0, i, column, bold)
            sheet.freeze_panes(1, 0)
            for at, row in enumerate(frame.iter_rows(), start=1):
                for i, value in enumerate(row):
                    _write_cell(sheet, at, i, value, frame.columns[i], day, moment)


def _write_cell(sheet: Any, row: int, column: int, value: Any, name: str, day: Any, moment: Any) -> None:
    import datetime as dt

    if value is None:
        return
    if isinstance(value, dt.datetime) and value.tzinfo is None and value.year >= 1901:
        sheet.write_datetime(row, column, value, moment)
    elif isinstance(value, dt.date) and not isinstance(value, dt.datetime) and value.year >= 1901:
        sheet.write_datetime(row, column, value, day)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 10**15:
        sheet.write_number(row, column, value)
    elif len(shown := text(value)) > _EXCEL_CELL:
        raise ReleaseError(
            f"column {name!r} has a text of {len(shown):,} characters in row {row}, and a cell of Excel holds "
            f"{_EXCEL_CELL:,}; export to .csv or .parquet"
        )
    else:
        sheet.write_string(row, column, shown)


# -- Stata and SPSS ----------------------------------------------------------------------------------------------
def _write_statistical(frame: pl.DataFrame, labels: Labels, path: Path, ending: str) -> None:
    """Write a file of Stata or SPSS; columns of codes with labels are numbers there, with value labels."""
    package = "Stata" if ending == ".dta" else "SPSS"
    pyreadstat = load_optional("pyreadstat", to=f"writing {package} files", install="sfumato[stats]")
    names = _names(frame.columns, _LONGEST_NAME[ending])
    meanings: dict[str, dict[Any, str]] = {}
    columns = []
    for column in frame.get_columns():
        series, given = _as_held(column), labels.get(column.name)
        if given is not None and (codes := _codes(series)) is not None:
            series, values = codes, {int(value): label for value, label in given.items() if _is_code(value)}
            meanings[names[column.name]] = {
                value: label.encode()[: _LONGEST_LABEL[ending]].decode(errors="ignore")
                for value, label in values.items()
            }
        _refuse_long(series, package, ending)
        columns.append(series.alias(names[column.name]))
    written = {
        "column_labels": {short: name[:80] for name, short in names.items() if short != name},
        "variable_value_labels": {name: each for name, each in meanings.items() if each},
    }
    try:
        getattr(pyreadstat, "write_dta" if ending == ".dta" else "write_sav")(
            pl.DataFrame(columns), str(path), **written
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError, OverflowError) as error:
        raise ReleaseError(
            f"a file of {package} cannot hold these data ({error}); export to .csv or .parquet"
        ) from None


def _as_held(series: pl.Series) -> pl.Series:
    """A column in a type that both packages have."""
    dtype = series.dtype
    if dtype.is_integer() and bool((series.cast(pl.Int128).abs() >= 2**53).any()):
        return series.cast(pl.String)
    if (isinstance(dtype, pl.Datetime) and dtype.time_zone is not None) or isinstance(dtype, (pl.Boolean, pl.Time)):
        return series.cast(pl.String)
    return series.cast(pl.Float64) if dtype.is_integer() and series.null_count() else series


def _is_code(value: str) -> bool:
    return re.fullmatch(r"-?(?:0|[1-9]\d{0,8})", value) is not None


def _codes(series: pl.Series) -> pl.Series | None:
    """A column of whole numbers, or of their texts, as numbers; None where it holds anything else."""
    if series.dtype == pl.String:
        values = series.drop_nulls().unique().to_list()
        return series.cast(pl.Float64) if values and all(map(_is_code, values)) else None
    return series if series.dtype.is_numeric() else None


def _refuse_long(series: pl.Series, package: str, ending: str) -> None:
    if series.dtype != pl.String:
        return
    longest = int(series.str.len_bytes().max() or 0)  # type: ignore[arg-type]
    if longest > _LONGEST_TEXT[ending]:
        raise ReleaseError(
            f"column {series.name!r} has a text of {longest:,} bytes, and {package} holds {_LONGEST_TEXT[ending]:,}; "
            f"export to .csv or .parquet"
        )


def _names(columns: list[str], longest: int) -> dict[str, str]:
    """Names that both packages take, by the column's own: letters, digits and underscores, no two alike.

    >>> _names(["age", "Größe (cm)", "2nd", "AGE", "all"], 32)
    {'age': 'age', 'Größe (cm)': 'Gr__e__cm_', '2nd': 'v2nd', 'AGE': 'AGE_2', 'all': 'all_'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", column)[:longest] or "v"
        plain = plain if plain[0].isalpha() else f"v{plain}"[:longest]
        plain = f"{plain}_" if plain.lower() in _RESERVED else plain
        name, n = plain, 1
        while name.lower() in taken:
            n += 1
            name = f"{plain[: longest - len(str(n)) - 1]}_{n}"
        taken.add(name.lower())
        names[column] = name
    return names
