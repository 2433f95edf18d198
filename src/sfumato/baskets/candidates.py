"""Who may stand behind whom, found out from the originals and the published records alone.

Knows nothing of edges, rings or groups: an original may stand behind every published record that has it among its
possible worlds. Where they are few enough, pairs that no complete assignment holds are left out, as by an adversary who
has all originals: a pair is in one if and only if both ends are in one strongly connected component of the graph that a
perfect matching gives (Dulmage & Mendelsohn). O(records^2) comparisons, most of which end with the first word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.bits import Packed, pack
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.kernels import kernel

__all__ = ["Candidates", "find_candidates"]

_MOST_PAIRS = 4_000_000  # more are counted and not kept, so that assignments are not looked at


@dataclass(frozen=True)
class Candidates:
    """How many candidates there are at least."""

    of_originals: int
    """Published records that an original may stand behind."""
    of_published: int
    """Originals that a published record may stand for."""
    n_labels: int | None
    """Different labels that the candidates of an original carry."""
    complete: bool
    """Whether only pairs count that some complete assignment holds."""
    assignable: bool
    """Whether there may be a complete assignment; where it was not looked for, it may."""


def find_candidates(originals: Baskets, published: PublishedBaskets) -> Candidates:
    """Compare every original with every published record; both have the same items in the same order."""
    n = len(originals)
    if not n:
        return Candidates(0, 0, None, True, True)
    base, differs = published.base, published.differs
    ever, always = _joined(base, differs), _without(base, differs)
    label = _codes(published)
    own = pack(originals)
    most, least, usual = (pack(each, compact=own[3]) for each in (ever, always, base))
    out, back, labels, pairs = _pairs(own, most, least, usual, base.sizes, published.threshold, label, _MOST_PAIRS)
    given = published.labels is not None
    if len(pairs) < int(out.sum()):
        return Candidates(int(out.min()), int(back.min()), int(labels.min()) if given else None, False, True)
    kept = _assignable(pairs, n)
    if kept is None:
        return Candidates(int(out.min()), int(back.min()), int(labels.min()) if given else None, False, False)
    out, back = np.bincount(kept[:, 0], minlength=n), np.bincount(kept[:, 1], minlength=n)
    keys = np.unique(kept[:, 0] * (int(label.max()) + 1) + label[kept[:, 1]])
    labels = np.bincount(keys // (int(label.max()) + 1), minlength=n)
    return Candidates(int(out.min()), int(back.min()), int(labels.min()) if given else None, True, True)


def _codes(published: PublishedBaskets) -> NDArray[np.int64]:
    if published.labels is None:
        return np.zeros(len(published), dtype=np.int64)
    return published.labels.rank("dense").to_numpy().astype(np.int64) - 1


def _joined(one: Baskets, other: Baskets) -> Baskets:
    return Baskets.from_scipy(one.to_scipy() + other.to_scipy(), one.items)


def _without(one: Baskets, other: Baskets) -> Baskets:
    own = one.to_scipy()
    return Baskets.from_scipy(own - own.multiply(other.to_scipy()), one.items)


def _assignable(pairs: NDArray[np.int64], n: int) -> NDArray[np.int64] | None:
    """The pairs that some perfect matching holds; None where there is no such matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    graph = csr_array((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    matched = maximum_bipartite_matching(graph, perm_type="column")  # the published record of every original
    if bool((matched < 0).any()):
        return None
    holder = np.empty(n, dtype=np.int64)
    holder[matched] = np.arange(n)
    steps = csr_array((np.ones(len(pairs), dtype=np.int8), (pairs[:, 0], holder[pairs[:, 1]])), shape=(n, n))
    _, part = connected_components(steps, directed=True, connection="strong")
    kept: NDArray[np.int64] = pairs[part[pairs[:, 0]] == part[holder[pairs[:, 1]]]]
    return kept


@kernel
def _within(inner: Packed, i: int, outer: Packed, j: int) -> bool:
    """Whether all items of one record are in another."""
    bits, starts, ids, exact = inner
    other, other_starts, other_ids, _ = outer
    for w in range(bits.shape[1]):
        if bits[i, w] & ~other[j, w] != 0:
            return False
    if exact:
        return True
    b = other_starts[j]
    for a in range(starts[i], starts[i + 1]):
        while b < other_starts[j + 1] and other_ids[b] < ids[a]:
            b += 1
        if b == other_starts[j + 1] or other_ids[b] != ids[a]:
            return False
    return True


@kernel
def _common(one: Packed, i: int, other: Packed, j: int) -> int:
    a, b, n = one[1][i], other[1][j], 0
    while a < one[1][i + 1] and b < other[1][j + 1]:
        left, right = one[2][a], other[2][b]
        n += left == right
        a += left <= right
        b += right <= left
    return n


@kernel
def _pairs(
    own: Packed, ever: Packed, always: Packed, base: Packed, sizes: NDArray[np.int64], threshold: NDArray[np.int64],
    label: NDArray[np.int64], most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """How many candidates each has, labels by original, and the pairs unless they are too many."""
    n, m = own[1].shape[0] - 1, sizes.shape[0]
    out, back, labels = np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64), np.zeros(n, dtype=np.int64)
    seen = np.full(label.max() + 1, -1, dtype=np.int64)
    pairs = np.empty((1024, 2), dtype=np.int64)
    found = 0
    for i in range(n):
        size = own[1][i + 1] - own[1][i]
        for j in range(m):
            if abs(size - sizes[j]) > threshold[j] or not _within(own, i, ever, j) or not _within(always, j, own, i):
                continue
            if size + sizes[j] - 2 * _common(own, i, base, j) > threshold[j]:
                continue
            out[i] += 1
            back[j] += 1
            if seen[label[j]] != i:
                seen[label[j]] = i
                labels[i] += 1
            if found < most:
                if found == pairs.shape[0]:
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[found, 0], pairs[found, 1] = i, j
                found += 1
    return out, back, labels, pairs[:found]
