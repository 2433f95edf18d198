"""Kernels: moments of groups of records, their principal axes, and draws along these.

The eigenvectors come from Jacobi's rotations, not from a library that rounds otherwise on another machine.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["draw_along", "group_moments", "principal_axes"]

_SWEEPS = 60
_NOTHING = 1e-13
"""An eigenvalue below this share of the largest is taken for a rounding error of 0."""


@kernel
def group_moments(
    numbers: NDArray[np.float64], order: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """How many values each group has in each column, their mean, and their covariance around it.

    Sums are over differences, first from some record of the group and then from its mean. Where values are missing,
    the covariance of two columns is the sum over records that have both, divided by the geometric mean of the two
    counts: what comes out is a covariance matrix still.
    """
    n_groups, d = starts.shape[0] - 1, numbers.shape[1]
    counts, means = np.zeros((n_groups, d)), np.zeros((n_groups, d))
    covariances = np.zeros((n_groups, d, d))
    away = np.empty(d)
    for g in range(n_groups):
        for c in range(d):
            base, total, n = 0.0, 0.0, 0
            for i in range(starts[g], starts[g + 1]):
                value = numbers[order[i], c]
                if not np.isnan(value):
                    if n == 0:
                        base = value
                    total += value - base
                    n += 1
            counts[g, c] = n
            if n:
                means[g, c] = base + total / n
        for i in range(starts[g], starts[g + 1]):
            for c in range(d):
                value = numbers[order[i], c]
                away[c] = 0.0 if np.isnan(value) else value - means[g, c]
            for a in range(d):
                for b in range(a + 1):
                    covariances[g, a, b] += away[a] * away[b]
        for a in range(d):
            for b in range(a + 1):
                both = math.sqrt(counts[g, a]) * math.sqrt(counts[g, b])
                value = covariances[g, a, b] / both if both > 0 else 0.0
                covariances[g, a, b] = value
                covariances[g, b, a] = value
    return counts, means, covariances


@kernel
def _diagonalise(a: NDArray[np.float64], v: NDArray[np.float64]) -> None:
    """Diagonalise a symmetric matrix in place; the columns of `v`, unit vectors at first, become its eigenvectors."""
    d = a.shape[0]
    for _ in range(_SWEEPS):
        off, whole = 0.0, 0.0
        for p in range(d):
            whole += a[p, p] * a[p, p]
            for q in range(p + 1, d):
                off += a[p, q] * a[p, q]
        if off <= 1e-34 * whole or off == 0.0:
            return
        for p in range(d - 1):
            for q in range(p + 1, d):
                if a[p, q] == 0.0:
                    continue
                theta = (a[q, q] - a[p, p]) / (2.0 * a[p, q])
                if abs(theta) > 1e150:
                    t = 0.5 / theta
                else:
                    t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                    if theta < 0:
                        t = -t
                cosine = 1.0 / math.sqrt(t * t + 1.0)
                sine = t * cosine
                for i in range(d):
                    x, y = a[i, p], a[i, q]
                    a[i, p] = cosine * x - sine * y
                    a[i, q] = sine * x + cosine * y
                for i in range(d):
                    x, y = a[p, i], a[q, i]
                    a[p, i] = cosine * x - sine * y
                    a[q, i] = sine * x + cosine * y
                a[p, q] = 0.0
                a[q, p] = 0.0
                for i in range(d):
                    x, y = v[i, p], v[i, q]
                    v[i, p] = cosine * x - sine * y
                    v[i, q] = sine * x + cosine * y


@kernel
def principal_axes(
    covariances: NDArray[np.float64], scales: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Eigenvalues of each matrix, the largest first, and its eigenvectors in columns, both in units of `scales`."""
    n, d = covariances.shape[0], covariances.shape[1]
    values, vectors = np.zeros((n, d)), np.zeros((n, d, d))
    a, v = np.empty((d, d)), np.empty((d, d))
    for g in range(n):
        for i in range(d):
            for j in range(d):
                a[i, j] = covariances[g, i, j] / scales[i] / scales[j]
                v[i, j] = 1.0 if i == j else 0.0
        _diagonalise(a, v)
        taken = np.zeros(d, dtype=np.bool_)
        largest = 0.0
        for place in range(d):
            best = -1
            for j in range(d):
                if not taken[j] and (best < 0 or a[j, j] > a[best, best]):
                    best = j
            taken[best] = True
            if place == 0:
                largest = max(a[best, best], 0.0)
            values[g, place] = a[best, best] if a[best, best] > _NOTHING * largest else 0.0
            longest = 0
            for i in range(d):
                if abs(v[i, best]) > abs(v[longest, best]) + 1e-9:
                    longest = i
            sign = -1.0 if v[longest, best] < 0 else 1.0
            for i in range(d):
                vectors[g, i, place] = sign * v[i, best]
    return values, vectors


@kernel
def draw_along(
    means: NDArray[np.float64], values: NDArray[np.float64], vectors: NDArray[np.float64],
    scales: NDArray[np.float64], group: NDArray[np.int64], uniform: NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """A point for each row of `uniform` (numbers in [0, 1)): U(-sqrt(3 lambda), sqrt(3 lambda)) along every axis."""
    n, d = uniform.shape
    points = np.empty((n, d))
    for r in range(n):
        g = group[r]
        for i in range(d):
            away = 0.0
            for j in range(d):
                away += vectors[g, i, j] * math.sqrt(3.0 * values[g, j]) * (2.0 * uniform[r, j] - 1.0)
            points[r, i] = means[g, i] + scales[i] * away
    return points
