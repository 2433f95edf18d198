"""Warner's randomized response: answer a yes-or-no question truly with a known probability, else the opposite.

Warner, "Randomized response: a survey technique for eliminating evasive answer bias", JASA 60(309), 1965. With p = 1/2
reports would tell nothing at all, and are refused.

Draws for one answer: a number below 2**53.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import OneValueReports, PureRandomizer, Support, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, floor
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["Warner"]


@dataclass(frozen=True)
class Warner(OneValueReports, PureRandomizer):
    """Answer truly with probability `truth`, else the opposite; `values` are the two answers.

    >>> from sfumato import collection
    >>> collection.Warner(truth=0.75).privacy
    Privacy(epsilon 1.09861, gamma 3)
    """

    says: ClassVar[str] = "You report your answer or, by a throw that nobody sees, the opposite."

    truth: float = 0.75
    values: tuple[Any, ...] = ("yes", "no")

    def __post_init__(self) -> None:
        """Check the probability and the two values."""
        object.__setattr__(self, "values", checked_values(self.values))
        if self.k != 2:
            raise ParameterError(f"Warner asks for one of two values, got {self.k}; KaryResponse takes more")
        finite("truth", self.truth, asked="a probability between 0 and 1", above=0.0, below=1.0)
        if not 0 < self.stays < WHOLE:
            raise ParameterError(f"truth must not be so near to 0 or 1 that 53 bits do not tell, got {self.truth}")
        if self.stays * 2 == WHOLE:
            raise ParameterError("truth=0.5 makes every report a throw of a coin, from which nothing can be learnt")

    @property
    def stays(self) -> int:
        """The threshold below which the answer is true."""
        return floor(Fraction(repr(float(self.truth))))

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        more, less = max(self.stays, WHOLE - self.stays), min(self.stays, WHOLE - self.stays)
        return Privacy(gamma=Fraction(more, less))

    @property
    def support(self) -> Support:
        """A report supports the value that it names."""
        stays = Fraction(self.stays, WHOLE)
        return Support(stays, 1 - stays, Fraction(0), Fraction(0))

    @property
    def shipped(self) -> dict[str, Any]:
        """The threshold and the values."""
        return {"kind": "warner", "stays": self.stays, "values": list(self.values)}

    @property
    def width(self) -> int:
        """One draw for an answer."""
        return 1

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw whether each answer stays."""
        return np.where(draws.are_below(self.stays, len(codes)), codes, 1 - codes)[:, None]
