"""Randomizers of numbers: the answer is clipped to bounds that everybody knows and put on a grid, and so is the report.

Floating point differs between machines, and rounding breaks what noise promises; so an answer becomes one of `steps` +
1 grid points (the nearest), a report is a whole number, and a public affine map turns it into a value. Clipping and the
grid are part of the question: what is estimated is the mean of the answers so clipped and rounded.

In this file and beside it u is the answer on the scale from -1 to 1, on which the papers state variances.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.given import given_column
from sfumato.collection.randomizers.categories import checked_epsilon
from sfumato.collection.randomizers.randomizer import Randomizer
from sfumato.collection.reconstruction.shares import Z95, Population, known_population
from sfumato.contracts.answer import Answer
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import finite, is_number, told, whole

__all__ = ["EpsilonOnGrid", "NumberRandomizer", "checked_bounds", "exact"]

_MOST_STEPS = 10_000
_HALVINGS = 60
_LEAST_WIDTH = 1e-60
"""How far bounds are apart at least, so that fourth moments are numbers; the inverse is the most."""


class NumberRandomizer(Randomizer, register=False):
    """A randomizer of numbers from `low` to `high`, on a grid of `steps` steps."""

    low: float
    high: float
    steps: int

    @property
    def unit(self) -> float:
        """The distance of two grid points."""
        return (self.high - self.low) / self.steps

    # -- at the respondent ---------------------------------------------------------------------------------------------
    def codes_of(self, answers: Any) -> NDArray[np.int64]:
        """The grid point nearest to each answer, after clipping to the bounds."""
        column = given_column(answers, "answers")
        if not column.dtype.is_numeric() and column.dtype != pl.Null:
            raise DataError(f"answers are numbers, got a column of {column.dtype}")
        numbers = column.cast(pl.Float64)
        lacking = (numbers.is_null() | numbers.is_nan()).fill_null(value=True)
        if lacking.any():
            row = int(lacking.arg_max() or 0)
            raise DataError(f"answer {row + 1} is {told(column[row])}, and not a number; leave it out, or ask again")
        clipped = np.clip(numbers.to_numpy(), self.low, self.high)
        return np.asarray(np.floor((clipped - self.low) / (self.high - self.low) * self.steps + 0.5), dtype=np.int64)

    def points(self) -> NDArray[np.float64]:
        """The values of the grid points."""
        return np.asarray(self.low + np.arange(self.steps + 1) * self.unit, dtype=np.float64)

    # -- reports -------------------------------------------------------------------------------------------------------
    def reports_of(self, frame: Any) -> NDArray[np.int64]:
        """Reports as whole numbers, from a table or a column of them."""
        is_column = isinstance(frame, (pl.Series, np.ndarray, list, tuple))
        return super().reports_of(pl.DataFrame({"report": given_column(frame, "reports")}) if is_column else frame)

    @property
    def report_limits(self) -> Mapping[str, tuple[int, int]]:
        """The least and the largest report."""
        return {"report": self.ends}

    @property
    @abstractmethod
    def ends(self) -> tuple[int, int]:
        """The least and the largest report."""

    @abstractmethod
    def centred(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        """Reports on the scale of u, on which their mean is that of the answers."""

    def values_of(self, reports: Any) -> NDArray[np.float64]:
        """The number that each report stands for; their mean is that of the answers, each by itself may be far off."""
        return self._values(self.reports_of(reports)[:, 0])

    def _values(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        middle, half = (self.low + self.high) / 2.0, (self.high - self.low) / 2.0
        return middle + half * self.centred(reports)

    # -- the mean ------------------------------------------------------------------------------------------------------
    @property
    @abstractmethod
    def variances(self) -> tuple[float, float]:
        """The variance of one report on the scale of u, as it is drawn: (a, b) for a + b u**2."""

    def variance_at(self, answer: float) -> float:
        """The variance of the value of a report, where `answer` is the true number."""
        half = (self.high - self.low) / 2.0
        finite("answer", answer, asked="a number")
        u = min(max((answer - self.low) / half - 1.0, -1.0), 1.0)
        fixed, square = self.variances
        return (fixed + square * u * u) * half * half

    @property
    def worst_variance(self) -> float:
        """The largest variance of the value of a report, over all answers."""
        fixed, square = self.variances
        return (fixed + max(square, 0.0)) * ((self.high - self.low) / 2.0) ** 2

    def estimate(self, reports: Any, *, population: Population = "fixed") -> Answer:
        """The mean of the answers, clipped and on the grid: the plain mean of the values of the `reports`, unbiased.

        The interval has every mean that is no farther off than 1.96 standard errors, were it the true one: from the
        variance that the randomizer is known to have, with the mean square of the answers estimated where reports tell
        it, and else taken at its worst. `population="fixed"` speaks of those who answered; `"sampled"` of all whom they
        were drawn from at random.
        """
        known_population(population)
        read = self.checked_reports(reports)
        n = len(read)
        centred = self.centred(read)
        mean = float(centred.mean())
        square = float(np.square(centred).mean())

        def error_at(true: float) -> float:
            return float(np.sqrt(max(self._variance_of_mean(true, square, population), 0.0) / n))

        half, middle = (self.high - self.low) / 2.0, (self.low + self.high) / 2.0
        low, high = (middle + half * end for end in _score_ends(mean, error_at, self._half_a_count / n))
        return Answer("mean", middle + half * mean, low, high, False, half * error_at(mean), n, n)

    @property
    def _half_a_count(self) -> float:
        """Half of the distance of two sums of reports on the scale of u, where it is wide; else 0."""
        return 0.0

    def _variance_of_mean(self, mean: float, square: float, population: str) -> float:
        """The variance of the mean of reports on the scale of u, times their number, where `mean` is the true one."""
        fixed, slope = self.variances
        least = min(mean * mean, 1.0)
        is_told = slope > -1.0 + 1e-9  # Duchi's reports do not tell the mean square
        squares = min(max((square - fixed) / (1.0 + slope), least), 1.0) if is_told else least
        spread = fixed + slope * squares
        return spread + (squares - least if population == "sampled" else 0.0)

    def checked_reports(self, reports: Any) -> NDArray[np.int64]:
        """Reports as one column of whole numbers, of which there must be one."""
        read = self.reports_of(reports)[:, 0]
        if not len(read):
            raise DataError("there are no reports, so that nothing can be estimated")
        return read


def _score_ends(mean: float, error_at: Callable[[float], float], slack: float) -> tuple[float, float]:
    """The least and the largest mean from -1 to 1 that is within 1.96 of its own standard errors, and a slack."""

    def last_towards(end: float) -> float:
        near = min(max(mean, -1.0), 1.0)
        for _ in range(_HALVINGS):
            tried = (near + end) / 2.0
            near, end = (tried, end) if abs(mean - tried) <= Z95 * error_at(tried) + slack else (near, tried)
        return end

    return last_towards(-1.0), last_towards(1.0)


@dataclass(frozen=True)
class EpsilonOnGrid(NumberRandomizer, register=False):
    """A randomizer of numbers from `low` to `high`, on a grid of `steps` steps, that keeps `epsilon`."""

    low: float
    high: float
    epsilon: float
    steps: int = 200

    def __post_init__(self) -> None:
        """Check the bounds, the grid and epsilon."""
        checked_bounds(self.low, self.high, self.steps)
        checked_epsilon(self.epsilon)


# -- parameters --------------------------------------------------------------------------------------------------------
def checked_bounds(low: Any, high: Any, steps: Any) -> tuple[float, float, int]:
    """The bounds that everybody knows, and the steps between them."""
    least = finite("low", low, asked="a number, the least answer that there can be")
    most = finite("high", high, asked="a number, the largest answer that there can be")
    if not least < most or not is_number(most - least) or not (most - least) / abs(max(-least, most)) > 1e-9:
        raise ParameterError(f"low must be below high, and not by a hair of them, got {told(low)} and {told(high)}")
    if not _LEAST_WIDTH <= most - least <= 1.0 / _LEAST_WIDTH:
        raise ParameterError(
            f"low and high must be between {_LEAST_WIDTH:g} and {1.0 / _LEAST_WIDTH:g} apart, got {told(low)} and "
            f"{told(high)}; give answers in another unit"
        )
    if whole("steps", steps, least=1) > _MOST_STEPS:
        raise ParameterError(f"steps must be {_MOST_STEPS:,} at the most, got {steps:,}")
    return least, most, steps


def exact(value: float) -> Fraction:
    """A parameter as the decimal that was written."""
    return Fraction(repr(float(value)))


def checked_level(low: float, high: float, level: float, confidence: float) -> float:
    """The width of an interval that is so many times as wide as the bounds are apart."""
    checked_bounds(low, high, 1)
    finite("confidence", confidence, asked="a probability between 0 and 1", above=0.0, below=1.0)
    return finite("level", level, asked="a number above 0, 1 for an interval as wide as the bounds", above=0.0) * (
        high - low
    )
