"""The roundest ellipsoid inside a polytope, and its centre: where a walk starts, and the metric it moves in.

The log barrier alone is misled by redundant rows: thousands of localities push its centre into a corner of the box.
Rows are therefore weighted by their leverage, a' H^-1 a / s^2 with H = sum w a a' / s^2, alternating with Newton steps
to the weighted centre; weights are multiplied by its square root, as the whole of it overshoots. The fixed point is the
inscribed ellipsoid of John (for the iteration see Cohen, Cousins, Lee & Yang, "A near-optimal algorithm for
approximating the John ellipsoid", COLT 2019); its weights add up to the dimension, whatever the number of rows. Own
Cholesky: small, without the lock, and the same on every machine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel

__all__ = ["cholesky", "john_centre", "slacks", "solve_transposed"]


@kernel
def slacks(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    x: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The slack of every row at `x`: its bound less its left side."""
    left = bound.copy()
    for r in range(bound.shape[0]):
        for q in range(indptr[r], indptr[r + 1]):
            left[r] -= coefficient[q] * x[index[q]]
    return left


@kernel
def cholesky(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower triangle L with L L' = matrix; a pivot that rounding made negative is taken as tiny."""
    n = matrix.shape[0]
    lower = np.zeros((n, n))
    largest = 0.0
    for i in range(n):
        largest = max(largest, matrix[i, i])
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= lower[i, k] * lower[j, k]
            if i == j:
                lower[i, i] = np.sqrt(max(total, 1e-14 * largest))
            else:
                lower[i, j] = total / lower[j, j]
    return lower


@kernel
def solve_transposed(lower: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """X with L' X = right."""
    n, width = right.shape
    x = right.copy()
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for k in range(width):
                x[i, k] -= lower[j, i] * x[j, k]
        for k in range(width):
            x[i, k] /= lower[i, i]
    return x


@kernel
def _inverse(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse of L L'."""
    n = lower.shape[0]
    half = np.zeros((n, n))  # row i holds L^-1[:, i], so that both loops run along rows
    for i in range(n):
        half[i, i] = 1.0 / lower[i, i]
        for j in range(i + 1, n):
            total = 0.0
            for k in range(i, j):
                total -= lower[j, k] * half[i, k]
            half[i, j] = total / lower[j, j]
    inverse = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, n):
                total += half[i, k] * half[j, k]
            inverse[i, j] = total
            inverse[j, i] = total
    return inverse


@kernel
def _hessian(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    weight: NDArray[np.float64],
    slack: NDArray[np.float64],
    gradient: NDArray[np.float64],
) -> NDArray[np.float64]:
    n = gradient.shape[0]
    hessian = np.zeros((n, n))
    gradient[:] = 0.0
    for r in range(weight.shape[0]):
        scale = 1.0 / slack[r]
        for q in range(indptr[r], indptr[r + 1]):
            pull = weight[r] * scale * coefficient[q]
            gradient[index[q]] += pull
            for other in range(indptr[r], indptr[r + 1]):
                hessian[index[q], index[other]] += pull * scale * coefficient[other]
    return hessian


@kernel
def _to_centre(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    weight: NDArray[np.float64],
    x: NDArray[np.float64],
    n_steps: int,
) -> NDArray[np.float64]:
    """Newton steps to the weighted analytic centre, changing `x`; the inverse Hessian where they end."""
    n, m = x.shape[0], bound.shape[0]
    gradient = np.empty(n)
    move = np.empty(n)
    change = np.empty(m)
    total_weight = weight.sum()
    inverse = np.empty((n, n))
    for step in range(n_steps + 1):
        slack = slacks(indptr, index, coefficient, bound, x)
        inverse = _inverse(cholesky(_hessian(indptr, index, coefficient, weight, slack, gradient)))
        if step == n_steps:
            break
        decrement = 0.0
        for i in range(n):
            move[i] = 0.0
            for j in range(n):
                move[i] -= inverse[i, j] * gradient[j]
            decrement -= gradient[i] * move[i]
        if decrement < 1e-4 * total_weight:
            break
        longest = np.inf
        for r in range(m):
            change[r] = 0.0
            for q in range(indptr[r], indptr[r + 1]):
                change[r] -= coefficient[q] * move[index[q]]
            if change[r] < 0.0:
                longest = min(longest, -slack[r] / change[r])
        length = min(1.0, 0.95 * longest)
        for _ in range(40):
            gain = 0.0
            for r in range(m):
                gain += weight[r] * np.log1p(length * change[r] / slack[r])
            if gain >= 0.1 * length * decrement:
                break
            length *= 0.5
        for i in range(n):
            x[i] += length * move[i]
    return inverse


@kernel
def john_centre(
    indptr: NDArray[np.int64],
    index: NDArray[np.int64],
    coefficient: NDArray[np.float64],
    bound: NDArray[np.float64],
    start: NDArray[np.float64],
    n_rounds: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The centre, and the matrix of the ellipsoid around it; `start` must lie strictly inside."""
    n, m = start.shape[0], bound.shape[0]
    x = start.copy()
    weight = np.full(m, n / m)
    floor = 0.01 * n / m  # a row without weight would be walked into
    inverse = _to_centre(indptr, index, coefficient, bound, weight, x, 30)
    for _ in range(n_rounds):
        slack = slacks(indptr, index, coefficient, bound, x)
        for r in range(m):
            leverage = 0.0
            for q in range(indptr[r], indptr[r + 1]):
                for other in range(indptr[r], indptr[r + 1]):
                    leverage += coefficient[q] * coefficient[other] * inverse[index[q], index[other]]
            weight[r] = max(weight[r] * np.sqrt(leverage) / slack[r], floor)
        inverse = _to_centre(indptr, index, coefficient, bound, weight, x, 4)
    return x, inverse
