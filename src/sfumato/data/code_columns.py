"""Whole numbers that are codes and not amounts: states 1 to 56, sex 1, 2 and 9. A range of them means nothing."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sfumato.data.recognising import Recognised, words
from sfumato.data.values import text

__all__ = ["recognise_code"]

_AMOUNTS = {
    "n", "num", "count", "counts", "anzahl", "nb", "size", "groesse", "grosse", "day", "days", "tage", "hour",
    "hours", "stunden", "minutes", "week", "weeks", "wochen", "month", "months", "monate", "year", "years", "yr",
    "jahr", "jahre", "age", "alter", "visits", "children", "kinder", "siblings", "rooms", "persons", "personen",
    "people", "members", "household", "score", "rating", "grade", "level", "stage", "points", "punkte", "percent",
    "pct", "rate", "ratio", "amount", "total", "sum", "cost", "price", "kosten", "betrag", "income", "salary",
    "wage", "weight", "height", "gewicht", "dose", "duration", "dauer", "distance", "speed", "temperature",
    "temp", "lat", "lon", "x", "y", "quantity", "qty", "menge",
}  # fmt: skip
_CODES = {
    "code", "codes", "cd", "kode", "icd", "icd9", "icd10", "fips", "naics", "soc", "isco", "isic", "nace", "type",
    "typ", "kind", "class", "klasse", "category", "kategorie", "group", "gruppe", "status", "flag", "ward",
    "department", "dept", "station", "abteilung", "unit", "schluessel", "schlussel", "race", "state", "sex",
    "gender", "geschlecht", "country", "county", "region", "bundesland", "land", "kreis", "nationality",
    "religion", "marital", "occupation", "beruf", "insurance", "kasse",
}  # fmt: skip
_MEANS_CODES = {"sex or gender", "origin", "a place", "health", "belief, opinion or sexual life", "offences or conduct"}
_OFTEN_CODES = {"family status", "education or work"}
_STATES = {i for i in range(1, 57) if i not in (3, 7, 14, 43, 52)}
_FEW = 9
_FEW_WORK = 30
_MOST = 5_000


def recognise_code(
    series: pl.Series, name: str, known: Recognised | None, labels: Mapping[str, str] | None = None
) -> str | None:
    """Say why whole numbers seem to be codes, as in `codes of a place`; None where they seem to be amounts."""
    values = series.drop_nulls()
    distinct = values.n_unique()
    if labels and (series.dtype.is_integer() or series.dtype.is_float()):
        texts = {text(value) for value in values.unique().to_list()}
        return "its values have labels" if len(texts & set(labels)) > len(texts) / 2 else None
    if not series.dtype.is_integer() or not 2 <= distinct <= _MOST:
        return None
    low, high = values.min(), values.max()
    if not isinstance(low, int) or not isinstance(high, int) or low < 0:
        return None
    parts = set(words(name))
    what = known.what if known is not None else ""
    if "postal" in what or "date" in what or what == "an age" or (known is not None and known.role == "identifier"):
        return None
    if parts & _AMOUNTS or (low >= 1850 and high <= 2100):
        return None
    if distinct > 40 and set(values.unique().to_list()) <= _STATES:
        return "the numbers of US states"
    if what in _MEANS_CODES or (what in _OFTEN_CODES and distinct <= _FEW_WORK):
        return f"codes of {what.removeprefix('a ')}"
    if parts & _CODES:
        return "codes, by the name"
    if distinct == 2:
        return "two values only"
    if (
        distinct <= _FEW
        and high < 100
        and len(values) >= 5 * distinct
        and what not in ("income or wealth", "a visible feature")
    ):
        return f"{distinct} different numbers only"
    return None
