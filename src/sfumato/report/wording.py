"""Promises, methods, columns and cells in plain words."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from sfumato.privacy.accuracy_bound import AccuracyBound
from sfumato.privacy.beta_likeness import BetaLikeness
from sfumato.privacy.delta_presence import DeltaPresence
from sfumato.privacy.exchangeable import Exchangeable
from sfumato.privacy.expected_anonymity import ExpectedAnonymity
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.k_map import KMap
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.p_private import PPrivate
from sfumato.privacy.promise import Promise
from sfumato.privacy.t_closeness import TCloseness

__all__ = ["FORMS", "KINDS", "ROLES", "capital", "listed", "method_in_words", "promise_in_words", "promise_name"]

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

_TARGETS = {
    "uniform": "the uniform one: every value of the domain is equally likely",
    "table": "that of the whole table",
    "group": "that of the group before it was split",
    "histogram": "a histogram that the owner gave",
    "normal": "a normal one",
    "zipf": "a Zipf distribution over the ordered values",
    "each": "one that the owner gave for each group",
}


def promise_name(promise: Promise) -> str:
    """The promise as people call it.

    >>> promise_name(KAnonymity(5) & LDiversity(3))
    '5-anonymity and 3-diversity'
    """
    names = []
    for part in promise.parts:
        if isinstance(part, KAnonymity):
            names.append(f"{part.k:,}-anonymity")
        elif isinstance(part, KMAnonymity):
            names.append(f"{part.k:,}^{part.m:,}-anonymity")
        elif isinstance(part, MInvariance):
            names.append(f"{part.m:,}-invariance")
        elif isinstance(part, LDiversity):
            names.append(f"{part.l:g}-diversity" + (f" ({part.kind})" if part.kind != "frequency" else ""))
        elif isinstance(part, TCloseness):
            names.append(f"{part.t:g}-closeness")
        elif isinstance(part, BetaLikeness):
            names.append(f"{part.beta:g}-likeness")
        elif isinstance(part, KMap):
            names.append(f"{part.k:,}-map")
        elif isinstance(part, DeltaPresence):
            names.append(f"a presence between {part.low:g} and {part.high:g}")
        elif isinstance(part, AccuracyBound):
            names.append(f"a loss of at most {part.max_ncp:.0%} in every class")
        elif isinstance(part, PPrivate):
            names.append("P-privacy" + (f" within {part.within:g}" if part.within else ""))
        elif isinstance(part, Exchangeable):
            names.append(f"blocks of {part.k:,} exchangeable records")
        elif isinstance(part, ExpectedAnonymity):
            names.append(f"{part.k:,}-anonymity in expectation")
        else:
            names.append(repr(part))
    return listed(names)


def promise_in_words(promise: Promise, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
    """What a single promise means for the people in the data; `noun` is what its sets of rows are called."""
    if isinstance(promise, KAnonymity):
        if promise.k == 1:
            return "Nothing is asked of the classes: with k = 1 a record may stand alone."
        known = listed(quasi, "or") or "quasi-identifiers"
        if noun == "group":
            return (
                f"Every row was drawn from the statistics of a group of at least {promise.k:,} records, in which "
                f"nobody counts for more than another: whoever knows a person’s {known} "
                f"and links by them picks the row that shows the person’s other columns with probability at most 1 in "
                f"{promise.k:,}."
            )
        others = "one other record" if promise.k == 2 else f"{promise.k - 1:,} other records"
        return (
            f"Whoever knows a person’s {known} finds at least {others} that "
            f"look the same, and picks the right one with probability at most 1 in {promise.k:,}."
        )
    if isinstance(promise, Exchangeable):
        return (
            f"Whoever knows a person’s {listed(quasi, 'or') or 'quasi-identifiers'} and links by them picks the right "
            f"record with probability at most 1 in {promise.k:,}: every record is one of at least {promise.k:,} that "
            f"nothing published tells apart."
        )
    if isinstance(promise, PPrivate):
        names = listed(sensitive, "or") or "sensitive value"
        near = f" to a total variation of {promise.within:g}" if promise.within else ""
        return (
            f"Read as it stands, the list of a person’s group says that their {names} follows the target "
            f"distribution{near}, {_TARGETS[promise.distribution.kind]}."
        )
    if isinstance(promise, AccuracyBound):
        column = promise.target(sensitive)
        most = f"every {noun} is as large" if column is None else f"the values of {column} in every {noun} are as mixed"
        return (
            f"No {noun} loses more than {promise.max_ncp:.0%} of its detail; within that, {most} as was found possible."
        )
    if isinstance(promise, MInvariance):
        return (
            f"Every class has at least {promise.m:,} rows, counterfeits among them, and no two show the same value of "
            f"{listed(sensitive)}. Whoever is in several releases is among the same values in all of them, so that "
            f"comparing releases rules none of these out."
        )
    if isinstance(promise, LDiversity):
        names = listed(promise.columns or sensitive, "or") or "the sensitive value"
        among = "the records that look the same" if noun == "class" else f"the records of a {noun}"
        return _diversity_in_words(promise, names, among)
    if isinstance(promise, TCloseness):
        names = listed(promise.columns or sensitive, "or") or "the sensitive value"
        measure = {"emd": "earth mover’s", "variational": "variational", "kl": "Kullback-Leibler"}[promise.distance]
        return (
            f"Knowing which {noun} a person is in tells little about their {names}: in every {noun} its distribution "
            f"is within {measure} distance {promise.t:g} of that in the whole table."
        )
    if isinstance(promise, BetaLikeness):
        names = listed(promise.columns or sensitive, "or") or "the sensitive value"
        least = " (less, where a value is frequent anyway)" if promise.enhanced else ""
        return (
            f"Knowing which {noun} a person is in makes no value of {names} much more likely: in every {noun} its "
            f"share is above that in the whole table by at most {promise.beta:g} times that share{least}."
        )
    if isinstance(promise, KMap):
        return (
            f"Whoever finds a record and looks for its owner among the {_people(promise)} by "
            f"{listed(quasi, 'and') or 'quasi-identifiers'} is left with at least {promise.k:,} people."
        )
    if isinstance(promise, DeltaPresence):
        return (
            f"Whoever knows the {_people(promise)} cannot tell who of them is in the table: of everybody "
            f"the chance is between {promise.low:g} and {promise.high:g}."
        )
    return _first_sentence(type(promise).__doc__) or "See the documentation of this promise."


def _people(promise: OfPopulation) -> str:
    return f"{promise.register.rows:,} people of the population" if promise.register is not None else "population"


def _diversity_in_words(promise: LDiversity, names: str, among: str) -> str:
    if promise.kind == "frequency":
        return (
            f"Among {among}, no value of {names} makes up more than 1 in {promise.l:g}: "
            f"nobody’s value is known with more certainty than that."
        )
    if promise.kind == "distinct":
        return f"Among {among} there are at least {promise.l:g} different values of {names}."
    if promise.kind == "entropy":
        return (
            f"Among {among}, the values of {names} are as hard to guess as among "
            f"{promise.l:g} equally frequent ones (by entropy)."
        )
    return (
        f"Among {among}, the most frequent value of {names} stays below {promise.c:g} times "
        f"the count of the {promise.l:g}th most frequent and all rarer ones together."
    )


def method_in_words(name: str) -> str:
    """The first sentence that the method's own file says about it."""
    from sfumato.method import known_methods

    method = known_methods().get(name)
    if method is None:
        return ""
    return capital(_first_sentence(sys.modules[method.__module__].__doc__).removeprefix(f"{name}: "))


def _first_sentence(text: str | None) -> str:
    paragraph = " ".join((text or "").strip().split("\n\n")[0].split())
    head, stop, _ = paragraph.partition(". ")
    return head + stop.strip()


def listed(names: Sequence[str], joint: str = "and", most: int = 8) -> str:
    """Names as in a sentence; only the first where there are many.

    >>> listed(["age", "sex", "zip"])
    'age, sex and zip'
    """
    names = [name if len(name) <= 40 else f"{name[:38].rstrip()}…" for name in names]
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} {joint} {len(names) - most + 1} other columns"
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else "".join(names)


def capital(text: str) -> str:
    """The text with a capital first letter, unless it begins with a name from the code.

    >>> capital("smallest class 5"), capital("query_error: a note")
    ('Smallest class 5', 'query_error: a note')
    """
    return text if "_" in text.split(" ", 1)[0] else text[:1].upper() + text[1:]
