"""The discrete Laplace law: whole numbers z with probability proportional to exp(-|z| / scale), and sums of such draws.

Also called the two-sided geometric law (Ghosh, Roughgarden & Sundararajan, "Universally utility-maximizing privacy
mechanisms", SIAM Journal on Computing 41(6), 2012). With b = exp(-1 / scale): P(z) = (1 - b) / (1 + b) b^|z|,
P(z >= t) = b^t / (1 + b) for t >= 0, and the characteristic function is (1 - b)^2 / ((1 - b)^2 + 4 b sin(u / 2)^2).

`half_width` gives intervals: the least whole t with P(|z_1 + ... + z_n| > t) <= 1 - confidence, so that the closed
interval from t below to t above covers. One draw has a closed form. The law of a sum is found exactly, by one Fourier
transform of a power of the characteristic function; where that would need more than four million points, Chernoff's
bound stands in, which is wider and never too narrow.
"""

from __future__ import annotations

import math

import numpy as np

__all__ = ["half_width", "mean_size", "standard_deviation", "upper_tail"]

_MOST_POINTS = 2**22
_BEYOND = 1e-13
"""The probability that a sum lies outside of what is transformed."""
_ROUNDING = 1e-9
"""Far above the rounding of the transform: intervals are this much surer than asked."""


def upper_tail(scale: float, least: int) -> float:
    """The probability of a draw of `least` or more, which is not negative.

    >>> round(upper_tail(2.0, 19), 8)
    4.659e-05
    """
    return math.exp(-least / scale) / (1.0 + math.exp(-1.0 / scale))


def mean_size(scale: float) -> float:
    """The expectation of |z|, 2b / (1 - b^2).

    >>> round(mean_size(2.0), 4)
    1.919
    """
    return 2.0 * math.exp(-1.0 / scale) / -math.expm1(-2.0 / scale)


def standard_deviation(scale: float, n: int = 1) -> float:
    """The standard deviation of a sum of `n` draws; the variance of one is 2b / (1 - b)^2.

    >>> round(standard_deviation(2.0) ** 2, 4)
    7.8354
    """
    return math.sqrt(2.0 * n * math.exp(-1.0 / scale)) / -math.expm1(-1.0 / scale)


def half_width(scale: float, n: int = 1, confidence: float = 0.95) -> int:
    """The least whole number that the sum of `n` draws exceeds in size with probability 1 - `confidence` at most.

    >>> half_width(2.0), half_width(1.0), half_width(2.0, 4)
    (6, 3, 11)
    """
    if n == 0:
        return 0
    alpha = 1.0 - confidence
    if n == 1:
        return math.floor(scale * math.log(2.0 / (alpha * (1.0 + math.exp(-1.0 / scale)))))
    n_points = 1 << math.ceil(math.log2(2 * _chernoff(scale, n, _BEYOND) + 2))
    if n_points > _MOST_POINTS:
        return _chernoff(scale, n, alpha)
    sine = np.sin(np.pi * np.arange(n_points // 2 + 1) / n_points)
    ratio = 4.0 * math.exp(-1.0 / scale) / math.expm1(-1.0 / scale) ** 2
    law = np.fft.irfft(np.exp(-n * np.log1p(ratio * sine**2)), n_points)[: n_points // 2]  # of 0, 1, 2, ...
    within = law[0] + 2.0 * np.concatenate([[0.0], np.cumsum(law[1:])])
    return int(np.searchsorted(within, 1.0 - alpha + _ROUNDING))


def _chernoff(scale: float, n: int, alpha: float) -> int:
    """A whole number that the sum of n draws exceeds in size with probability alpha at most.

    2 exp(-h t) E[exp(h z)]^n <= alpha for every h below 1 / scale; the best of some h.
    """
    h = np.linspace(0.002, 0.998, 499) / scale
    b, rest = math.exp(-1.0 / scale), -math.expm1(-1.0 / scale)
    log_moment = 2.0 * math.log(rest) - np.log1p(-b * np.exp(h)) - np.log1p(-b * np.exp(-h))
    return math.ceil(float(np.min((math.log(2.0 / alpha) + n * log_moment) / h)))
