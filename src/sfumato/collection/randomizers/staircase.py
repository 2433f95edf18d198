"""Staircase noise: a law that falls in steps, with the smallest variance of all additive noise for an epsilon.

Geng & Viswanath, IEEE Trans. Information Theory 62(2), 2016. With D the distance of the bounds the law falls by
e**-epsilon from each stretch of length D to the next, and within each stretch once more, after a share g of it; g is
chosen for the variance (another one is best for the mean distance). On the grid D is `steps` cells, of which the first
g D are high; noise of cell m goes m steps up or m + 1 down, so that half a step is added to what reports stand for.

Draws for one answer: the geometric number of stretches, a number below 2**53 for the part of the stretch, a whole
number for the place in the high part and one in the low part (where there is one), and a number for the side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential
from sfumato.collection.randomizers.geometric import Geometric, geometric
from sfumato.collection.randomizers.laplace_noise import SCALES, calibrated, checked_scale
from sfumato.collection.randomizers.numbers import EpsilonOnGrid
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.cells import GridNoise
from sfumato.ground.validate import finite

__all__ = ["Staircase", "split_for_distance", "split_for_variance", "staircase_distance", "staircase_variance"]


class Stairs(NamedTuple):
    """The thresholds of the noise."""

    stretches: Geometric
    high: int
    """Below which draw the high part of a stretch is taken."""
    n_high: int
    """How many cells it has."""


@dataclass(frozen=True)
class Staircase(EpsilonOnGrid, NoiseRandomizer):
    """Add staircase noise to a number that is clipped to `low` and `high` first, on a grid of `steps` steps.

    Whatever is reported, no answer becomes more than e**`epsilon` times as likely, beside another, as it was before.

    >>> from sfumato import collection
    >>> asked = collection.Staircase(low=0, high=1, epsilon=4.0)
    >>> asked.worst_variance < collection.LaplaceNoise(low=0, high=1, epsilon=4.0).worst_variance
    True
    """

    says: ClassVar[str] = "You report your number with noise added, of a size that is published."

    def __post_init__(self) -> None:
        """Check the bounds, epsilon, and that the noise fits the grid."""
        super().__post_init__()
        checked_scale(self.epsilon, self.steps)

    @property
    def law(self) -> Stairs:
        """The thresholds that are drawn with."""
        return _law(self.epsilon, self.steps)

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=_gamma(self.law, self.steps))

    @property
    def _last(self) -> int:
        """The last stretch before the law is cut off."""
        return self.law.stretches.most * self.law.stretches.period - 1

    @property
    def reach(self) -> int:
        """How many steps beyond the bounds reports go."""
        return self._last * self.steps + 1

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest report: as far on both sides, half a step off."""
        return -self.reach, self.steps + self.reach - 1

    @cached_property
    def noise(self) -> GridNoise:
        """The law of the noise, in steps."""
        stretches, high, n_high = self.law
        often, n_low = high / WHOLE, self.steps - n_high
        stretch = np.concatenate([np.full(n_high, often / n_high), np.full(n_low, (1.0 - often) / max(n_low, 1))])
        side = np.outer(stretches.law, stretch).ravel() / 2.0
        return GridNoise(-len(side), np.concatenate([side[::-1], side]), 0.5)

    @property
    def shipped(self) -> dict[str, Any]:
        """The thresholds, the bounds, the grid and how far reports go."""
        stretches, high, n_high = self.law
        return {
            "kind": "staircase", "low": self.low, "high": self.high, "steps": self.steps,
            "digits": list(stretches.digits), "again": stretches.again, "most": stretches.most, "part": high,
            "n_high": n_high, "reach": self.reach,
        }  # fmt: skip

    @property
    def width(self) -> int:
        """Draws for the stretch, the part, two places and the side."""
        return len(self.law.stretches.digits) + self.law.stretches.most + 4

    def draw_noise(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw the stretch, the part of it, the place in that, and the side."""
        stretches, high, n_high = self.law
        sizes = stretches.draw(n, draws) * self.steps
        is_high = draws.are_below(high, n)
        places = draws.integers(n_high, n)
        if n_high < self.steps:
            places = np.where(is_high, places, n_high + draws.integers(self.steps - n_high, n))
        sizes += places
        return np.where(draws.are_below(WHOLE // 2, n), sizes, -sizes - 1)

    def interval_width(self, confidence: float = 0.95) -> float:
        """The width of the interval around a report that holds the answer with a `confidence`: no promise."""
        c = finite("confidence", confidence, asked="a probability between 0 and 1", above=0.0, below=1.0)
        side = self.noise.chances[len(self.noise.chances) // 2 :] * 2.0
        sums = np.concatenate([[0.0], np.cumsum(side)])
        return 2.0 * self.unit * float(np.interp(c, sums, np.arange(len(sums))))


# -- without a grid ----------------------------------------------------------------------------------------------------
def split_for_distance(epsilon: float) -> float:
    """The share g of a stretch that is high, best for the mean distance of the noise from 0."""
    return 1.0 / (1.0 + math.exp(epsilon / 2.0))


def split_for_variance(epsilon: float) -> float:
    """The share g of a stretch that is high, best for the variance."""
    b = math.exp(-epsilon)
    return -b / (1.0 - b) + math.cbrt(b * (1.0 - b) ** 2 * (1.0 - b * b) / 2.0) / (1.0 - b) ** 2


def staircase_distance(epsilon: float, apart: float = 1.0) -> float:
    """The mean distance of the noise from 0 where g is best for it."""
    return apart * math.exp(epsilon / 2.0) / math.expm1(epsilon)


def staircase_variance(epsilon: float, apart: float = 1.0) -> float:
    """The variance of the noise where g is best for it."""
    b = math.exp(-epsilon)
    return apart * apart * (math.cbrt(b * b * (1.0 + b) ** 2 / 4.0) + b) / (1.0 - b) ** 2


# -- thresholds --------------------------------------------------------------------------------------------------------
@cache
def _law(epsilon: float, steps: int) -> Stairs:
    n_high = min(max(round(split_for_variance(epsilon) * steps), 1), steps)

    def at(spent: Fraction) -> Stairs:
        stretches = geometric(spent, math.ceil(SCALES / spent) + 1)
        b = exponential(-spent)
        return Stairs(stretches, round(WHOLE * n_high / (n_high + b * (steps - n_high))), n_high)

    return calibrated(at, lambda law: _gamma(law, steps), epsilon)


@cache
def _gamma(law: Stairs, steps: int) -> Fraction:
    """The amplification, exactly: under a report answers lie in a stretch and the next, in three of their parts.

    These are high, low and the next high, or low, high and low. At the ends all that is farther out is reported alike.
    """
    stretches, high, n_high = law
    steps_down = list(stretches.steps_down())
    last = stretches.most * stretches.period - 1
    ratios = [max(each, 1 / each) for each in steps_down] + [stretches.tail(last) / stretches.tail(last + 1)]
    if n_high < steps:
        drop = Fraction(high * (steps - n_high), (WHOLE - high) * n_high)
        ratios += [drop, 1 / drop]
        ratios += [max(drop * each, 1 / (drop * each)) for each in steps_down]
    return max(ratios)
