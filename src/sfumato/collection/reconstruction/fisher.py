"""How sure shares are that were reconstructed from counts: Fisher's information on the simplex.

With n counts of places that have probability K pi, the information is I = n K^T diag(1/(K pi)) K, and shares that must
sum to 1 have the covariance I^-1 - I^-1 1 1^T I^-1/(1^T I^-1 1). It speaks of people who were drawn at random; among a
fixed set of people only the noise is random, and (diag(pi) - pi pi^T)/n is less. The percentile bootstrap covers
nothing where a cell is empty, as EM never reaches 0; here such a cell has an interval from 0.
"""

from __future__ import annotations

import numpy as np

from sfumato.collection.reconstruction.mixtures import Floats, Mixture
from sfumato.collection.reconstruction.shares import Z95

__all__ = ["fisher_covariance", "is_resolved", "share_intervals"]

_MOST_CONDITION = 1e6
_LEAST_EXPECTED = 1e-300


def fisher_covariance(mixture: Mixture, shares: Floats, n: float, population: str) -> Floats:
    """The covariance of shares, flattened, from n counts; places that no share reaches are left out."""
    flat = shares.ravel()
    expected = mixture.expected(flat)
    weights = np.divide(1.0, expected, out=np.zeros_like(expected), where=expected > _LEAST_EXPECTED)
    inverse = np.linalg.inv(mixture.curvature(weights))
    sums = inverse.sum(axis=1)
    covariance = inverse - np.outer(sums, sums) / sums.sum()
    if population == "fixed":
        covariance = covariance - (np.diag(flat) - np.outer(flat, flat))
    return np.asarray((covariance + covariance.T) / (2.0 * n))


def is_resolved(mixture: Mixture, n: float) -> bool:
    """Whether n counts tell the laws of a mixture apart.

    That is so where standard errors (their root mean square), were all shares alike, are at most half a share, and the
    condition of the kernel is below a million.
    """
    if not mixture.condition < _MOST_CONDITION:
        return False
    variances = np.diag(fisher_covariance(mixture, np.full(mixture.n, 1.0 / mixture.n), n, "sampled"))
    return bool(np.sqrt(variances.mean()) <= 0.5 / mixture.n)


def share_intervals(shares: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """The ends of 95% intervals: from 0 where a share is below two standard errors."""
    low = np.where(shares < 2.0 * errors, 0.0, shares - Z95 * errors)
    return np.clip(low, 0.0, 1.0), np.clip(shares + Z95 * errors, 0.0, 1.0)
