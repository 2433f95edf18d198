"""The ring of all assignments, and k disjoint assignments drawn from it by random walks: what `Nonreciprocal` uses.

Records lie on a ring in some order; each may stand for itself and its k - 1 successors, so that the graph of all
assignments is k-regular (Wong, Mamoulis & Cheung, SIGMOD 2010). A round takes one perfect matching out of what is left,
which stays regular: from every record, in random order, a walk takes a free edge at random; if that place is taken, it
goes on from the record that has it, until it comes to a place that nobody has. The last exits from the start are the
way by which places are handed on (Goel, Kapralov & Khanna, "Perfect matchings in O(n log n) time in regular bipartite
graphs", STOC 2010). One of the k matchings, drawn at random, says which published record is whose: each edge is the
true one with probability 1/k.

A walk goes from records to places in the graph of assignments, to find a matching, and ends at any free place. The
thesis's closed walks (algorithm 1), which end where they began, take longer: benchmarks/baselines/closed_walks.py. The
walks of Wong, Mamoulis & Cheung, which take steps back, are in benchmarks/baselines/wmc.py.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["check_ring", "cyclic_shifts", "random_assignments"]

_BATCH = 1 << 22  # random words at a time


def cyclic_shifts(n: int, k: int) -> NDArray[np.int64]:
    """The simplest k disjoint assignments of a ring: in the c-th, position i stands for position i + c."""
    check_ring(n, k)
    return (np.arange(n)[None, :] + np.arange(k)[:, None]) % n


def random_assignments(n: int, k: int, random: Randomness, share: Share = tell_nobody) -> NDArray[np.int64]:
    """K disjoint random assignments of a ring of n positions: row r has the position that each position stands for.

    Every row is a permutation, and position i stands for each of i, i + 1, ... i + k - 1 in one row. O(n k log n) steps
    in expectation.
    """
    check_ring(n, k)
    free = np.tile(np.arange(k, dtype=np.int32), (n, 1))  # of position i the offsets free[i, :left] are not used yet
    owner, child = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    result = np.empty((k, n), dtype=np.int64)
    for r in range(k):
        owner[:] = -1
        starts, index, at = random.permutation(n), 0, -1
        while index < n:
            words = random.words(min(2 * (n - index) + 64, _BATCH))
            index, at = _random_walks(n, free, k - r, starts, index, at, owner, child, words)
        result[r, owner] = np.arange(n)
        _use_edges(free, k - r, result[r])
        share((r + 1) / k)
    return result


def check_ring(n: int, k: int) -> None:
    """Refuse rings of fewer than k positions, on which a record would have to stand for another one twice."""
    whole("k", k, least=1)
    if n < k:
        raise ParameterError(f"a ring of {n:,} records cannot give each {k:,} to stand for; the best is k={n}")


@kernel
def _random_walks(
    n: int, free: NDArray[np.int32], left: int, starts: NDArray[np.int64], index: int, at: int,
    owner: NDArray[np.int64], child: NDArray[np.int64], words: NDArray[np.uint64],
) -> tuple[int, int]:  # fmt: skip
    """Walk from `starts[index:]` until the random words are used up, a third of a word a step; where to go on from.

    `owner` is who has each place, or -1; `at` is where an unfinished walk stands, or -1; `child` its last exits.
    """
    for step in range(3 * words.shape[0]):
        if at < 0:
            at = starts[index]
        number = (words[step // 3] >> np.uint64(21 * (step % 3))) & np.uint64(0x1FFFFF)
        to = at + free[at, np.int64((number * np.uint64(left)) >> np.uint64(21))]
        if to >= n:
            to -= n
        child[at] = to
        at = owner[to]
        if at >= 0:
            continue
        giver = starts[index]
        while True:  # hand places on along the last exits
            to = child[giver]
            other = owner[to]
            owner[to] = giver
            if other < 0:
                break
            giver = other
        index += 1
        if index == n:
            break
    return index, at


@kernel
def _use_edges(free: NDArray[np.int32], left: int, post: NDArray[np.int64]) -> None:
    """Remove the edges of a matching from those that are free."""
    n = post.shape[0]
    for i in range(n):
        offset = (post[i] - i) % n
        for e in range(left):
            if free[i, e] == offset:
                free[i, e] = free[i, left - 1]
                break
