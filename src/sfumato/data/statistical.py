"""Files of SPSS, Stata and SAS: their values, what the values mean, and which of them stand for no value."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from sfumato.data.apart import read_apart
from sfumato.data.marked_missing import without_marks
from sfumato.data.values import text
from sfumato.ground.errors import DataError
from sfumato.ground.optional import load_optional

__all__ = ["STATISTICAL", "Labels", "load", "read_statistical"]

Labels: TypeAlias = dict[str, dict[str, str]]
"""What values mean, by column and by their text."""

STATISTICAL = {
    ".sav": "SPSS", ".zsav": "SPSS", ".por": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS",
}  # fmt: skip
"""Endings, and the package that writes such files."""
_READERS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta", ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}  # fmt: skip
_MONTHS = {"%tm": 1, "%tq": 3, "%th": 6}
"""Stata's periods, in months; they are counted from 1960."""
_MONTHS_OF_SPSS = ("MOYR", "QYR", "WKYR")
"""Formats of SPSS that show a date, kept in seconds, by its month, quarter or week."""
_DAYS_OF_SAS = ("MONYY", "YYMM", "YYMON", "YYQ", "QTR", "YEAR", "WEEKU", "WEEKV", "WEEKW")
"""Formats of SAS that show a date, kept in days since 1960, by a part of it."""


def read_statistical(file: Path, *, missing: Sequence[str] = ("",)) -> tuple[pl.DataFrame, Labels]:
    """Read a file of SPSS, Stata or SAS, and what its values mean.

    Values that the file declares missing (user-missing values of SPSS, `.a` to `.z` of Stata and SAS) are missing.
    Codes of which most have a label are text; whole numbers are integers, and dates are dates.
    """
    load_optional("pyreadstat", to=f"reading {STATISTICAL[file.suffix.lower()]} files", install="sfumato[stats]")
    frame, notes = read_apart(f"{__name__}:load", file, STATISTICAL[file.suffix.lower()], missing=list(missing))
    return frame, notes["labels"]


def load(file: Path, *, missing: Sequence[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Do the work of `read_statistical`, in this process."""
    import pyreadstat

    ending = file.suffix.lower()
    read = getattr(pyreadstat, _READERS[ending])
    try:
        frame, said = read(file, output_format="polars")
    except (OverflowError, pyreadstat.PyreadstatError):
        raise DataError(f"file '{file}' holds dates beyond the year 9999; mend them, or save it as CSV") from None
    declared = {}
    if ending in (".sav", ".zsav"):
        declared = read(file, metadataonly=True, user_missing=True, output_format="polars")[1].missing_ranges
    frame = frame.with_columns(_plain(frame[name], said.original_variable_types.get(name) or "")
                               for name in frame.columns)  # fmt: skip
    frame = without_marks(frame, missing)
    labels: Labels = {}
    for name, given in said.variable_value_labels.items():
        found = _labels(frame[name], given, declared.get(name, []))
        if not found:
            continue
        labels[name] = found
        values = {text(value) for value in frame[name].drop_nulls().unique().to_list()}
        if values and 2 * len(values & found.keys()) > len(values) and frame[name].dtype != pl.String:
            frame = frame.with_columns(frame[name].map_elements(text, return_dtype=pl.String))
    return frame, {"labels": labels}


def _labels(series: pl.Series, given: Mapping[Any, str], declared: Sequence[Any]) -> dict[str, str]:
    """What values mean, by their text, without those that are declared missing."""
    of_text = series.dtype == pl.String
    return {
        text(value): str(label)
        for value, label in given.items()
        if isinstance(value, str) == of_text and not _is_declared(value, declared)
    }


def _is_declared(value: Any, declared: Sequence[Any]) -> bool:
    """Whether a value is among those that the file declares missing, which are single ones or ranges."""
    ranges = ((each["lo"], each["hi"]) if isinstance(each, Mapping) else (each, each) for each in declared)
    return any(isinstance(low, str) == isinstance(value, str) and low <= value <= high for low, high in ranges)


def _plain(series: pl.Series, form: str) -> pl.Series:
    """A column as dates where its format says so, as integers where all its numbers are whole."""
    if not series.dtype.is_float():
        return series
    series = series.fill_nan(None)
    shown = (re.match(r"[A-Z]+", form.upper()) or [""])[0]
    if shown in _MONTHS_OF_SPSS:
        return _from_days((series / 86_400).floor(), dt.date(1582, 10, 14))
    if shown in _DAYS_OF_SAS:
        return _from_days(series.floor(), dt.date(1960, 1, 1))
    if form[:3] in _MONTHS:
        months = (series * _MONTHS[form[:3]]).cast(pl.Int64)
        first = pl.Series(series.name, [dt.date(1960, 1, 1)] * len(series), dtype=pl.Date)
        return first.dt.offset_by(months.cast(pl.String) + "mo")
    whole = series.is_finite() & (series == series.floor()) & (series.abs() < 2**53)
    return series.cast(pl.Int64) if bool(whole.all()) and len(series) else series


def _from_days(days: pl.Series, origin: dt.date) -> pl.Series:
    since = (origin - dt.date(1970, 1, 1)).days
    return (days.cast(pl.Int32) + since).cast(pl.Date)
