"""A bound below the mean of a large set of numbers from 0 to 1, from a random sample of them.

Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86(1), 2024. Somebody bets
against the claim that the mean is m: a share of the capital at each draw, the larger the less draws have varied so far.
If the claim is true nobody can expect to gain, so that the capital reaches 1/0.05 with a probability of 5% at the most,
whatever the distribution (Ville's inequality). All m are refused at which it does. Hoeffding's and Bernstein's bounds
would be of no use here: they pay for the whole range from 0 to 1, of which losses take up a few hundredths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_at_least"]

_MOST_AT_STAKE = 0.75
_STEPS = 60


def mean_at_least(draws: NDArray[np.float64], confidence: float = 0.95) -> float:
    """A bound that the mean is not below but for a chance of 1 - `confidence`; draws are made with replacement.

    >>> round(mean_at_least(np.full(2000, 0.02)), 3)
    0.02
    """
    n = len(draws)
    if not n:
        return 0.0
    seen = np.arange(1, n + 1)
    means = (0.01 + np.cumsum(draws)) / (seen + 1)
    spread = np.cumsum((draws - means) ** 2)
    variance = np.append(1e-4, (1e-4 + spread[:-1]) / seen[1:]) if n > 1 else np.array([1e-4])
    stake = np.sqrt(2 * np.log(1 / (1 - confidence)) / (n * np.maximum(variance, 1e-12)))
    low, high = 0.0, float(draws.mean())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if _is_refused(draws, stake, middle, confidence):
            low = middle
        else:
            high = middle
    return low


def _is_refused(draws: NDArray[np.float64], stake: NDArray[np.float64], claim: float, confidence: float) -> bool:
    """Whether betting against a mean of `claim` or less would have made the capital large enough."""
    if claim <= 0.0:
        return True
    staked = np.minimum(stake, _MOST_AT_STAKE / claim)
    capital = np.cumsum(np.log1p(staked * (draws - claim)))
    return bool(capital.max() >= np.log(1 / (1 - confidence)))
