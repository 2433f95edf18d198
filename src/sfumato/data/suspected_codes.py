"""Cells that may stand for no value, found by how they lie beside the others: 998 in a column of ages, `n/a` in one
of weights. They are told and suggested, with what speaks for it, and never left out unasked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.date_formats import parse_dates, recognise_dates
from sfumato.data.missing_codes import looks_like_code
from sfumato.data.number_formats import misfits_of_numbers
from sfumato.data.persons import is_nested
from sfumato.data.text_columns import find_type
from sfumato.data.values import text

__all__ = ["Suspected", "find_suspected"]

_HIGH = re.compile(r"9+[789]?|8+|7+|9+\.9+")
_LOW = re.compile(r"-(?:[1789]|9+[789]?|8+|7+)")
_DAYS = ("0001-01-01", "1111-11-11", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1970-01-01", "2099-12-31",
         "2100-01-01", "2999-12-31", "9999-01-01", "9999-12-31")  # fmt: skip
_VALUES_TOO = {"none", "nil", "x", "xx", "xxx", "*"}
"""Texts that are marks in some columns and values in as many others."""

_SAMPLE = 2_000
_FEWEST = 3
_FEWEST_CODES = 5
_MOST_TEXTS = 10_000
_TAIL = 6
_MOST_MARKS = 6
_MOSTLY = 0.8
_HEAPED = 10


@dataclass(frozen=True, kw_only=True)
class Suspected:
    """Values of a column that may stand for none."""

    values: tuple[Any, ...]
    """Numbers as numbers, all else as text."""
    n_rows: int
    why: str
    read_as: str | None = None
    """What a column of texts is without them: `number`, `date`, or None where it stays text."""
    share: float = 1.0
    """The share of cells that are numbers or dates, where texts stand between them."""

    @property
    def named(self) -> str:
        """The values in a sentence, as in `998, 999`."""
        return ", ".join(repr(value) if isinstance(value, str) else text(value) for value in self.values)


def find_suspected(
    series: pl.Series, labels: Mapping[str, str] | None = None
) -> tuple[Suspected | None, pl.Series]:  # fmt: skip
    """Find values that may stand for none; return them, and the column as it is without them.

    A value that `labels` call unknown, refused and the like is one; else values are, by how they lie.
    """
    labelled = [value for value, label in (labels or {}).items() if _is_mark(label.strip())]
    if labelled and not is_nested(series):
        held = series.cast(pl.String).str.strip_chars().is_in(labelled)
        if 0 < _n(held) < len(series) - series.null_count():
            values = tuple(_plain(value) for value in series.filter(held).unique().sort().to_list())
            return Suspected(values=values, n_rows=_n(held), why="labelled so"), _without(series, held)
    if series.dtype == pl.String:
        return _among_texts(series)
    if series.dtype.is_numeric() or series.dtype in (pl.Date, pl.Datetime):
        gone, why = _among_ordered(series)
        if gone:
            held = series.is_in(pl.Series(gone, dtype=series.dtype).implode())
            listed = gone if series.dtype.is_numeric() else [text(value) for value in gone]
            return Suspected(values=tuple(map(_plain, listed)), n_rows=_n(held), why=why), _without(series, held)
    return None, series


def _plain(value: Any) -> Any:
    """A number as people write it: 999 and not 999.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _n(held: pl.Series) -> int:
    return int(held.sum() or 0)


def _without(series: pl.Series, gone: pl.Series) -> pl.Series:
    return series.set(gone.fill_null(value=False), None)


# -- numbers and dates -------------------------------------------------------------------------------------------
def _among_ordered(series: pl.Series) -> tuple[list[Any], str]:
    """The values far from the rest at either end, and what speaks against them."""
    counted = series.drop_nulls().alias("value").value_counts(name="n").sort("value")
    values, counts = counted["value"], counted["n"].to_numpy().astype(np.int64)
    numbers = values.to_physical().cast(pl.Float64).to_numpy()
    if len(numbers) < 3 or not np.isfinite(numbers).all():
        return [], ""
    dates = series.dtype.is_temporal()
    head, tail = values.head(_TAIL), values.tail(_TAIL).reverse()
    is_high = [_is_day(each) if dates else bool(_HIGH.fullmatch(text(each))) for each in tail.to_list()]
    is_low = [_is_day(each) if dates else bool(_LOW.fullmatch(text(each))) for each in head.to_list()]
    above = _n_apart(numbers[::-1] * -1, counts[::-1], is_high)
    below = _n_apart(numbers, counts, is_low)
    if not below and not dates:
        below = _n_negative(numbers, is_low)
    if above + below > len(numbers) - 2:
        return [], ""
    gone = [*values.head(below).to_list(), *(values.tail(above).to_list() if above else [])]
    if not gone and not dates and _is_heaped(values.to_list(), counts):
        return [values[-1]], "far more often than the values beside it"
    sides = [word for word, n in (("below", below), ("above", above)) if n]
    return gone, f"far {' and '.join(sides)} the rest" if gone else ""


def _is_day(value: Any) -> bool:
    return text(value)[:10] in _DAYS


def _n_apart(numbers: NDArray[np.float64], counts: NDArray[np.int64], is_code: Sequence[bool]) -> int:
    """How many of the first numbers, which rise, lie apart from the rest: known codes, or one that is very far."""
    run = next((i for i, code in enumerate(is_code) if not code), len(is_code))
    run = min(run, len(numbers) - 2)
    if run:
        gaps = np.diff(numbers[: run + 1])
        at = int(gaps.argmax()) + 1
        gap, spread = float(gaps[at - 1]), float(numbers[-1] - numbers[at])
        single = abs(numbers[0]) < 10  # 9 beside 1 and 2, but not beside 1 to 8
        often = int(counts[:at].sum()) > 1 or gap >= 5 * spread
        if often and gap >= max(spread / 2, 3 if single else 2) and (not single or abs(numbers[0]) == 9):
            return at
    gap, spread = float(numbers[1] - numbers[0]), float(numbers[-1] - numbers[1])
    often = int(counts[0]) >= max(3, counts.sum() // 500)
    return int(len(numbers) > 5 and often and gap >= 5 * spread)


def _n_negative(numbers: NDArray[np.float64], is_low: Sequence[bool]) -> int:
    """How many negative numbers there are, where all are known codes and nothing else is below 0."""
    n = int((numbers < 0).sum())
    return n if 0 < n <= 2 and all(is_low[:n]) else 0


def _is_heaped(values: Sequence[Any], counts: NDArray[np.int64]) -> bool:
    """Whether the largest value is 99, 999 and so on, and far more frequent than those just below it."""
    beside = np.sort(counts[-_TAIL:-1])
    return (
        bool(re.fullmatch(r"99+", text(values[-1])))
        and len(beside) == _TAIL - 1
        and int(counts[-1]) >= max(_HEAPED * int(beside[len(beside) // 2]), 2 * int(beside[-1]), _HEAPED)
    )


# -- texts -------------------------------------------------------------------------------------------------------
def _among_texts(series: pl.Series) -> tuple[Suspected | None, pl.Series]:
    """Marks such as `n/a`, and whatever few texts stand in a column of numbers or dates."""
    counted = series.drop_nulls().alias("text").value_counts(name="n")
    texts, n_all = counted["text"], _n(counted["n"])
    if not n_all:
        return None, series
    sample = texts.head(_SAMPLE)
    for read_as in ("number", "date") if _n(sample.str.contains("[0-9]")) > len(sample) / 2 else ():
        odd = counted.filter(_no_numbers(texts) if read_as == "number" else _no_dates(texts))
        n_odd = _n(odd["n"])
        marks = _by_count(odd) if 0 < n_odd <= (1 - _MOSTLY) * n_all else []
        if not 0 < len(marks) <= _MOST_MARKS:
            continue
        rest = _typed(_without(series, series.is_in(odd["text"].implode())))
        if rest.dtype == pl.String or rest.n_unique() < _FEWEST or any(re.search("[0-9]", mark) for mark in marks):
            continue  # 50000+ among numbers is a value
        more, rest = find_suspected(rest)
        numbers = [text(value) for value in more.values] if more is not None else []
        share = 1 - n_odd / n_all
        n_rows = n_odd + (more.n_rows if more is not None else 0)
        return Suspected(values=(*marks, *numbers), n_rows=n_rows, why=f"in a column of {_share(share)} {read_as}s",
                         read_as=read_as, share=share), rest  # fmt: skip
    written = texts.str.strip_chars()
    is_mark = [_is_mark(each) for each in written.to_list()] if len(texts) <= _MOST_TEXTS else [False] * len(texts)
    held = counted.filter(pl.Series(is_mark, dtype=pl.Boolean) | _filled_codes(written, counted["n"]))
    marks = _by_count(held)
    if not marks or len(held) >= len(texts) or len(marks) > _MOST_MARKS:
        return None, series
    found = Suspected(values=tuple(marks), n_rows=_n(held["n"]), why="written like a mark")
    return found, _typed(_without(series, series.is_in(held["text"].implode())))


def _typed(texts: pl.Series) -> pl.Series:
    """The column as its reader would have typed it without the marks; dates also where only an owner may say so."""
    comma = bool(texts.str.contains(r"^\s*-?[0-9]+,[0-9]{1,2}\s*$").any())
    typed = find_type(texts, decimal_comma=comma)
    if typed.dtype == pl.String and (form := recognise_dates(typed).certain) is not None:
        return parse_dates(typed, form)
    return typed


def _no_numbers(series: pl.Series) -> pl.Series:
    return misfits_of_numbers(series) | series.str.contains("(?i)nan|inf").fill_null(value=False)


def _no_dates(series: pl.Series) -> pl.Series:
    """The texts that lack what most dates have: two marks between digits."""
    looks = series.str.contains(r"^\s*[0-9]{1,4}([./\-])(?:[0-9]{1,2}|[A-Za-z]{3})[./\-][0-9]{2,4}(?:[ T][0-9:]+)?\s*$")
    return ~looks & series.is_not_null()


def _is_mark(written: str) -> bool:
    bare = written.rstrip("?").rstrip() or written
    if not bare or bare.lower() in _VALUES_TOO or re.fullmatch(r"[-+]?[0-9].*", bare):
        return False
    return looks_like_code(bare)


def _filled_codes(written: pl.Series, n: pl.Series) -> pl.Series:
    """Which are 99999 or 00000 among codes of digits that are all as long, where they occur more than once."""
    of_digits = len(written) >= _FEWEST_CODES and bool(written.str.contains("^[0-9]{3,}$").all())
    if not of_digits or written.str.len_chars().n_unique() > 1:
        return pl.repeat(False, len(written), dtype=pl.Boolean, eager=True)
    return written.str.contains("^(?:9+|0+)$") & (n > 1)


def _by_count(counted: pl.DataFrame) -> list[str]:
    """The texts without blanks around them, the most frequent first."""
    bare = counted.select(pl.col("text").str.strip_chars(), "n").group_by("text").sum()
    return [str(each) for each in bare.sort(["n", "text"], descending=[True, False])["text"].to_list()]


def _share(share: float) -> str:
    return f"{share:.0%}" if share < 0.995 else ">99%"
