"""Taking known noise out of numbers by what the columns have in common, and how much of it would be left.

Noise falls in all directions alike, and data that hang together lie in a few. In units in which the noise has variance
1 in every direction, each direction of the data gets a weight. `"spectral"` keeps those whose variance no noise alone
would reach (Kargupta, Datta, Wang & Sivakumar, ICDM 2003; the bounds (1 -+ sqrt(d/n))^2 are Marchenko & Pastur's).
`"pca"` takes the noise off the covariance and keeps the directions that have most of the rest; `"bayes"` estimates
every record by its mean given what was shown, x = mu + Sx (Sx + Sy)^-1 (z - mu), the best that covariances allow
(Huang, Du & Chen, "Deriving private information from randomized data", SIGMOD 2005).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Filter", "filter_noise", "left_by_filter", "noise_variances", "share_nearer"]

Filter: TypeAlias = Literal["bayes", "pca", "spectral"]
_KEPT = 0.95  # of the variance that is no noise, by the principal components


def noise_variances(n: int, d: int) -> tuple[float, float]:
    """The least and the largest variance that noise of variance 1 has in any direction, of `n` records by `d` columns.

    >>> [round(each, 6) for each in noise_variances(1000, 20)]
    [0.737157, 1.302843]
    """
    off = float(np.sqrt(d / n))
    return max(1.0 - off, 0.0) ** 2, (1.0 + off) ** 2


def filter_noise(
    shown: NDArray[np.float64], by: Filter, noise: NDArray[np.float64], components: int | None = None
) -> NDArray[np.float64]:
    """Estimates of the true records (by columns) from those shown, to which noise of this covariance was added."""
    n, d = shown.shape
    scale = np.linalg.cholesky(noise)
    mean = shown.mean(axis=0)
    centred = np.linalg.solve(scale, (shown - mean).T).T
    variances, directions = np.linalg.eigh(centred.T @ centred / max(n - 1, 1))
    if by == "spectral":
        weights = (variances > noise_variances(n, d)[1]).astype(np.float64)
    else:
        weights = _weights(np.maximum(variances - 1.0, 0.0), by, components)
    return np.asarray(mean + centred @ (directions * weights) @ directions.T @ scale.T)


def left_by_filter(
    signal: NDArray[np.float64], noise: NDArray[np.float64], by: Filter, components: int | None = None
) -> NDArray[np.float64]:
    """The covariance of what a filter leaves of the noise, where the true covariance is `signal`."""
    scale = np.linalg.cholesky(noise)
    variances, directions = np.linalg.eigh(np.linalg.solve(scale, np.linalg.solve(scale, signal).T))
    variances = np.maximum(variances, 0.0)
    weights = _weights(variances, by, components)
    left = weights**2 + (1.0 - weights) ** 2 * variances
    turned = scale @ directions
    return np.asarray((turned * left) @ turned.T)


def _weights(signal: NDArray[np.float64], by: Filter, components: int | None) -> NDArray[np.float64]:
    """The weight of each direction by its variance without noise, in units of the noise."""
    if by == "bayes":
        return np.asarray(signal / (signal + 1.0))
    falling = np.argsort(-signal, kind="stable")
    share = np.cumsum(signal[falling]) / max(float(signal.sum()), 1e-300)
    weights = np.zeros(len(signal))
    kept = int(np.searchsorted(share, _KEPT)) + 1 if components is None else components
    weights[falling[:kept]] = 1.0
    return weights


def share_nearer(
    estimate: NDArray[np.float64], shown: NDArray[np.float64], true: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each record, the share of its values whose estimate is nearer to the truth than what was shown."""
    better = np.abs(estimate - true) < np.abs(shown - true)
    return np.asarray(better.mean(axis=1), dtype=np.float64)
