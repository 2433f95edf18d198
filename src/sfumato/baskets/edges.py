"""The check of a nonreciprocal release: the edges of all assignments, held against originals and published records.

Whoever made the release says which originals each published record may stand for; nothing else of the method is known
here. Every one of these originals must be a possible world of the record, no two edges the same, and as many edges must
leave each original as come to each published record.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets

__all__ = ["EdgeCheck", "check_edges"]


@dataclass(frozen=True)
class EdgeCheck:
    """What was found."""

    broken: tuple[str, ...]
    k: int
    """How many published records every original matches at least, and how many originals every published record."""
    n_labels: int | None = None
    """How many different labels the candidates of an original carry at least."""


def check_edges(
    originals: Baskets, published: PublishedBaskets, edges: NDArray[np.int64], own: NDArray[np.int64]
) -> EdgeCheck:
    """Check `edges`, a row of originals for each published record; `own` is the one that is truly behind it."""
    n, broken = len(published), []
    if edges.ndim != 2 or len(edges) != n or len(own) != n:
        return EdgeCheck(("the edges are not those of the published records",), 0)
    if not n or edges.min() < 0 or edges.max() >= len(originals) or sorted(own.tolist()) != list(range(len(originals))):
        return EdgeCheck(("not every original stands behind one published record",), 0)
    k = edges.shape[1]
    record = np.repeat(np.arange(n), k)
    row = edges.ravel()
    pairs = record * len(originals) + row
    if len(np.unique(pairs)) < len(pairs):
        broken.append("some published record lists an original twice")
    leaving = np.bincount(row, minlength=len(originals))
    if not (leaving == k).all():
        broken.append(f"{int((leaving != k).sum()):,} originals are not listed by {k} published records")
    if not (edges == own[:, None]).any(axis=1).all():
        broken.append("the original behind some published record is not among those that it lists")
    apart = int((~published.contains(originals, record, row)).sum())
    if apart:
        broken.append(f"{apart:,} of {len(row):,} originals listed are no possible world of their published record")
    n_labels = None
    if originals.labels is not None and published.labels is not None:
        if not published.labels.equals(originals.labels.gather(own), check_names=False):
            broken.append("some published record carries a label that is not that of the original behind it")
        code = published.labels.rank("dense").to_numpy().astype(np.int64)
        keys = np.unique(row * (int(code.max()) + 1) + code[record])
        n_labels = int(np.bincount(keys // (int(code.max()) + 1), minlength=len(originals)).min())
    return EdgeCheck(tuple(broken), min(k, int(leaving.min())), n_labels)
