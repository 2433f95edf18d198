"""Laplace noise on a grid: a two-sided geometric number of steps is added to the answer.

Dwork, McSherry, Nissim & Smith, TCC 2006; on a grid Ghosh, Roughgarden & Sundararajan, STOC 2009. With the bounds R
apart and noise of scale R/epsilon no report is more than e**epsilon times as likely under one answer as under another,
if the answer is clipped to the bounds first. Adding 64-bit floating point noise would not keep that: the gaps between
numbers tell. The noise y has P(y) in proportion to q**|y| with q a little above e**(-epsilon/steps).

Draws for one answer: the geometric number m (`geometric.py`), then one below 2**53 for the side: m steps up, or m + 1
down. The report is cut off 20 scales beyond the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential
from sfumato.collection.randomizers.geometric import Geometric, geometric
from sfumato.collection.randomizers.numbers import EpsilonOnGrid
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.cells import GridNoise
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["LaplaceNoise", "calibrated", "checked_scale", "discrete_laplace_variance"]

SCALES = 20
"""How many scales beyond the bounds reports go: what is cut off moves a mean by e**-20 scales."""
_MOST_SCALE = 1 << 16

Law = TypeVar("Law")


class TwoSided(NamedTuple):
    """The thresholds of the noise, and how far reports go."""

    size: Geometric
    up: int
    """Below it the noise goes up."""
    reach: int


@dataclass(frozen=True)
class LaplaceNoise(EpsilonOnGrid, NoiseRandomizer):
    """Add Laplace noise on a grid of `steps` steps to a number that is clipped to `low` and `high` first.

    Whatever is reported, no answer becomes more than e**`epsilon` times as likely, beside another, as it was before.

    >>> from sfumato import collection
    >>> noise = collection.LaplaceNoise(low=0, high=100, epsilon=1.0)
    >>> noise.privacy
    Privacy(epsilon 1, gamma 2.71828)
    >>> mean = noise.estimate(noise.randomize([20, 30, 40] * 2000, seed=7))
    >>> mean.low < 30 < mean.high
    True
    """

    says: ClassVar[str] = "You report your number with noise added, of a size that is published."

    def __post_init__(self) -> None:
        """Check the bounds, epsilon, and that the noise fits the grid."""
        super().__post_init__()
        checked_scale(self.epsilon, self.steps)

    @property
    def law(self) -> TwoSided:
        """The thresholds that are drawn with."""
        return _law(self.epsilon, self.steps)

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=_gamma(self.law, self.steps))

    @property
    def reach(self) -> int:
        """How many steps beyond the bounds reports go."""
        return self.law.reach

    @cached_property
    def noise(self) -> GridNoise:
        """The law of the noise, in steps."""
        sizes, up = self.law.size.law, self.law.up / WHOLE
        return GridNoise(-len(sizes), np.concatenate([(1.0 - up) * sizes[::-1], up * sizes]))

    @property
    def shipped(self) -> dict[str, Any]:
        """The thresholds, the bounds, the grid and how far reports go."""
        size, up, reach = self.law
        return {
            "kind": "laplace", "low": self.low, "high": self.high, "steps": self.steps, "digits": list(size.digits),
            "again": size.again, "most": size.most, "up": up, "reach": reach,
        }  # fmt: skip

    @property
    def width(self) -> int:
        """A draw for each digit, each period and the side."""
        return len(self.law.size.digits) + self.law.size.most + 1

    def draw_noise(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw how far, and to which side."""
        sizes = self.law.size.draw(n, draws)
        return np.where(draws.are_below(self.law.up, n), sizes, -sizes - 1)

    def interval_width(self, confidence: float = 0.95) -> float:
        """The width of the interval around a report that holds the answer with a `confidence`: no promise."""
        c = finite("confidence", confidence, asked="a probability between 0 and 1", above=0.0, below=1.0)
        return -2.0 * (self.high - self.low) / self.epsilon * math.log1p(-c)

    @property
    def _told_apart(self) -> int:
        """Beyond the bounds every report tells the same, as the law falls by the same factor everywhere."""
        return 0


def discrete_laplace_variance(epsilon: float) -> float:
    """The variance of noise with P(y) in proportion to e**(-epsilon |y|)."""
    q = math.exp(-epsilon)
    return 2.0 * q / (1.0 - q) ** 2


# -- thresholds --------------------------------------------------------------------------------------------------------
@cache
def _law(epsilon: float, steps: int) -> TwoSided:
    def at(spent: Fraction) -> TwoSided:
        rate = spent / steps
        size = geometric(rate, math.ceil(SCALES / rate) + steps)
        q = exponential(-rate)
        return TwoSided(size, round(WHOLE / (1 + q)), size.most * size.period - steps)

    return calibrated(at, lambda law: _gamma(law, steps), epsilon)


def calibrated(made: Callable[[Fraction], Law], gamma_of: Callable[[Law], Fraction], epsilon: float) -> Law:
    """Thresholds for an epsilon, or for one so little less that no more than it is spent after they were rounded."""
    most, exact = exponential(epsilon), Fraction(epsilon)
    for less in (Fraction(0), *(Fraction(1, 10**i) for i in range(13, 2, -1))):
        law = made(exact * (1 - less))
        if gamma_of(law) <= most:
            return law
    raise ParameterError(f"thresholds of 53 bits cannot keep epsilon {epsilon:g} on this grid; take fewer steps")


@cache
def _gamma(law: TwoSided, steps: int) -> Fraction:
    """The amplification, exactly.

    The law of the noise has one peak, at 0, which is seen from its steps. So under a report the likeliest answer is the
    one nearest to it, the least likely one an end of the grid: either all answers lie on one side of the report, or the
    nearest takes no noise at all. What is left are the two ends, where all that is farther out is reported alike.
    """
    size, up, reach = law
    side = Fraction(up, WHOLE - up)
    if side < 1 or any(each > 1 for each in size.steps_down()):
        raise ParameterError("the steps of this grid are too fine for thresholds of 53 bits; take fewer steps")
    return max(
        size.steepest(steps),
        side / size.height(steps - 1),
        size.tail(reach - 1) / size.tail(reach - 1 + steps),
        size.tail(reach) / size.tail(reach + steps),
    )


def checked_scale(epsilon: float, steps: int) -> None:
    """Refuse a grid on which the noise would be very many steps wide."""
    if steps / epsilon > _MOST_SCALE:
        fewer = max(int(_MOST_SCALE * epsilon), 1)
        raise ParameterError(
            f"noise for epsilon {epsilon:g} on {steps:,} steps would be wider than {_MOST_SCALE:,} of them; give "
            f"steps of {fewer:,} at the most, or a larger epsilon"
        )
