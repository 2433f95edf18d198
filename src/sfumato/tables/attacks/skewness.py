"""Somebody who compares the sensitive values among the rows that fit a person with those of the whole table.

The skewness attack of Li, Li & Venkatasubramanian, "t-closeness", ICDE 2007: a class may be diverse and still make a
rare value far likelier than it is in general.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.contracts.attack import Success, mean_success, share_success
from sfumato.tables.attacks.belief_attack import BeliefAttack
from sfumato.tables.attacks.beliefs import Beliefs
from sfumato.tables.attacks.targets import Secret, Targets

__all__ = ["SkewnessAttack"]


@dataclass(frozen=True)
class SkewnessAttack(BeliefAttack):
    """Knows the quasi-identifiers of `people`, and how frequent every value of `sensitive` is in the whole table.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.SkewnessAttack(people=50))
    >>> found["doubled"].meaning
    'people whose true value became at least twice as likely'
    """

    sensitive: str | None = None
    people: int = 1000

    def _figures(
        self, found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool
    ) -> dict[str, Success]:  # fmt: skip
        usual = secret.shares[found.true]
        n = len(found.true)
        who = np.repeat(np.arange(n), np.diff(found.counts.indptr))
        share = found.counts.data / found.total[who]
        known = secret.shares[found.counts.indices]
        apart = np.zeros(n)
        np.add.at(apart, who, np.maximum(share - known, 0.0))
        ratio = np.zeros(n)
        np.maximum.at(ratio, who, np.divide(share, known, out=np.zeros_like(share), where=known > 0))
        risen = f"factor by which some {secret.name!r} became likelier{said}"
        return {
            f"posterior{suffix}": mean_success(
                found.own, secret.guess(targets.records), f"belief in the true value{said}, on average"
            ),
            f"doubled{suffix}": share_success(
                found.own >= 2 * usual, 0.0, f"people whose true value became at least twice as likely{said}"
            ),
            f"distance{suffix}": mean_success(
                apart, 0.0, f"total variation distance of the values that fit from all{said}, on average"
            ),
            f"factor{suffix}": mean_success(ratio, 1.0, f"{risen}, on average", "number"),
            f"most{suffix}": Success(float(ratio.max()), None, None, 1.0, f"{risen}, at most", "number"),
        }  # fmt: skip
