"""Sentences on what was done to a graph, and on what that does not protect from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["action_in_words", "limits_in_words", "method_words", "odds_factor"]


def odds_factor(mu: float) -> str:
    """By which factor the odds of one pair can change at most, exp(epsilon), as text.

    >>> odds_factor(0.001), odds_factor(0.2)
    ('999', '4')
    """
    factor = (1 - mu) / mu
    return f"{factor:,.0f}" if 100 <= factor < 1e9 else f"{factor:.3g}"


def action_in_words(parameters: Mapping[str, Any], *, unprotected: bool) -> str:
    """What was done to the graph, in one sentence."""
    if unprotected:
        return "Only the numbers of vertices were changed: this protects nobody."
    if "mu" in parameters:
        return f"Every pair of vertices was flipped with probability {parameters['mu']:g}."
    if "edges_replaced" in parameters:
        n = int(parameters["edges_replaced"])
        done = "switched" if parameters.get("degrees_kept") else "replaced at random"
        return f"{n:,} edge{' was' if n == 1 else 's were'} {done}; no privacy promise was asked for."
    return "No privacy promise was asked for."


def method_words(parameters: Mapping[str, Any], *, unprotected: bool) -> str:
    """How the graph was made, in a few sentences."""
    numbers = "Vertices then got new numbers, drawn at random."
    if unprotected:
        return "Every vertex got a new number, drawn at random. All edges are published as they are, and no other."
    if "mu" in parameters:
        return (
            f"Every pair of vertices was looked at once, and flipped with probability {parameters['mu']:g}, whatever "
            f"it was: an edge was deleted, and two vertices that were not joined were joined. {numbers} As the "
            f"probability is told, whoever reads the graph can take the noise out again on average."
        )
    if parameters.get("degrees_kept"):
        return (
            f"Pairs of edges exchanged an end each, so that every vertex kept its number of neighbours, and the "
            f"largest eigenvalues of the graph stayed nearly as they were. {numbers}"
        )
    if "edges_replaced" in parameters:
        return (
            f"Some edges were deleted at random, and as many were added where there were none, so that the number of "
            f"edges stayed as it was. {numbers}"
        )
    return (
        f"Edges were added, as few as were found to do, until every number of neighbours was that of "
        f"{int(parameters['k']):,} vertices or more. No edge was deleted. {numbers}"
    )


_PLANTED = (
    "Whoever made up accounts before publication and joined them in a pattern of their own: they may find the pattern "
    "again, and so the people they joined it to"
)
_ATTACK = "The owner can try it out with sfumato attack."
_COPY = (
    "Whoever holds another copy of the network with names, or much of one, and knows a few people here: from them they "
    "can go on to their neighbours, and often find most people who have several. The owner can try KnownGraphAttack."
)


def limits_in_words(parameters: Mapping[str, Any], *, unprotected: bool) -> list[str]:
    """What the method does not protect from, a paragraph each."""
    if unprotected:
        return [
            "Anybody: whoever knows some edges around a person, or just how many there are, can find them by the shape "
            "of the graph, and then sees all their other edges.",
            f"{_PLANTED}. {_ATTACK}",
        ]
    if "mu" in parameters:
        return [
            "All edges of a person together: the bound is on one pair. On two pairs at once it is the square, on three "
            "the cube, and so on.",
            "What other pairs say: people who share many neighbours are often joined, and that is still to be seen.",
            f"{_PLANTED}, if it is large enough to be told from the noise. {_ATTACK}",
            _COPY,
            "The same people published again: what two releases tell adds up, and so do their epsilons.",
        ]
    if "edges_replaced" in parameters:
        return [
            "Any person: there is no bound on what is learned of one pair, and most edges may be true.",
            *(
                ["Whoever knows how many neighbours a person has: that number was not changed."]
                if parameters.get("degrees_kept")
                else []
            ),
            f"{_PLANTED}. {_ATTACK}",
            _COPY,
        ]
    return [
        "Whoever knows more than how many neighbours a person has: how many those have, or which of them are joined. "
        "All edges of the original are there.",
        f"{_PLANTED}. {_ATTACK}",
        _COPY,
    ]
