"""Unary encoding: a bit for each value, the true one set, and each flipped on its own.

Erlingsson, Pihur & Korolova, CCS 2014 (basic RAPPOR, symmetric), and Wang, Blocki, Li & Jha, USENIX Security 2017
(optimal: the true bit stays with probability 1/2, the others are set with 1/(e + 1)). The variance does not grow with
the number of values; the report does.

Draws for one answer: a number below 2**53 for each value, in their order.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import BitReports, Support, checked_epsilon, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, ceiling, exponential, floor
from sfumato.collection.randomizers.privacy import Privacy

__all__ = ["OptimalUnaryEncoding", "SymmetricUnaryEncoding", "UnaryEncoding"]


@dataclass(frozen=True)
class UnaryEncoding(BitReports, register=False):
    """A bit for each of the `values`, drawn on its own; `epsilon` is for the whole report."""

    says: ClassVar[str] = "You report yes or no for each answer of the list, each at random."

    values: tuple[Any, ...]
    epsilon: float

    def __post_init__(self) -> None:
        """Check the values and epsilon."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_epsilon(self.epsilon)

    @property
    @abstractmethod
    def thresholds(self) -> tuple[int, int]:
        """Below which draw the bit of the answer is set, and below which that of any other value."""

    @property
    def privacy(self) -> Privacy:
        """What a report promises: two bits differ between any two answers."""
        mine, other = self.thresholds
        return Privacy(gamma=Fraction(mine * (WHOLE - other), other * (WHOLE - mine)))

    @property
    def support(self) -> Support:
        """A report supports the values whose bits are set."""
        p, q = (Fraction(each, WHOLE) for each in self.thresholds)
        return Support(p, q, p * q, q * q)

    @property
    def shipped(self) -> dict[str, Any]:
        """The two thresholds and the values."""
        mine, other = self.thresholds
        return {"kind": "unary", "mine": mine, "other": other, "values": list(self.values)}

    @property
    def width(self) -> int:
        """A draw for each value."""
        return self.k

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw every bit."""
        mine, other = self.thresholds
        thresholds = np.full((len(codes), self.k), other, dtype=np.int64)
        thresholds[np.arange(len(codes)), codes] = mine
        return draws.are_below(thresholds.ravel(), thresholds.size).reshape(thresholds.shape).astype(np.int64)


@dataclass(frozen=True)
class SymmetricUnaryEncoding(UnaryEncoding):
    """A bit for each of the `values`, each flipped with the same probability, which is set by `epsilon`.

    >>> from sfumato import collection
    >>> collection.SymmetricUnaryEncoding(values=["a", "b", "c"], epsilon=1.0).privacy
    Privacy(epsilon 1, gamma 2.71828)
    """

    @property
    def thresholds(self) -> tuple[int, int]:
        """Below which draw the bit of the answer is set, and below which that of any other value."""
        s = exponential(Fraction(self.epsilon) / 2)
        mine = floor(s / (s + 1))
        return mine, WHOLE - mine


@dataclass(frozen=True)
class OptimalUnaryEncoding(UnaryEncoding):
    """A bit for each of the `values`: that of the answer stays with 1/2, the others are set as `epsilon` allows.

    >>> from sfumato import collection
    >>> asked = collection.OptimalUnaryEncoding(values=["a", "b", "c"], epsilon=1.0)
    >>> round(float(asked.support.other), 6)
    0.268941
    """

    @property
    def thresholds(self) -> tuple[int, int]:
        """Below which draw the bit of the answer is set, and below which that of any other value."""
        return WHOLE // 2, ceiling(1 / (exponential(self.epsilon) + 1))
