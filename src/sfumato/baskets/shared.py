"""What methods on baskets share: from edges and the true assignment to what is handed over to be verified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.voting import vote_edges
from sfumato.contracts.method import Outcome
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Share, portion, unseen
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.edges import Edges

__all__ = ["asked_apart", "asked_of", "dealt", "group_votes", "label_codes", "outcome_of", "present_items"]


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


def asked_of(method: str, promise: Promise | None) -> tuple[int, bool]:
    """How many records each hides among, and whether their labels must differ."""
    k, l = asked_apart(method, promise)  # noqa: E741
    return max(k, l or 1), l is not None


def asked_apart(method: str, promise: Promise | None) -> tuple[int, int | None]:
    """How many records each hides among, and how many labels these must carry; None where labels do not matter."""
    if promise is None:
        raise ParameterError(f"{method} needs a promise to keep, such as KAnonymity(8)")
    k, l = 1, 0  # noqa: E741
    for part in promise.parts:
        if isinstance(part, KAnonymity):
            k = max(k, part.k)
        elif isinstance(part, LDiversity) and part.kind in ("frequency", "distinct") and part.l == int(part.l):
            l = max(l, int(part.l))  # noqa: E741
        else:
            raise ParameterError(
                f"{method} keeps KAnonymity and LDiversity of a whole l, by frequency or distinct, not {part!r}"
            )
    return k, l or None


def dealt(group: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """The record truly behind each published one: of a group, each of its records is as likely to be behind each."""
    shuffled = random.spawn("deal").permutation(len(group))
    own = np.empty(len(group), dtype=np.int64)
    own[np.argsort(group, kind="stable")] = shuffled[np.argsort(group[shuffled], kind="stable")]
    return own


def group_votes(
    baskets: Baskets, group: NDArray[np.int64], random: Randomness, share: Share = unseen
) -> PublishedBaskets:
    """The vote of its group for each record, taken once, so that all of a group are published alike."""
    lists = Edges(np.concatenate([[0], np.cumsum(np.bincount(group))]), np.argsort(group, kind="stable"))
    votes = vote_edges(baskets, lists, random, share)
    return PublishedBaskets(votes.base.rows(group), votes.differs.rows(group), votes.threshold[group])


def outcome_of(
    baskets: Baskets,
    edges: Edges,
    own: NDArray[np.int64],
    random: Randomness,
    shown: PublishedBaskets | None = None,
    share: Share = unseen,
) -> Outcome:
    """Votes, or what is `shown` instead, in random order; `own` is the record truly behind each, for the owner."""
    shown = vote_edges(baskets, edges, random, portion(share, 0.0, 0.5)) if shown is None else shown
    share(0.5)
    arrangement = random.spawn("arrangement").permutation(len(own))
    rows = own[arrangement]
    labels = None if baskets.labels is None else baskets.labels.gather(rows)
    published = PublishedBaskets(
        shown.base.rows(arrangement), shown.differs.rows(arrangement), shown.threshold[arrangement], labels
    )
    share(0.7)
    return Outcome(
        frame=published.frame, rows=rows, public={"baskets": {"items": list(baskets.items)}},
        kept={"edges": edges.arranged(arrangement).frame},
    )  # fmt: skip
