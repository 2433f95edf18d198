"""Reading JSON that may be damaged, or made to harm: anything but plain data becomes one sentence."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

import numpy as np

from sfumato.ground.errors import DataError, SfumatoError

__all__ = ["MOST_DIGITS", "MOST_NESTED", "parse_json"]

MOST_NESTED = 64
"""How deep lists and tables may stand in each other."""
MOST_DIGITS = 400
"""How many digits a whole number may have: no double has more."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_LONG_NUMBER = re.compile(rf"[0-9]{{{MOST_DIGITS + 1}}}")
_FAR_NUMBER = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}")
_LONE_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_NOT_BRACKETS = {code: None for code in range(128) if chr(code) not in "[]{}"}


def parse_json(given: str | bytes, what: str, *, error: type[SfumatoError] = DataError, infinite: bool = False) -> Any:
    """Return the data that a JSON text stands for; `what` names it in the message of the error raised otherwise.

    Refused are texts that are not JSON in UTF-8, that name a key twice, that nest deeper than 64 levels, that hold a
    whole number of more than 400 digits or a character that is none. `NaN` and `Infinity`, which JSON has not, are
    taken only where `infinite` says so.
    """
    try:
        text = given.decode("utf-8-sig") if isinstance(given, bytes) else given
        return _parse(text, infinite=infinite)
    except UnicodeDecodeError:
        raise error(f"{what} is not UTF-8 text; ask for a new copy") from None
    except UnicodeEncodeError:
        raise error(f"{what} holds half a character (a lone surrogate); ask for a new copy") from None
    except json.JSONDecodeError as found:
        raise error(f"{what} is not JSON: line {found.lineno}, column {found.colno}; ask for a new copy") from None
    except RecursionError:
        raise error(f"{what} is nested deeper than {MOST_NESTED} levels; ask for a new copy") from None
    except _Refused as found:
        raise error(f"{what} {found}; ask for a new copy") from None


class _Refused(Exception):  # noqa: N818  it never leaves this file
    pass


def _parse(text: str, *, infinite: bool) -> Any:
    bare = _STRING.sub("", text)
    brackets = bare.translate(_NOT_BRACKETS).encode("ascii", errors="ignore")
    steps = np.where(np.isin(np.frombuffer(brackets, dtype=np.uint8), (91, 123)), 1, -1)
    if len(steps) and int(np.cumsum(steps).max()) > MOST_NESTED:
        raise _Refused(f"is nested deeper than {MOST_NESTED} levels")
    if _LONG_NUMBER.search(bare):
        raise _Refused(f"holds a number of more than {MOST_DIGITS} digits")
    found = json.loads(
        text,
        object_pairs_hook=_each_key_once,
        parse_constant=float if infinite else _refuse_constant,
        parse_float=_finite if _FAR_NUMBER.search(bare) else None,
    )
    if _LONE_SURROGATE.search(text):
        json.dumps(found, ensure_ascii=False).encode()
    return found


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
        raise _Refused(f"names {twice[:60]!r} twice")
    return found


def _refuse_constant(word: str) -> Any:
    raise _Refused(f"holds {word}, which is no number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise _Refused(f"holds {digits[:40]}, a number too large to compute with")
    return number
