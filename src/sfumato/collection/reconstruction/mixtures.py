"""Mixtures of known laws: weights say how often each law is drawn from, counts fall into places by their mixture.

What EM and its relatives ask of a mixture is small: the law of the counts under weights, the same backwards, and the
curvature of the likelihood. So one column, and two columns whose laws are products that are never formed, are alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Laws", "Mixture", "PairedLaws", "neighbours", "quotients"]

Floats: TypeAlias = NDArray[np.float64]


class Mixture(ABC):
    """Laws of counts, with weights in one array and counts in another."""

    n: int
    """How many laws there are."""

    @abstractmethod
    def expected(self, weights: Floats) -> Floats:
        """The law of a count under weights."""

    @abstractmethod
    def back(self, ratios: Floats) -> Floats:
        """The mean of ratios at the places under each law."""

    @abstractmethod
    def curvature(self, per_place: Floats) -> Floats:
        """K^T diag(per_place) K."""

    @abstractmethod
    def smoother(self, share: float) -> Floats:
        """The matrix that moves a share of each weight to its neighbours."""

    @property
    @abstractmethod
    def condition(self) -> float:
        """The condition of the kernel: by how much errors may grow when it is undone."""


class Laws(Mixture):
    """The columns of a kernel."""

    def __init__(self, kernel: Floats) -> None:
        self.kernel = kernel
        self.n = kernel.shape[1]

    def expected(self, weights: Floats) -> Floats:
        """The law of a count under weights."""
        return np.asarray(self.kernel @ weights)

    def back(self, ratios: Floats) -> Floats:
        """The mean of ratios at the places under each law."""
        return np.asarray(self.kernel.T @ ratios)

    def curvature(self, per_place: Floats) -> Floats:
        """K^T diag(per_place) K."""
        scaled = self.kernel * np.sqrt(per_place)[:, None]
        return np.asarray(scaled.T @ scaled)

    def smoother(self, share: float) -> Floats:
        """The matrix that moves a share of each weight to its neighbours."""
        return neighbours(self.n, share)

    @property
    def condition(self) -> float:
        """The condition of the kernel."""
        return float(np.linalg.cond(self.kernel))


class PairedLaws(Mixture):
    """The products of the columns of two kernels, the second one's running faster; the product is never formed."""

    def __init__(self, first: Floats, second: Floats) -> None:
        self.first, self.second = first, second
        self.shape = first.shape[1], second.shape[1]
        self.n = self.shape[0] * self.shape[1]
        self._places = len(first), len(second)

    def expected(self, weights: Floats) -> Floats:
        """The law of a count under weights."""
        return np.asarray(self.first @ weights.reshape(self.shape) @ self.second.T).ravel()

    def back(self, ratios: Floats) -> Floats:
        """The mean of ratios at the places under each law."""
        return np.asarray(self.first.T @ ratios.reshape(self._places) @ self.second).ravel()

    def curvature(self, per_place: Floats) -> Floats:
        """K^T diag(per_place) K, from the products of pairs of columns within each kernel."""
        (k1, k2), (m1, m2) = self.shape, self._places
        pairs = [np.einsum("ja,jb->jab", each, each).reshape(len(each), -1) for each in (self.first, self.second)]
        found = (pairs[0].T @ per_place.reshape(m1, m2) @ pairs[1]).reshape(k1, k1, k2, k2)
        return np.asarray(found.transpose(0, 2, 1, 3).reshape(self.n, self.n))

    def smoother(self, share: float) -> Floats:
        """The matrix that moves a share of each weight to its neighbours along both columns."""
        return np.asarray(np.kron(neighbours(self.shape[0], share), neighbours(self.shape[1], share)), dtype=np.float64)

    @property
    def condition(self) -> float:
        """The condition of the kernel, which is the product of both."""
        return float(np.linalg.cond(self.first) * np.linalg.cond(self.second))


def quotients(p: Floats, expected: Floats) -> Floats:
    """p/expected, 0 where nothing was counted, or where no law leads."""
    return np.divide(p, expected, out=np.zeros_like(p), where=(p > 0) & (expected > 0))


def neighbours(n: int, share: float) -> Floats:
    """The matrix that moves a share of each weight to its neighbours by (1, 2, 1)/4; what would fall off an end stays.

    With a share above 1 all of them are moved, as many times over as it says.

    >>> neighbours(3, 1.0).tolist()
    [[0.75, 0.25, 0.0], [0.25, 0.5, 0.25], [0.0, 0.25, 0.75]]
    """
    moved = np.diag(np.full(n, 0.5)) + np.diag(np.full(n - 1, 0.25), 1) + np.diag(np.full(n - 1, 0.25), -1)
    moved[0, 0] += 0.25
    moved[-1, -1] += 0.25
    times = int(share)
    part = np.asarray((1.0 - (share - times)) * np.eye(n) + (share - times) * moved)
    return part if not times else np.asarray(np.linalg.matrix_power(moved, times) @ part)
