"""What each column might be: a role with its reason, and a hierarchy. A suggestion is no decision."""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

from sfumato.data.date_formats import recognise_dates
from sfumato.data.free_text import is_free_text
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.persons import is_nested
from sfumato.data.recognising import Recognised, is_row_id, recognise_values
from sfumato.data.schema import Role

__all__ = ["Suggestion", "suggest_hierarchy", "suggest_role"]

_NEARLY_ALL = 0.9
_ENOUGH_ROWS = 20
_LONG = 40
_LONGEST_CODE = 12


@dataclass(frozen=True)
class Suggestion:
    """A role, why, the same in a few words (none where nothing speaks for it), and Safe Harbor's letter or None."""

    role: Role
    reason: str
    short: str
    hipaa: str | None = None


_FREE_TEXT = Suggestion(
    "identifier", "free text, in which people may be named; code it into categories to publish it", "free text", "R"
)


def suggest_role(series: pl.Series, known: Recognised | None, *, distinct: int, named: str) -> Suggestion:
    """Suggest a role for a column, by its name and by what its values do."""
    n_present = len(series) - series.null_count()
    many = n_present >= _ENOUGH_ROWS and distinct >= _NEARLY_ALL * n_present
    if is_nested(series):
        reason = "holds lists or records, not single values; flatten it to publish it"
        return Suggestion("identifier", reason, "lists or records")
    if known is not None and known.role == "identifier":
        return _by_name(known)
    if n_present == 0:
        return Suggestion("plain", "has no value at all; better left out", "no value at all")
    is_text = series.dtype in (pl.String, pl.Categorical, pl.Enum)
    looks_like = recognise_values(series.cast(pl.String)) if is_text else None
    if looks_like is not None and looks_like.role == "identifier":
        return _by_values(looks_like)
    if is_text and looks_like is None and is_free_text(series, named, known):
        return _FREE_TEXT
    if distinct == 1 and series.null_count() == 0:
        return Suggestion("plain", "the same in every row, so it tells nobody apart", "same in every row")
    key = _as_key(series, known, looks_like, named, distinct=distinct, many=many)
    if key is not None:
        return key
    if known is not None and known.role == "sensitive" and (series.dtype.is_temporal() or looks_like is not None):
        return Suggestion("quasi", f"dates about a person are often known{_safe_harbor('C')}", "a date", "C")
    if known is not None:
        but = (
            "; yet nearly every row has its own, so round it or declare it quasi"
            if known.role == "plain" and many
            else ""
        )
        return _by_name(known, but)
    if looks_like is not None:
        return _by_values(looks_like)
    if series.dtype in (pl.Date, pl.Datetime):
        return Suggestion("quasi", f"dates about a person are often known{_safe_harbor('C')}", "a date", "C")
    reason = "an outsider might know it; declare it plain if nobody can, sensitive if nobody should"
    return Suggestion("quasi", reason, "")


def _as_key(
    series: pl.Series, known: Recognised | None, looks_like: Recognised | None, named: str, *, distinct: int, many: bool
) -> Suggestion | None:
    """An identifier, where nearly every row has its own value."""
    n_present = len(series) - series.null_count()
    is_text = series.dtype in (pl.String, pl.Categorical, pl.Enum)
    if is_text and distinct > n_present // 2 and _is_long(series):
        return _FREE_TEXT
    if is_row_id(named) and n_present and distinct >= _NEARLY_ALL * n_present:
        reason = f"the name of a key, and nearly every row has its own{_safe_harbor('R')}"
        return Suggestion("identifier", reason, "the name of a key", "R")
    if series.dtype.is_integer() and many and _is_counter(series, distinct):
        return Suggestion("identifier", f"numbers the rows one by one{_safe_harbor('R')}", "numbers the rows", "R")
    if is_text and many and not (known is not None and known.hipaa in ("B", "C")) and looks_like is None:
        reason = f"text of which nearly every row has its own{_safe_harbor('R')}"
        return Suggestion("identifier", reason, "each row its own text", "R")
    return None


_SHORT = {
    "something that outsiders seldom know": "seldom known",
    "a social security or national number": "a national number",
    "belief, opinion or sexual life": "belief or opinion",
    "a certificate or licence number": "a licence number",
    "an account or card number": "an account number",
    "an IP or network address": "a network address",
    "a vehicle number or plate": "a vehicle number",
    "a medical record number": "a record number",
    "a date about the person": "a date of the person",
    "a number given to a person": "a person's number",
    "a ZIP or postal code": "a postal code",
}


def _by_name(known: Recognised, but: str = "") -> Suggestion:
    short = _SHORT.get(known.what, known.what) + (", yet unique" if but else "")
    reason = f"the name suggests {known.what}{_safe_harbor(known)}{but}"
    return Suggestion(known.role, reason, short, known.hipaa)


def _by_values(looks_like: Recognised) -> Suggestion:
    reason = f"the values look like {looks_like.what}{_safe_harbor(looks_like)}"
    return Suggestion(looks_like.role, reason, f"look like {looks_like.what}", looks_like.hipaa)


def _safe_harbor(known: Recognised | str) -> str:
    letter = known if isinstance(known, str) else known.hipaa
    return f" (HIPAA {letter})" if letter else ""


def _is_long(series: pl.Series) -> bool:
    length = series.cast(pl.String).str.len_chars().mean()
    return isinstance(length, float) and length > _LONG


def _is_counter(series: pl.Series, distinct: int) -> bool:
    low, high = series.min(), series.max()
    return isinstance(low, int) and isinstance(high, int) and high - low + 1 == distinct


def suggest_hierarchy(series: pl.Series, known: Recognised | None, distinct: int) -> Hierarchy | None:
    """Suggest a rule that lists no value of the data: calendar, prefixes of codes, intervals of round width."""
    values = series.drop_nulls()
    if series.dtype in (pl.Date, pl.Datetime):
        return Hierarchy.calendar()
    if series.dtype == pl.String:
        longest = values.str.len_chars().max()
        is_code = bool(values.str.contains(r"^[A-Za-z]{0,2}\d[\dA-Za-z .\-]*$").all())
        is_zip = known is not None and "postal" in known.what
        is_date = not is_zip and _looks_like_dates(values)
        if isinstance(longest, int) and (is_code or is_zip) and 3 <= longest <= _LONGEST_CODE and distinct > 5:
            return Hierarchy.prefixes(longest) if not is_date else None
        return None
    if series.dtype.is_integer() and known is not None and "postal" in known.what:
        return Hierarchy.prefixes(max(5, len(str(values.max()))))
    if series.dtype.is_numeric() and distinct > 10:
        return _round_intervals(values)
    return None


def _looks_like_dates(values: pl.Series) -> bool:
    """Whether texts may be dates: cut from the right, these would lose their year first."""
    looks_like = recognise_values(values)
    return (looks_like is not None and looks_like.what == "dates") or bool(recognise_dates(values).possible)


def _round_intervals(values: pl.Series) -> Hierarchy | None:
    """Some 20 intervals, then fewer, of widths 1, 2 or 5 times a power of ten; one long interval for each tail."""
    numbers = values.cast(pl.Float64)
    low, high, start, stop = (float(numbers.quantile(q, "nearest") or 0.0) for q in (0.0, 1.0, 0.01, 0.99))
    if stop <= start:
        start, stop = low, high
    wish = (stop - start) / 20
    if not (math.isfinite(wish) and 1e-9 < wish < 1e12):
        return None
    power = math.floor(math.log10(wish))
    fine = min((1, 2, 5, 10), key=lambda m: abs(math.log(m * 10.0**power / wish)))
    if fine == 10:
        fine, power = 1, power + 1
    if values.dtype.is_integer() and power < 0:
        fine, power = 1, 0
    widths = [fine * times for times in ((1, 5, 10) if fine < 5 else (1, 2, 10))]

    def whole(value: float, width: int, *, up: bool = False) -> int:
        """The multiple of `width` below (or above) the value; both count in tens to `power`."""
        return (math.ceil if up else math.floor)(value / 10.0**power / width) * width

    def edge(i: int) -> float:
        return float(round(i * 10.0**power, max(-power, 0))) if power < 0 else i * int(10**power)

    bottom, top = whole(low, fine), whole(high, fine) + fine
    first, last = whole(start, widths[-1]), whole(stop, widths[-1], up=True)
    levels = [
        [edge(bottom), *(edge(i) for i in range(first, last + 1, width) if bottom < i < top), edge(top)]
        for width in widths
    ]
    return Hierarchy.intervals(breaks=[level for i, level in enumerate(levels) if i == 0 or level != levels[i - 1]])
