"""The errors that a user can mend, by what is wrong.

Every error that a user can mend derives from `SfumatoError` and says in one sentence what was given, what is
allowed and the way out. Anything else that escapes is a bug of ours.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "Cancelled",
    "DataError",
    "InfeasibleError",
    "ParameterError",
    "PromiseBrokenError",
    "RecipeError",
    "ReleaseError",
    "SchemaError",
    "SfumatoError",
    "suggest",
]


class SfumatoError(ValueError):
    """Something the user can mend. `exit_code` is what the command line returns for it."""

    exit_code = 2


class DataError(SfumatoError):
    """The data cannot be read, or hold what they should not."""


class SchemaError(SfumatoError):
    """The schema contradicts itself or the data."""


class ParameterError(SfumatoError):
    """A method, promise or option was given a value it cannot take."""


class RecipeError(SfumatoError):
    """A recipe file is not well formed."""


class InfeasibleError(SfumatoError):
    """No release of this data can keep the promise asked for; the message says the best it can."""


class ReleaseError(SfumatoError):
    """A release on disk is missing, damaged or in the way."""


class PromiseBrokenError(SfumatoError):
    """The published data do not keep the promise; nothing was saved."""

    exit_code = 1


class Cancelled(SfumatoError):  # noqa: N818  what happened was asked for: it is no fault
    """The work was called off while it ran (`Progress.cancel`); nothing was published."""

    exit_code = 130


def suggest(name: str, known: Iterable[str]) -> str:
    """A clause such as `; did you mean 'age'?`, or the list of what there is."""
    names = [str(each) for each in known]
    close = difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    shown = ", ".join(repr(n) for n in names[:12])
    return f"; there are {shown}{' ...' if len(names) > 12 else ''}" if names else ""
