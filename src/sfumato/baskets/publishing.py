"""What methods on baskets share: from edges and the true assignment to what is handed over to be verified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.edges import Edges
from sfumato.baskets.voting import vote_edges
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import DataError
from sfumato.method import Outcome
from sfumato.randomness import Randomness

__all__ = ["label_codes", "outcome_of", "present_items"]


def present_items(baskets: Baskets) -> Baskets:
    """Without items that nobody has: their names are nobody's business."""
    there = baskets.counts > 0
    if there.all():
        return baskets
    number = np.cumsum(there) - 1
    names = [name for name, present in zip(baskets.items, there.tolist(), strict=True) if present]
    return Baskets(baskets.starts, number[baskets.ids], names, baskets.labels)


def label_codes(baskets: Baskets) -> NDArray[np.int64]:
    """The labels as numbers, in their order; baskets without labels are refused."""
    if baskets.labels is None:
        raise DataError("the baskets have no labels, and l-diversity is about labels; give each record one")
    return baskets.labels.rank("dense").to_numpy().astype(np.int64) - 1


def outcome_of(baskets: Baskets, edges: Edges, own: NDArray[np.int64], random: Randomness) -> Outcome:
    """Votes in random order; `own` is the record truly behind each of them, and the owner keeps the edges."""
    shown = vote_edges(baskets, edges)
    arrangement = random.spawn("arrangement").permutation(len(own))
    rows = own[arrangement]
    labels = None if baskets.labels is None else baskets.labels.gather(rows)
    published = PublishedBaskets(
        shown.base.rows(arrangement), shown.differs.rows(arrangement), shown.threshold[arrangement], labels
    )
    return Outcome(
        frame=published.frame, rows=rows, public={"baskets": {"items": list(baskets.items)}},
        kept={"edges": edges.arranged(arrangement).frame},
    )  # fmt: skip
