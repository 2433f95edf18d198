"""RAPPOR: a bit for each value, randomized once for ever, and once more in every report.

Erlingsson, Pihur & Korolova, CCS 2014. The permanent response of a bit is 1 with f/2, 0 with f/2, and else the bit; it
is kept (`Memo`), so that reports for years tell no more than it does. Every report then shows a 1 of it as 1 with q, a
0 as 1 with p. Together a true 1 is shown as 1 with q* = f (p + q)/2 + (1 - f) q, a true 0 with p* = f (p + q)/2 +
(1 - f) p. This is basic RAPPOR, in which every value has a bit of its own; `BloomRappor` shares bits between values.

Draws for one answer: for each bit a number below 2**53 for the permanent response, then one each for the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import BitReports, Support, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, floor
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.randomizers.randomizer import Kept
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["Rappor", "TwoStages", "checked_stages", "two_stages"]

_LEAST_APART = Fraction(1, 10**6)
"""How far q* and p* are apart at the least: variances grow with the square of its inverse."""


@dataclass(frozen=True)
class TwoStages:
    """The thresholds of both stages of a bit."""

    half: int
    """Below it the permanent response is 1; from there to twice it, 0."""
    zero: int
    """Below it a report shows a permanent 0 as 1."""
    one: int
    """Below it a report shows a permanent 1 as 1."""

    @property
    def shown(self) -> tuple[Fraction, Fraction]:
        """q* and p*: with which probability a report shows a true 1, and a true 0, as 1."""
        half, zero, one = (Fraction(each, WHOLE) for each in (self.half, self.zero, self.one))
        return (1 - half) * one + half * zero, half * one + (1 - half) * zero

    def privacy(self, bits: int) -> Privacy:
        """What is promised where an answer sets so many bits: two answers differ in twice as many."""
        q, p = self.shown
        kept = Fraction(WHOLE - self.half, self.half) ** (2 * bits) if self.half else None
        if not p * (1 - q):
            return Privacy(gamma=None, for_ever=kept, why_none="some reports are impossible under some answers")
        return Privacy(gamma=(q * (1 - p) / (p * (1 - q))) ** bits, for_ever=kept)

    def draw(self, bits: NDArray[np.bool_], permanent: Draws, report: Draws) -> NDArray[np.int64]:
        """Draw both stages of each bit."""
        sums = np.broadcast_to(np.array([self.half, 2 * self.half, WHOLE]), (bits.size, 3))
        drawn = permanent.places(sums).reshape(bits.shape)
        kept = np.where(drawn == 2, bits, drawn == 0)
        thresholds = np.where(kept, self.one, self.zero)
        return report.are_below(thresholds.ravel(), bits.size).reshape(bits.shape).astype(np.int64)


def two_stages(f: float, p: float, q: float) -> TwoStages:
    """The thresholds of both stages."""
    half, zero, one = (floor(Fraction(repr(float(each)))) for each in (f, p, q))
    return TwoStages(half // 2, zero, one)


def checked_stages(f: float, p: float, q: float) -> None:
    """Check the probabilities of both stages."""
    finite("f", f, asked="a probability from 0 to below 1", low=0.0, below=1.0)
    finite("p", p, asked="a probability from 0 to 1", low=0.0, high=1.0)
    finite("q", q, asked="a probability from 0 to 1", low=0.0, high=1.0)
    if not p < q:
        raise ParameterError(f"p must be below q, so that a report shows more of a 1 than of a 0, got p={p}, q={q}")
    mine, other = two_stages(f, p, q).shown
    if mine - other < _LEAST_APART:
        raise ParameterError(
            f"a report shows a 1 with {float(mine):.6g} and a 0 with {float(other):.6g}, too near to learn from; lower "
            f"f, or take p and q further apart"
        )


@dataclass(frozen=True)
class Rappor(BitReports):
    """A bit for each of the `values`, randomized for ever with `f` and in each report with `p` (zeros), `q` (ones).

    What it promises for ever holds where the first stage is kept, as the form and `Memo` keep it; `randomize` draws
    both stages afresh, and the epsilon of its reports adds up.

    >>> from sfumato import collection
    >>> collection.Rappor(values=["a", "b"], f=0.5, p=0.5, q=0.75).privacy
    Privacy(epsilon 0.537143, for ever 2.19722, gamma 1.71111)
    """

    says: ClassVar[str] = (
        "You report yes or no for each answer of the list, randomized once for ever and again each time."
    )

    values: tuple[Any, ...]
    f: float = 0.5
    p: float = 0.5
    q: float = 0.75

    def __post_init__(self) -> None:
        """Check the values and the probabilities."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_stages(self.f, self.p, self.q)

    @property
    def stages(self) -> TwoStages:
        """The thresholds of both stages."""
        return two_stages(self.f, self.p, self.q)

    @property
    def privacy(self) -> Privacy:
        """What a report promises, and what all of them together do where the first stage is kept."""
        return self.stages.privacy(1)

    @property
    def support(self) -> Support:
        """A report supports the values whose bits are set."""
        q, p = self.stages.shown
        return Support(q, p, q * p, p * p)

    @property
    def shipped(self) -> dict[str, Any]:
        """The thresholds and the values."""
        stages = self.stages
        return {
            "kind": "rappor", "half": stages.half, "zero": stages.zero, "one": stages.one, "values": list(self.values),
        }  # fmt: skip

    @property
    def width(self) -> int:
        """Two draws for each value."""
        return 2 * self.k

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw both stages of every bit."""
        return self.stages.draw(np.arange(self.k)[None, :] == codes[:, None], draws, draws)

    def draw_memoized(self, codes: NDArray[np.int64], kept: Kept, fresh: Draws) -> NDArray[np.int64]:
        """Draw the permanent response from what is kept for the answer, and the report afresh."""
        return self.stages.draw(np.arange(self.k)[None, :] == codes[:, None], kept.answer, fresh)
