"""Nonreciprocal anonymization of set-valued data: every record hides among its neighbours on a ring, not in a group.

Xue, Karras, Raïssi, Vaidya & Tan, "Anonymizing set-valued data by nonreciprocal recoding", KDD 2012; Xue's thesis,
chapter 3. Records are laid on a ring so that neighbours are alike; the published record at each position stands for k
records in a row, by the vote of their items; which of k disjoint assignments is the true one is drawn at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.dealt_rings import dealt_rings
from sfumato.baskets.diverse_ring import closer, diverse_assignments, diverse_ring
from sfumato.baskets.edges import Edges
from sfumato.baskets.orders import Gray, GrayTSP, Order, Windowed
from sfumato.baskets.publishing import asked_of, label_codes, outcome_of, present_items
from sfumato.baskets.ring import assignments
from sfumato.data.baskets import Baskets
from sfumato.errors import InfeasibleError, ParameterError, suggest
from sfumato.method import Method, Outcome
from sfumato.privacy.promise import Promise
from sfumato.progress import Progress
from sfumato.randomness import Randomness

__all__ = ["ORDERS", "Nonreciprocal"]

_Drawn: TypeAlias = tuple[list[NDArray[np.int64]], NDArray[np.int64]]
"""The records of every ring, and the one truly behind each of their positions."""

ORDERS: dict[str, Order] = {"windowed": Windowed(), "gray-tsp": GrayTSP(), "gray": Gray()}
"""Ways to lay records in a row, by name."""


@dataclass(frozen=True)
class Nonreciprocal(Method):
    """k-anonymity or l-diversity: each record may stand behind k published ones, and each of these for k records.

    Under l-diversity records are placed on the ring so that any l in a row carry different labels, 2l - 1 where labels
    are rare enough: then the candidates of every record carry l different published labels, whichever assignment is
    the true one. `order` says how records are laid in a row first: `windowed` lowers what the ring pays, the distances
    of all records up to k - 1 apart; `gray` and `gray-tsp` are the thesis's.

    Placing records by their labels tells of these to whoever knows everybody's items and the method. `dealt` rings do
    not: they are cut by items alone, records are dealt to their places, and more is lost.
    """

    order: str = "windowed"
    dealt: bool = False
    takes: ClassVar[type] = Baskets

    def __post_init__(self) -> None:
        """Check the order."""
        if self.order not in ORDERS:
            raise ParameterError(
                f"order must be one of {', '.join(ORDERS)}, got {self.order!r}{suggest(str(self.order), ORDERS)}"
            )
        if not isinstance(self.dealt, bool):
            raise ParameterError(f"dealt must be true or false, got {self.dealt!r}")

    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Lay the records on a ring, draw assignments, vote; published records come in random order."""
        baskets: Baskets = present_items(table)
        k, diverse = asked_of("Nonreciprocal", promise)
        n = len(baskets)
        if n < k:
            raise InfeasibleError(f"k={k} needs at least {k} records and there are {n}; the best is k={n}")
        progress.step("laying records on a ring")
        order = ORDERS[self.order].order(baskets, k, random.spawn("order"))
        progress.step("drawing assignments")
        rings, drawn = self._diverse(baskets, order, k, random) if diverse else _plain(order, k, random)
        progress.step("voting")
        return outcome_of(baskets, Edges.of_rings(rings, k), drawn, random)

    def _diverse(self, baskets: Baskets, order: NDArray[np.int64], k: int, random: Randomness) -> _Drawn:
        """Rings on which every k labels in a row differ."""
        labels, given = label_codes(baskets), baskets.labels
        assert given is not None
        names = given.unique().sort().to_list()
        if self.dealt:
            rings = dealt_rings(labels, order, k, random.spawn("deal"), names=names)
            shifts = random.spawn("drawn").integers(k, size=len(rings))
            return rings, np.concatenate([np.roll(ring, shift) for ring, shift in zip(rings, shifts, strict=True)])
        ring = closer(baskets, labels, diverse_ring(labels, order, k, names=names))
        return [ring.order], _behind(ring.order, diverse_assignments(ring, random.spawn("assignments")), random)


def _plain(order: NDArray[np.int64], k: int, random: Randomness) -> _Drawn:
    return [order], _behind(order, assignments(len(order), k, random.spawn("assignments")), random)


def _behind(order: NDArray[np.int64], rows: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """The record behind each position, by one of the assignments: that at i is behind what is published at drawn[i]."""
    drawn = rows[int(random.spawn("drawn").integers(len(rows), size=1)[0])]
    behind = np.empty(len(order), dtype=np.int64)
    behind[drawn] = order
    return behind
