"""Hadamard response: a column of a matrix of signs, in which the row of the answer is +1 more often than not.

Acharya, Sun & Zhang, AISTATS 2019. Row and column i, j of the matrix of K = 2**b signs have the sign of the parity of
the bits that i and j share. The answer x has row x + 1, never row 0, whose signs are all alike. A report is a column,
log2 K bits; any two rows agree in half of them. Nearly as exact as unary encoding for epsilon up to about 1/2.

Draws for one answer: a number below 2**53 for the sign, and which of the K/2 columns of that sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import PureRandomizer, Support, checked_epsilon, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential, floor
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.collection.reconstruction.shares import PureNoise

__all__ = ["HadamardResponse"]


@dataclass(frozen=True)
class HadamardResponse(PureRandomizer):
    """Report a column of a Hadamard matrix in which the answer's row is +1 with a probability set by `epsilon`.

    `values` are the answers that there are.

    >>> from sfumato import collection
    >>> collection.HadamardResponse(values=list("abcde"), epsilon=0.5).n_columns
    8
    """

    says: ClassVar[str] = "You report a number that fits half of all answers, yours more likely than not."

    values: tuple[Any, ...]
    epsilon: float

    def __post_init__(self) -> None:
        """Check the values and epsilon."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_epsilon(self.epsilon)

    @property
    def n_columns(self) -> int:
        """K, the power of two above the number of values."""
        return 1 << self.k.bit_length()

    @property
    def plus(self) -> int:
        """The threshold below which a column is reported in which the answer's row is +1."""
        e = exponential(self.epsilon)
        return floor(e / (e + 1))

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=Fraction(self.plus, WHOLE - self.plus))

    @property
    def support(self) -> Support:
        """A report supports the values whose rows are +1 in its column."""
        p = Fraction(self.plus, WHOLE)
        return Support(p, Fraction(1, 2), p / 2, Fraction(1, 4))

    @property
    def shipped(self) -> dict[str, Any]:
        """The threshold, the number of columns and the values."""
        return {"kind": "hadamard", "plus": self.plus, "columns": self.n_columns, "values": list(self.values)}

    @property
    def width(self) -> int:
        """Two draws for an answer."""
        return 2

    @property
    def report_limits(self) -> dict[str, tuple[int, int]]:
        """A column."""
        return {"column": (0, self.n_columns - 1)}

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw a sign, and a column with it: all bits but one are free, the lowest bit of the row sets the parity."""
        rows = codes + 1
        minus = ~draws.are_below(self.plus, len(codes))
        free = draws.integers(self.n_columns // 2, len(codes))
        lowest = rows & -rows
        spread = (free & (lowest - 1)) | ((free & ~(lowest - 1)) << 1)
        parity = np.bitwise_count(spread & rows) & 1
        return (spread | np.where(parity != minus, lowest, 0))[:, None]

    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many columns have +1 in each row, by the fast Hadamard transform of how often each was reported."""
        sums = np.bincount(reports[:, 0], minlength=self.n_columns).astype(np.int64)
        half = 1
        while half < len(sums):
            pairs = sums.reshape(-1, 2, half)
            sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
            half *= 2
        return (len(reports) + sums[1 : self.k + 1]) // 2

    def noise(self) -> PureNoise:
        """What the errors of the shares are like: the signs of three rows may depend on each other."""
        return _HadamardNoise(*map(float, self.support))


class _HadamardNoise(PureNoise):
    """The errors under Hadamard response: where row u is the product of rows v and w, u makes both agree."""

    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""
        covariance = super().covariance(shares)
        rows = np.arange(1, len(shares) + 1)
        product = rows[:, None] ^ rows[None, :]
        padded = np.zeros(1 << len(shares).bit_length())
        padded[1 : len(shares) + 1] = shares
        return np.asarray(covariance + padded[product] * (self.p / 2 - 1 / 4) / (self.p - self.q) ** 2)
