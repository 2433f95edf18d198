"""The piecewise mechanism for a mean: a number near the answer with some probability, and else any number at all.

Wang, Xiao, Yang, Zhao, Hui, Shin, Shin & Yu, ICDE 2019. On the scale from -1 to 1, with s = e**(epsilon/2), reports go
from -C to C with C = (s + 1)/(s - 1), and lie in a window of width C - 1, which moves with the answer, e**epsilon times
as often as elsewhere. Here reports are cells 0 to B - 1, the window has w of them and moves by t with every grid point,
so that B = w + t steps: it is unbiased exactly.

Draws for one answer: a number below 2**53 for the window, a whole number below w, and one below B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential, floor
from sfumato.collection.randomizers.numbers import EpsilonOnGrid
from sfumato.collection.randomizers.privacy import Privacy

__all__ = ["Piecewise", "piecewise_density", "piecewise_reach", "piecewise_variance"]

_LEAST_WINDOW = 8
"""Cells of the window at the least, so that its width is nearly the best one."""


class _Window(NamedTuple):
    """The window in cells, and how often a report lies in it for sure."""

    cells: int
    """How many cells it has."""
    moves: int
    """By how many it moves with every grid point."""
    inside: int
    """Below which draw the report is taken from the window."""


@dataclass(frozen=True)
class Piecewise(EpsilonOnGrid):
    """Report a number near the answer, or any at all, for one mean of numbers from `low` to `high`.

    Whatever is reported, no answer becomes more than e**`epsilon` times as likely, beside another, as it was before.
    The grid has `steps` steps.

    >>> from sfumato import collection
    >>> asked = collection.Piecewise(low=-1, high=1, epsilon=2.0)
    >>> asked.privacy
    Privacy(epsilon 2, gamma 7.38906)
    >>> round(asked.worst_variance, 2)
    1.22
    """

    says: ClassVar[str] = "You report a number near your own, or by chance any number at all."

    @property
    def window(self) -> _Window:
        """The window in whole numbers."""
        return _window(self.epsilon, self.steps)

    @property
    def n_reports(self) -> int:
        """How many reports there are."""
        return self.window.cells + self.window.moves * self.steps

    @property
    def privacy(self) -> Privacy:
        """What a report promises: inside the window beside outside it."""
        cells, _, inside = self.window
        return Privacy(gamma=1 + Fraction(inside * self.n_reports, (WHOLE - inside) * cells))

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last cell."""
        return 0, self.n_reports - 1

    @property
    def shipped(self) -> dict[str, Any]:
        """The window, the bounds and the grid."""
        return {"kind": "piecewise", "low": self.low, "high": self.high, "steps": self.steps, **self.window._asdict()}

    @property
    def width(self) -> int:
        """Three draws for an answer."""
        return 3

    def draw(self, codes: NDArray[np.int64], draws: Draws) -> NDArray[np.int64]:
        """Draw whether the window is taken, a cell of it, and any cell."""
        cells, moves, inside = self.window
        is_inside = draws.are_below(inside, len(codes))
        near = draws.integers(cells, len(codes)) + moves * codes
        return np.where(is_inside, near, draws.integers(self.n_reports, len(codes)))[:, None]

    def centred(self, reports: NDArray[np.int64]) -> NDArray[np.float64]:
        """Reports on the scale from -1 to 1, on which their mean is that of the answers."""
        return np.asarray((reports - (self.n_reports - 1) / 2.0) / self._slope)

    @property
    def variances(self) -> tuple[float, float]:
        """The variance of one report on the scale of u, as it is drawn."""
        cells, _, inside = self.window
        often = inside / WHOLE
        fixed = (often * (cells**2 - 1) + (1.0 - often) * (self.n_reports**2 - 1)) / 12.0
        return fixed / self._slope**2, 1.0 / often - 1.0

    @property
    def _slope(self) -> float:
        """By how much the mean of the report moves when u does by 1."""
        _, moves, inside = self.window
        return inside / WHOLE * moves * self.steps / 2.0


def piecewise_reach(epsilon: float) -> float:
    """C, the largest report on the scale from -1 to 1."""
    return 1.0 / math.tanh(epsilon / 4.0)


def piecewise_density(epsilon: float) -> float:
    """The density of a report inside the window, on the scale from -1 to 1."""
    e, s = math.exp(epsilon), math.exp(epsilon / 2.0)
    return (e - s) / (2.0 * s + 2.0)


def piecewise_variance(epsilon: float, u: float) -> float:
    """The variance of a report on the scale from -1 to 1, without a grid."""
    less = math.expm1(epsilon / 2.0)
    return u * u / less + (less + 4.0) / (3.0 * less * less)


@cache
def _window(epsilon: float, steps: int) -> _Window:
    """The best width of the window in whole cells, and then as often inside as epsilon allows."""
    root = exponential(epsilon / 2.0)
    moves = math.ceil(_LEAST_WINDOW * root / steps)
    cells = round(moves * steps / root)
    weight = (exponential(epsilon) - 1) * cells
    return _Window(cells, moves, floor(weight / (cells + moves * steps + weight)))
