"""What is published by each method, and what it lost: bits turned round, and how far counts are off.

The error rate is that of the thesis, expected over which assignment is drawn: every edge is as likely as any other of
its published record. All edges are checked as a verifier does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.baselines.greedy_walk import broken_records, greedy_walk
from benchmarks.reproduce.baskets.settings import queries_of
from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.orders.gray import frequency_ranks, gray_order
from sfumato.baskets.rings.diverse_ring import diverse_assignments, diverse_ring, polish_ring
from sfumato.baskets.rings.ring import random_assignments
from sfumato.baskets.shared import group_votes
from sfumato.baskets.voting import vote_edges
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.edges import Edges, check_edges

__all__ = [
    "TIES", "Published", "cahd", "cuts", "edges_of", "error_of", "nonreciprocal", "of_groups", "of_ring", "printed",
    "query_error", "rule_error",
]  # fmt: skip

TIES = Randomness("ties")
"""What ties of votes are settled by."""
ALPHA = 3
"""Of CAHD: how many times l candidates are looked at."""


@dataclass(frozen=True, eq=False)
class Published:
    """Base vectors, and whose they may be."""

    shown: PublishedBaskets
    edges: Edges
    repeats: float = 0.0
    """The share of records with a published label twice among their candidates, on average over the draws."""
    window: int = 0
    """How many labels in a row differ, on a ring."""
    dead_ends: int = 0
    order: NDArray[np.int64] | None = None


def _checked(
    baskets: Baskets, edges: Edges, own: NDArray[np.int64], n_labels: int = 0, shown: PublishedBaskets | None = None
) -> PublishedBaskets:
    shown = vote_edges(baskets, edges, TIES) if shown is None else shown
    if n_labels:
        assert baskets.labels is not None
        shown = PublishedBaskets(shown.base, shown.differs, shown.threshold, baskets.labels.gather(own))
    found = check_edges(baskets, shown, edges, own)
    assert not found.broken, found.broken
    assert found.n_labels is None or found.n_labels >= n_labels, found
    return shown


def of_ring(baskets: Baskets, order: NDArray[np.int64], k: int, seed: int) -> Published:
    """A ring of k."""
    random = Randomness(f"ring {seed}")
    rows = random_assignments(len(baskets), k, random)
    own = np.empty(len(order), dtype=np.int64)
    own[rows[int(random.integers(k, size=1)[0])]] = order
    edges = Edges.of_ring(order, k)
    return Published(_checked(baskets, edges, own), edges)


def nonreciprocal(
    baskets: Baskets,
    labels: NDArray[np.int64],
    order: NDArray[np.int64],
    n_labels: int,
    seed: int,
    *,
    window: int | None = None,
) -> Published:
    """Ours: a ring on which so many labels in a row differ; 2l - 1 where there is room unless told."""
    random = Randomness(f"ring {seed}")
    ring = polish_ring(baskets, labels, diverse_ring(labels, order, n_labels, window=window))
    rows = diverse_assignments(ring, random)
    own = np.empty(len(order), dtype=np.int64)
    own[rows[int(random.integers(n_labels, size=1)[0])]] = ring.order
    edges = Edges.of_ring(ring.order, n_labels)
    labelled = Baskets(baskets.starts, baskets.ids, baskets.items, pl.Series(labels).cast(pl.String))
    return Published(_checked(labelled, edges, own, n_labels), edges, window=ring.window, order=ring.order)


def cuts(baskets: Baskets, order: NDArray[np.int64], k: int) -> list[Published]:
    """Groups of k in a row, for every place to begin the first; the last takes what is over."""
    n, found = len(order), []
    for begin in range(k):
        group = np.empty(n, dtype=np.int64)
        group[order[(np.arange(n) + begin) % n]] = np.minimum(np.arange(n) // k, n // k - 1)
        found.append(of_groups(baskets, group))
    return found


def of_groups(baskets: Baskets, group: NDArray[np.int64]) -> Published:
    """Groups, one vote for all records of each."""
    edges = Edges.of_groups(group)
    shown = group_votes(baskets, group, TIES)
    return Published(_checked(baskets, edges, np.arange(len(baskets)), shown=shown), edges)


def cahd(baskets: Baskets, labels: NDArray[np.int64], n_labels: int) -> Published:
    """Groups along the Gray order, published by vote like everything else."""
    order = gray_order(baskets, frequency_ranks(baskets))
    return of_groups(baskets, cahd_groups(baskets, labels, order, n_labels, ALPHA))


def printed(
    baskets: Baskets, labels: NDArray[np.int64], order: NDArray[np.int64], n_labels: int, seed: int
) -> Published | None:
    """The greedy walk as printed, which is not l-diverse; None where all of four attempts came to a dead end."""
    walk = greedy_walk(baskets, labels, order, n_labels, Randomness(f"walk {seed}"))
    if len(walk.rows) < n_labels:
        return None
    edges = edges_of(walk.rows)
    repeats = float(broken_records(labels, walk).mean()) / len(baskets)
    return Published(_checked(baskets, edges, np.arange(len(baskets))), edges, repeats, dead_ends=walk.dead_ends)


def edges_of(rows: NDArray[np.int64]) -> Edges:
    """The edges of disjoint assignments, one in a row, from records to published records."""
    k, n = rows.shape
    return Edges(np.arange(n + 1, dtype=np.int64) * k, np.argsort(rows, axis=1).T.ravel())


def error_of(baskets: Baskets, published: Published) -> float:
    """The error rate, expected over the draw."""
    edges, base = published.edges, published.shown.base
    ones, theirs = baskets.to_scipy().astype(np.int32), base.to_scipy().astype(np.int32)
    record, row = edges.record, edges.rows
    common = np.concatenate([
        np.asarray(theirs[record[a : a + 65_536]].multiply(ones[row[a : a + 65_536]]).sum(axis=1)).ravel()
        for a in range(0, len(row), 65_536)
    ])  # fmt: skip
    off = (baskets.sizes[row] + base.sizes[record] - 2 * common) / np.maximum(baskets.sizes[row], 1)
    return float((off / edges.sizes[record]).sum() / len(base))


def query_error(name: str, baskets: Baskets, shown: PublishedBaskets, n_queries: int, seed: int) -> tuple[float, float]:
    """The mean error of counts over all records, of both types of queries."""
    return _differences(name, _by_item(baskets), _by_item(shown.base), n_queries, seed)


def rule_error(
    name: str, baskets: Baskets, order: NDArray[np.int64], k: int, n_queries: int, seed: int
) -> tuple[float, float]:
    """The same if ties of a ring's votes go by how frequent the item is, and not by a coin for each."""
    own = _by_item(baskets)
    votes = sum(np.roll(own[:, order], s, axis=1).astype(np.int16) for s in range(k))
    usual = 2 * baskets.counts > len(baskets)
    return _differences(name, own, (2 * votes > k) | ((2 * votes == k) & usual[:, None]), n_queries, seed)


def _differences(
    name: str, own: NDArray[np.bool_], base: NDArray[np.bool_], n_queries: int, seed: int
) -> tuple[float, float]:
    n = own.shape[1]
    having, lacking = queries_of(name, n_queries, seed)
    first = [abs(int(own[q].all(axis=0).sum()) - int(base[q].all(axis=0).sum())) for q in having]
    second = [abs(int(own[q].any(axis=0).sum()) - int(base[q].any(axis=0).sum())) for q in lacking]
    return float(np.mean(first)) / n, float(np.mean(second)) / n


def _by_item(baskets: Baskets) -> NDArray[np.bool_]:
    found = np.zeros((baskets.n_items, len(baskets)), dtype=np.bool_)
    found[baskets.ids, np.repeat(np.arange(len(baskets)), baskets.sizes)] = True
    return found
