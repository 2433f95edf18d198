"""EM for a mixture: the weights of known laws that make counts likeliest, and its smoothed form EMS.

Agrawal & Aggarwal, PODS 2001; Silverman, Jones, Wilson & Nychka, JRSS B 52(2), 1990 (EMS). K has a column for each law
and a row for each place where counts fall; every column sums to 1. A step of EM is pi <- pi K^T(y/(K pi))/n. The
logarithm of the likelihood is concave and never falls, so that every limit from within is a maximum. Where laws are
wide the limit fits the noise: EMS moves a little of each weight to its neighbours after every step, and its limit is
stable, so that how often it was iterated is no parameter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError

__all__ = ["converged_em", "em_step", "log_likelihood", "smoothed"]

_MOST_STEPS = 100_000
_CHANGE = 1e-9
_NOTHING = 1e-6


def em_step(
    kernel: NDArray[np.float64], counts: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:  # fmt: skip
    """One step of EM."""
    expected = kernel @ weights
    ratio = np.divide(counts, expected, out=np.zeros_like(expected), where=counts > 0)
    return np.asarray(weights * (kernel.T @ ratio) / counts.sum())


def smoothed(weights: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """The weights with a share of each moved to its neighbours by (1, 2, 1)/4; what would fall off an end stays."""
    padded = np.concatenate([weights[:1], weights, weights[-1:]])
    return np.asarray((1.0 - share) * weights + share * (padded[:-2] + 2.0 * weights + padded[2:]) / 4.0)


def log_likelihood(
    kernel: NDArray[np.float64], counts: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:  # fmt: skip
    """The logarithm of the likelihood of weights, per count."""
    seen = counts > 0
    with np.errstate(divide="ignore"):
        return float(counts[seen] @ np.log(kernel[seen] @ weights) / counts.sum())


def converged_em(
    kernel: NDArray[np.float64], counts: NDArray[np.float64], smoothing: float = 0.0,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:  # fmt: skip
    """The limit of EM, or of EMS with a share of smoothing; weights below 1e-6 of plain EM are told as 0."""
    weights = np.full(kernel.shape[1], 1.0 / kernel.shape[1]) if start is None else start
    if not counts.sum() > 0:
        raise ParameterError("there are no counts, so that nothing can be reconstructed")
    for _ in range(_MOST_STEPS):
        stepped = em_step(kernel, counts, weights)
        if smoothing:
            stepped = smoothed(stepped, smoothing)
        moved = float(np.abs(stepped - weights).sum())
        weights = stepped
        if moved < _CHANGE:
            break
    if not smoothing:
        weights = np.where(weights < _NOTHING, 0.0, weights)
        weights = weights / weights.sum()
    return weights
