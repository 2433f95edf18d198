"""Closed forms of Xue's thesis, chapter 4, that only its figures and tables need: the package decides by others."""

from __future__ import annotations

import math

from sfumato.graphs.attacks.structural import structural_risk
from sfumato.graphs.estimates.degree_law import binomial_shares
from sfumato.graphs.flip_rate import checked_mu
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.validate import any_whole, finite

__all__ = ["few_mismatches", "structural_mu"]


def few_mismatches(k: int, mu: float, most: int) -> float:
    """The probability that at most `most` of the pairs among k vertices flip (Eq. 4.31)."""
    first, shares = binomial_shares(any_whole("k", k, least=2) * (k - 1) // 2, checked_mu(mu))
    return min(1.0, float(shares[: max(any_whole("most", most, least=0) + 1 - first, 0)].sum()))


def structural_mu(
    n: int, k: int, density: float, epsilon: float, *, edges: int | None = None, automorphisms: int = 1
) -> float:
    """The least mu at which the mean of `structural_risk` is `epsilon` at most; `least_mu` counts degrees as well.

    The mean falls as mu grows: it is an f-divergence between what is published of planted vertices and of others, and
    more flips act on both alike.
    """
    finite("epsilon", epsilon, asked="a number between 0 and 1", above=0, below=1)

    def mean(mu: float) -> float:
        return structural_risk(n, k, mu, density, edges=edges, automorphisms=automorphisms).mean

    if mean(0.0) <= epsilon:
        return 0.0
    low, high = 1e-300, math.nextafter(0.5, 0)
    if (chance := mean(high)) > epsilon:
        raise InfeasibleError(
            f"{k} vertices among {n:,} are chosen right with probability {chance:.3g} by chance alone, whatever mu; "
            f"ask for an epsilon above {chance:.3g}"
        )
    while high > low * (1 + 1e-12):
        middle = math.exp((math.log(low) + math.log(high)) / 2)
        if mean(middle) <= epsilon:
            high = middle
        else:
            low = middle
    return high
