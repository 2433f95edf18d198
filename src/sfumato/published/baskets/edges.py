"""Which originals each published record may stand for: the edges of all assignments, and their check.

Whoever made a release says what the edges are; the check knows nothing else of the method. Every original listed must
be a possible world of the record, no edge may be there twice, and of every edge both ends must have as many edges as
each other: so that they split into disjoint assignments, of which each is as likely as any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError

__all__ = ["MOST_LINKS", "EdgeCheck", "Edges", "check_edges"]

MOST_LINKS = 50_000_000
"""Links between records and what stands for them: gigabytes, in more."""


@dataclass(frozen=True, eq=False)
class Edges:
    """The originals of published record j are `rows[starts[j]:starts[j + 1]]`."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]

    @classmethod
    def of_ring(cls, order: NDArray[np.int64], k: int) -> Edges:
        """On a ring, the published record at place j may stand for the originals at places j - k + 1 to j."""
        n = len(order)
        rows = order[(np.arange(n)[:, None] - np.arange(k)[None, :]) % n]
        return cls(np.arange(n + 1, dtype=np.int64) * k, rows.ravel())

    @classmethod
    def of_groups(cls, group: NDArray[np.int64]) -> Edges:
        """In groups, every published record may stand for all originals of its group."""
        by_group = np.argsort(group, kind="stable")
        sizes = np.bincount(group)
        ends = np.cumsum(sizes)
        own = sizes[group]
        if int(own.sum()) > MOST_LINKS:
            raise ParameterError(
                f"a group of {int(sizes.max()):,} records makes {int(sizes.max()) ** 2:,} links, and at most "
                f"{MOST_LINKS:,} are kept in all; ask for less, or leave out what is too frequent among the labels"
            )
        starts = np.concatenate([[0], np.cumsum(own)]).astype(np.int64)
        at = np.arange(starts[-1]) - np.repeat(starts[:-1], own) + np.repeat((ends - sizes)[group], own)
        return cls(starts, by_group[at])

    @classmethod
    def from_frame(cls, frame: pl.DataFrame) -> Edges:
        """Read what `frame` wrote."""
        whole = {"original": pl.List(pl.Int64), "last": pl.Int64}
        if dict(frame.schema) != whole or any(frame[name].null_count() for name in whole):
            raise DataError("the edges that the owner kept are damaged; restore them from a copy")
        ends = frame["last"].to_numpy().astype(np.int64)
        return cls(np.concatenate([[0], ends]), frame["original"].explode(empty_as_null=False).to_numpy())

    @property
    def frame(self) -> pl.DataFrame:
        """One row for each published record."""
        long = pl.DataFrame({"record": self.record, "original": self.rows.astype(np.int64)})
        lists = long.group_by("record", maintain_order=True).agg("original")
        return lists.select("original").with_columns(pl.Series("last", self.starts[1:]))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many originals each published record has."""
        return np.diff(self.starts)

    @property
    def record(self) -> NDArray[np.int64]:
        """The published record of every edge."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)

    def reorder(self, keep: NDArray[np.int64]) -> Edges:
        """Return the edges with the published records in the order of `keep`."""
        sizes = self.sizes[keep]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.repeat(self.starts[:-1][keep] - starts[:-1], sizes) + np.arange(starts[-1])
        return Edges(starts, self.rows[at])


@dataclass(frozen=True)
class EdgeCheck:
    """What the check of the edges found."""

    broken: tuple[str, ...]
    k: int
    """How many published records every original may stand behind at least, and how many originals each of these."""
    n_labels: int | None = None
    """How many different labels the candidates of an original carry at least."""
    label_share: Fraction = Fraction(1)
    """The largest share that one label has among the candidates of an original."""


def check_edges(originals: Baskets, published: PublishedBaskets, edges: Edges, own: NDArray[np.int64]) -> EdgeCheck:
    """Check that the edges are possible worlds and split into assignments, and count candidates and labels.

    `own` is the original that is truly behind each published record.
    """
    n, m = len(published), len(originals)
    if len(edges.starts) != n + 1 or edges.starts[-1] != len(edges.rows) or len(own) != n:
        return EdgeCheck(("the edges are not those of the published records",), 0)
    inside = len(edges.rows) and edges.rows.min() >= 0 and edges.rows.max() < m
    if not inside or sorted(own.tolist()) != list(range(m)):
        return EdgeCheck(("not every original stands behind one published record",), 0)
    broken = []
    record, row = edges.record, edges.rows
    pairs = record * m + row
    if len(np.unique(pairs)) < len(pairs):
        broken.append("some published record lists an original twice")
    leaving, coming = np.bincount(row, minlength=m), edges.sizes
    uneven = int((leaving[row] != coming[record]).sum())
    if uneven:
        broken.append(f"{uneven:,} edges join a record and an original that do not have as many edges as each other")
    if not np.isin(np.arange(n) * m + own, pairs).all():
        broken.append("the original behind some published record is not among those that it lists")
    apart = int((~published.contains(originals, record, row)).sum())
    if apart:
        broken.append(f"{apart:,} of {len(row):,} originals listed are no possible world of their published record")
    n_labels, share = None, Fraction(1)
    if originals.labels is not None and published.labels is not None:
        if not published.labels.equals(originals.labels.gather(own), check_names=False):
            broken.append("some published record carries a label that is not that of the original behind it")
        code = published.labels.rank("dense").to_numpy().astype(np.int64)
        keys, times = np.unique(row * (int(code.max()) + 1) + code[record], return_counts=True)
        holder = keys // (int(code.max()) + 1)
        n_labels = int(np.bincount(holder, minlength=m).min())
        likeliest = int(np.argmax(times / leaving[holder]))
        share = Fraction(int(times[likeliest]), int(leaving[holder[likeliest]]))
    return EdgeCheck(tuple(broken), int(min(leaving.min(), coming.min(initial=m))), n_labels, share)
