"""CAHD: groups of records that are alike and carry different labels, formed along an order.

Ghinita, Tao & Kalnis, "On the anonymization of sparse high-dimensional data", ICDE 2008, for data in which every record
carries a label. From the first record that is left, of the nearest `alpha` times l that do not conflict with it, those
join it that share most items and carry labels of their own; a group is taken only if what is left can still be shared
out. The remainder is the last group. Every record stands for all of its group: reciprocal, in contrast to a ring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.shared import deal_records, group_votes, label_codes, outcome_of, present_items
from sfumato.contracts.method import Method, Outcome
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Progress, portion
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.bits import Packed, hamming, pack
from sfumato.published.baskets.edges import Edges

__all__ = ["CAHD", "cahd_groups"]


@dataclass(frozen=True)
class CAHD(Method):
    """l-diversity of baskets in groups; `alpha` times l candidates are looked at for each.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"]] * 6, labels=list("abcdef") * 3)
    >>> sf.publish(baskets, sf.CAHD(), sf.LDiversity(2), seed=1)
    Release(18 rows, CAHD, LDiversity(2) holds)
    """

    for_study = True

    alpha: int = 3
    takes: ClassVar[type] = Baskets
    needs_promise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check alpha."""
        whole("alpha", self.alpha, least=1)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Form groups along the Gray order; inside each, labels are dealt at random."""
        baskets: Baskets = present_items(table)
        n_labels, labels = _required_l(promise), label_codes(baskets)
        progress.step("forming groups")
        order = gray_order(baskets, frequency_ranks(baskets))
        progress.share(0.5)
        group = cahd_groups(baskets, labels, order, n_labels, self.alpha)
        progress.step("dealing")
        own = deal_records(group, random)
        progress.step("voting")
        shown = group_votes(baskets, group, random, portion(progress.share, 0.0, 0.5))
        return outcome_of(baskets, Edges.of_groups(group), own, random, shown=shown, share=progress.share)


def _required_l(promise: Promise | None) -> int:
    """The l of the promise, which must be LDiversity alone with a whole l."""
    parts = promise.parts if promise is not None else ()
    if len(parts) != 1 or not isinstance(parts[0], LDiversity) or parts[0].kind not in ("frequency", "distinct"):
        raise ParameterError(f"CAHD keeps LDiversity alone, by frequency or distinct labels, not {promise!r}")
    if parts[0].l != int(parts[0].l):
        raise ParameterError(f"CAHD takes l labels at a time, so l must be a whole number, got {parts[0].l:g}")
    return int(parts[0].l)


def cahd_groups(
    baskets: Baskets, labels: NDArray[np.int64], order: NDArray[np.int64], n_labels: int, alpha: int
) -> NDArray[np.int64]:
    """The group of every record: groups of l records with l labels, and the last of all others.

    O(records x alpha l x items).
    """
    n, top = len(labels), int(np.bincount(labels).max(initial=0))
    if n < n_labels or top * n_labels > n:
        best = n // max(top, 1)
        raise InfeasibleError(
            f"a label is carried by {top:,} of {n:,} records, more than 1 in {n_labels}; the best is l={best}"
        )
    return _groups(pack(baskets), labels, order.astype(np.int64), n_labels, min(alpha, n))


@kernel
def _groups(  # noqa: C901  a kernel
    records: Packed, labels: NDArray[np.int64], order: NDArray[np.int64], size: int,
    alpha: int,
) -> NDArray[np.int64]:  # fmt: skip
    """The group of every record. `after` and `before` link the positions of the order that are in no group yet."""
    n = labels.shape[0]
    group = np.full(n, -1, dtype=np.int64)
    after, before = np.arange(1, n + 2), np.arange(-1, n + 1)  # positions that are left, as a list; n is the end
    left = np.zeros(labels.max() + 1, dtype=np.int64)
    for i in range(n):
        left[labels[i]] += 1
    holders = np.zeros(left.max() + 2, dtype=np.int64)  # [c]: how many labels have c records left
    for q in range(left.shape[0]):
        holders[left[q]] += 1
    most, n_left, n_groups = left.max(), n, 0
    near = np.empty(alpha * size, dtype=np.int64)
    likeness = np.empty(alpha * size)
    taken, marks = np.empty(size, dtype=np.int64), np.full(left.shape[0], -1, dtype=np.int64)
    at = 0
    while at < n and n_left >= 2 * size:
        pivot = order[at]
        n_near, p = 0, after[at]
        while p < n and n_near < alpha * size:
            if labels[order[p]] != labels[pivot]:
                near[n_near] = p
                likeness[n_near] = -hamming(records, pivot, order[p])
                n_near += 1
            p = after[p]
        taken[0] = at
        marks[labels[pivot]] = at
        n_taken = 1
        for c in np.argsort(-likeness[:n_near]):
            q = labels[order[near[c]]]
            if n_taken < size and marks[q] != at:
                marks[q] = at
                taken[n_taken] = near[c]
                n_taken += 1
        good = n_taken == size
        if good:  # what is left must still be l-diverse: no label may have more than its share
            for t in range(size):
                q = labels[order[taken[t]]]
                holders[left[q]] -= 1
                left[q] -= 1
                holders[left[q]] += 1
            while most > 0 and holders[most] == 0:
                most -= 1
            if most * size > n_left - size:
                good = False
                for t in range(size):
                    q = labels[order[taken[t]]]
                    holders[left[q]] -= 1
                    left[q] += 1
                    holders[left[q]] += 1
                    most = max(most, left[q])
        if not good:
            at = after[at]
            continue
        for t in range(size):
            p = taken[t]
            group[order[p]] = n_groups
            if before[p] >= 0:
                after[before[p]] = after[p]
            if after[p] <= n:
                before[after[p]] = before[p]
        n_groups += 1
        n_left -= size
        while at < n and group[order[at]] >= 0:
            at = after[at]
    for i in range(n):
        if group[i] < 0:
            group[i] = n_groups
    return group
