"""The errors that a user can mend, by what is wrong.

Every error that a user can mend derives from `SfumatoError` and says in one sentence what was given, what is
allowed and the way out. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

__all__ = [
    "ArgumentError",
    "Cancelled",
    "DamagedReleaseError",
    "DataError",
    "InfeasibleError",
    "MissingLibraryError",
    "ParameterError",
    "PromiseBrokenError",
    "RecipeError",
    "ReleaseError",
    "SchemaError",
    "SfumatoError",
    "UnknownNameError",
    "shortened",
    "suggest",
]


_LONG_QUOTE = re.compile(r"'[^']{301,}'|\"[^\"]{301,}\"")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_LONGEST = 4_000


def shortened(message: str) -> str:
    """The message on one line: long values in quotes without their middle, control characters by their code.

    >>> shortened("no column '" + "x" * 1000 + "'")[:30]
    "no column 'xxxxxxxxxxxxxxxxxxx"
    """
    if len(message) > _LONGEST // 10:
        message = _LONG_QUOTE.sub(lambda found: f"{found[0][:101]} ... {found[0][-41:]}", message)
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST - 500]} ... {message[-400:]}"
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], message)


class SfumatoError(ValueError):
    """Something the user can mend. `exit_code` is what the command line returns for it."""

    exit_code = 2

    def __str__(self) -> str:
        return shortened(super().__str__())


class DataError(SfumatoError):
    """The data cannot be read, or hold what they should not."""


class SchemaError(SfumatoError):
    """The schema contradicts itself or the data."""


class ParameterError(SfumatoError):
    """A method, promise or option was given a value it cannot take."""


class ArgumentError(ParameterError, TypeError):
    """A function or class was called with a parameter that it does not have, or without one that it needs."""


class UnknownNameError(ParameterError, KeyError):
    """Nothing is called by that name; the message says what is near it."""

    def __str__(self) -> str:
        """Return the sentence as it is: a `KeyError` would put it into quotes."""
        return shortened(str(self.args[0])) if self.args else ""


class MissingLibraryError(SfumatoError, ImportError):
    """A library that is not installed with sfumato is needed; the message says how to get it."""


class RecipeError(SfumatoError):
    """A recipe file is not well formed."""


class InfeasibleError(SfumatoError):
    """No release of this data can keep the promise asked for; the message says the best it can."""


class ReleaseError(SfumatoError):
    """A release on disk is missing, damaged or in the way."""


class DamagedReleaseError(ReleaseError):
    """The files of a release are not as its certificate says, or cannot be read at all."""

    exit_code = 1


class PromiseBrokenError(SfumatoError):
    """The published data do not keep the promise; nothing was saved."""

    exit_code = 1


class Cancelled(SfumatoError):  # noqa: N818  what happened was asked for: it is no fault
    """The work was called off while it ran (`Progress.cancel`); nothing was published."""

    exit_code = 130


_LONGEST_NAME, _MOST_NAMES = 200, 2_000


def suggest(name: str, known: Iterable[str]) -> str:
    """A clause such as `; did you mean 'age'?`, or the list of what there is."""
    names = [str(each) for each in known]
    same = [each for each in names[:_MOST_NAMES] if each.lower() == str(name).lower()]
    if len(same) == 1:
        return f"; did you mean {same[0]!r}?"
    near = [each for each in names if len(each) <= _LONGEST_NAME] if len(str(name)) <= _LONGEST_NAME else []
    close = difflib.get_close_matches(str(name), near[:_MOST_NAMES], n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    shown = ", ".join(repr(n) for n in names[:12])
    return f"; there are {shown}{' ...' if len(names) > 12 else ''}" if names else ""
