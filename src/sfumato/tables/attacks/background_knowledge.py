"""Somebody who knows a person's quasi-identifiers, and some sensitive values that the person does not have.

The background knowledge attack of Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam, "l-diversity", ICDE 2006, at its
worst: the values known to be wrong are those that hide the true one best, the commonest among the rows that fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.contracts.attack import Success, mean_success, share_success
from sfumato.ground.validate import whole
from sfumato.tables.attacks.belief_attack import BeliefAttack
from sfumato.tables.attacks.beliefs import Beliefs
from sfumato.tables.attacks.targets import Secret, Targets

__all__ = ["BackgroundKnowledgeAttack"]


@dataclass(frozen=True)
class BackgroundKnowledgeAttack(BeliefAttack):
    """Knows the quasi-identifiers of `people`, and for each a number (`excluded`) of wrong values of `sensitive`.

    The values known to be wrong are those that occur most often among the rows that fit the person.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.BackgroundKnowledgeAttack(people=50))
    >>> found["certain"].meaning
    "people of whom no other 'diagnosis' is left"
    """

    excluded: int = 1
    sensitive: str | None = None
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        whole("excluded", self.excluded, least=0)
        super().__post_init__()

    def _notes(self, secret: Secret) -> tuple[str, ...]:
        values = "1 value" if self.excluded == 1 else f"{self.excluded:,} values"
        return (f"the adversary knew {values} that each person does not have",)

    def _figures(
        self, found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool
    ) -> dict[str, Success]:  # fmt: skip
        posterior, certain, guess = self._without(found, secret.shares)
        sure = {} if near else {
            f"certain{suffix}": share_success(
                certain, float(((secret.shares > 0).sum() - self.excluded) <= 1),
                f"people of whom no other {secret.name!r} is left{said}",
            )
        }  # fmt: skip
        return sure | {
            f"posterior{suffix}": mean_success(
                posterior, float(guess.mean()), f"probability that a guess among what is left has it right{said}"
            )
        }

    def _without(
        self, found: Beliefs, shares: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
        """What is believed once the commonest wrong values are ruled out.

        For each person the probability given to the true value, whether it is the only one left, and the probability
        that a guess by the shares of values is right.
        """
        n = len(found.true)
        posterior, certain, guess = np.zeros(n), np.zeros(n, dtype=bool), np.zeros(n)
        for i, true in enumerate(found.true.tolist()):
            some = slice(found.counts.indptr[i], found.counts.indptr[i + 1])
            values, counts = found.counts.indices[some], found.counts.data[some]
            other = values != true
            own = float(counts[~other].sum())
            order = np.argsort(-counts[other], kind="stable")
            left = counts[other][order][self.excluded :]
            posterior[i] = own / (own + left.sum()) if own > 0 else 0.0
            certain[i] = own > 0 and not len(left)
            out = values[other][order][: self.excluded]
            guess[i] = shares[true] / max(1.0 - float(shares[out].sum()), shares[true], 1e-300)
        return posterior, certain, guess
