"""EM for a mixture: the weights of known laws that make counts likeliest, and its smoothed form EMS.

Agrawal & Aggarwal, PODS 2001; Silverman, Jones, Wilson & Nychka, JRSS B 52(2), 1990 (EMS). K has a column for each law
and a row for each place where counts fall; every column sums to 1. A step of EM is pi <- pi K^T(y/(K pi))/n. The
logarithm of the likelihood is concave and never falls, so that every limit from within is a maximum, which
`likeliest_weights` finds without iterating. Where laws are wide it fits the noise: EMS moves a little of each weight to
its neighbours after every step, and its limit is stable, so that how often it was iterated is no parameter. That limit
is found by Newton's method, from more smoothing to less. How much is moved is chosen by the likelihood of counts that
were held out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import bdtrik

from sfumato.collection.reconstruction.likeliest import likeliest_weights
from sfumato.collection.reconstruction.mixtures import Floats, Laws, Mixture, neighbours, quotients
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

__all__ = ["SMOOTHINGS", "chosen_smoothing", "converged_em", "em_limit", "em_step", "log_likelihood", "smoothed"]

SMOOTHINGS = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001)
"""What is chosen among, the smoothest first."""
_FOLDS = 5
_FIRST = 1.0
"""The smoothing from which a limit is looked for, in steps of a third."""
_LENGTHS = (1.0, 0.3, 0.1)
_FARTHEST = 1.0
_EM_STEPS = 20
_MOST_ROUNDS = 200
_CHANGE = 1e-10
_LEAST = 1e-300


def em_step(kernel: Floats, counts: Floats, weights: Floats) -> Floats:
    """One step of EM."""
    return _stepped(Laws(kernel), counts / counts.sum(), weights)


def smoothed(weights: Floats, share: float) -> Floats:
    """The weights with a share of each moved to its neighbours by (1, 2, 1)/4; what would fall off an end stays."""
    return np.asarray(neighbours(len(weights), share) @ weights)


def log_likelihood(kernel: Floats, counts: Floats, weights: Floats) -> float:
    """The logarithm of the likelihood of weights, per count."""
    return _log_likelihood(Laws(kernel), counts, weights) / float(counts.sum())


def converged_em(kernel: Floats, counts: Floats, smoothing: float = 0.0) -> Floats:
    """The limit of EM, or of EMS with a share of smoothing; weights below 1e-6 of plain EM are told as 0."""
    return em_limit(Laws(kernel), counts, smoothing)


def em_limit(mixture: Mixture, counts: Floats, smoothing: float = 0.0, start: Floats | None = None) -> Floats:
    """The same for any mixture, perhaps from the limit for a larger smoothing."""
    if not counts.sum() > 0:
        raise ParameterError("there are no counts, so that nothing can be reconstructed")
    if not smoothing:
        return likeliest_weights(mixture, counts)
    p = (counts / counts.sum()).ravel()
    if start is not None:
        return _smooth_limit(mixture, p, smoothing, start)
    weights, share = np.full(mixture.n, 1.0 / mixture.n), max(_FIRST, smoothing)
    while True:
        weights = _smooth_limit(mixture, p, share, weights)
        if share == smoothing:
            return weights
        share = max(share / 3.0, smoothing)


def _stepped(mixture: Mixture, p: Floats, weights: Floats) -> Floats:
    """One step of EM, for shares of counts."""
    expected = mixture.expected(weights)
    return np.asarray(weights * mixture.back(quotients(p, expected)))


def _log_likelihood(mixture: Mixture, counts: Floats, weights: Floats) -> float:
    seen = counts.ravel() > 0
    with np.errstate(divide="ignore"):
        return float(counts.ravel()[seen] @ np.log(mixture.expected(weights)[seen]))


# -- the limit of EMS --------------------------------------------------------------------------------------------------
def _smooth_limit(mixture: Mixture, p: Floats, share: float, start: Floats) -> Floats:
    """Where a step of EMS moves nothing: Newton's method, and steps of EMS wherever it brings nothing."""
    smoother = mixture.smoother(share)

    def left(weights: Floats) -> Floats:
        return np.asarray(smoother @ _stepped(mixture, p, weights) - weights)

    weights = start
    moves = left(weights)
    for _ in range(_MOST_ROUNDS):
        if float(np.abs(moves).sum()) < _CHANGE:
            break
        step = _newton_step(mixture, p, smoother, weights, moves)
        for length in _LENGTHS:
            tried = weights * np.exp(np.clip(length * step, -_FARTHEST, _FARTHEST))
            tried /= tried.sum()
            moved = left(tried)
            if np.abs(moved).sum() < np.abs(moves).sum():
                weights, moves = tried, moved
                break
        else:
            for _ in range(_EM_STEPS):
                weights = weights + moves
                moves = left(weights)
    return weights + moves


def _newton_step(mixture: Mixture, p: Floats, smoother: Floats, weights: Floats, moves: Floats) -> Floats:
    """By how much logarithms of weights must grow for a step of EMS to move nothing, were it linear in the weights."""
    expected = mixture.expected(weights)
    ratios = quotients(p, expected)
    curved = mixture.curvature(quotients(ratios, expected))
    slope = smoother @ (np.diag(mixture.back(ratios)) - weights[:, None] * curved)
    return np.asarray(np.linalg.solve(np.eye(mixture.n) - slope, moves) / np.maximum(weights, _LEAST))


# -- how much to smooth ------------------------------------------------------------------------------------------------
def chosen_smoothing(mixture: Mixture, counts: Floats, among: Sequence[float] = SMOOTHINGS) -> float:
    """The smoothest of `among` under which counts that were held out, a fifth at a time, are likely enough.

    That is: less likely than under the best by no more than the standard error of the difference, as the best is so by
    chance too. They are gone through from the smoothest for as long as counts get likelier.
    """
    folds = [fold for fold in _folds(counts) if 0 < fold.sum() < counts.sum()]
    held_out = np.concatenate([fold.ravel() for fold in folds]) if folds else np.zeros(0)
    limits: list[Any] = [None] * len(folds)
    told: dict[float, Floats] = {}
    scores: dict[float, float] = {}
    for smoothing in among if folds else ():
        limits = [em_limit(mixture, counts - fold, smoothing, each) for fold, each in zip(folds, limits, strict=True)]
        expected = np.concatenate([mixture.expected(each) for each in limits])
        told[smoothing] = np.log(np.maximum(expected, _LEAST))
        scores[smoothing] = float(held_out @ told[smoothing])
        if scores[smoothing] < max(scores.values()):
            break
    best = max(scores, key=scores.__getitem__, default=among[0])
    errors = {each: float(np.sqrt(held_out @ (told[each] - told[best]) ** 2)) for each in scores}
    return next((each for each in scores if scores[best] - scores[each] <= errors[each]), best)


def _folds(counts: Floats) -> list[Floats]:
    """Counts dealt into fifths at random, always in the same way, so that the same reports give the same result."""
    random, left, folds = Randomness(0), counts, []
    for lots in range(_FOLDS, 1, -1):
        drawn = _binomial(random.uniform(counts.size).reshape(counts.shape), left, 1.0 / lots)
        folds.append(drawn)
        left = left - drawn
    return [*folds, left]


def _binomial(chances: Floats, n: Floats, p: float) -> Floats:
    """Binomial numbers of n trials each, from uniform ones."""
    found = np.ceil(bdtrik(chances, np.maximum(n, 1.0), p))
    return np.asarray(np.where(n > 0, np.clip(np.nan_to_num(found), 0.0, n), 0.0))
