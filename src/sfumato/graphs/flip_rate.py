"""The probability that a pair of vertices was flipped, and the noise that it makes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

from sfumato.errors import ParameterError

__all__ = ["Number", "checked_mu", "exact_mu", "pair_variance"]

Number: TypeAlias = float | Fraction
_Real = TypeVar("_Real", float, Fraction)


def checked_mu(mu: Any) -> Any:
    """The probability of a flip, which must be below 1/2 to be told from its opposite."""
    if isinstance(mu, bool) or not isinstance(mu, (int, float, Fraction)) or not 0 <= mu < 0.5:
        raise ParameterError(f"mu must be a number from 0 to below 0.5, got {mu!r}; at 1/2 nothing of a graph is left")
    return mu


def exact_mu(mu: Number) -> Fraction:
    """The probability of a flip as a fraction."""
    return Fraction(checked_mu(mu))


def pair_variance(mu: _Real) -> _Real:
    """The variance of `Z = (A - mu)/(1 - 2 mu)`, which is unbiased for every pair, whether it is an edge or not."""
    checked_mu(mu)
    return mu * (1 - mu) / (1 - 2 * mu) ** 2
