"""Numbers as people write them: `1.957,70`, `1'957.70`, `1,957.70`, `1 957,70`.

A convention is a mark between thousands and a mark before decimals. A column is read by one where all its values fit
and no other convention reads them otherwise: `1.957` alone may be nearly two or nearly two thousand.
"""

from __future__ import annotations

import re

import polars as pl

__all__ = ["misfits_of_numbers", "numbers_in_words", "read_numbers"]

_SPACES = "[ \u00a0\u2009\u202f]"
_APOSTROPHES = "['\u2019]"
_CONVENTIONS = tuple(
    (thousands, decimal)
    for thousands, decimals in ((r"\.", ","), (",", "."), (_APOSTROPHES, ".,"), (_SPACES, ",."))
    for decimal in decimals
)
_HEAD = 1_000


def read_numbers(texts: pl.Series, *, declared: bool = False) -> pl.Series | None:
    """Return the numbers behind the texts by the one convention that all fit; None where none does, or two differ.

    Where nobody declared that they are numbers, some value must carry a mark between thousands, and whole numbers
    must differ in length: else they may be codes.

    >>> read_numbers(pl.Series(["1.957,70", "12,5", "2.100"])).to_list()
    [1957.7, 12.5, 2100.0]
    >>> read_numbers(pl.Series(["1.957", "2.100"])) is None
    True
    """
    values = texts.str.strip_chars()
    if values.null_count() == len(values):
        return None
    found: list[pl.Series] = []
    marked = declared
    for thousands, decimal in _CONVENTIONS:
        pattern = _pattern(thousands, decimal)
        if not values.head(_HEAD).str.contains(pattern).all() or not values.str.contains(pattern).all():
            continue
        marked = marked or bool(values.str.contains(f"[0-9]{thousands}[0-9]").any())
        found.append(_converted(values, thousands, decimal))
    if not found or not marked or any(not found[0].equals(other, null_equal=True) for other in found[1:]):
        return None
    numbers = found[0]
    if numbers.null_count() > values.null_count():
        return None
    if not declared and numbers.dtype == pl.Int64 and values.str.count_matches("[0-9]").drop_nulls().n_unique() < 2:
        return None
    return numbers.alias(texts.name)


def misfits_of_numbers(texts: pl.Series) -> pl.Series:
    """Return which texts are no numbers by the convention, or in the plain form, that most of them fit."""
    values = texts.str.strip_chars()
    plain = values.cast(pl.Float64, strict=False).is_not_null()
    fits = [plain, *(values.str.contains(_pattern(*convention)).fill_null(value=False) for convention in _CONVENTIONS)]
    best = max(fits, key=lambda each: int(each.sum()))
    return ~best & texts.is_not_null()


def numbers_in_words(value: str) -> str:
    """Say the two numbers that one text may stand for; nothing where it is one number or none.

    >>> numbers_in_words("1,957")
    ', which may be 1957 or 1.957'
    """
    if not re.fullmatch(r"-?[1-9][0-9]{0,2}[.,][0-9]{3}", value.strip()):
        return ""
    bare = re.sub("[.,]", "", value.strip())
    return f", which may be {bare} or {bare[:-3]}.{bare[-3:]}"


def _pattern(thousands: str, decimal: str) -> str:
    return rf"^-?(?:0|[1-9][0-9]*|[1-9][0-9]{{0,2}}(?:{thousands}[0-9]{{3}})+)(?:{re.escape(decimal)}[0-9]+)?$"


def _converted(values: pl.Series, thousands: str, decimal: str) -> pl.Series:
    """The numbers, whole where no value has decimals; null where 64 bits do not hold one."""
    plain = values.str.replace_all(thousands, "")
    if plain.str.contains(decimal, literal=True).any():
        return plain.str.replace(decimal, ".", literal=True).cast(pl.Float64, strict=False)
    return plain.cast(pl.Int64, strict=False)
