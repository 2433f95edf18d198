"""How likely a marked item is there, from what is published alone.

Of the k originals that a published record stands for, some number c has an item, and the true one is any of them: so it
has the item with probability c / k. Of c it is published whether it is 0, up to a half, above, or k, a coin deciding
where it is just half (where nothing is voted on: 0, between, or k). Over all records c is taken as beta-binomial,
fitted for each item to how often each of these is seen; a marked item then counts with the mean of c / k on its side.
Two other ways were tried on chess, BMS-WebView-1 and pumsb (k of 5 and 10, one to three items), and counts were off by
more: half the threshold over the marked items as the probability, and runs of an item along a ring as a Markov chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.published_baskets import PublishedBaskets
from sfumato.privacy.promise import Promise

__all__ = ["Chances", "hides_among", "item_chances"]

_ITEMS = 2048  # items fitted at a time


@dataclass(frozen=True, eq=False)
class Chances:
    """For each item, how likely a record has it that marks it: if the base vector lacks it, and if it has it."""

    lacked: NDArray[np.float64]
    shown: NDArray[np.float64]


def hides_among(promise: Promise | None) -> int:
    """How many originals a published record stands for by the promise of its release; 2 where there is none."""
    return max(promise.min_size() if promise is not None else 2, 2)


def item_chances(published: PublishedBaskets, k: int) -> Chances:
    """The chances of every item in records that stand for k originals. O(items x a fixed grid)."""
    n, base, marks = len(published), published.base.counts, published.differs.counts
    shared = published.base.to_scipy().multiply(published.differs.to_scipy())
    both = np.asarray(shared.sum(axis=0), dtype=np.int64).ravel()
    seen = np.stack([n - base - marks + both, marks - both, both, base - both], axis=1)
    voted = bool(both.any()) or bool((published.threshold < published.differs.sizes).any())
    lacked, shown = np.empty(len(base)), np.empty(len(base))
    counts = _beta_binomial(k)
    for first in range(0, len(base), _ITEMS):
        some = slice(first, first + _ITEMS)
        lacked[some], shown[some] = _fit_chances(counts, seen[some], voted=voted)
    half = 0.5 if voted else 1 - 1 / k
    return Chances(np.clip(lacked, 1 / k, half), np.clip(shown, 0.5, 1 - 1 / k))


def _beta_binomial(k: int) -> NDArray[np.float64]:
    """The probabilities of c = 0 to k, a row for each mean and correlation of a grid."""
    from scipy.special import betaln, gammaln

    mean = 1 / (1 + np.exp(-np.linspace(-9, 9, 73)))
    correlation = np.concatenate([[1e-4], np.linspace(0.02, 0.98, 49)])
    p, rho = (each.reshape(-1, 1) for each in np.meshgrid(mean, correlation))
    a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
    c = np.arange(k + 1)
    choose = gammaln(k + 1) - gammaln(c + 1) - gammaln(k - c + 1)
    found: NDArray[np.float64] = np.exp(choose + betaln(c + a, k - c + b) - betaln(a, b))
    return found


def _fit_chances(
    counts: NDArray[np.float64], seen: NDArray[np.int64], *, voted: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean of c / k of items that are marked, lacked by the base or not, by the law that fits `seen` best."""
    k = counts.shape[1] - 1
    c = np.arange(k + 1)
    marked = (c > 0) & (c < k)
    wins = np.where(2 * c == k, 0.5, 2 * c > k) if voted else np.zeros(k + 1)  # a tie is won by half of the coins
    sides = np.stack([c == 0, marked * (1 - wins), marked * wins, c == k]).astype(np.float64)
    mass = counts @ sides.T
    best = (seen @ np.log(np.maximum(mass, 1e-300)).T).argmax(axis=1)
    low, high = ((counts @ (sides[i] * c / k)) / np.maximum(mass[:, i], 1e-300) for i in (1, 2))
    return low[best], high[best]
