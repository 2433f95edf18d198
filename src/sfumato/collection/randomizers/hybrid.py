"""The hybrid mechanism for a mean: by a coin, the piecewise mechanism or Duchi's.

Wang, Xiao, Yang, Zhao, Hui, Shin, Shin & Yu, ICDE 2019. With the piecewise mechanism taken with probability 1 -
e**(-epsilon/2) the variance is the same for all answers and smaller at the worst than that of either, if epsilon is
above 0.6094; below that it is Duchi's mechanism alone. Reports 0 and 1 are Duchi's, the others the piecewise ones.

Draws for one answer: a number below 2**53 for the coin, then all that the piecewise mechanism draws, and Duchi's draw.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential, floor
from sfumato.collection.randomizers.duchi import Duchi, duchi_variance
from sfumato.collection.randomizers.numbers import EpsilonOnGrid
from sfumato.collection.randomizers.piecewise import Piecewise, piecewise_variance
from sfumato.collection.randomizers.privacy import Privacy

__all__ = ["LEAST_MIXED", "Hybrid", "hybrid_variance"]

_ROOT = 405.0 * math.sqrt(241.0)
LEAST_MIXED = math.log((2.0 * (math.cbrt(6353.0 - _ROOT) + math.cbrt(6353.0 + _ROOT)) - 5.0) / 27.0)
"""The epsilon above which both mechanisms are mixed."""


@dataclass(frozen=True)
class Hybrid(EpsilonOnGrid):
    """Report by the piecewise mechanism or by Duchi's, for one mean of numbers from `low` to `high`.

    Whatever is reported, no answer becomes more than e**`epsilon` times as likely, beside another, as it was before.
    The grid has `steps` steps.

    >>> from sfumato import collection
    >>> round(collection.Hybrid(low=-1, high=1, epsilon=2.0).worst_variance, 3)
    1.042
    """

    says: ClassVar[str] = "By a coin, you report a number near your own or one of two numbers, by published chances."

    @cached_property
    def parts(self) -> tuple[Piecewise, Duchi]:
        """The two mechanisms."""
        given = (self.low, self.high, self.epsilon, self.steps)
        return Piecewise(*given), Duchi(*given)

    @property
    def coin(self) -> int:
        """The threshold of the piecewise mechanism."""
        return floor(1 - exponential(-self.epsilon / 2.0)) if self.epsilon > LEAST_MIXED else 0

    @property
    def privacy(self) -> Privacy:
        """What a report promises: which mechanism was taken can be seen, and does not depend on the answer."""
        gammas = [part.privacy.gamma for part in self.parts]
        return Privacy(gamma=max(each for each in gammas[0 if self.coin else 1 :] if each is not None))

    @property
    def ends(self) -> tuple[int, int]:
        """Duchi's two reports, and the piecewise ones."""
        return 0, 1 + (self.parts[0].n_reports if self.coin else 0)

    @property
    def shipped(self) -> dict[str, Any]:
        """The coin, and both mechanisms."""
        piecewise, duchi = (part.shipped for part in self.parts)
        return {"kind": "hybrid", "coin": self.coin, "piecewise": piecewise, "duchi": duchi}

    @property
    def width(self) -> int:
        """Five draws for an answer."""
        return 5

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Throw the coin, and draw by both mechanisms."""
        is_piecewise = draws.are_below(self.coin, len(codes))[:, None]
        piecewise, duchi = (part.draw(codes, draws) for part in self.parts)
        return np.where(is_piecewise, piecewise + 2, duchi)

    def centred(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        """Reports on the scale from -1 to 1, each by its mechanism."""
        piecewise, duchi = self.parts
        return np.where(reports < 2, duchi.centred(reports), piecewise.centred(reports - 2))

    @property
    def variances(self) -> tuple[float, float]:
        """Both are unbiased, so that their variances are mixed as they are."""
        often = self.coin / WHOLE
        (a, b), (c, d) = (part.variances for part in self.parts)
        return often * a + (1.0 - often) * c, often * b + (1.0 - often) * d


def hybrid_variance(epsilon: float, u: float) -> float:
    """The variance of a report on the scale from -1 to 1, without a grid."""
    often = -math.expm1(-epsilon / 2.0) if epsilon > LEAST_MIXED else 0.0
    return often * piecewise_variance(epsilon, u) + (1.0 - often) * duchi_variance(epsilon, u)
