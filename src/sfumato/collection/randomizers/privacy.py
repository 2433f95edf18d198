"""What a randomizer promises to whoever answers, worked out from the probabilities that it draws with.

Evfimievski, Gehrke & Srikant, "Limiting privacy breaches in privacy preserving data mining", PODS 2003. A randomizer
amplifies by gamma if no report is more than gamma times as likely under one answer as under another. Then the odds of
anything about the answer change by at most gamma, whatever was believed before, and gamma = e**epsilon is local
differential privacy: the two are one promise in two words. A breach from rho1 to rho2 (something believed with rho1 at
the most is believed with rho2 or more after the report, or the other way round) is impossible for every belief exactly
if gamma is below rho2 (1 - rho1) / (rho1 (1 - rho2)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import any_whole, finite, told
from sfumato.privacy.amplification import exact_probability, gamma_limit, log_of

__all__ = ["Privacy", "gamma_limit", "log_of"]


@dataclass(frozen=True, kw_only=True, repr=False)
class Privacy(SaysWhatMethodsTake):
    """What one report promises to whoever answers. `gamma` is None where nothing bounds what a report tells.

    >>> Privacy(gamma=Fraction(3)).posterior(0.1)
    0.25
    """

    gamma: Fraction | None
    """No report is more than so many times as likely under one answer as under another; exact."""
    for_ever: Fraction | None = None
    """The same for all reports of a respondent whose answer does not change, where the first stage is kept (RAPPOR's
    permanent response, as the form and `Memo` keep it); `randomize` draws both stages afresh, and reports add up."""
    why_none: str = ""
    """Why nothing is promised, where nothing is."""

    def __post_init__(self) -> None:
        """Check that gammas are exact, and at least 1."""
        for name, given in (("gamma", self.gamma), ("for_ever", self.for_ever)):
            exact = isinstance(given, (int, Fraction)) and not isinstance(given, bool)
            if given is not None and (not exact or given < 1):
                raise ParameterError(f"{name} must be an exact fraction of at least 1, or None, got {told(given)}")

    @property
    def epsilon(self) -> float:
        """The epsilon of local differential privacy: the logarithm of gamma; infinite where nothing is promised."""
        return math.inf if self.gamma is None else log_of(self.gamma)

    @property
    def epsilon_for_ever(self) -> float:
        """Epsilon for all reports of an answer that does not change, where the first stage is kept; else infinite."""
        return math.inf if self.for_ever is None else log_of(self.for_ever)

    def of_answers(self, n: int) -> float:
        """The epsilon of `n` reports of the same person that are drawn afresh: it adds up, and `n` is what to limit.

        Reports that are memoized (`Memo`) count once for each distinct answer.
        """
        return any_whole("n", n, least=1) * self.epsilon

    def answers_within(self, epsilon: float) -> int | None:
        """How many reports drawn afresh one person may give within a total epsilon; None where none is bounded."""
        total = finite("epsilon", epsilon, asked="a number above 0", above=0.0)
        if self.gamma is None:
            return 0
        return None if self.gamma == 1 else int(Fraction(total) * (1 + Fraction(1, 10**12)) / Fraction(self.epsilon))

    def posterior(self, prior: float) -> float:
        """The most that may be believed after a report of what was believed with `prior` before; it is attained."""
        rho = exact_probability("prior", prior)
        return 1.0 if self.gamma is None else float(self.gamma * rho / (1 + (self.gamma - 1) * rho))

    def least_posterior(self, prior: float) -> float:
        """The least that may be believed after a report of what was believed with `prior` before."""
        rho = exact_probability("prior", prior)
        return 0.0 if self.gamma is None else float(rho / (rho + self.gamma * (1 - rho)))

    def prevents(self, rho1: float, rho2: float) -> bool:
        """Whether no breach from `rho1` to `rho2` is possible, upward or downward, whatever was believed before."""
        return self.gamma is not None and self.gamma < gamma_limit(rho1, rho2)

    def __repr__(self) -> str:
        if self.gamma is None:
            return f"Privacy(nothing is promised: {self.why_none})"
        ever = f", for ever {self.epsilon_for_ever:.6g}" if self.for_ever is not None else ""
        return f"Privacy(epsilon {self.epsilon:.6g}{ever}, gamma {float(self.gamma):.6g})"

    __str__ = __repr__
