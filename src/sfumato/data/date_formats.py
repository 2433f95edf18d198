"""How dates are written in text, in forms that people write themselves: `dd.mm.yyyy`, `mm/dd/yyyy HH:MM`.

A form names the day (`dd` two digits, `d` one or two), the month (`mm`, `m`, or `mmm` for its English name) and the
year (`yyyy`, `yy`), with `.`, `/`, `-`, a comma or a space between them or nothing, and perhaps a time of day behind
(`HH:MM`, `HH:MM:SS`). A year of two digits is the last such year that does not lie in the future.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
from dataclasses import dataclass

import polars as pl

__all__ = ["DateForms", "is_date_format", "misfits_of_dates", "parse_dates", "recognise_dates", "strptime_form"]

_PART = re.compile(r"(dd|d|mmm|mm|m|yyyy|yy)")
_CODES = {"dd": "%d", "d": "%d", "mm": "%m", "m": "%m", "mmm": "%b", "yyyy": "%Y", "yy": "%y"}
_TIMES = {"HH:MM": "%H:%M", "HH:MM:SS": "%H:%M:%S"}

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?)"
)
_PATTERNS = {
    "dd": "(?<d>[0-9]{2})", "d": "(?<d>[0-9]{1,2})", "mm": "(?<m>[0-9]{2})", "m": "(?<m>[0-9]{1,2})",
    "mmm": f"(?<m>{_MONTH})", "yyyy": "(?<y>[0-9]{4})", "yy": "(?<y>[0-9]{2})",
    "HH:MM": " (?<t>[0-9]{1,2}:[0-9]{2})", "HH:MM:SS": " (?<t>[0-9]{1,2}:[0-9]{2}:[0-9]{2})",
}  # fmt: skip

_LOOK = r"^(?:[0-9]{1,4}|[A-Za-z]{3,9})[./\- ]{0,2}(?:[0-9]{1,2}|[A-Za-z]{3,9})[./\-, ]{0,2}[0-9]{1,4}(?: [0-9:]+)?$"
_HEAD = 1_000
_FIRST_YEAR, _LAST_YEAR = 1800, 2199
"""The years that digits without marks between them may mean, where nobody said that they are dates."""


@dataclass(frozen=True)
class DateForms:
    """How the dates of a column may be written."""

    certain: str | None
    """The one form that all values fit, where no other fits them all; None where there is none, or several."""
    possible: tuple[str, ...]
    """All forms that all values fit; they differ in what is day, month and year."""


def is_date_format(given: str) -> bool:
    """Whether it names a day, a month and a year once each, and perhaps a time of day.

    >>> is_date_format("dd.mm.yyyy"), is_date_format("mm/dd/yyyy HH:MM"), is_date_format("dd.mm")
    (True, True, False)
    """
    days, _ = _days_and_time(given)
    parts = [part for part in _PART.split(days) if part]
    named = sorted(part[0] for part in parts if part in _CODES)
    between = [part for part in parts if part not in _CODES]
    apart = all(between) and len(between) == 2
    fixed = not between and not {"d", "m"} & set(parts)  # without marks, one digit or two cannot be told apart
    return named == ["d", "m", "y"] and (apart or fixed) and all(re.fullmatch(r"[./\-, ]{1,2}", b) for b in between)


def strptime_form(given: str) -> str:
    """The form as `strptime` knows it.

    >>> strptime_form("d.m.yyyy HH:MM")
    '%d.%m.%Y %H:%M'
    """
    days, time = _days_and_time(given)
    form = "".join(_CODES.get(part, part) for part in _PART.split(days))
    return f"{form} {_TIMES[time]}" if time else form


def parse_dates(texts: pl.Series, form: str, *, last_year: int | None = None) -> pl.Series:
    """Return the dates (times, where the form has them) that the texts stand for; null where one does not fit.

    A year of two digits is the last such year up to `last_year`, which is this year where it is not given.

    >>> parse_dates(pl.Series(["31.12.1999", "31.2.2000", None]), "d.m.yyyy").to_list()
    [datetime.date(1999, 12, 31), None, None]
    """
    last = dt.datetime.now(tz=dt.UTC).year if last_year is None else last_year
    days, time = _days_and_time(form)
    groups = texts.str.strip_chars().str.extract_groups(_pattern(form)).struct.unnest()
    month = groups["m"]
    if "mmm" in days:
        month = month.str.head(3).str.to_lowercase().replace_strict(
            _MONTHS, [f"{i:02}" for i in range(1, 13)], default=None, return_dtype=pl.String
        )  # fmt: skip
    year = groups["y"]
    if "yyyy" not in days:
        short = year.cast(pl.Int64)
        year = (short + (last - short) // 100 * 100).cast(pl.String).str.zfill(4)
    iso = year + "-" + month.str.zfill(2) + "-" + groups["d"].str.zfill(2)
    iso = pl.select(pl.when(year != "0000").then(iso)).to_series()
    if not time:
        return iso.str.to_date("%Y-%m-%d", strict=False).alias(texts.name)
    clock = groups["t"].str.zfill(len(time))
    whole = (iso + " " + clock).str.to_datetime(f"%Y-%m-%d {_TIMES[time]}", strict=False, time_unit="us")
    return whole.alias(texts.name)


def recognise_dates(series: pl.Series) -> DateForms:
    """Find the forms that all values of a column fit; a dotted date names its day first, as by convention.

    >>> recognise_dates(pl.Series(["31.12.2024", "01.02.2025"]))
    DateForms(certain='dd.mm.yyyy', possible=('dd.mm.yyyy',))
    >>> recognise_dates(pl.Series(["03/04/1990", "05/06/1991"]))
    DateForms(certain=None, possible=('dd/mm/yyyy', 'mm/dd/yyyy'))
    """
    texts = _texts(series)
    if not _all(texts.head(_HEAD).str.strip_chars().str.contains(_LOOK)):
        return DateForms(None, ())
    values = texts.str.strip_chars().unique(maintain_order=True)
    if not len(values):
        return DateForms(None, ())
    possible: list[str] = []
    for forms in _readings():
        fitting = next((form for form in forms if _fits(values, form)), None)
        if fitting is not None:
            possible.append(fitting)
    return DateForms(possible[0] if len(possible) == 1 else None, tuple(possible))


def misfits_of_dates(texts: pl.Series) -> pl.Series:
    """Return which texts do not fit the form that most of them fit."""
    values = texts.str.strip_chars()
    head = values.drop_nulls().head(_HEAD)
    forms = [form for forms in _readings() for form in forms[::-1]]
    fitting = [int(parse_dates(head, form).is_not_null().sum()) for form in forms]
    best = parse_dates(values, forms[fitting.index(max(fitting))])
    return best.is_null() & texts.is_not_null()


def _texts(series: pl.Series) -> pl.Series:
    """The values of a column of texts or whole numbers; none of any other."""
    if isinstance(series.dtype, (pl.Categorical, pl.Enum)) or series.dtype.is_integer():
        series = series.cast(pl.String)
    return series.drop_nulls() if series.dtype == pl.String else pl.Series([], dtype=pl.String)


def _all(fits: pl.Series) -> bool:
    return bool(fits.all())


def _fits(values: pl.Series, form: str) -> bool:
    """Whether all the texts are dates in this form."""
    if not _all(values.head(_HEAD).str.contains(_pattern(form))):
        return False
    dates = parse_dates(values, form)
    if dates.null_count():
        return False
    if not re.search(r"[./\-, ]", _days_and_time(form)[0]) and "mmm" not in form:
        years = dates.dt.year()
        return _all((years >= _FIRST_YEAR) & (years <= _LAST_YEAR))
    return True


def _readings() -> list[tuple[str, ...]]:
    """The readings to try: for each the forms that read alike, the narrower first."""
    found: list[tuple[str, ...]] = []
    for time in ("", " HH:MM", " HH:MM:SS"):
        for mark, order, year in itertools.product("./- ", ("ymd", "dmy", "mdy"), ("yyyy", "yy")):
            if (mark == "." and order != "dmy" and (order == "mdy" or year == "yy")) or (mark == " " and year == "yy"):
                continue
            forms = tuple(
                mark.join({"d": day, "m": month, "y": year}[part] for part in order) + time
                for day, month in (("dd", "mm"), ("d", "m"))
            )
            found.append(forms)
        for mark, year in itertools.product("-/. ", ("yyyy", "yy")):
            found.append((f"dd{mark}mmm{mark}{year}{time}", f"d{mark}mmm{mark}{year}{time}"))
        found.append((f"dd. mmm yyyy{time}", f"d. mmm yyyy{time}"))
        found += [(f"mmm dd{mark}yyyy{time}", f"mmm d{mark}yyyy{time}") for mark in (", ", " ")]
        found += [(f"{form}{time}",) for form in ("ddmmmyyyy", "yyyymmdd", "ddmmyyyy", "mmddyyyy")]
    return found


def _pattern(form: str) -> str:
    days, time = _days_and_time(form)
    written = "".join(_PATTERNS.get(part) or re.escape(part) for part in _PART.split(days))
    return f"^{written}{_PATTERNS.get(time, '(?<t>)')}$"


def _days_and_time(given: str) -> tuple[str, str]:
    """The two halves of a form, in the case that forms are told in."""
    time = next((time for time in _TIMES if given.upper().endswith(" " + time)), "")
    return given[: len(given) - len(time)].rstrip(" ").lower() if time else given.lower(), time
