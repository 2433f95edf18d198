"""The check of published baskets: what they promise, on the published records alone or beside the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.baskets.edges import Edges, check_edges
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import DataError, ParameterError
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.promise import Promise
from sfumato.privacy.verdict import Verdict

if TYPE_CHECKING:
    from sfumato.data.table import Table
    from sfumato.release import Release

__all__ = ["verify_baskets"]


def verify_baskets(release: Release, original: Table | Baskets | None, promise: Promise | None) -> Verdict:
    """Decide a promise on baskets: with the original and what its owner kept, edge by edge.

    Who is behind a published record is not published, so that nobody can decide k-anonymity on the published records
    alone: then it is only said whether they are well formed.
    """
    published = release.data
    assert isinstance(published, PublishedBaskets)
    if original is not None and not isinstance(original, Baskets):
        raise ParameterError("the release is of baskets, and the original is a Table; give the baskets")
    n = len(published)
    worlds = f"{n:,} published records, each with the items it may differ in"
    kept = release.owner.files.get("edges") if release.owner is not None else None
    if original is None or kept is None or release.owner is None:
        found = [f"{worlds}; who hides among whom needs the original, and what its owner kept"]
        return Verdict(
            holds=not release.damage, found=tuple(found), checked_on=f"{n:,} published records alone",
            broken=tuple(release.damage),
        )  # fmt: skip
    edges = Edges.from_frame(kept)
    try:
        seen = check_edges(aligned(original, published), published, edges, release.owner.rows)
    except DataError as error:
        return Verdict(holds=False, found=(worlds,), checked_on=f"{n:,} published records", broken=(str(error),))
    broken, said, reached = [*release.damage, *seen.broken], [], {}
    for part in promise.parts if promise is not None else ():
        if isinstance(part, KAnonymity):
            said.append(
                f"every record may stand behind {seen.k:,} published ones, and every one of these for {seen.k:,}"
            )
            holds, value = seen.k >= part.k, float(seen.k)
        elif isinstance(part, LDiversity) and part.kind in ("frequency", "distinct"):
            labels = seen.n_labels or 0
            said.append(f"the candidates of every record carry at least {labels:,} different labels")
            holds, value = labels >= part.l, float(labels)
        else:
            raise ParameterError(f"baskets promise KAnonymity or LDiversity, not {part!r}")
        reached[repr(part)] = value
        broken += [] if holds else [f"{part!r}: {said[-1]}"]
    return Verdict(
        holds=not broken, found=tuple(said) or (worlds,), broken=tuple(broken), reached=reached,
        checked_on=f"{n:,} published records and all {len(edges.rows):,} edges to the originals",
    )  # fmt: skip


def aligned(original: Baskets, published: PublishedBaskets) -> Baskets:
    """The original with its items numbered as the published ones are."""
    place = {name: i for i, name in enumerate(published.items)}
    number = np.array([place.get(name, -1) for name in original.items], dtype=np.int64)
    ids = number[original.ids]
    if len(ids) and ids.min() < 0:
        raise DataError("the original has items that no published record has or marks")
    record = np.repeat(np.arange(len(original)), original.sizes)
    order = np.argsort(record * max(len(place), 1) + ids, kind="stable")
    return Baskets(original.starts, ids[order], published.items, original.labels)
