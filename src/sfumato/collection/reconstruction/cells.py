"""The kernel of noise between cells: with which probability a noisy value falls into each cell, from each cell.

K[j, i] = P(z in cell j | x uniform on cell i), the second difference of the doubly integrated density of the noise (H,
the antiderivative of its distribution function). The density at midpoints, as in the papers, gives columns that do not
sum to 1, and 0/0 for bounded noise. The cells of z cover everything: the first and the last are the tails, and what
lies outside is never dropped.

Noise on a grid of whole numbers has a distribution function in steps, so that its H is a chain of straight lines: the
same second difference is then exact for answers that are uniform on a cell, put on the nearest grid point, and moved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

__all__ = [
    "GridNoise", "TwiceIntegrated", "cell_kernel", "grid_integral", "laplace_integral", "normal_integral",
    "uniform_integral",
]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
TwiceIntegrated: TypeAlias = Callable[[Floats], Floats]
"""The antiderivative H of the distribution function of noise, 0 far on the left."""


def cell_kernel(integral: TwiceIntegrated, x_edges: Floats, z_edges: Floats) -> Floats:
    """The kernel: a column for each cell of x, a row for each cell of z, of which the first and the last are tails.

    >>> edges = np.arange(5.0)
    >>> cell_kernel(uniform_integral(1.0), edges, np.arange(-1.0, 6.0))[1:4, 0].tolist()
    [0.25, 0.5, 0.25]
    """
    integrals = integral(z_edges[:, None] - x_edges[None, :])
    below = (integrals[:, :-1] - integrals[:, 1:]) / np.diff(x_edges)
    below = np.clip(np.vstack([np.zeros(below.shape[1]), below, np.ones(below.shape[1])]), 0.0, 1.0)
    return np.asarray(np.maximum(np.diff(below, axis=0), 0.0))


def normal_integral(sd: float) -> TwiceIntegrated:
    """H of normal noise: t Phi(t/sd) + sd phi(t/sd)."""

    def integral(t: Floats) -> Floats:
        scaled = t / sd
        return np.asarray(t * ndtr(scaled) + sd * np.exp(-0.5 * scaled**2) / math.sqrt(2.0 * math.pi))

    return integral


def uniform_integral(reach: float) -> TwiceIntegrated:
    """H of noise that is uniform from -reach to reach: (t + reach)**2/(4 reach) inside."""

    def integral(t: Floats) -> Floats:
        return np.asarray(np.clip(t + reach, 0.0, 2.0 * reach) ** 2 / (4.0 * reach) + np.maximum(t - reach, 0.0))

    return integral


def laplace_integral(scale: float) -> TwiceIntegrated:
    """H of Laplace noise: scale e**(t/scale)/2 on the left, t + scale e**(-t/scale)/2 on the right."""

    def integral(t: Floats) -> Floats:
        return np.asarray(np.maximum(t, 0.0) + 0.5 * scale * np.exp(-np.abs(t) / scale))

    return integral


class GridNoise(NamedTuple):
    """The law of noise in whole numbers."""

    least: int
    chances: Floats
    """The probability of `least` and of every number after it."""
    offset: float = 0.0
    """What is added to make its mean 0."""

    def moment(self, power: int) -> float:
        """The mean of a power of the noise."""
        return float(self.chances @ (self.least + self.offset + np.arange(len(self.chances))) ** power)


def grid_integral(noise: GridNoise) -> TwiceIntegrated:
    """H of noise on a grid, where reports up to b lie below the edge b + 1/2 and grid point g is [g - 1/2, g + 1/2)."""
    knots = noise.least + np.arange(len(noise.chances) + 1, dtype=np.float64)
    heights = np.concatenate([[0.0], np.cumsum(np.cumsum(noise.chances))])

    def integral(t: Floats) -> Floats:
        return np.asarray(np.interp(t, knots, heights) + np.maximum(t - knots[-1], 0.0))

    return integral
