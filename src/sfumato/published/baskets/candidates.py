"""Which originals may stand behind which published records, found out from the records alone.

Knows nothing of edges, rings or groups: an original may stand behind every published record that has it among its
possible worlds. Equal records are compared once, for all of them. Where pairs are few enough, those that no complete
assignment holds are left out, as by an adversary who has all originals: a pair is in one if and only if both ends are
in one strongly connected component of the graph that leads along all pairs, and back along those that a complete
assignment uses (Dulmage & Mendelsohn). O(different records^2) comparisons, most of which end with the first word.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.kernels import kernel
from sfumato.published.baskets.bits import Packed, pack
from sfumato.published.baskets.equal_records import EqualRecords, equal_record_numbers, group_equal_records

__all__ = ["Candidates", "find_candidates"]

_MOST_PAIRS = 4_000_000  # more are counted and not kept, so that assignments are not looked at


@dataclass(frozen=True)
class Candidates:
    """The least number of candidates that any record has."""

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
    truthful: bool
    """Whether there may be one that gives every published record an original with its label, if both have labels."""


def find_candidates(originals: Baskets, published: PublishedBaskets) -> Candidates:
    """Compare every original with every published record; both must have the same items in the same order."""
    if not len(originals):
        return Candidates(0, 0, None, True, True, True)
    label = _label_codes(published)
    own = group_equal_records(equal_record_numbers(originals))
    shown = group_equal_records(
        equal_record_numbers(published.base), equal_record_numbers(published.differs), published.threshold, label
    )
    label = label[shown.first]
    out, back, labels, pairs, all_kept = _compare_records(originals, published, own, shown, label)
    complete, assignable, truthful = False, True, _same_labels(originals, published)
    if all_kept:
        kept = _assignable_pairs(pairs, own.times, shown.times)
        truthful = truthful and _has_truthful_assignment(pairs, originals, published, own, shown)
        complete = assignable = kept is not None
        if kept is not None:
            out, back = (np.zeros(len(each.first), dtype=np.int64) for each in (own, shown))
            np.add.at(out, kept[:, 0], shown.times[kept[:, 1]])
            np.add.at(back, kept[:, 1], own.times[kept[:, 0]])
            width = int(label.max()) + 1
            labels = np.bincount(np.unique(kept[:, 0] * width + label[kept[:, 1]]) // width, minlength=len(out))
    n_labels = int(labels.min()) if published.labels is not None else None
    return Candidates(int(out.min()), int(back.min()), n_labels, complete, assignable, truthful)


def _label_codes(published: PublishedBaskets) -> NDArray[np.int64]:
    if published.labels is None:
        return np.zeros(len(published), dtype=np.int64)
    return published.labels.rank("dense").to_numpy().astype(np.int64) - 1


def _union(one: Baskets, other: Baskets) -> Baskets:
    """The items that either record of a pair has."""
    return Baskets.from_scipy(one.to_scipy() + other.to_scipy(), one.items)


def _difference(one: Baskets, other: Baskets) -> Baskets:
    """The items that the first record of a pair has and the second lacks."""
    own = one.to_scipy()
    return Baskets.from_scipy(own - own.multiply(other.to_scipy()), one.items)


def _compare_records(
    originals: Baskets, published: PublishedBaskets, own: EqualRecords, shown: EqualRecords, label: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], bool]:
    """Compare one record of each set of equal ones with one of each other set.

    Returns how many candidates each original and each published record has, how many labels the candidates of each
    original carry, the pairs that are possible, and whether all of these were kept.
    """
    base, differs = published.base.rows(shown.first), published.differs.rows(shown.first)
    mine = pack(originals.rows(own.first))
    most, least, usual = (
        pack(each, compact=mine[3]) for each in (_union(base, differs), _difference(base, differs), base)
    )
    out, back, labels, pairs, n_pairs = _pairs(
        mine,
        most,
        least,
        usual,
        base.sizes,
        published.threshold[shown.first],
        label,
        own.times,
        shown.times,
        _MOST_PAIRS,
    )
    return out, back, labels, pairs, len(pairs) == n_pairs


def _find_assignment(
    pairs: NDArray[np.int64], given: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return the pairs that some complete assignment uses, or None where there is none.

    `given` and `wanted` tell how many equal originals and how many equal published records each number stands for.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n, m = len(given), len(wanted)
    source, sink = n + m, n + m + 1
    first = np.concatenate([np.full(n, source), pairs[:, 0], n + np.arange(m)])
    second = np.concatenate([np.arange(n), n + pairs[:, 1], np.full(m, sink)])
    most = np.concatenate([given, np.minimum(given[pairs[:, 0]], wanted[pairs[:, 1]]), wanted]).astype(np.int32)
    found = maximum_flow(csr_array((most, (first, second)), shape=(n + m + 2, n + m + 2)), source, sink)
    if found.flow_value < max(int(given.sum()), int(wanted.sum())):
        return None
    flow = found.flow.tocoo()
    used = (flow.data > 0) & (flow.row < n)
    return np.stack([flow.row[used], flow.col[used] - n], axis=1).astype(np.int64)


def _assignable_pairs(
    pairs: NDArray[np.int64], given: NDArray[np.int64], wanted: NDArray[np.int64]
) -> NDArray[np.int64] | None:
    """Return all pairs that are in some complete assignment, or None where there is no complete assignment."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    used = _find_assignment(pairs, given, wanted)
    if used is None:
        return None
    n, size = len(given), len(given) + len(wanted)
    first, second = np.concatenate([pairs[:, 0], n + used[:, 1]]), np.concatenate([n + pairs[:, 1], used[:, 0]])
    steps = csr_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(size, size))
    _, part = connected_components(steps, directed=True, connection="strong")
    kept: NDArray[np.int64] = pairs[part[pairs[:, 0]] == part[n + pairs[:, 1]]]
    return kept


def _same_labels(originals: Baskets, published: PublishedBaskets) -> bool:
    """Whether each label is published as often as originals have it."""
    one, other = originals.labels, published.labels
    return one is None or other is None or one.sort().equals(other.sort(), check_names=False)


def _has_truthful_assignment(
    pairs: NDArray[np.int64], originals: Baskets, published: PublishedBaskets, own: EqualRecords, shown: EqualRecords
) -> bool:
    """Whether some complete assignment gives every published record an original with its label."""
    if originals.labels is None or published.labels is None:
        return True
    mine, theirs = (each.rank("dense").to_numpy().astype(np.int64) for each in (originals.labels, published.labels))
    width = int(mine.max()) + 1
    keys, times = np.unique(own.of * width + mine, return_counts=True)
    wanted = pairs[:, 0] * width + theirs[shown.first][pairs[:, 1]]
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    fits = keys[at] == wanted
    return _find_assignment(np.stack([at, pairs[:, 1]], axis=1)[fits], times, shown.times) is not None


@kernel
def _is_subset(inner: Packed, i: int, outer: Packed, j: int) -> bool:
    """Whether record i of `inner` has no item that record j of `outer` lacks."""
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
def _n_common(one: Packed, i: int, other: Packed, j: int) -> int:
    """How many items both records have."""
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
    label: NDArray[np.int64], given: NDArray[np.int64], wanted: NDArray[np.int64], most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:  # fmt: skip
    """Count the candidates of each record and the labels of each original's, and list the possible pairs.

    Each original and each published record is there `given` and `wanted` times. At most `most` pairs are listed; the
    last number returned says how many there are.
    """
    n, m = own[1].shape[0] - 1, sizes.shape[0]
    out, back, labels = np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64), np.zeros(n, dtype=np.int64)
    seen = np.full(label.max() + 1, -1, dtype=np.int64)
    pairs = np.empty((1024, 2), dtype=np.int64)
    found = 0
    for i in range(n):
        size = own[1][i + 1] - own[1][i]
        for j in range(m):
            if (
                abs(size - sizes[j]) > threshold[j]
                or not _is_subset(own, i, ever, j)
                or not _is_subset(always, j, own, i)
            ):
                continue
            if size + sizes[j] - 2 * _n_common(own, i, base, j) > threshold[j]:
                continue
            out[i] += wanted[j]
            back[j] += given[i]
            if seen[label[j]] != i:
                seen[label[j]] = i
                labels[i] += 1
            if found < most:
                if found == pairs.shape[0]:
                    pairs = np.concatenate((pairs, np.empty_like(pairs)))
                pairs[found, 0], pairs[found, 1] = i, j
            found += 1
    return out, back, labels, pairs[: min(found, most)], found
