"""What each column might be: a role with its reason, and a hierarchy. A suggestion is no decision."""

from __future__ import annotations

import math

import polars as pl

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.persons import is_nested
from sfumato.data.recognising import Recognised, is_row_id, recognise_values
from sfumato.data.schema import Role

__all__ = ["suggest_hierarchy", "suggest_role"]

_NEARLY_ALL = 0.9
_ENOUGH_ROWS = 20
_FREE_TEXT = 40


def suggest_role(
    series: pl.Series, known: Recognised | None, *, distinct: int, named: str
) -> tuple[Role, str, str | None]:
    """Suggest a role; return it with the reason, and the letter of Safe Harbor's list or None."""
    n_present = len(series) - series.null_count()
    many = n_present >= _ENOUGH_ROWS and distinct >= _NEARLY_ALL * n_present
    if is_nested(series):
        return "identifier", "holds lists or records, not single values; flatten it to publish it", None
    if known is not None and known.role == "identifier":
        return "identifier", f"the name suggests {known.what}{_safe_harbor(known)}", known.hipaa
    if n_present == 0:
        return "plain", "has no value at all; better left out", None
    is_text = series.dtype in (pl.String, pl.Categorical, pl.Enum)
    looks_like = recognise_values(series.cast(pl.String)) if is_text else None
    if looks_like is not None and looks_like.role == "identifier":
        return "identifier", f"most values look like {looks_like.what}{_safe_harbor(looks_like)}", looks_like.hipaa
    if distinct == 1 and series.null_count() == 0:
        return "plain", "the same in every row, so it tells nobody apart", None
    if is_text and distinct > n_present // 2 and _is_free_text(series):
        return "identifier", "free text, in which people may be named; code it into categories to publish it", "R"
    if is_row_id(named) and n_present and distinct >= _NEARLY_ALL * n_present:
        return "identifier", f"the name of a key, and nearly every row has its own{_safe_harbor('R')}", "R"
    if series.dtype.is_integer() and many and _is_counter(series, distinct):
        return "identifier", f"numbers the rows one by one{_safe_harbor('R')}", "R"
    if is_text and many and not (known is not None and known.hipaa in ("B", "C")) and looks_like is None:
        return "identifier", f"text of which nearly every row has its own{_safe_harbor('R')}", "R"
    if known is not None:
        but = (
            "; yet nearly every row has its own, so round it or declare it quasi"
            if known.role == "plain" and many
            else ""
        )
        return known.role, f"the name suggests {known.what}{_safe_harbor(known)}{but}", known.hipaa
    if looks_like is not None:
        return looks_like.role, f"the values look like {looks_like.what}{_safe_harbor(looks_like)}", looks_like.hipaa
    if series.dtype in (pl.Date, pl.Datetime):
        return "quasi", f"dates about a person are often known{_safe_harbor('C')}", "C"
    return "quasi", "an outsider might know it; declare it plain if nobody can, sensitive if nobody should", None


def _safe_harbor(known: Recognised | str) -> str:
    letter = known if isinstance(known, str) else known.hipaa
    return f" (HIPAA {letter})" if letter else ""


def _is_free_text(series: pl.Series) -> bool:
    length = series.cast(pl.String).str.len_chars().mean()
    return isinstance(length, float) and length > _FREE_TEXT


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
        if isinstance(longest, int) and (is_code or is_zip) and 3 <= longest <= 12 and distinct > 5:
            return Hierarchy.prefixes(longest)
        return None
    if series.dtype.is_integer() and known is not None and "postal" in known.what:
        return Hierarchy.prefixes(max(5, len(str(values.max()))))
    if series.dtype.is_numeric() and distinct > 10:
        return _round_intervals(values)
    return None


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
