"""Subset selection: a set of d values, the true one among them more often than chance.

Ye & Barg, IEEE Transactions on Information Theory 64(8), 2018; Wang and others, 2016. With d about k/(e + 1) no other
protocol here has a smaller variance, for every epsilon and number of values that was tried. d = 1 is k-ary response.

Draws for one answer: a number below 2**53 for whether the answer is in the set, and d whole numbers for the others
(Floyd's way; the first is drawn and not used where the answer is in it).
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
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.validate import whole

__all__ = ["SubsetSelection"]


@dataclass(frozen=True)
class SubsetSelection(PureRandomizer):
    """Report a set of `size` of the `values`, in which the answer is with a probability set by `epsilon`.

    Without a `size` it is that with the smallest variance where all values are alike.

    >>> from sfumato import collection
    >>> collection.SubsetSelection(values=list(range(100)), epsilon=1.0).d
    27
    """

    says: ClassVar[str] = "You report a set of answers, yours among them more often than not by chance."

    values: tuple[Any, ...]
    epsilon: float
    size: int | None = None

    def __post_init__(self) -> None:
        """Check the values, epsilon and the size."""
        object.__setattr__(self, "values", checked_values(self.values))
        checked_epsilon(self.epsilon)
        if self.size is not None and whole("size", self.size, least=1) >= self.k:
            raise ParameterError(f"size must be below the number of values, {self.k}, got {self.size}")

    @property
    def d(self) -> int:
        """How many values are in a report."""
        if self.size is not None:
            return self.size
        return min(max(round(self.k / (exponential(self.epsilon) + 1)), 1), self.k - 1)

    @property
    def inside(self) -> int:
        """The threshold below which the answer is in the set."""
        weight = self.d * exponential(self.epsilon)
        return floor(weight / (weight + self.k - self.d))

    @property
    def privacy(self) -> Privacy:
        """What a report promises."""
        return Privacy(gamma=Fraction(self.inside * (self.k - self.d), (WHOLE - self.inside) * self.d))

    @property
    def support(self) -> Support:
        """A report supports the values in it."""
        p, d, rest = Fraction(self.inside, WHOLE), self.d, self.k - 1
        pairs = Fraction(0)
        if self.k > 2:
            pairs = (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / (rest * (rest - 1))
        return Support(p, (p * (d - 1) + (1 - p) * d) / rest, p * (d - 1) / rest, pairs)

    @property
    def shipped(self) -> dict[str, Any]:
        """The threshold, the size and the values."""
        return {"kind": "subset", "inside": self.inside, "size": self.d, "values": list(self.values)}

    @property
    def width(self) -> int:
        """A draw for each member of the set, memory for each value."""
        return self.k + self.d

    @property
    def report_limits(self) -> dict[str, tuple[int, int]]:
        """The places of the values in the set, rising."""
        return {f"value_{i + 1}": (0, self.k - 1) for i in range(self.d)}

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw whether the answer is in the set, then the others among the k - 1 that remain (Floyd's way)."""
        n, rest = len(codes), self.k - 1
        inside = draws.are_below(self.inside, n)
        chosen = np.zeros((n, rest), dtype=np.bool_)
        rows = np.arange(n)
        for last in range(rest - self.d, rest):
            drawn = draws.integers(last + 1, n)
            taken = np.where(chosen[rows, drawn], last, drawn)
            is_used = ~inside if last == rest - self.d else np.ones(n, dtype=np.bool_)
            chosen[rows[is_used], taken[is_used]] = True
        chosen_all = np.zeros((n, self.k), dtype=np.bool_)
        places = np.arange(rest)[None, :] + (np.arange(rest)[None, :] >= codes[:, None])
        np.put_along_axis(chosen_all, places, chosen, axis=1)
        chosen_all[rows[inside], codes[inside]] = True
        return np.nonzero(chosen_all)[1].reshape(n, self.d)

    def support_counts(self, reports: NDArray[np.int64]) -> NDArray[np.int64]:
        """In how many sets each value is."""
        return np.bincount(reports.ravel(), minlength=self.k)

    def check_reports(self, reports: NDArray[np.int64]) -> None:
        """Refuse sets that are out of order or hold a value twice."""
        if (np.diff(reports, axis=1) <= 0).any():
            row = int((np.diff(reports, axis=1) <= 0).any(axis=1).argmax())
            raise DataError(f"report {row + 1} is no set of {self.d} values in rising order; it cannot have been drawn")
