"""k-ary randomized response: the true answer with probability p, else any other, all alike.

Warner, JASA 60(309), 1965, for two values; Kairouz, Oh & Viswanath, NIPS 2014, for k. With p = e/(e + k - 1) and
e = e**epsilon, no matrix with the same amplification is better conditioned. Reports are short; from about ten values
on others are more exact (`best_response`).

Draws for one answer: a number below 2**53, and which of the k - 1 other values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import (
    OneValueReports,
    PureRandomizer,
    Support,
    checked_epsilon,
    checked_values,
)
from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential, floor
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.water_filling import likeliest_shares
from sfumato.ground.errors import DataError

__all__ = ["KaryResponse", "draw_kary"]


@dataclass(frozen=True)
class KaryResponse(OneValueReports, PureRandomizer):
    """Answer truly with a probability that is set by `epsilon`, and else with any other of the `values`, all alike.

    >>> from sfumato import collection
    >>> asked = collection.KaryResponse(values=["a", "b", "c"], epsilon=1.0)
    >>> asked.privacy
    Privacy(epsilon 1, gamma 2.71828)
    >>> asked.randomize(["a", "b"], seed=1).columns
    ['answer']
    """

    says: ClassVar[str] = "You report your answer, or at random another one of the list."

    values: tuple[Any, ...]
    epsilon: float

    def __post_init__(self) -> None:
        """Check the values and epsilon."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_epsilon(self.epsilon)

    @property
    def stays(self) -> int:
        """The threshold below which the answer is reported as it is."""
        e = exponential(self.epsilon)
        return floor(e / (e + self.k - 1))

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=Fraction(self.stays * (self.k - 1), WHOLE - self.stays))

    @property
    def support(self) -> Support:
        """A report supports the value that it names."""
        stays = Fraction(self.stays, WHOLE)
        return Support(stays, (1 - stays) / (self.k - 1), Fraction(0), Fraction(0))

    @property
    def shipped(self) -> dict[str, Any]:
        """The threshold and the values."""
        return {"kind": "kary", "stays": self.stays, "values": list(self.values)}

    @property
    def width(self) -> int:
        """Two draws for an answer."""
        return 2

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw whether each answer stays, and what it becomes otherwise."""
        return draw_kary(codes, self.stays, self.k, draws)[:, None]

    def likeliest(self, reports: Any) -> dict[Any, float]:
        """The distribution of the answers that makes the reports likeliest: to be shown, as `distribution` is."""
        counts, n = self.counted(reports)
        if not n:
            raise DataError("there are no reports, so that nothing can be estimated")
        shares = likeliest_shares(counts / n, float(self.support.mine), float(self.support.other))
        return dict(zip(self.values, shares.tolist(), strict=True))


def draw_kary(codes: NDArray[np.int64], stays: int, k: int, draws: Draws) -> NDArray[np.int64]:
    """Leave each code as it is if a draw is below `stays`, else make it any other below k."""
    kept = draws.are_below(stays, len(codes))
    others = draws.integers(k - 1, len(codes))
    return np.where(kept, codes, others + (others >= codes))
