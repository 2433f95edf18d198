"""Steps that the methods on baskets share: reading the promise, dealing, voting, and the outcome to be verified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.voting import vote_edges
from sfumato.contracts.method import Outcome
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.published.baskets.edges import Edges

__all__ = [
    "deal_records",
    "group_votes",
    "label_codes",
    "outcome_of",
    "present_items",
    "required_k_and_l",
    "required_size_and_diversity",
]  # fmt: skip


def present_items(baskets: Baskets) -> Baskets:
    """The baskets without the items that no record has, so that their names are not published."""
    there = baskets.counts > 0
    if there.all():
        return baskets
    number = np.cumsum(there) - 1
    names = [name for name, present in zip(baskets.items, there.tolist(), strict=True) if present]
    return Baskets(baskets.starts, number[baskets.ids], names, baskets.labels)


def label_codes(baskets: Baskets) -> NDArray[np.int64]:
    """The labels as numbers, in alphabetical order; baskets without labels are refused."""
    if baskets.labels is None:
        raise DataError("the baskets have no labels, and l-diversity is about labels; give each record one")
    return baskets.labels.rank("dense").to_numpy().astype(np.int64) - 1


def required_size_and_diversity(method: str, promise: Promise | None) -> tuple[int, bool]:
    """The number of records that each must hide among by the promise, and whether their labels must differ."""
    k, l = required_k_and_l(method, promise)  # noqa: E741
    return max(k, l or 1), l is not None


def required_k_and_l(method: str, promise: Promise | None) -> tuple[int, int | None]:
    """The k and the l that a promise asks for: k is 1 where it asks for none, l is None."""
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


def deal_records(group: NDArray[np.int64], random: Randomness) -> NDArray[np.int64]:
    """Draw the record truly behind each published one: one of the same group, all ways to deal them equally likely."""
    shuffled = random.spawn("deal").permutation(len(group))
    own = np.empty(len(group), dtype=np.int64)
    own[np.argsort(group, kind="stable")] = shuffled[np.argsort(group[shuffled], kind="stable")]
    return own


def group_votes(
    baskets: Baskets, group: NDArray[np.int64], random: Randomness, share: Share = tell_nobody
) -> PublishedBaskets:
    """The published record of each original: the vote of its group, taken once, so that all of a group look alike."""
    lists = Edges(np.concatenate([[0], np.cumsum(np.bincount(group))]), np.argsort(group, kind="stable"))
    votes = vote_edges(baskets, lists, random, share)
    return PublishedBaskets(votes.base.rows(group), votes.differs.rows(group), votes.threshold[group])


def outcome_of(
    baskets: Baskets,
    edges: Edges,
    own: NDArray[np.int64],
    random: Randomness,
    shown: PublishedBaskets | None = None,
    share: Share = tell_nobody,
) -> Outcome:
    """What a method hands over: the votes of `edges`, or `shown` where it is given, in random order.

    Thresholds are left out: that one original is as far from the base as that, and none farther, gives baskets away.
    `own` is the record truly behind each published one; it goes to the owner alone, as do the edges.
    """
    shown = vote_edges(baskets, edges, random, portion(share, 0.0, 0.5)) if shown is None else shown
    share(0.5)
    arrangement = random.spawn("arrangement").permutation(len(own))
    rows = own[arrangement]
    labels = None if baskets.labels is None else baskets.labels.gather(rows)
    published = PublishedBaskets(shown.base.rows(arrangement), shown.differs.rows(arrangement), labels=labels)
    share(0.7)
    return Outcome(
        frame=published.frame, rows=rows, public={"baskets": {"items": list(baskets.items)}},
        kept={"edges": edges.reorder(arrangement).frame},
    )  # fmt: skip
