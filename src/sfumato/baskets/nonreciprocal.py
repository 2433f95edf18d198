"""Nonreciprocal anonymization of set-valued data: every record hides among its neighbours on a ring, not in a group.

Xue, Karras, Raïssi, Vaidya & Tan, "Anonymizing set-valued data by nonreciprocal recoding", KDD 2012; Xue's thesis,
chapter 3. Records are laid on a ring so that neighbours are alike; the published record at each position stands for k
records in a row, by the vote of their items; which of k disjoint assignments is the true one is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.orders.order import Gray, GrayTSP, Order, Windowed
from sfumato.baskets.rings.diverse_ring import DiverseRing, diverse_assignments, diverse_ring, polish_ring
from sfumato.baskets.rings.ring import random_assignments
from sfumato.baskets.shared import label_codes, outcome_of, present_items, required_size_and_diversity
from sfumato.contracts.method import Method, Outcome
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.progress import Progress, Share, portion
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import one_of
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.edges import MOST_LINKS, Edges

__all__ = ["ORDERS", "Nonreciprocal"]

ORDERS: dict[str, Order] = {"windowed": Windowed(), "gray-tsp": GrayTSP(), "gray": Gray()}
"""Ways to lay records in a row, by name."""


@dataclass(frozen=True)
class Nonreciprocal(Method):
    """k-anonymity or l-diversity: each record may stand behind k published ones, and each of these for k records.

    Under l-diversity records are placed on the ring so that any l in a row carry different labels, 2l - 1 where labels
    are rare enough: then the candidates of every record carry l different published labels, whichever assignment is
    the true one. `order` says how records are laid in a row first: `windowed` lowers what the ring pays, the distances
    of all records up to k - 1 apart; `gray` and `gray-tsp` are the thesis's.

    Placing records by their labels tells of these to whoever knows everybody's items and the method, and windows that
    overlap tell more of baskets than groups do: see `Grouped`.

    >>> import sfumato as sf
    >>> baskets = sf.Baskets.from_lists([["milk", "tea"], ["milk"], ["tea", "rice"], ["milk", "rice"]] * 5)
    >>> sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)
    Release(20 rows, Nonreciprocal, KAnonymity(k=2) holds)
    """

    for_study = True

    order: str = "windowed"
    takes: ClassVar[type] = Baskets
    needs_promise: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the order."""
        one_of("order", self.order, ORDERS)

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Lay the records on a ring, draw assignments, vote; published records come in random order."""
        baskets: Baskets = present_items(table)
        k, diverse = required_size_and_diversity("Nonreciprocal", promise)
        n = len(baskets)
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        if n * k > MOST_LINKS:
            raise ParameterError(
                f"k={k:,} of {n:,} records makes {n * k:,} links, and at most {MOST_LINKS:,} are kept; choose a "
                f"smaller k, or Grouped()"
            )
        progress.step("laying records on a ring")
        laying = portion(progress.share, 0.0, 0.8 if diverse else 1.0)
        order = ORDERS[self.order].order(baskets, k, random.spawn("order"), laying)
        ring = _diverse_ring(baskets, order, k, portion(progress.share, 0.8, 1.0)) if diverse else None
        progress.step("drawing assignments")
        if ring is not None:
            order, rows = ring.order, diverse_assignments(ring, random.spawn("assignments"), progress.share)
        else:
            rows = random_assignments(n, k, random.spawn("assignments"), progress.share)
        drawn = rows[int(random.spawn("drawn").integers(len(rows), size=1)[0])]
        progress.step("voting")
        behind = np.empty(n, dtype=np.int64)
        behind[drawn] = order  # the record at position i is the one that the published record at drawn[i] stands for
        return outcome_of(baskets, Edges.of_ring(order, k), behind, random, share=progress.share)


def _diverse_ring(baskets: Baskets, order: NDArray[np.int64], l: int, share: Share) -> DiverseRing:  # noqa: E741
    """A ring on which every l labels in a row differ, and records lie near their neighbours in the order."""
    labels, given = label_codes(baskets), baskets.labels
    assert given is not None
    laid = diverse_ring(labels, order, l, names=given.unique().sort().to_list())
    return polish_ring(baskets, labels, laid, share=share)
