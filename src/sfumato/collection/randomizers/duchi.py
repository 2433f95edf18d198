"""Duchi's mechanism for a mean: one of two numbers beyond the bounds is reported, the upper one more often for more.

Duchi, Jordan & Wainwright, JASA 113(521), 2018. On the scale from -1 to 1 the report is -C or C with C = (e + 1)/(e -
1), e = e**epsilon, and C has probability 1/2 + u/(2 C): unbiased, of variance C**2 - u**2. The thresholds rise by the
same whole number with every grid point, so that it is unbiased exactly.

Draws for one answer: a number below 2**53.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import WHOLE, Draws, ceiling, exponential
from sfumato.collection.randomizers.numbers import EpsilonOnGrid
from sfumato.collection.randomizers.privacy import Privacy

__all__ = ["Duchi", "duchi_reach", "duchi_variance"]


class _Thresholds(NamedTuple):
    """Below which draw the upper number is reported: `first` at the lowest grid point, `rise` more at each next one."""

    first: int
    rise: int


@dataclass(frozen=True)
class Duchi(EpsilonOnGrid):
    """Report one of two numbers, by chances that depend on a number from `low` to `high`, for one mean.

    Whatever is reported, no answer becomes more than e**`epsilon` times as likely, beside another, as it was before.
    The grid has `steps` steps.

    >>> from sfumato import collection
    >>> asked = collection.Duchi(low=0, high=10, epsilon=1.0)
    >>> asked.values_of([0, 1]).round(3).tolist()
    [-5.82, 15.82]
    """

    says: ClassVar[str] = "You report one of two numbers; a larger answer makes the larger of them likelier."

    @property
    def thresholds(self) -> _Thresholds:
        """The threshold of the lowest grid point, and how much more each next one has."""
        return _thresholds(self.epsilon, self.steps)

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        first = self.thresholds.first
        return Privacy(gamma=Fraction(WHOLE - first, first))

    @property
    def ends(self) -> tuple[int, int]:
        """The lower number is 0, the upper one 1."""
        return 0, 1

    @property
    def shipped(self) -> dict[str, Any]:
        """The thresholds, the bounds and the grid."""
        return {"kind": "duchi", "low": self.low, "high": self.high, "steps": self.steps, **self.thresholds._asdict()}

    @property
    def width(self) -> int:
        """One draw for an answer."""
        return 1

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw one of the two numbers."""
        first, rise = self.thresholds
        return draws.are_below(first + rise * codes, len(codes)).astype(np.int64)[:, None]

    def centred(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        """-C or C."""
        return np.asarray((2.0 * reports - 1.0) * self._reach)

    @property
    def variances(self) -> tuple[float, float]:
        """C**2 - u**2."""
        return self._reach**2, -1.0

    @property
    def _half_a_count(self) -> float:
        return self._reach

    @property
    def _reach(self) -> float:
        """C as it is drawn with."""
        return WHOLE / (self.thresholds.rise * self.steps)


def duchi_reach(epsilon: float) -> float:
    """C, the larger of the two numbers on the scale from -1 to 1."""
    return 1.0 / math.tanh(epsilon / 2.0)


def duchi_variance(epsilon: float, u: float) -> float:
    """The variance of a report on the scale from -1 to 1."""
    return duchi_reach(epsilon) ** 2 - u * u


@cache
def _thresholds(epsilon: float, steps: int) -> _Thresholds:
    least = ceiling(1 / (exponential(epsilon) + 1))
    rise = (WHOLE - 2 * least) // steps
    rise -= rise * steps % 2  # what is left is shared by both ends
    return _Thresholds((WHOLE - rise * steps) // 2, rise)
