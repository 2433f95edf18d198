"""The weights of a mixture that make counts likeliest, by an interior point method.

It is the limit of EM, which creeps where weights are 0 and never gets there. The logarithm of the likelihood, less the
sum of the weights, is concave and has its maximum where they sum to 1, so that nothing but x >= 0 is to be kept: with
slacks s the conditions are K^T(p/(K x)) + s = 1 and x s = 0, p the shares of the counts. Newton's method is run on them
with x s = mu, mu falling towards 0 (Koenker & Mizera, JASA 109(506), 2014, for the dual). Some 20 steps are enough.
"""

from __future__ import annotations

import numpy as np

from sfumato.collection.reconstruction.mixtures import Floats, Mixture, quotients

__all__ = ["likeliest_weights"]

_MOST_STEPS = 200
_GAP = 1e-12
_OFF = 1e-10
_NOTHING = 1e-6
_RIDGE = 1e-13
"""So that weights that are not told apart are found too, if not alone."""


def likeliest_weights(mixture: Mixture, counts: Floats) -> Floats:
    """The weights that make the counts likeliest; those below a millionth are told as 0."""
    p = (counts / counts.sum()).ravel()
    x, s = np.full(mixture.n, 1.0 / mixture.n), np.ones(mixture.n)
    for _ in range(_MOST_STEPS):
        expected = mixture.expected(x)
        ratios = quotients(p, expected)
        slope, gap = mixture.back(ratios), float(x @ s)
        if gap < _GAP and float(np.abs(1.0 - slope - s).max()) < _OFF:
            break
        mu = 0.1 * gap / mixture.n
        curved = mixture.curvature(quotients(ratios, expected))
        move: Floats = np.asarray(
            np.linalg.solve(curved + np.diag(s / x + _RIDGE), slope - 1.0 + mu / x), dtype=np.float64
        )
        slack: Floats = (mu - x * s - s * move) / x
        length = min(_room(x, move), _room(s, slack))
        x, s = x + length * move, s + length * slack
    x = np.where(x < _NOTHING, 0.0, x)
    return np.asarray(x / x.sum())


def _room(values: Floats, moves: Floats) -> float:
    """How much of the moves leaves all values above 0."""
    falls = moves < 0.0
    return min(1.0, 0.99 * float((-values[falls] / moves[falls]).min())) if falls.any() else 1.0
