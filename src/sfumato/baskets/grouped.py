"""Groups of baskets: the records of a group are published alike, and each may be any of them.

Records lie in a row in which neighbours are alike. For k-anonymity the row is cut into groups of k to 2k - 1 so that as
little as possible is lost; for l-diversity groups are formed as CAHD does or cut from a ring, whichever loses less, or
dealt. Items on which a group does not agree are voted on, or withheld as in Table 3.2 of Xue's thesis. Groups do not
overlap, as the windows of a ring do, so that no published record tells of a basket what another one leaves open; inside
a group all assignments are equally likely, so that one label that is known to be somebody's leaves the others open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.nonreciprocal import ORDERS
from sfumato.baskets.rings.dealt_groups import dealt_groups
from sfumato.baskets.rings.diverse_ring import refuse_frequent
from sfumato.baskets.rings.ring_groups import ring_groups, turned_bits
from sfumato.baskets.shared import deal_records, group_votes, label_codes, outcome_of, present_items, required_k_and_l
from sfumato.contracts.method import Method, Outcome
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress, Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import flag, one_of
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.edges import Edges

__all__ = ["Grouped", "cheapest_groups", "diverse_groups", "merge_groups", "suppress_differences"]

_ALPHA = 3
_SHOWS = ("votes", "withheld")


@dataclass(frozen=True)
class Grouped(Method):
    """k-anonymity or l-diversity in groups, each record of which stands for all of them.

    `order` says how records are laid in a row first, as with `Nonreciprocal`. Items that only some of a group have go
    by the vote of the group (`show="votes"`), or are not shown at all (`"withheld"`). Groups that are formed by looking
    at labels tell of these to whoever knows everybody's items and the method; `dealt` ones do not, and lose more.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"]] * 6, labels=list("abcdef") * 3)
    >>> sf.publish(baskets, sf.Grouped(), sf.LDiversity(2), seed=1)
    Release(18 rows, Grouped, LDiversity(2) holds)
    """

    recommended = "for k-anonymity and l-diversity"

    order: str = "windowed"
    show: str = "votes"
    dealt: bool = False
    takes: ClassVar[type] = Baskets
    needs_promise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the order, what is shown and whether groups are dealt."""
        one_of("order", self.order, ORDERS)
        one_of("show", self.show, _SHOWS)
        flag("dealt", self.dealt)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Lay the records in a row, form groups, vote or withhold; inside a group labels are dealt at random."""
        baskets: Baskets = present_items(table)
        k, l = required_k_and_l("Grouped", promise)  # noqa: E741
        n = len(baskets)
        if self.dealt and l is None:
            raise ParameterError("dealt groups hide labels, so they need LDiversity; ask for it, or leave dealt out")
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        labels = None if l is None else _checked_labels(baskets, l)
        progress.step("laying records in a row")
        order = ORDERS[self.order].order(baskets, max(k, l or 1), random.spawn("order"), progress.share)
        progress.step("forming groups")
        if labels is None or l is None:
            group = cheapest_groups(baskets, order, k, self.show)
        elif self.dealt:
            group = dealt_groups(labels, order, k, l, random.spawn("groups"))
        else:
            group = merge_groups(diverse_groups(baskets, labels, order, l, progress.share), order, k)
        progress.step("voting" if self.show == "votes" else "withholding")
        if self.show == "votes":
            shown = group_votes(baskets, group, random, portion(progress.share, 0.0, 0.5))
        else:
            shown = suppress_differences(baskets, group)
        own = deal_records(group, random)
        return outcome_of(baskets, Edges.of_groups(group), own, random, shown=shown, share=progress.share)


def diverse_groups(
    baskets: Baskets, labels: NDArray[np.int64], order: NDArray[np.int64], l: int,  # noqa: E741
    share: Share = tell_nobody,
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record: as CAHD forms them or cut from a ring, whichever the vote changes fewer bits of."""
    formed = cahd_groups(baskets, labels, order, l, _ALPHA)
    share(0.1)
    cut = ring_groups(baskets, labels, order, l, portion(share, 0.1, 1.0))
    return min((formed, cut), key=lambda group: turned_bits(baskets, group))


def _checked_labels(baskets: Baskets, l: int) -> NDArray[np.int64]:  # noqa: E741
    """The labels as numbers; refused where more than one record in l carries the same one."""
    codes, given = label_codes(baskets), baskets.labels
    assert given is not None
    refuse_frequent(codes, l, l, given.unique().sort().to_list())
    return codes


def suppress_differences(baskets: Baskets, group: NDArray[np.int64]) -> PublishedBaskets:
    """Published records whose base is the items that all of their group have; items that only some have are marked."""
    m = max(baskets.n_items, 1)
    sizes = np.bincount(group)
    keys, held = np.unique(np.repeat(group, baskets.sizes) * m + baskets.ids, return_counts=True)
    by_all = held == sizes[keys // m]
    base, differs = (_of_groups(keys[these], len(sizes), baskets.items).rows(group) for these in (by_all, ~by_all))
    return PublishedBaskets(base, differs)


def _of_groups(keys: NDArray[np.int64], n_groups: int, items: tuple[str, ...]) -> Baskets:
    """A basket for each group, from rising keys: group number x number of items + item."""
    m = max(len(items), 1)
    return Baskets(np.searchsorted(keys, np.arange(n_groups + 1) * m), keys % m, items)


def merge_groups(group: NDArray[np.int64], order: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Join groups that follow each other, by where they begin in the order, until every one has k records or more."""
    along = group[order]
    _, first = np.unique(along, return_index=True)
    sizes = np.bincount(group)
    number, joined, size = np.empty(len(sizes), dtype=np.int64), 0, 0
    for g in np.argsort(first, kind="stable").tolist():
        if size >= k:
            joined, size = joined + 1, 0
        number[g] = joined
        size += int(sizes[g])
    if size < k and joined:  # the remainder
        number[number == joined] = joined - 1
    return number[group]


def cheapest_groups(baskets: Baskets, order: NDArray[np.int64], k: int, show: str = "votes") -> NDArray[np.int64]:
    """The group of every record: consecutive ones in the order, k or more, that lose the least.

    That is the bits that a vote turns round (`show="votes"`), or the cells that are not shown (`"withheld"`). Groups of
    2k or more are never needed, as the parts of a group lose no more than it does. O(k x items present).
    """
    cuts = _cuts(baskets.starts, baskets.ids, baskets.n_items, order.astype(np.int64), k, show == "votes")
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
    k: int, votes: bool,  # noqa: FBT001
) -> NDArray[np.int64]:  # fmt: skip
    """For every i: where the last group begins if the first i records of the order are grouped at the least cost.

    A group grows by one record at a time, from `size` to `size + 1`. An item that most of it have, and the new record
    lacks, is one more bit that the vote changes, and so is one that most lack and it has.
    """
    n = order.shape[0]
    never = np.int64(2**62)
    cost = np.full(n + 1, never)
    cost[0] = 0
    cut = np.zeros(n + 1, dtype=np.int64)
    held = np.zeros(n_items, dtype=np.int64)
    n_held = np.zeros(2 * k + 1, dtype=np.int64)  # [c]: items that c records of the group have
    for stop in range(k, n + 1):
        first = max(0, stop - 2 * k + 1)
        by_some = by_all = by_most = turned = 0
        n_held[:] = 0
        for at in range(stop - 1, first - 1, -1):
            i, size = order[at], stop - at - 1
            by_all, turned = 0, turned + by_most
            for e in range(starts[i], starts[i + 1]):
                c = held[ids[e]]
                held[ids[e]] = c + 1
                n_held[c] -= 1
                n_held[c + 1] += 1
                by_some += c == 0
                by_all += c == size
                if 2 * c > size:
                    turned -= 1
                else:
                    turned += 2 * c < size
                    by_most += 2 * (c + 1) > size
            size += 1
            if size % 2 == 0:
                by_most -= n_held[size // 2]
            if size >= k and cost[at] < never:
                total = cost[at] + (turned if votes else size * (by_some - by_all))
                if total < cost[stop]:
                    cost[stop] = total
                    cut[stop] = at
        for at in range(first, stop):
            i = order[at]
            for e in range(starts[i], starts[i + 1]):
                held[ids[e]] = 0
    return cut
