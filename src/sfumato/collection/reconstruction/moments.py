"""Variances and covariances from values with additive noise: unbiased, without any reconstruction.

z = x + y with y independent of x, symmetric, of variance s2 and fourth moment m4. The sample variance of z less s2 is
unbiased for that of x, and the covariance of two columns with independent noise needs no correction. Among a fixed set
of people Var(S_z^2) = 4 s2 S_x^2/(n - 1) + (m4 - s2^2 (n - 3)/(n - 1))/n. Where people are sampled, z is a sample too:
its fourth moment is m4 + 6 s2 v + k v^2 where x has the variance v and the kurtosis k, which is estimated and taken for
no less than 3, that of a normal distribution. The interval of a variance has every v that is within 1.96 of its own
standard errors. An estimate below 0 stays as it is, and is told to be so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.reconstruction.shares import Z95
from sfumato.contracts.answer import Answer

__all__ = ["NoiseMoments", "covariance_answer", "variance_answer", "variance_of_variance"]


_LEAST_KURTOSIS = 3.0
_FLAT = 1e-9
_NEGATIVE = "the estimate is below 0, as it may be by chance where the true variance is small beside the noise"
_UNBOUNDED = "so few reports do not say how large the variance is at the most, so that the interval has no upper end"


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
    value = float(values.var(ddof=1)) - noise.second
    if population == "fixed":
        spread = variance_of_variance(n, 0.0, noise), 4.0 * noise.second / (n - 1), 0.0
    else:
        spread = _sampled_spread(n, noise, _kurtosis(values, value, noise))
    at = max(value, 0.0)
    error = float(np.sqrt(max(spread[0] + spread[1] * at + spread[2] * at * at, 0.0)))
    low, high = _score_ends(value, spread)
    notes = (_NEGATIVE,) if value < 0.0 else ()
    return Answer(
        "variance", value, low, high, False, error, n, n, notes=notes if np.isfinite(high) else (*notes, _UNBOUNDED)
    )


def _kurtosis(values: NDArray[np.float64], value: float, noise: NoiseMoments) -> float:
    """The kurtosis of x, from noisy values: no less than that of a normal distribution."""
    fourth = float(((values - values.mean()) ** 4).mean()) - 6.0 * noise.second * value - noise.fourth
    return max(fourth / value**2, _LEAST_KURTOSIS) if value > 0.0 else _LEAST_KURTOSIS


def _sampled_spread(n: int, noise: NoiseMoments, kurtosis: float) -> tuple[float, float, float]:
    """The variance of the sample variance of z, where x has the variance v: coefficients of 1, v and v**2."""
    (s2, m4), c = noise, (n - 3) / (n - 1)
    return (m4 - c * s2 * s2) / n, (6.0 - 2.0 * c) * s2 / n, (kurtosis - c) / n


def _score_ends(value: float, spread: tuple[float, float, float]) -> tuple[float, float]:
    """All v >= 0 with (value - v)**2 <= 1.96**2 (s0 + s1 v + s2 v**2): where a parabola is not above 0."""
    q = Z95 * Z95
    a, b, c = 1.0 - q * spread[2], -2.0 * value - q * spread[1], value * value - q * spread[0]
    root = float(np.sqrt(max(b * b - 4.0 * a * c, 0.0)))
    if a <= _FLAT:  # reports are so few that the error grows as fast as the variance
        return (0.0 if c <= 0.0 else 2.0 * c / (root - b)), float("inf")
    return max((-b - root) / (2.0 * a), 0.0), max((-b + root) / (2.0 * a), 0.0)


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
