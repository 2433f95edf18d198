"""Variances and covariances from values with additive noise: unbiased, without any reconstruction.

z = x + y with y independent of x, symmetric, of variance s2 and fourth moment m4. The sample variance of z less s2 is
unbiased for that of x, and the covariance of two columns with independent noise needs no correction. Among a fixed set
of people Var(S_z^2) = 4 s2 S_x^2/(n - 1) + (m4 - s2^2 (n - 3)/(n - 1))/n. Where people are sampled, z is a sample too,
and the usual formulas hold with its own fourth moments. An estimate below 0 stays as it is, and is told to be so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.reconstruction.shares import Z95
from sfumato.contracts.answer import Answer

__all__ = ["NoiseMoments", "covariance_answer", "variance_answer", "variance_of_variance"]


class NoiseMoments(NamedTuple):
    """The second and the fourth moment of noise."""

    second: float
    fourth: float


def variance_of_variance(n: int, spread: float, noise: NoiseMoments) -> float:
    """The variance of the sample variance of z among a fixed set of n people whose own sample variance is `spread`."""
    s2, m4 = noise
    return 4.0 * s2 * spread / (n - 1) + (m4 - s2 * s2 * (n - 3) / (n - 1)) / n


def variance_answer(values: NDArray[np.float64], noise: NoiseMoments, population: str) -> Answer:
    """The sample variance of x from noisy values."""
    n = len(values)
    seen = float(values.var(ddof=1))
    value = seen - noise.second
    if population == "fixed":
        variance = variance_of_variance(n, max(value, 0.0), noise)
    else:
        fourth = float(((values - values.mean()) ** 4).mean())
        variance = (fourth - seen * seen * (n - 3) / (n - 1)) / n
    error = float(np.sqrt(max(variance, 0.0)))
    negative = "the estimate is below 0, as it may be by chance where the true variance is small beside the noise"
    ends = (max(value - Z95 * error, 0.0), max(value + Z95 * error, 0.0))
    return Answer("variance", value, *ends, False, error, n, n, notes=(negative,) if value < 0.0 else ())


def covariance_answer(
    first: NDArray[np.float64], second: NDArray[np.float64], noises: tuple[NoiseMoments, NoiseMoments], population: str
) -> Answer:
    """The sample covariance of two columns with independent noise, from noisy values."""
    n = len(first)
    centred = first - first.mean(), second - second.mean()
    products = centred[0] * centred[1]
    value = float(products.sum() / (n - 1))
    seen = [float(np.square(each).sum() / (n - 1)) for each in centred]
    if population == "fixed":
        own = [max(each - noise.second, 0.0) for each, noise in zip(seen, noises, strict=True)]
        s2 = [noise.second for noise in noises]
        variance = (s2[1] * own[0] + s2[0] * own[1] + s2[0] * s2[1]) / (n - 1)
    else:
        mixed = float(np.square(products).mean())
        variance = (mixed - value * value) / n + (seen[0] * seen[1] + value * value) / (n * (n - 1))
    error = float(np.sqrt(max(variance, 0.0)))
    return Answer("covariance", value, value - Z95 * error, value + Z95 * error, False, error, n, n)
