"""What a report is about, in the owner's own words: title, data, purpose, and who decided what and why.

Nothing of it is checked or worked out: it is shown as it was written, at the head of both reports, and it stands in the
certificate. The one thing that is filled in where the owner does not say it is the date.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.ground.errors import ParameterError, suggest
from sfumato.ground.validate import told

__all__ = ["NOBODY", "Decision", "Identity", "identity_of", "today"]

_TEXTS = ("title", "data", "purpose", "contact", "recipient")
_KEYS = (*_TEXTS, "date", "decided")
_OF_DECISION = ("what", "who", "why")
_LONGEST = {"title": 200}
_LONGEST_TEXT = 4_000
_MOST_DECISIONS = 100


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Something that was decided for the release."""

    what: str
    who: str | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What a report says of the release beside what was found: every part may be missing."""

    title: str | None = None
    data: str | None = None
    """Which data these are, and where they are from."""
    purpose: str | None = None
    contact: str | None = None
    recipient: str | None = None
    date: dt.date | None = None
    """Of publication."""
    decided: tuple[Decision, ...] = ()

    @property
    def date_in_words(self) -> str | None:
        """The date as people write it, with the month by its name."""
        return None if self.date is None else f"{self.date.day} {_MONTHS[self.date.month - 1]} {self.date.year}"

    def dated(self) -> Identity:
        """The same, with the date of today where it has none."""
        return self if self.date is not None else replace(self, date=today())

    def to_dict(self) -> dict[str, Any]:
        """Plain data, without what is missing."""
        said: dict[str, Any] = {key: text for key in _TEXTS if (text := getattr(self, key)) is not None}
        if self.date is not None:
            said["date"] = self.date.isoformat()
        if self.decided:
            said["decided"] = [
                {key: text for key in _OF_DECISION if (text := getattr(each, key)) is not None} for each in self.decided
            ]
        return said


NOBODY = Identity()
"""A report of which nothing is said."""

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def today() -> dt.date:
    """The date, in UTC; that of `SOURCE_DATE_EPOCH` where it is set, so that a run can be repeated to the byte."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not given:
        return dt.datetime.now(tz=dt.UTC).date()
    try:
        return dt.datetime.fromtimestamp(int(given), tz=dt.UTC).date()
    except (ValueError, OverflowError, OSError):
        raise ParameterError(
            f"SOURCE_DATE_EPOCH must be a number of seconds since 1970, got {told(given)}; unset it"
        ) from None


def identity_of(about: Mapping[str, Any] | None = None, *, title: str | None = None, where: str = "about") -> Identity:
    """What is said of a report, checked; `title` stands for the one in `about`. `where` is what messages call it.

    >>> identity_of({"data": "Patients of 2024"}, title="Length of stay").title
    'Length of stay'
    """
    if about is not None and not isinstance(about, Mapping):
        raise ParameterError(f"{where} must be a table such as {{'title': '...'}}, got {told(about)}")
    given = dict(about or {})
    if title is not None:
        given["title"] = title
    unknown = next((key for key in given if key not in _KEYS), None)
    if unknown is not None:
        raise ParameterError(f"{where} has no key {unknown!r}{suggest(str(unknown), _KEYS)}")
    texts = {
        key: _text(given[key], f"{where}.{key}", _LONGEST.get(key, _LONGEST_TEXT)) for key in _TEXTS if key in given
    }
    return Identity(
        **texts, date=_date(given.get("date"), f"{where}.date"), decided=_decided(given.get("decided", ()), where)
    )


def _text(given: Any, where: str, longest: int) -> str:
    if not isinstance(given, str) or not given.strip():
        raise ParameterError(f"{where} must be a text, got {told(given)}; leave it out where there is none")
    if len(given) > longest:
        raise ParameterError(f"{where} takes at most {longest:,} characters, got {len(given):,}; shorten it")
    return given.strip()


def _date(given: Any, where: str) -> dt.date | None:
    if given is None or (isinstance(given, dt.date) and not isinstance(given, dt.datetime)):
        return given
    try:
        return dt.date.fromisoformat(given)
    except (TypeError, ValueError):
        raise ParameterError(f"{where} must be a date such as 2024-12-31, got {told(given)}") from None


def _decided(given: Any, where: str) -> tuple[Decision, ...]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, Mapping) for each in given):
        raise ParameterError(
            f'{where}.decided must list what was decided, as in [{{ what = "k = 10", who = "...", why = "..." }}], '
            f"got {told(given)}"
        )
    if len(given) > _MOST_DECISIONS:
        raise ParameterError(f"{where}.decided takes at most {_MOST_DECISIONS} decisions, got {len(given):,}")
    decisions = []
    for number, each in enumerate(given, 1):
        here = f"{where}.decided[{number}]"
        unknown = next((key for key in each if key not in _OF_DECISION), None)
        if unknown is not None:
            raise ParameterError(f"{here} has no key {unknown!r}{suggest(str(unknown), _OF_DECISION)}")
        if "what" not in each:
            raise ParameterError(f"{here} does not say what was decided; add what")
        decisions.append(Decision(**{key: _text(text, f"{here}.{key}", _LONGEST_TEXT) for key, text in each.items()}))
    return tuple(decisions)
