"""Suppression within groups: where the records of a group do not agree on an item, it is not told who has it.

Table 3.2 of Xue's thesis, as the conventional way that nonreciprocal recoding is compared with. Records lie in a row in
which neighbours are alike. For k-anonymity the row is cut into groups of k to 2k - 1 so that as few cells as possible
are withheld; for l-diversity groups are formed as CAHD does. Every record of a group is published alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.edges import Edges
from sfumato.baskets.nonreciprocal import ORDERS
from sfumato.baskets.publishing import asked_of, dealt, label_codes, outcome_of, present_items
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import InfeasibleError, ParameterError, suggest
from sfumato.kernels import kernel
from sfumato.method import Method, Outcome
from sfumato.privacy.promise import Promise
from sfumato.progress import Progress
from sfumato.randomness import Randomness

__all__ = ["Suppression", "cheapest_groups", "suppressed"]

_ALPHA = 3


@dataclass(frozen=True)
class Suppression(Method):
    """k-anonymity or l-diversity in groups: items that some of a group have and others lack are withheld.

    `order` says how records are laid in a row first, as with `Nonreciprocal`.
    """

    order: str = "windowed"
    takes: ClassVar[type] = Baskets

    def __post_init__(self) -> None:
        """Check the order."""
        if self.order not in ORDERS:
            raise ParameterError(
                f"order must be one of {', '.join(ORDERS)}, got {self.order!r}{suggest(str(self.order), ORDERS)}"
            )

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Lay the records in a row, form groups, withhold; inside a group labels are dealt at random."""
        baskets: Baskets = present_items(table)
        k, diverse = asked_of("Suppression", promise)
        n = len(baskets)
        labels = label_codes(baskets) if diverse else None
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        progress.step("laying records in a row")
        order = ORDERS[self.order].order(baskets, k, random.spawn("order"))
        progress.step("forming groups")
        group = cheapest_groups(baskets, order, k) if labels is None else cahd_groups(baskets, labels, order, k, _ALPHA)
        progress.step("withholding")
        return outcome_of(
            baskets, Edges.of_groups(group), dealt(group, random), random, shown=suppressed(baskets, group)
        )


def suppressed(baskets: Baskets, group: NDArray[np.int64]) -> PublishedBaskets:
    """What all of its group have as the base of each record; what only some have is marked, all of it open."""
    m = max(baskets.n_items, 1)
    sizes = np.bincount(group)
    keys, held = np.unique(np.repeat(group, baskets.sizes) * m + baskets.ids, return_counts=True)
    by_all = held == sizes[keys // m]
    base, differs = (_of_groups(keys[these], len(sizes), baskets.items).rows(group) for these in (by_all, ~by_all))
    return PublishedBaskets(base, differs, differs.sizes)


def _of_groups(keys: NDArray[np.int64], n_groups: int, items: tuple[str, ...]) -> Baskets:
    m = max(len(items), 1)
    return Baskets(np.searchsorted(keys, np.arange(n_groups + 1) * m), keys % m, items)


def cheapest_groups(baskets: Baskets, order: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """The group of every record: consecutive ones in the order, k or more, that withhold the fewest cells.

    Groups of 2k or more are never needed, as a part of a group disagrees on no more items. O(k x items present).
    """
    cuts = _cuts(baskets.starts, baskets.ids, baskets.n_items, order.astype(np.int64), k)
    group = np.empty(len(baskets), dtype=np.int64)
    stop, last = len(baskets), []
    while stop > 0:
        last.append(stop)
        stop = int(cuts[stop])
    group[order] = np.searchsorted(np.array(last[::-1], dtype=np.int64), np.arange(len(baskets)), side="right")
    return group


@kernel
def _cuts(
    starts: NDArray[np.int64], ids: NDArray[np.int32], n_items: int, order: NDArray[np.int64],
    k: int,
) -> NDArray[np.int64]:  # fmt: skip
    """Where the last group begins, of the best groups of the first so many records."""
    n = order.shape[0]
    never = np.int64(2**62)
    cost = np.full(n + 1, never)
    cost[0] = 0
    cut = np.zeros(n + 1, dtype=np.int64)
    held = np.zeros(n_items, dtype=np.int64)
    for stop in range(k, n + 1):
        first = max(0, stop - 2 * k + 1)
        by_some = 0
        for at in range(stop - 1, first - 1, -1):
            i = order[at]
            size, by_all = stop - at, 0
            for e in range(starts[i], starts[i + 1]):
                by_some += held[ids[e]] == 0
                held[ids[e]] += 1
                by_all += held[ids[e]] == size
            if size >= k and cost[at] < never:
                withheld = cost[at] + size * (by_some - by_all)
                if withheld < cost[stop]:
                    cost[stop] = withheld
                    cut[stop] = at
        for at in range(first, stop):
            i = order[at]
            for e in range(starts[i], starts[i + 1]):
                held[ids[e]] = 0
    return cut
