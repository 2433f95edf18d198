"""Uniform noise: any number of steps up to a margin, all alike, is added to the answer.

Agrawal & Srikant, "Privacy-preserving data mining", SIGMOD 2000. It promises nothing by itself: a report rules out
every answer farther away than the margin, and near the bounds it may leave a single one.

Draws for one answer: a whole number below twice the margin in steps, plus 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.additive import NoiseRandomizer
from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.numbers import checked_bounds, checked_level
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.cells import GridNoise
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["UniformNoise"]

_MOST_MARGIN = 1 << 20


@dataclass(frozen=True)
class UniformNoise(NoiseRandomizer):
    """Add uniform noise from -`margin` to `margin` to a number from `low` to `high`, on a grid of `steps` steps.

    It promises nothing by itself. `UniformNoise.of_level` makes it by the papers' privacy level.

    >>> from sfumato import collection
    >>> noise = collection.UniformNoise(low=0, high=100, margin=50)
    >>> noise.privacy
    Privacy(nothing is promised: a report rules out every answer that is farther away than the noise goes)
    >>> collection.UniformNoise.of_level(low=0, high=100, level=0.95).margin
    50.0
    """

    says: ClassVar[str] = "You report your number with noise added, of a size that is published."

    low: float
    high: float
    margin: float
    steps: int = 200

    def __post_init__(self) -> None:
        """Check the bounds, the grid and the margin."""
        checked_bounds(self.low, self.high, self.steps)
        finite("margin", self.margin, asked="a number above 0", above=0.0)
        if not 1 <= self.margin / self.unit + 0.5 <= _MOST_MARGIN:
            raise ParameterError(
                f"margin must be between one step and {_MOST_MARGIN:,} steps of {self.unit:g}, got {self.margin:g}"
            )

    @classmethod
    def of_level(
        cls, *, low: float, high: float, level: float, confidence: float = 0.95, steps: int = 200
    ) -> UniformNoise:
        """Noise whose interval at a `confidence` is `level` times as wide as the bounds `low` and `high` are apart."""
        width = checked_level(low, high, level, confidence)
        return cls(low, high, width / (2.0 * confidence), steps)

    @property
    def reach(self) -> int:
        """How many steps beyond the bounds reports go: all that can be drawn."""
        return int(self.margin / self.unit + 0.5)

    @property
    def privacy(self) -> Privacy:
        """What a report promises: nothing."""
        why = "a report rules out every answer that is farther away than the noise goes"
        return Privacy(gamma=None, why_none=why)

    @cached_property
    def noise(self) -> GridNoise:
        """The law of the noise, in steps."""
        size = 2 * self.reach + 1
        return GridNoise(-self.reach, np.full(size, 1.0 / size))

    @property
    def shipped(self) -> dict[str, Any]:
        """The bounds, the grid and the margin in steps."""
        return {"kind": "uniform", "low": self.low, "high": self.high, "steps": self.steps, "reach": self.reach}

    @property
    def width(self) -> int:
        """One draw for an answer."""
        return 1

    def draw_noise(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw any number of steps up to the margin."""
        return draws.integers(2 * self.reach + 1, n) - self.reach

    def interval_width(self, confidence: float = 0.95) -> float:
        """The width of the interval around a report that holds the answer with a `confidence`: no promise."""
        c = finite("confidence", confidence, asked="a probability between 0 and 1", above=0.0, below=1.0)
        return 2.0 * self.margin * c
