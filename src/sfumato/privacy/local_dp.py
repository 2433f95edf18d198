"""Local differential privacy: Duchi, Jordan & Wainwright, FOCS 2013; amplification: Evfimievski and others, 2003."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite
from sfumato.privacy.amplification import gamma_limit, is_within
from sfumato.privacy.promise import Finding, Promise

if TYPE_CHECKING:
    from sfumato.data.encoding import Coded
    from sfumato.privacy.conditions import Condition
    from sfumato.published.equivalence import PublishedClasses

__all__ = ["MOST_EPSILON", "LocalDP"]

MOST_EPSILON = 700.0
"""Epsilons of many questions add up; beyond this e**epsilon is no number that can be shown, nor a promise."""


@dataclass(frozen=True)
class LocalDP(Promise):
    """Answers were randomized where they were given: whatever is reported changes the odds of any two answers little.

    By at most e to the power of `epsilon`, for all that one respondent reports together. It follows from the published
    randomizers, and holds where they were used: that they were, no release can prove, so that it is declared.
    `LocalDP.amplification(rho1, rho2)` is the same promise in other words: nothing that is believed with rho1 at the
    most is believed with rho2 or more after a report, nor the other way round.

    >>> import sfumato as sf
    >>> sf.LocalDP(1.0)
    LocalDP(epsilon=1.0)
    >>> round(sf.LocalDP.amplification(0.05, 0.5).epsilon, 6)
    2.944439
    """

    speaks_of = "mechanism"
    measured = True
    example = "1.0"

    epsilon: float

    def __post_init__(self) -> None:
        """Check epsilon."""
        finite("epsilon", self.epsilon, asked=f"a number above 0 and at most {MOST_EPSILON:g}", above=0.0,
               high=MOST_EPSILON)  # fmt: skip

    @classmethod
    def amplification(cls, rho1: float, rho2: float) -> LocalDP:
        """The weakest such promise under which no breach from `rho1` to `rho2` is possible."""
        limit = gamma_limit(rho1, rho2)
        epsilon = math.log(limit)
        while is_within(limit, epsilon):
            epsilon = math.nextafter(epsilon, 0.0)
        return cls(epsilon)

    @property
    def name(self) -> str:
        """As in `1-local differential privacy`."""
        return f"{self.epsilon:.4g}-local differential privacy"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """What it means for whoever answered."""
        return (
            f"Whatever somebody held the odds to be between any two answers of a person, all that this person reported "
            f"makes them at most {math.exp(self.epsilon):.3g} times larger or smaller, if the answers were randomized "
            f"as is told."
        )

    def min_size(self) -> int:
        """One: nobody hides among others."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """Refused: no class keeps it."""
        raise self._reports_only_error()

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Broken: what is published as it is was not randomized where it was answered."""
        found = "no reports of published randomizers, and it is about these"
        return [Finding(promise=repr(self), holds=False, value=0.0, found=found)]

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """None: it does not depend on how many answer."""
        return None

    def _reports_only_error(self) -> ParameterError:
        return ParameterError(
            f"{self!r} is about reports of a survey, which publish_reports publishes; promise KAnonymity of a table"
        )
