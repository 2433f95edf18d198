"""Entropy privacy: how much of what is not known about a number a report takes away, on average and at the worst.

Agrawal & Aggarwal, PODS 2001. Pi(X) = 2**h(X) is the width of a uniform distribution that is as uncertain as X, and
Pi(X|Z) that which is left after the report; the loss 1 - 2**-I(X;Z) has no unit. It is an average over reports, so that
some tell much more: beside it stand the report under which a cell is believed most, and the one that leaves least.
Cells make it look better than it is, those of reports and those of answers; they are halved until nothing changes any
more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["EntropyPrivacy", "entropy_privacy", "normal_information", "refined_entropy_privacy", "uniform_information"]

_CHANGE = 1e-3
_MOST_HALVINGS = 12
_SEEN = 1e-12


class EntropyPrivacy(NamedTuple):
    """What is left after a report. `prior` and `left` are widths in the unit of the answers."""

    information: float
    """I(X;Z) in bits."""
    prior: float
    """Pi(X): how wide what is known before is."""
    left: float
    """Pi(X|Z): how wide what is known after is, on average (geometric)."""
    least_left: float
    """The same after the report that tells most."""
    most_believed: float
    """The largest probability of one cell after any report."""

    @property
    def loss(self) -> float:
        """1 - 2**-I: the share of privacy that is lost, on average."""
        return -math.expm1(-self.information * math.log(2.0))


def entropy_privacy(kernel: NDArray[np.float64], shares: NDArray[np.float64], width: float) -> EntropyPrivacy:
    """Entropy privacy of answers that have these shares in cells of a `width` and lie evenly in them.

    The kernel leads from finer cells, as many for each cell, to reports.
    """
    parts = kernel.shape[1] // len(shares)
    fine = np.repeat(shares / parts, parts)
    expected = kernel @ fine
    seen = expected > _SEEN
    after = kernel[seen] * fine / expected[seen, None]
    left = -_times_log2(after).sum(axis=1) + math.log2(width / parts)
    prior = float(-_times_log2(shares).sum()) + math.log2(width)
    mean_left = float(expected[seen] @ left / expected[seen].sum())
    believed = float(after.reshape(len(after), -1, parts).sum(axis=2).max())
    return EntropyPrivacy(prior - mean_left, 2.0**prior, 2.0**mean_left, float(2.0 ** left.min()), believed)


def refined_entropy_privacy(
    kernel_of: Callable[[int], NDArray[np.float64]], shares: NDArray[np.float64], width: float
) -> EntropyPrivacy:
    """The same with cells of answers and of reports that are cut finer: `kernel_of(1)`, `kernel_of(2)`, ...

    They are halved until the information changes by less than 0.001.
    """
    found = entropy_privacy(kernel_of(1), shares, width)
    for halvings in range(1, _MOST_HALVINGS):
        finer = entropy_privacy(kernel_of(2**halvings), shares, width)
        moved = finer.information - found.information
        found = finer
        if abs(moved) < _CHANGE:
            break
    return found


def normal_information(variance: float, noise: float) -> float:
    """I(X;Z) in bits of a normal answer under normal noise, from their variances."""
    return 0.5 * math.log2(1.0 + variance / noise)


def uniform_information(reach: float) -> float:
    """I(X;Z) in bits of an answer that is uniform on a unit, under noise that is uniform from -reach to reach."""
    return (1.0 / (4.0 * reach) if reach >= 0.5 else reach - math.log(2.0 * reach)) / math.log(2.0)


def _times_log2(chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """P log2 p, 0 where p is 0."""
    return np.asarray(chances * np.log2(chances, out=np.zeros_like(chances), where=chances > 0.0))
