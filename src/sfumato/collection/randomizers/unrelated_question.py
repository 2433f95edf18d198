"""The unrelated question: by a throw that nobody sees, answer the question that matters, or a harmless one.

Greenberg, Abul-Ela, Simmons & Horvitz, JASA 64(326), 1969. The share of yes to the harmless question is known (born in
an even month), or is estimated beside the other from two samples with different throws (`unrelated_from_two_samples`).
The two reports do not tell the same: yes may tell much more than no.

Draws for one answer: a number below 2**53 for the question, and one for the answer to the harmless one. Where people
answer that one from their own life, they draw it by having been born.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import OneValueReports, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, floor
from sfumato.collection.randomizers.matrix_response import MatrixReports
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.contracts.answer import Answer
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import any_whole, finite, told

__all__ = ["UnrelatedQuestion", "unrelated_from_two_samples"]

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class UnrelatedQuestion(OneValueReports, MatrixReports):
    """Answer the question with probability `asked`, else a harmless one that a known share says yes to (`unrelated`).

    `values` are yes and no, in this order.

    >>> from sfumato import collection
    >>> collection.UnrelatedQuestion(asked=0.7, unrelated=0.2).privacy
    Privacy(epsilon 2.53897, gamma 12.6667)
    """

    says: ClassVar[str] = "By a throw that nobody sees, you answer this question or a harmless one."

    asked: float = 0.7
    unrelated: float = 0.5
    values: tuple[Any, ...] = ("yes", "no")

    def __post_init__(self) -> None:
        """Check the probabilities and the two values."""
        object.__setattr__(self, "values", checked_values(self.values))
        if self.k != 2:
            raise ParameterError(f"UnrelatedQuestion asks for yes or no, got {self.k} values")
        finite("asked", self.asked, asked="a probability from 0.000001 to 1", low=1e-6, high=1.0)
        finite("unrelated", self.unrelated, asked="a probability from 0 to 1", low=0.0, high=1.0)

    @property
    def thresholds(self) -> tuple[int, int]:
        """Below which draw the question is answered, and below which the harmless one has a yes."""
        return floor(Fraction(repr(float(self.asked)))), floor(Fraction(repr(float(self.unrelated))))

    @property
    def weights(self) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        """The law of the reports as whole numbers over 2**53 squared, yes first."""
        asked, unrelated = self.thresholds
        harmless = (WHOLE - asked) * unrelated
        square = WHOLE * WHOLE
        yes = asked * WHOLE + harmless
        return (yes, square - yes), (harmless, square - harmless)

    @property
    def law(self) -> NDArray[np.float64]:
        """The probability of each report, a row for each answer."""
        return np.array([[float(Fraction(each, WHOLE * WHOLE)) for each in row] for row in self.weights])

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        told = super().privacy
        return (
            told if told.gamma is not None else Privacy(gamma=None, why_none="one of the reports gives the answer away")
        )

    @property
    def shipped(self) -> dict[str, Any]:
        """The two thresholds and the values."""
        asked, unrelated = self.thresholds
        return {"kind": "unrelated", "asked": asked, "unrelated": unrelated, "values": list(self.values)}

    @property
    def width(self) -> int:
        """Two draws for an answer."""
        return 2

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw which question is answered, and the answer to the harmless one."""
        asked, unrelated = self.thresholds
        is_asked = draws.are_below(asked, len(codes))
        harmless = np.where(draws.are_below(unrelated, len(codes)), 0, 1)
        return np.where(is_asked, codes, harmless)[:, None]


def unrelated_from_two_samples(
    yes: tuple[int, int], reports: tuple[int, int], asked: tuple[float, float]
) -> tuple[Answer, Answer]:  # fmt: skip
    """The share of yes to the question, and to the harmless one, from two samples asked with different probabilities.

    `yes` and `reports` count them in each sample, `asked` is the probability of the question in each. Errors are those
    of sampled people: the share of yes to the harmless question is unknown.

    >>> unrelated_from_two_samples((65, 85), (500, 500), (0.7, 0.3))[0].value
    0.1
    """
    for name, pair in (("yes", yes), ("reports", reports), ("asked", asked)):
        if not isinstance(pair, (tuple, list, np.ndarray)) or len(pair) != 2:
            raise ParameterError(f"{name} must be two numbers, one for each sample, got {told(pair)}")
    yes = any_whole("yes", yes[0], least=0), any_whole("yes", yes[1], least=0)
    n = [any_whole("reports", each, least=2) for each in reports]
    p = [finite("asked", each, asked="a probability from 0 to 1", low=0.0, high=1.0) for each in asked]
    if abs(p[0] - p[1]) < 1e-9:
        raise ParameterError("both samples were asked with the same probability, so that they tell nothing apart")
    if not all(0 <= each <= size for each, size in zip(yes, n, strict=True)):
        raise DataError(f"there cannot be {yes[0]:,} and {yes[1]:,} yes among {n[0]:,} and {n[1]:,} reports")
    shares = [each / size for each, size in zip(yes, n, strict=True)]
    spread = [share * (1 - share) / size for share, size in zip(shares, n, strict=True)]
    found = []
    for label, weights in (("the question", (1 - p[1], p[0] - 1)), ("the harmless question", (-p[1], p[0]))):
        value = (weights[0] * shares[0] + weights[1] * shares[1]) / (p[0] - p[1])
        error = float(np.sqrt(weights[0] ** 2 * spread[0] + weights[1] ** 2 * spread[1]) / abs(p[0] - p[1]))
        ends = (max(value - _Z95 * error, 0.0), min(value + _Z95 * error, 1.0))
        found.append(Answer(f"share of yes to {label}", round(value, 15), *ends, False, error, sum(n), sum(n)))
    return found[0], found[1]
