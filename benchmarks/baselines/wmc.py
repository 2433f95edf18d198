"""Disjoint assignments of a ring by walks that take steps back: the baseline that the thesis compares with.

Wong, Mamoulis & Cheung, "Non-homogeneous generalization in privacy preserving data publishing", SIGMOD 2010, as Xue's
thesis tells it (section 3.6.2, there called WMC). A round takes one perfect matching out of what is left, cycle by
cycle, as in `ring`. But a walk comes to no record twice: where all free edges of a record lead to records that it has
come to, it goes back to the record before and tries another. A record that was left in this way is not tried again in
the same walk, since all that could be reached from it has been tried. O(k n^2) at worst.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.rings.ring import check_ring
from sfumato.ground.errors import ParameterError
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import whole

__all__ = ["wmc_assignments"]


def wmc_assignments(n: int, k: int, random: Randomness, *, limit: int | None = None) -> NDArray[np.int64]:
    """K disjoint random assignments of a ring of n positions, of the same form as `ring.random_assignments`.

    `limit` is how many steps may be taken at most, back or forth; there is none unless it is given.
    """
    check_ring(n, k)
    if limit is not None:
        whole("limit", limit, least=1)
    starts = np.concatenate([random.permutation(n) for _ in range(k)]).reshape(k, n)
    n_words = 2 * n * k + 64
    while True:
        found, steps = _walks(n, k, starts, random.words(n_words), -1 if limit is None else limit)
        if len(found):
            return found
        if limit is not None and steps > limit:
            raise ParameterError(f"k={k} assignments of {n:,} records took more than limit={limit:,} steps; raise it")
        n_words *= 2  # there were more steps forth than random words


@kernel
def _walks(
    n: int, k: int, starts: NDArray[np.int64], words: NDArray[np.uint64], limit: int
) -> tuple[NDArray[np.int64], int]:
    """The assignment of every round and the steps taken; no round where the random `words`, one a step, are too few.

    An edge of position i is its offset 0 to k - 1; `free[i, :left]` are those not used yet.
    """
    result = np.empty((k, n), dtype=np.int64)
    free = np.empty((n, k), dtype=np.int64)
    for i in range(n):
        for s in range(k):
            free[i, s] = s
    post, pre = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)  # the matching under construction, both ways
    seen = np.full(n, -1, dtype=np.int64)  # the walk that last came to a position
    path, chosen = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)  # where the walk is, and by which ways
    fresh = np.empty(k, dtype=np.int64)
    word, walk, steps = 0, 0, 0
    for r in range(k):
        left = k - r
        open_still = np.ones(n, dtype=np.bool_)
        for i in range(n):
            post[i], pre[i] = i, i
        for index in range(n):
            u = starts[r, index]
            if not open_still[u]:
                continue
            goal, depth = post[u], 0
            walk += 1
            path[0] = u
            while True:
                at, n_fresh = path[depth], 0
                for e in range(left):
                    to = at + free[at, e]
                    if to >= n:
                        to -= n
                    if seen[to] != walk:
                        fresh[n_fresh] = to
                        n_fresh += 1
                steps += 1
                if steps == limit + 1:  # never, if there is no limit
                    return result[:0], steps
                if n_fresh == 0:
                    depth -= 1  # it does not leave the start: what is left is balanced, so there is a way home
                    continue
                if word == words.shape[0]:
                    return result[:0], steps
                to = fresh[np.int64(words[word] % np.uint64(n_fresh))]
                word += 1
                chosen[depth] = to
                if to == goal:
                    break
                seen[to] = walk
                depth += 1
                path[depth] = pre[to]
            for t in range(depth + 1):
                open_still[path[t]] = False
                post[path[t]] = chosen[t]
            for t in range(depth + 1):
                pre[chosen[t]] = path[t]
        for i in range(n):
            result[r, i] = post[i]
            s = (post[i] - i) % n
            for e in range(left):
                if free[i, e] == s:
                    free[i, e] = free[i, left - 1]
                    break
    return result, steps
