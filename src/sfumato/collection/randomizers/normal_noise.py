"""Normal noise on a grid: a number of steps with a bell-shaped law is added to the answer.

Agrawal & Srikant, "Privacy-preserving data mining", SIGMOD 2000. It promises no epsilon: far out, one answer is any
number of times as likely as another. P(y) is in proportion to e**(-(y unit)**2/(2 sd**2)), up to 7 standard deviations.

Draws for one answer: a number below 2**53, looked up in the sums of the law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.randomizers.draws import WHOLE, Draws
from sfumato.collection.randomizers.numbers import checked_bounds, checked_level
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.cells import GridNoise
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["NormalNoise"]

_DEVIATIONS = 7
_LEAST_STEPS = 0.5
_MOST_STEPS = 300


@dataclass(frozen=True)
class NormalNoise(NoiseRandomizer):
    """Add normal noise of standard deviation `sd` to a number from `low` to `high`, on a grid of `steps` steps.

    It promises nothing by itself. `NormalNoise.of_level` makes it by the papers' privacy level.

    >>> from sfumato import collection
    >>> noise = collection.NormalNoise(low=0, high=100, sd=25)
    >>> noise.privacy
    Privacy(nothing is promised: far out, one answer is any number of times as likely as another)
    >>> round(noise.interval_width(0.95), 3)
    97.998
    """

    says: ClassVar[str] = "You report your number with noise added, of a size that is published."

    low: float
    high: float
    sd: float
    steps: int = 200

    def __post_init__(self) -> None:
        """Check the bounds, the grid and the standard deviation."""
        checked_bounds(self.low, self.high, self.steps)
        finite("sd", self.sd, asked="a number above 0", above=0.0)
        if not _LEAST_STEPS <= self.sd / self.unit <= _MOST_STEPS:
            raise ParameterError(
                f"sd must be between {_LEAST_STEPS:g} and {_MOST_STEPS} steps of {self.unit:g}, got {self.sd:g}; give "
                f"{'more' if self.sd < self.unit else 'fewer'} steps"
            )

    @classmethod
    def of_level(
        cls, *, low: float, high: float, level: float, confidence: float = 0.95, steps: int = 200
    ) -> NormalNoise:
        """Noise whose interval at a `confidence` is `level` times as wide as the bounds `low` and `high` are apart."""
        width = checked_level(low, high, level, confidence)
        deviations = float(ndtri((1.0 + confidence) / 2.0))
        if not deviations > 0.0:
            raise ParameterError(f"confidence must be so far above 0 that an interval has a width, got {confidence:g}")
        return cls(low, high, width / (2.0 * deviations), steps)

    @property
    def reach(self) -> int:
        """How many steps beyond the bounds reports go: all that can be drawn."""
        return math.ceil(_DEVIATIONS * self.sd / self.unit)

    @property
    def privacy(self) -> Privacy:
        """What a report promises: nothing."""
        why = "far out, one answer is any number of times as likely as another"
        return Privacy(gamma=None, why_none=why)

    @property
    def sums(self) -> NDArray[np.int64]:
        """The sums of the law as whole numbers over 2**53."""
        return np.cumsum(np.array(_weights(self.sd / self.unit, self.reach), dtype=np.int64))

    @cached_property
    def noise(self) -> GridNoise:
        """The law of the noise, in steps."""
        return GridNoise(-self.reach, np.array(_weights(self.sd / self.unit, self.reach)) / WHOLE)

    @property
    def shipped(self) -> dict[str, Any]:
        """The sums of the law, the bounds and the grid."""
        return {
            "kind": "normal", "low": self.low, "high": self.high, "steps": self.steps, "reach": self.reach,
            "sums": self.sums.tolist(),
        }  # fmt: skip

    @property
    def width(self) -> int:
        """One draw for an answer."""
        return 1

    def draw_noise(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw a place in the law."""
        sums = self.sums
        return draws.places(np.broadcast_to(sums, (n, len(sums)))) - self.reach

    def interval_width(self, confidence: float = 0.95) -> float:
        """The width of the interval around a report that holds the answer with a `confidence`: no promise."""
        c = finite("confidence", confidence, asked="a probability between 0 and 1", above=0.0, below=1.0)
        return 2.0 * self.sd * float(ndtri((1.0 + c) / 2.0))


@cache
def _weights(sd: float, reach: int) -> list[int]:
    """The law as whole numbers that sum to 2**53, the same on both sides."""
    heights = [Fraction(math.exp(-0.5 * (y / sd) ** 2)) for y in range(reach + 1)]
    total = 2 * sum(heights) - heights[0]
    one_side = [int(each / total * WHOLE) for each in heights[1:]]
    return [*one_side[::-1], WHOLE - 2 * sum(one_side), *one_side]
