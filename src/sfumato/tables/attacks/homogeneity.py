"""Somebody who knows a person's quasi-identifiers and finds one sensitive value, or mostly one, in all rows that fit.

The homogeneity attack of Machanavajjhala, Gehrke, Kifer & Venkitasubramaniam, "l-diversity", ICDE 2006.
"""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.contracts.attack import Success
from sfumato.tables.attacks.belief_attack import BeliefAttack
from sfumato.tables.attacks.beliefs import Beliefs, belief_figures
from sfumato.tables.attacks.targets import Secret, Targets

__all__ = ["HomogeneityAttack"]


@dataclass(frozen=True)
class HomogeneityAttack(BeliefAttack):
    """Knows the quasi-identifiers of `people`, drawn at random, and wants their value in `sensitive` (the first).

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.HomogeneityAttack(people=50))
    >>> found["certain"].meaning
    "people whose 'diagnosis' is the only one among rows that fit"
    """

    sensitive: str | None = None
    people: int = 1000

    def _figures(
        self, found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool
    ) -> dict[str, Success]:  # fmt: skip
        return belief_figures(found, secret, targets, suffix, said, near=near)
