"""Promises, methods, columns and cells in plain words."""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Sequence

from sfumato.privacy.promise import Promise
from sfumato.privacy.words import first_sentence, join_names

__all__ = [
    "FORMS", "KINDS", "ROLES", "capital", "day_text", "join_names", "method_in_words", "promise_in_words",
    "promise_name", "short_number",
]  # fmt: skip

ROLES = {
    "quasi": "quasi-identifier",
    "sensitive": "sensitive",
    "plain": "plain",
    "identifier": "identifier",
}
KINDS = {
    "integer": "whole number",
    "number": "number",
    "date": "date",
    "category": "category",
    "ordinal": "ordered category",
}
FORMS = {
    "range": "range",
    "set": "set of values",
    "node": "node of a hierarchy",
    "value": "one value for the class",
    "substitute": "drawn anew",
}


CHANGED = {
    "swapping": ("swapped", "the value of another record that is near in rank."),
    "pram": ("randomised", "the value of the record, or another one by the probabilities that are published."),
    "coding": ("cut off", "the value of the record, or a threshold in place of all values beyond it."),
    "rotation": ("rotated", "all of these columns turned together. No value stands for its column alone."),
    "uncertain": ("centre of a density", "the centre of a density around which the value of the record lies; spreads "
                  "are in a file of their own."),
}  # fmt: skip
"""What a cell says whose value was changed, in a word and in a sentence, by what the release tells of it."""


def promise_name(promise: Promise) -> str:
    """The promise as people call it.

    >>> from sfumato import KAnonymity, LDiversity
    >>> promise_name(KAnonymity(5) & LDiversity(3))
    '5-anonymity and 3-diversity'
    """
    return join_names([part.name for part in promise.parts])


def promise_in_words(promise: Promise, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
    """What a promise means for the people in the data; `noun` is what its sets of rows are called."""
    return promise.in_words(quasi, sensitive, noun)


def method_in_words(name: str) -> str:
    """The first sentence that the method's own file says about it."""
    from sfumato.contracts.method import known_method

    method = known_method(name)
    if method is None:
        return ""
    return capital(first_sentence(sys.modules[method.__module__].__doc__).removeprefix(f"{name}: "))


def short_number(number: float) -> str:
    """A number in a few digits; below 10,000 without separators, as it may be a year.

    >>> short_number(1998), short_number(12.3456), short_number(1234567.8)
    ('1998', '12.35', '1,234,568')
    """
    if abs(number) >= 10_000:
        return f"{number:,.0f}"
    return str(int(number)) if float(number).is_integer() else f"{number:.4g}"


def day_text(number: float) -> str:
    """The date that lies so many days after the first of 1970.

    >>> day_text(19722.5)
    '2023-12-31'
    """
    return (dt.date(1970, 1, 1) + dt.timedelta(days=math.floor(number))).isoformat()


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with a name from the code.

    >>> capital("smallest class 5"), capital("query_error: a note")
    ('Smallest class 5', 'query_error: a note')
    """
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]
