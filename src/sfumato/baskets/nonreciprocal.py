"""Nonreciprocal anonymization of set-valued data: every record hides among its neighbours on a ring, not in a group.

Xue, Karras, Raïssi, Vaidya & Tan, "Anonymizing set-valued data by nonreciprocal recoding", KDD 2012; Xue's thesis,
chapter 3. Records are laid on a ring so that neighbours are alike; the published record at each position stands for k
records in a row, by the vote of their items; which of k disjoint assignments is the true one is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.baskets.gray import by_frequency, gray_order
from sfumato.baskets.ring import assignments
from sfumato.baskets.voting import vote
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.method import Method, Outcome
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.promise import Promise
from sfumato.progress import Progress
from sfumato.randomness import Randomness

__all__ = ["Nonreciprocal"]


@dataclass(frozen=True)
class Nonreciprocal(Method):
    """k-anonymity of baskets: each record may stand behind k published ones, and each of these for k records."""

    takes: ClassVar[type] = Baskets

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Lay the records on a ring, draw assignments, vote; published records come in random order."""
        baskets: Baskets = _present(table)
        k, n = _asked(promise), len(baskets)
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        progress.step("laying records on a ring")
        order = gray_order(baskets, by_frequency(baskets))
        progress.step("drawing assignments")
        rows = assignments(n, k, random.spawn("assignments"))
        drawn = rows[int(random.spawn("drawn").integers(k, size=1)[0])]
        progress.step("voting")
        shown = vote(baskets, order, k)
        behind = np.empty(n, dtype=np.int64)
        behind[drawn] = order  # the record at position i is the one that the published record at drawn[i] stands for
        arrangement = random.spawn("arrangement").permutation(n)
        own = behind[arrangement]
        labels = None if baskets.labels is None else baskets.labels.gather(own)
        published = PublishedBaskets(
            shown.base.rows(arrangement), shown.differs.rows(arrangement), shown.threshold[arrangement], labels
        )
        return Outcome(
            frame=published.frame, rows=own, public={"baskets": {"items": list(baskets.items)}},
            kept={"edges": _edges(order, k, arrangement)},
        )  # fmt: skip


def _present(baskets: Baskets) -> Baskets:
    """Without items that nobody has: their names are nobody's business."""
    there = baskets.counts > 0
    if there.all():
        return baskets
    number = np.cumsum(there) - 1
    names = [name for name, present in zip(baskets.items, there.tolist(), strict=True) if present]
    return Baskets(baskets.starts, number[baskets.ids], names, baskets.labels)


def _asked(promise: Promise | None) -> int:
    if promise is None:
        raise ParameterError("Nonreciprocal needs a promise to keep, such as KAnonymity(8)")
    other = next((part for part in promise.parts if not isinstance(part, KAnonymity)), None)
    if other is not None:
        raise ParameterError(f"Nonreciprocal keeps KAnonymity, not {other!r}")
    return max(part.k for part in promise.parts if isinstance(part, KAnonymity))


def _edges(order: NDArray[np.int64], k: int, arrangement: NDArray[np.int64]) -> pl.DataFrame:
    """For each published record the originals that it may stand for, in rising order."""
    n = len(order)
    edges = np.sort(order[(arrangement[:, None] - np.arange(k)[None, :]) % n], axis=1)
    return pl.DataFrame({f"original_{i}": edges[:, i] for i in range(k)})
