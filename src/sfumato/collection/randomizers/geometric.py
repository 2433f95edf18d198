"""Geometric numbers from thresholds alone: their binary digits are independent.

If P(m) is in proportion to e**(-rate m), binary digit i of m is 1 with odds e**(-rate 2**i), whatever the others are.
So a few digits make a number below a period 2**J, and another period is added for as long as a draw is below its
threshold, `most` times at the most. What is shipped is J + 1 whole numbers, however wide the law; from them the ratios
that a promise rests on are worked out exactly, without walking through the law.

Draws for one number: one below 2**53 for each digit, the lowest first, and then `most` of them for the periods.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.randomizers.draws import WHOLE, Draws, exponential

__all__ = ["Geometric", "geometric"]

_PERIOD = 4
"""A period is at least so many times 1/rate, so that few periods are needed; below 8 its threshold is precise."""


@dataclass(frozen=True)
class Geometric:
    """A law of whole numbers from 0: thresholds of binary digits, the lowest first, and of periods."""

    digits: tuple[int, ...]
    again: int
    """Below it another period is added."""
    most: int
    """The most periods. Numbers below `most` periods fall as they should; the rest of the law lies in the last one."""

    @property
    def period(self) -> int:
        """What the digits do not reach."""
        return 1 << len(self.digits)

    def draw(self, n: int, draws: Draws) -> NDArray[np.int64]:
        """Draw `n` numbers."""
        drawn = np.zeros(n, dtype=np.int64)
        for i, threshold in enumerate(self.digits):
            drawn += draws.are_below(threshold, n).astype(np.int64) << i
        goes_on = np.ones(n, dtype=np.bool_)
        for _ in range(self.most):
            goes_on &= draws.are_below(self.again, n)
            drawn += goes_on * self.period
        return drawn

    @property
    def law(self) -> NDArray[np.float64]:
        """The probability of each number."""
        digits = np.ones(1)
        for threshold in self.digits:
            one = threshold / WHOLE
            digits = np.concatenate([digits * (1.0 - one), digits * one])
        again = self.again / WHOLE
        periods = again ** np.arange(self.most + 1) * np.append(np.full(self.most, 1.0 - again), 1.0)
        return np.outer(periods, digits).ravel()

    # -- exact ---------------------------------------------------------------------------------------------------------
    @property
    def odds(self) -> list[Fraction]:
        """The odds of each digit."""
        return [Fraction(each, WHOLE - each) for each in self.digits]

    def steps_down(self) -> Iterator[Fraction]:
        """All the values of P(m + 1)/P(m): a step changes the last digits 01..1 to 10..0, or begins a period."""
        passed = Fraction(1)
        for each in self.odds:
            yield each / passed
            passed *= each
        yield Fraction(self.again, WHOLE) / passed

    def steepest(self, shift: int) -> Fraction:
        """The largest of P(m)/P(m + shift), over all m: digit by digit, with what is carried."""
        best: list[Fraction | None] = [Fraction(1), None]
        for i, odds in enumerate(self.odds):
            after: list[Fraction | None] = [None, None]
            for carried, before in enumerate(best):
                for digit in (0, 1) if before is not None else ():
                    total = digit + (shift >> i & 1) + carried
                    found = before * odds ** (digit - (total & 1))  # type: ignore[operator]
                    kept = after[total >> 1]
                    after[total >> 1] = found if kept is None else max(found, kept)
            best = after
        again = Fraction(self.again, WHOLE)
        periods = shift >> len(self.digits)
        return max(each / again ** (periods + carried) for carried, each in enumerate(best) if each is not None)

    def height(self, m: int) -> Fraction:
        """P(m)/P(0)."""
        found = Fraction(self.again, WHOLE) ** (m >> len(self.digits))
        for i, odds in enumerate(self.odds):
            found *= odds if m >> i & 1 else 1
        return found

    def tail(self, m: int) -> Fraction:
        """The probability of `m` or more, up to `most` periods."""
        beyond, same = Fraction(0), Fraction(1)
        for i in reversed(range(len(self.digits))):
            one = Fraction(self.digits[i], WHOLE)
            if m >> i & 1:
                same *= one
            else:
                beyond += same * one
                same *= 1 - one
        again = Fraction(self.again, WHOLE)
        return again ** (m >> len(self.digits)) * ((1 - again) * (beyond + same) + again)


def geometric(rate: Fraction, reach: int) -> Geometric:
    """The law in proportion to e**(-rate m) in thresholds, right for numbers up to `reach` at least."""
    n_digits = (math.ceil(_PERIOD / rate) - 1).bit_length()
    digits = []
    for i in range(n_digits):
        power = exponential(-rate * (1 << i))
        digits.append(round(power / (1 + power) * WHOLE))
    again = round(exponential(-rate * (1 << n_digits)) * WHOLE)
    return Geometric(tuple(digits), again, (reach >> n_digits) + 1)
