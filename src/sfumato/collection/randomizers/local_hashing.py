"""Local hashing: the answer is hashed to one of g cells, by a function drawn anew, and the cell is randomized.

Wang, Blocki, Li & Jha, USENIX Security 2017. The report is short however many values there are, and with g about e + 1
nearly as exact as optimal unary encoding. Here the function is a random polynomial of degree 2 over the numbers below
the prime 2**31 - 1, taken modulo g: any three values are hashed independently, so that the probabilities of supports
and their covariances are known exactly, with the slight unevenness that the modulus leaves.

Draws for one answer: the three coefficients below the prime, then those of k-ary response on g cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.categories import PureRandomizer, Support, checked_epsilon, checked_values
from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential, floor
from sfumato.collection.randomizers.hashing import PRIME, count_supports, hashed
from sfumato.collection.randomizers.kary_response import draw_kary
from sfumato.collection.randomizers.privacy import Privacy
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import told, whole

__all__ = ["LocalHashing"]

_MOST_CELLS = 1 << 20
"""Far below the prime and 2**53, so that thresholds and cells stay what they are meant to be."""


@dataclass(frozen=True)
class LocalHashing(PureRandomizer):
    """Report a hash function and the cell of the answer under it, randomized as `epsilon` asks.

    `cells` is how many cells there are, by default the number with the smallest variance. `values` are the answers
    that there are.

    >>> from sfumato import collection
    >>> collection.LocalHashing(values=list(range(1000)), epsilon=1.0).g
    4
    """

    says: ClassVar[str] = "You report a rule that puts answers into a few boxes, and a box, at random yours or another."

    values: tuple[Any, ...]
    epsilon: float
    cells: int | None = None

    def __post_init__(self) -> None:
        """Check the values, epsilon and the number of cells."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_epsilon(self.epsilon)
        if self.cells is not None and whole("cells", self.cells, least=2) > _MOST_CELLS:
            raise ParameterError(f"cells must be at most {_MOST_CELLS:,}, got {told(self.cells)}")

    @property
    def g(self) -> int:
        """How many cells there are."""
        return self.cells if self.cells is not None else min(max(round(exponential(self.epsilon)) + 1, 2), _MOST_CELLS)

    @property
    def stays(self) -> int:
        """The threshold below which the cell is reported as it is."""
        e = exponential(self.epsilon)
        return floor(e / (e + self.g - 1))

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=Fraction(self.stays * (self.g - 1), WHOLE - self.stays))

    @property
    def support(self) -> Support:
        """A report supports the values whose cell it names; cells hold one number of the prime more or less."""
        p = Fraction(self.stays, WHOLE)
        q = (1 - p) / (self.g - 1)
        more = PRIME % self.g
        sizes = [(Fraction(PRIME // self.g + 1, PRIME), more), (Fraction(PRIME // self.g, PRIME), self.g - more)]
        square, cube = (sum(count * size**power for size, count in sizes) for power in (2, 3))
        # the cell that is reported is r with probability q + (p - q) size_r, and others fall into it with size_r
        other = q + (p - q) * square
        others = q * square + (p - q) * cube
        return Support(p, Fraction(other), p * square, Fraction(others))

    @property
    def shipped(self) -> dict[str, Any]:
        """The threshold, the number of cells, the prime and the values."""
        return {"kind": "hashing", "stays": self.stays, "cells": self.g, "prime": PRIME, "values": list(self.values)}

    @property
    def width(self) -> int:
        """Five draws for an answer."""
        return 5

    @property
    def report_limits(self) -> dict[str, tuple[int, int]]:
        """The coefficients of the hash function, and a cell."""
        return {"a": (0, PRIME - 1), "b": (0, PRIME - 1), "c": (0, PRIME - 1), "cell": (0, self.g - 1)}

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw a hash function for each answer, and whether its cell stays."""
        a, b, c = (draws.integers(PRIME, len(codes)) for _ in range(3))
        cells = hashed(a, b, c, codes, self.g)
        return np.stack([a, b, c, draw_kary(cells, self.stays, self.g, draws)], axis=1)

    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many reports name the cell that each value is hashed to: every report is tried on every value."""
        counts: NDArray[np.int64] = count_supports(np.ascontiguousarray(reports), self.k, self.g)
        return counts
