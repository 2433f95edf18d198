"""Who could be found: the three adversaries of a table beside the thresholds that are in use."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.ground.figures import Figure, Measures

__all__ = ["Limit", "Risk", "risk_notes", "risks_of"]

_ON_RISK = re.compile(r"\brisks?\b|\bof the population\b", re.IGNORECASE)


@dataclass(frozen=True)
class Limit:
    """A risk beside one of the thresholds people publish under."""

    threshold: float
    within: bool
    above: str | None
    """The share of records above it, where that was measured."""


@dataclass(frozen=True)
class Risk:
    """One adversary's chance."""

    adversary: str
    knows: str
    value: float
    shown: str
    sentence: str
    limits: Sequence[Limit]


_ADVERSARIES = {
    "prosecutor": (
        "prosecutor_max",
        "knows that the person is in the data, and what the quasi-identifiers of that person are",
        "The chance of picking out the record of the person who is hidden least.",
    ),
    "journalist": (
        "journalist_max",
        "looks for anyone at all, in a register of the population that the data were drawn from",
        "The chance of finding the person who is hidden least among the population.",
    ),
    "marketer": (
        "marketer",
        "tries to link every record to a person, and is content with as many as possible",
        "The share of all records that would be linked to the right person.",
    ),
}


def risks_of(measures: Measures) -> tuple[list[Risk], list[Figure]]:
    """The three adversaries with their main figure each, and every other risk figure."""
    from sfumato.tables.measures.risk import THRESHOLDS

    figures = {figure.name: figure for figure in measures.figures if figure.group == "risk"}
    risks = []
    for adversary, (name, knows, sentence) in _ADVERSARIES.items():
        if name not in figures:
            continue
        figure = figures.pop(name)
        limits = []
        for limit in THRESHOLDS:
            above = figures.pop(f"{adversary}_above_{limit:g}", None)
            limits.append(Limit(limit, figure.value <= limit, above.shown if above is not None else None))
        risks.append(Risk(adversary, knows, figure.value, figure.shown, sentence, limits))
    return risks, list(figures.values())


def risk_notes(notes: Sequence[str]) -> tuple[list[str], list[str]]:
    """The notes on risk, and all others."""
    on_risk = [note for note in notes if _ON_RISK.search(note)]
    return on_risk, [note for note in notes if note not in on_risk]
