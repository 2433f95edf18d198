"""What the checks of all kinds of draws share: how published numbers are read, and ratios of weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import DataError
from sfumato.ground.validate import is_whole

__all__ = ["WHOLE", "Kernel", "Limits", "Said", "apart", "count", "threshold", "worst"]

WHOLE = 2**53
"""What a probability of 1 is as a threshold."""

Said: TypeAlias = Mapping[str, Any]
Limits: TypeAlias = dict[str, tuple[int, int]]


class Kernel(NamedTuple):
    """One kind of draw."""

    gamma: Callable[[Said], Fraction | None]
    """The largest ratio of the probabilities of a report under two answers; None where it is infinite."""
    limits: Callable[[Said], Limits]
    """The columns of a report, with the least and the largest whole number of each."""
    flaw: Callable[[Said, NDArray[np.int64]], str | None] = lambda said, reports: None
    """What is wrong with numbers that are within limits and cannot be drawn together."""


def threshold(said: Said, name: str) -> int:
    """A number of 2**53-ths that a randomizer tells."""
    value = said.get(name)
    if not is_whole(value) or not 0 <= value <= WHOLE:
        raise DataError(f"a published randomizer tells {name} as a whole number up to 2**53, and this one does not")
    return value


def count(said: Said, name: str, least: int, most: int) -> int:
    """A whole number between limits that a randomizer tells."""
    value = said.get(name)
    if not is_whole(value) or not least <= value <= most:
        raise DataError(f"a published randomizer tells {name} as a whole number from {least:,} to {most:,}")
    return value


def apart(one: Fraction | int, other: Fraction | int) -> Fraction | None:
    """The larger of two weights over the smaller; 1 where both are 0, None where one of them is."""
    more, less = max(one, other), min(one, other)
    if not more:
        return Fraction(1)
    return Fraction(more) / Fraction(less) if less else None


def worst(ratios: Sequence[Fraction | None]) -> Fraction | None:
    """The largest ratio; None where one of them is infinite."""
    return None if any(each is None for each in ratios) else max(each for each in ratios if each is not None)
