"""Checks of parameters: each returns the value, or raises an error that says what is allowed and what was given.

>>> whole("k", 0, least=2)
Traceback (most recent call last):
sfumato.ground.errors.ParameterError: k must be a whole number >= 2, got 0
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral
from typing import Any, TypeGuard

from sfumato.ground.errors import ParameterError, suggest

__all__ = ["any_whole", "finite", "flag", "is_number", "is_whole", "one_of", "share", "told", "whole"]


_LONGEST = 200


def told(value: Any) -> str:
    """The value as a message shows it: short, on one line; frames, arrays and what has no short text by their type.

    >>> told(0.5), told("x" * 1000)[-9:], told(10**6000)
    ('0.5', 'xxxxx ...', 'a whole number of 19,932 bits')
    """
    kind = type(value)
    if isinstance(value, int) and not -(2**256) < value < 2**256:
        return f"a whole number of {value.bit_length():,} bits"
    of = kind.__module__.partition(".")[0]
    if of in ("polars", "pandas", "pyarrow") or (of == "numpy" and getattr(value, "ndim", 0) != 0):
        return kind.__name__
    try:
        said = repr(value)
    except Exception:
        return kind.__name__
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} ..."


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether it is a whole number; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63


def is_number(value: Any) -> TypeGuard[float]:
    """Whether it is a finite number; true and false are not, nor are whole numbers too large for a float."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def whole(name: str, value: Any, *, least: int) -> int:
    """Check a whole number of at least `least`."""
    if isinstance(value, int) and not isinstance(value, bool) and not is_whole(value):
        said = f"got one of {value.bit_length():,} bits; 63 are the most"
        raise ParameterError(f"{name} must be a whole number >= {least}, {said}")
    if not is_whole(value) or value < least:
        raise ParameterError(f"{name} must be a whole number >= {least}, got {told(value)}")
    return int(value)


def any_whole(name: str, value: Any, *, least: int) -> int:
    """Check a whole number of at least `least`, perhaps one of numpy's: for functions, not for fields of classes."""
    numpys = isinstance(value, Integral) and not isinstance(value, int)
    return whole(name, int(value) if numpys else value, least=least)


def flag(name: str, value: Any) -> bool:
    """Check true or false; 1 and 0 are refused."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} must be true or false, got {told(value)}")
    return value


def share(name: str, value: Any) -> float:
    """Check a share of a whole: above 0 and at most 1."""
    if not is_number(value) or not 0 < value <= 1:
        raise ParameterError(f"{name} must be above 0 and at most 1, got {told(value)}")
    return float(value)


def finite(name: str, value: Any, *, asked: str, low: float = -math.inf, above: float = -math.inf,
           high: float = math.inf, below: float = math.inf) -> float:  # fmt: skip
    """Check a finite number from `low` (or above `above`) to `high` (or below `below`); `asked` names it in words."""
    if not is_number(value) or not (low <= value <= high and above < value < below):
        raise ParameterError(f"{name} must be {asked}, got {told(value)}")
    return float(value)


def one_of(name: str, value: Any, known: Iterable[str]) -> str:
    """Check that it is one of these words."""
    words = list(known)
    if not isinstance(value, str) or value not in words:
        raise ParameterError(f"{name} must be one of {', '.join(words)}, got {told(value)}{suggest(str(value), words)}")
    return value
