"""What a randomizer draws: whether a number of 53 random bits is below a threshold, and whole numbers all alike.

Nothing else is drawn, so that a respondent's browser can do the same. A probability is a whole number of 2**53-ths,
made once where the question is made and shipped with it: floating point differs between machines, whole numbers up to
2**53 do not, and what a randomizer promises is worked out from the numbers that it draws with. The order of the draws
for one answer is part of a randomizer; for many answers at once each step is drawn for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

__all__ = ["WHOLE", "Draws", "GivenDraws", "ceiling", "decimals_of", "exponential", "floor", "weights_of"]

WHOLE = 2**53
"""What a probability of 1 is as a threshold; a browser's numbers are exact up to here."""
_DIGITS = 60


class Draws:
    """Draws for many answers at once, from a stream of random numbers."""

    def __init__(self, random: Randomness) -> None:
        self._random = random

    def words(self, n: int) -> NDArray[np.int64]:
        """Draw `n` whole numbers below 2**53."""
        words = self._random.words(n)
        words >>= np.uint64(11)
        return words.view(np.int64)

    def are_below(self, thresholds: int | NDArray[np.int64], n: int) -> NDArray[np.bool_]:
        """Draw whether each of `n` comes true, with a probability of its threshold over 2**53."""
        return np.asarray(self.words(n) < thresholds)

    def integers(self, high: int, n: int) -> NDArray[np.int64]:
        """Draw `n` whole numbers below `high`, all exactly alike: words past the last whole multiple are drawn anew."""
        if not 1 <= high <= WHOLE:
            raise ParameterError(f"high must be between 1 and 2**53, got {high}")
        limit = WHOLE - WHOLE % high
        words = self.words(n)
        while (bad := np.flatnonzero(words >= limit)).size:
            words[bad] = self.words(bad.size)
        return words % high

    def places(self, cumulative: NDArray[np.int64]) -> NDArray[np.int64]:
        """Draw a place in each row of sums of weights up to 2**53: the first whose sum is above a word."""
        words = self.words(len(cumulative))
        if len(cumulative) and cumulative.strides[0] == 0:  # the same row for all
            return np.searchsorted(cumulative[0], words, side="right")
        return np.asarray((cumulative <= words[:, None]).sum(axis=1), dtype=np.int64)


class GivenDraws(Draws):
    """Draws that were given beforehand, to see that two randomizers agree on them."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words = iter(words)

    def words(self, n: int) -> NDArray[np.int64]:
        """Take the next `n` of them."""
        try:
            return np.array([next(self._words) for _ in range(n)], dtype=np.int64)
        except StopIteration:
            raise ParameterError("more random numbers are drawn than were given") from None


# -- probabilities as whole numbers ------------------------------------------------------------------------------------
def floor(probability: Fraction) -> int:
    """The largest threshold that is not above a probability."""
    return min(max(int(probability * WHOLE // 1), 0), WHOLE)


def ceiling(probability: Fraction) -> int:
    """The smallest threshold that is not below a probability."""
    return min(max(-int(-probability * WHOLE // 1), 0), WHOLE)


def exponential(exponent: float | Fraction) -> Fraction:
    """A fraction that is not above e**exponent, and below it by less than one part in 10**50."""
    with localcontext() as context:
        context.prec = _DIGITS
        exact = Fraction(exponent)
        power = (Decimal(exact.numerator) / Decimal(exact.denominator)).exp()
    return Fraction(power) * (1 - Fraction(1, 10**50))


def weights_of(probabilities: Iterable[Fraction]) -> list[int]:
    """Whole numbers that sum to 2**53 and are as near to probabilities as such numbers can be (largest remainders)."""
    exact = [Fraction(each) * WHOLE for each in probabilities]
    weights = [int(each // 1) for each in exact]
    lacking = WHOLE - sum(weights)
    order = sorted(range(len(exact)), key=lambda i: (weights[i] - exact[i], i))
    for i in order[:lacking]:
        weights[i] += 1
    return weights


def decimals_of(probabilities: Sequence[float]) -> list[Fraction]:
    """Probabilities as the decimals that were written, scaled to sum to 1."""
    exact = [Fraction(repr(each)) for each in probabilities]
    return [each / sum(exact) for each in exact]
