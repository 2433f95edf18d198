"""MatchRank: properties are given up until linkage attacks on repeated draws leave enough candidates."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import InfeasibleError
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.privacy.match_rank import MatchRank
from sfumato.published.tables.linkage import ATTACKS, Linkage, linkage_over_releases
from sfumato.tables.pattern.properties import ExtractedProperties
from sfumato.tables.pattern.rows import Rows

__all__ = ["KeptProperties", "fewer_properties", "n_releases_for"]

_MATCHED = 500
"""The most records for which the attacks that match all of them at once are tried too."""
_MOST_RECORDS = 5_000
_HALVINGS = 7

Draw = Callable[[ExtractedProperties, Randomness], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class KeptProperties:
    """The properties that could be kept, and the linkage that was measured with them."""

    found: ExtractedProperties
    linkage: Linkage
    share_kept: float

    def public_figures(self, promise: MatchRank) -> dict[str, Any]:
        """What may be published of the measurement, which names no record."""
        return {
            "releases": self.linkage.n_releases,
            "attacks": list(self.linkage.hits),
            "share_of_records": float((self.linkage.k >= promise.k).mean()),
            "share_of_properties": self.share_kept,
        }


def n_releases_for(k: int) -> int:
    """How many draws to measure: enough for a record that is hit by chance alone to be seen to hide among k."""
    return max(20, 6 * k)


def fewer_properties(
    promise: MatchRank, found: ExtractedProperties, numbers: NDArray[np.float64], draw: Draw, random: Randomness,
    share: Share = tell_nobody,
) -> KeptProperties:  # fmt: skip
    """The most rows with which the promise holds as measured, by bisection; rows of mere order are dropped first.

    `draw` draws the values of the table for some properties.
    """
    complete = ~np.isnan(numbers).any(axis=0)
    n = int(complete.sum())
    if n > _MOST_RECORDS:
        raise InfeasibleError(
            f"measuring MatchRank takes too long for {n:,} records, and {_MOST_RECORDS:,} are the most; promise "
            f"Exchangeable, which needs no measuring"
        )
    attacks = tuple(ATTACKS) if n <= _MATCHED else ("nearest", "by_rank")
    order = _kept_longest(found.rows, random.spawn("which"))
    rounds = n_releases_for(promise.k)
    turns = itertools.count()

    def measure(n_rows: int) -> tuple[ExtractedProperties, Linkage]:
        part = replace(found, rows=found.rows.take(np.sort(order[:n_rows])))
        stream, turn = random.spawn(f"measuring {n_rows}"), next(turns)

        def draw_once(i: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
            share((turn + i / rounds) / (2 + _HALVINGS))
            return draw(part, stream.spawn(str(i)))[:, complete], np.arange(n)

        return part, linkage_over_releases(numbers[:, complete], map(draw_once, range(rounds)), attacks)

    def enough(linkage: Linkage) -> bool:
        return bool((linkage.k >= promise.k).mean() >= promise.share)

    whole, linkage = measure(found.rows.n)
    if enough(linkage):
        return KeptProperties(whole, linkage, 1.0)
    best, linkage = measure(0)
    if not enough(linkage):
        reached = float((linkage.k >= promise.k).mean())
        raise InfeasibleError(
            f"{promise!r} cannot be met: with no property at all only {reached:.0%} of the records hide among "
            f"{promise.k}; lower k, widen the bounds, or take fewer columns"
        )
    low, high = 0, found.rows.n
    for _ in range(_HALVINGS):
        middle = (low + high) // 2
        if middle == low:
            break
        part, seen = measure(middle)
        if enough(seen):
            best, linkage, low = part, seen, middle
        else:
            high = middle
    return KeptProperties(best, linkage, low / max(found.rows.n, 1))


def _kept_longest(rows: Rows, random: Randomness) -> NDArray[np.int64]:
    """The rows in random order, those last (dropped first) that say only which of two values is larger."""
    two = np.flatnonzero(np.diff(rows.indptr) == 2)
    first, second = rows.coefficient[rows.indptr[two]], rows.coefficient[rows.indptr[two] + 1]
    ordering = np.zeros(rows.n, dtype=bool)
    ordering[two] = (first == -second) & (rows.bound[two] == 0.0) & ~rows.equal[two]
    shuffled = random.permutation(rows.n)
    return np.concatenate([shuffled[~ordering[shuffled]], shuffled[ordering[shuffled]]])
