"""Randomizers of categories: the answer is one of a list of values that everybody knows.

A *pure* protocol has reports that support some of the values: the true one with probability p, every other one with
probability q. Counting supports is all that the collector does, whatever the protocol.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.given import given_column, given_frame
from sfumato.collection.randomizers.randomizer import Randomizer
from sfumato.collection.reconstruction.shares import Population, PureNoise, ShareEstimates, known_population
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import finite, told

__all__ = [
    "BitReports",
    "CategoryRandomizer",
    "OneValueReports",
    "PureRandomizer",
    "Support",
    "checked_epsilon",
    "checked_values",
]

_MOST_VALUES = 1 << 20
_COMPARED = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Null)
"""The columns, beside those of numbers, whose entries are compared with values."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Support(NamedTuple):
    """With which probabilities a report supports values; `u` is the answer, `v` and `w` are two values; exact."""

    mine: Fraction
    """That it supports v = u: p."""
    other: Fraction
    """That it supports v != u: q."""
    mine_and_other: Fraction
    """That it supports both v = u and w != u."""
    others: Fraction
    """That it supports both v and w, neither of them u."""


class CategoryRandomizer(Randomizer, register=False):
    """A randomizer of one of several `values`."""

    values: tuple[Any, ...]

    @property
    def k(self) -> int:
        """How many values there are."""
        return len(self.values)

    def codes_of(self, answers: Any) -> NDArray[np.int64]:
        """The place of each answer among the values."""
        column = given_column(answers, "answers")
        codes = _places(column, self.values, "answers")
        if (codes < 0).any():
            row = int((codes < 0).argmax())
            raise DataError(
                f"answer {row + 1} is {told(column[row])}, which is none of the {self.k:,} values; map it to one of "
                f"them, or give a value for all others"
            )
        return codes

    @abstractmethod
    def estimate(self, reports: Any, *, population: Population = "fixed") -> ShareEstimates:
        """The share of each value among those who answered, from their reports: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """

    @property
    @abstractmethod
    def mean_variance(self) -> float:
        """The variance of an estimated share, times the number of reports, over values that are all alike (f = 1/k)."""


class OneValueReports(CategoryRandomizer, register=False):
    """A randomizer whose report is one of the values: tables of reports show it as such."""

    @property
    def report_limits(self) -> Mapping[str, tuple[int, int]]:
        """The place of the value that is reported."""
        return {"answer": (0, self.k - 1)}

    def report_frame(self, reports: NDArray[np.int64]) -> pl.DataFrame:
        """The values that are reported."""
        return pl.DataFrame({"answer": _column_of(self.values).gather(reports[:, 0])})

    def reports_of(self, frame: Any) -> NDArray[np.int64]:
        """The places of the values that are reported, from a table or a column of them."""
        column = self._reported(frame)
        codes = _places(column, self.values, "reports")
        if (codes < 0).any():
            row = int((codes < 0).argmax())
            raise DataError(f"report {row + 1} is {told(column[row])}, none of the values; it cannot have been drawn")
        return codes[:, None]

    def counted(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How often each value is reported in a table or a column of reports, and how many reports there are."""
        column = self._reported(reports)
        _check_kind(column, "reports")
        different, times = column.value_counts(name="times").get_columns()
        places = _places(different, self.values, "reports")
        if (places < 0).any():
            self.reports_of(column)  # which says the row
        counts = np.zeros(self.k, dtype=np.int64)
        np.add.at(counts, places, times.to_numpy())
        return counts, len(column)

    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each value was reported."""
        return np.bincount(reports[:, 0], minlength=self.k)

    def _reported(self, frame: Any) -> pl.Series:
        """The column of values that are reported."""
        if isinstance(frame, (pl.Series, np.ndarray, list, tuple)):
            return given_column(frame, "reports").alias("answer")
        shown = given_frame(frame)
        if "answer" not in shown.columns:
            raise DataError(f"reports of {type(self).__name__} have a column 'answer', and there is none")
        return shown["answer"]


class PureRandomizer(CategoryRandomizer, register=False):
    """A randomizer whose reports support values, the true one more often than any other."""

    @property
    @abstractmethod
    def support(self) -> Support:
        """With which probabilities a report supports values."""

    @abstractmethod
    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many reports support each value."""

    @property
    def mean_variance(self) -> float:
        """The variance of an estimated share, times the number of reports, over values that are all alike (f = 1/k)."""
        return float(self.variance(Fraction(1, self.k)))

    def variance(self, share: Fraction) -> Fraction:
        """The variance of the estimate of a share, times the number of reports, among a fixed set of people; exact."""
        p, q = self.support[:2]
        return (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2

    def estimate(self, reports: Any, *, population: Population = "fixed") -> ShareEstimates:
        """The share of each value among those who answered, from their reports: unbiased, with intervals.

        `population="fixed"` speaks of those who answered; `"sampled"` of all whom they were drawn from at random.
        """
        known_population(population)
        counts, n = self.counted(reports)
        if not n:
            raise DataError("there are no reports, so that nothing can be estimated")
        p, q = float(self.support.mine), float(self.support.other)
        return ShareEstimates(
            self.values, (counts / n - q) / (p - q), n, self.noise(), population, of=type(self).__name__
        )  # fmt: skip

    def counted(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """How many reports of a table support each value, and how many there are."""
        read = self.reports_of(reports)
        return self.support_counts(read), len(read)

    def noise(self) -> PureNoise:
        """What the errors of the shares are like."""
        return PureNoise(*map(float, self.support))


class BitReports(PureRandomizer, register=False):
    """A randomizer whose report has a bit for each value, and supports those that are set."""

    @property
    def report_limits(self) -> Mapping[str, tuple[int, int]]:
        """A bit for each value."""
        return {f"bit_{i + 1}": (0, 1) for i in range(self.k)}

    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each bit is set."""
        return np.asarray(reports.sum(axis=0))

    def counted(self, reports: Any) -> tuple[NDArray[np.int64], int]:
        """Add up columns of bits as they are; anything else goes the long way, which says what is wrong."""
        frame, names = given_frame(reports), list(self.report_limits)
        kinds = dict(zip(frame.columns, frame.dtypes, strict=True))
        if frame.height and all(kinds.get(name) == pl.UInt8 for name in names):
            bits = frame.select(names)
            most, missing = bits.select(pl.all().max().fill_null(2)).row(0), bits.null_count().row(0)
            if max(most) <= 1 and not any(missing):
                return bits.select(pl.all().sum()).to_numpy()[0].astype(np.int64), frame.height
        return super().counted(frame)


# -- parameters --------------------------------------------------------------------------------------------------------
def checked_values(values: Any, *, least: int = 2, what: str = "values") -> tuple[Any, ...]:
    """The values of a question: so many at least, all different, and all of one kind."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Sequence | np.ndarray | pl.Series):
        raise ParameterError(f"{what} must be a list of the answers that there are, got {told(values)}")
    listed = tuple(each.item() if isinstance(each, np.generic) else each for each in values)
    if not least <= len(listed) <= _MOST_VALUES:
        raise ParameterError(f"{what} must be between {least} and {_MOST_VALUES:,} answers, got {len(listed):,}")
    kinds = [_kind(each) for each in listed]
    odd = next((each for each, kind in zip(listed, kinds, strict=True) if not kind or kind != kinds[0]), None)
    if odd is not None or not all(kinds):
        raise ParameterError(
            f"{what} are texts alone, numbers alone (whole ones up to 2**53) or true and false alone, got {told(odd)}"
            f"{f' beside {told(listed[0])}' if kinds[0] and odd is not None and _kind(odd) else ''}"
        )
    if len(set(listed)) < len(listed):
        twice = next(each for i, each in enumerate(listed) if each in listed[:i])
        raise ParameterError(f"each of the {what} stands there once, and {told(twice)} is there twice")
    return listed


def _kind(value: Any) -> str:
    """What a value is: a text, a number that a float keeps exactly, or true or false; nothing for anything else."""
    if isinstance(value, str):
        return "" if _SURROGATE.search(value) else "text"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "number" if abs(value) <= 2**53 else ""
    return "number" if isinstance(value, float) and math.isfinite(value) else ""


def checked_epsilon(epsilon: Any) -> float:
    """An epsilon that thresholds of 53 bits can keep."""
    asked = "a number from 0.00001 to 20"
    return finite("epsilon", epsilon, asked=asked, low=1e-5, high=20.0)


def _column_of(values: tuple[Any, ...]) -> pl.Series:
    """The values as a column: whole numbers as such, numbers of both kinds as floats, which keep them exactly."""
    if isinstance(values[0], (str, bool)) or all(isinstance(each, int) for each in values):
        return pl.Series(list(values))
    return pl.Series([float(each) for each in values], dtype=pl.Float64)


# -- places among the values -------------------------------------------------------------------------------------------
def _check_kind(column: pl.Series, what: str) -> pl.DataType:
    """The kind of a column; refused where its entries cannot be compared with values."""
    kind = column.dtype
    if not kind.is_numeric() and kind not in _COMPARED:
        raise DataError(f"{what} are texts, numbers, or true and false, and the column holds {kind}; convert it first")
    return kind


def _places(column: pl.Series, values: tuple[Any, ...], what: str) -> NDArray[np.int64]:
    """The place of each value of a column; -1 where it is none of them."""
    kind = _check_kind(column, what)
    if isinstance(values[0], (str, bool)):
        return _places_of_texts(_texts(column), [_text(each) for each in values])
    if kind.is_integer():
        return _places_of_integers(column, values)
    if kind == pl.String and (whole := column.cast(pl.Int64, strict=False)).null_count() == column.null_count():
        return _places_of_integers(whole, values)
    if not kind.is_numeric() and kind not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return np.full(len(column), -1)
    texts = column if kind.is_numeric() else column.cast(pl.String)
    return _places_of_floats(texts.cast(pl.Float64, strict=False), values)


def _places_of_texts(column: pl.Series, values: list[str]) -> NDArray[np.int64]:
    return column.cast(pl.Enum(values), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


def _places_of_integers(column: pl.Series, values: tuple[Any, ...]) -> NDArray[np.int64]:
    """The place of each whole number among the values that are whole: exactly, as no number becomes a float."""
    ends = np.iinfo(np.int64)
    known = {int(each): i for i, each in enumerate(values) if each == int(each) and ends.min <= each <= ends.max - 1024}
    if not known:
        return np.full(len(column), -1)
    rising = sorted(known)
    return _found(column.cast(pl.Int64, strict=False), np.array(rising), np.array([known[each] for each in rising]))


def _places_of_floats(column: pl.Series, values: tuple[Any, ...]) -> NDArray[np.int64]:
    """The place of each number among the values as floats, which keep them exactly."""
    numbers = np.array(values, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    return _found(column.fill_nan(None), numbers[order], order)


def _found(column: pl.Series, rising: NDArray[Any], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places that belong to the entries of a column among rising numbers; -1 where it is none of them."""
    given, lacking = column.fill_null(0).to_numpy(), column.is_null().to_numpy()
    at = np.minimum(np.searchsorted(rising, given), len(rising) - 1)
    return np.where((rising[at] == given) & ~lacking, places[at], -1)


def _texts(column: pl.Series) -> pl.Series:
    """A column as texts, numbers without a fraction as whole ones."""
    if column.dtype.is_float():
        return pl.Series([None if each is None else _text(each) for each in column.to_list()], dtype=pl.String)
    return column.cast(pl.String, strict=False)


def _text(value: Any) -> str:
    """A value as it is compared: true and false, and numbers, as polars writes them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
