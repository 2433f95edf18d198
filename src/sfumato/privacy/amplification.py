"""Amplification: by how much a report can change what is believed (Evfimievski, Gehrke & Srikant, PODS 2003).

A randomizer amplifies by gamma if no report is more than gamma times as likely under one answer as under another; then
gamma = e**epsilon is local differential privacy. A breach from rho1 to rho2 is impossible for every belief exactly if
gamma is below rho2 (1 - rho1) / (rho1 (1 - rho2)).
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite

__all__ = ["exact_probability", "gamma_limit", "is_within", "log_of"]

_DIGITS = 60


def log_of(ratio: Fraction) -> float:
    """The natural logarithm of a fraction, also of one whose parts are too long for a float.

    >>> log_of(Fraction(1)), log_of(Fraction(10**400, 10**400 - 1)) > 0
    (0.0, True)
    """
    if abs(ratio - 1) < Fraction(1, 1000):
        return math.log1p(float(ratio - 1)) or (float("5e-324") if ratio > 1 else 0.0)
    shift = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    return math.log(float(ratio / Fraction(2) ** shift)) + shift * math.log(2)


def gamma_limit(rho1: float, rho2: float) -> Fraction:
    """The amplification that must not be reached for no breach from rho1 to rho2 to be possible.

    >>> gamma_limit(0.05, 0.5)
    Fraction(19, 1)
    """
    low = exact_probability("rho1", rho1)
    high = exact_probability("rho2", rho2)
    if not low < high:
        raise ParameterError(f"rho1 must be below rho2, got {rho1} and {rho2}")
    return high * (1 - low) / (low * (1 - high))


def is_within(gamma: Fraction, epsilon: float) -> bool:
    """Whether an amplification is at most e**epsilon; told apart to one part in 10**50.

    >>> is_within(Fraction(3), 1.0986), is_within(Fraction(3), 1.0987)
    (False, True)
    """
    with localcontext() as context:
        context.prec = _DIGITS
        power = Fraction(Decimal(epsilon).exp())
    return gamma <= power * (1 + Fraction(1, 10**50))


def exact_probability(name: str, value: float) -> Fraction:
    """A probability as the decimal that was written."""
    return Fraction(repr(finite(name, value, asked="a probability between 0 and 1", above=0.0, below=1.0)))
