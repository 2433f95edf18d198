"""Disjoint assignments of a ring by closed walks in the graph of assignments, as Xue's thesis has them (section 3.6).

Kept to compare with `sfumato.baskets.rings.ring`, which finds the same kind of assignments by walks that end sooner.

A round takes one perfect matching out of what is left (algorithm 1, with what its text leaves out): from a random
record it walks along unused edges until it is back, and keeps the cycle that is left when the walk's own detours are
dropped. What is left stays balanced, so that a walk can only end where it began, and no step is ever taken back. But to
come back takes about as many steps as there are records, while a walk of `ring` may end at any free place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.rings.ring import check_ring
from sfumato.ground.kernels import kernel
from sfumato.ground.randomness import Randomness

__all__ = ["closed_walks"]


def closed_walks(n: int, k: int, random: Randomness) -> NDArray[np.int64]:
    """K disjoint random assignments of a ring of n positions, of the same form as `ring.random_assignments`."""
    check_ring(n, k)
    starts = np.concatenate([random.permutation(n) for _ in range(k)]).reshape(k, n)
    n_words = 2 * n * k + 64
    while True:
        found = _walks(n, k, starts, random.words(n_words))
        if len(found):
            return found
        n_words *= 2  # a walk took more steps than there were random words for


@kernel
def _walks(n: int, k: int, starts: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """The assignment of every round; an empty array where the random `words`, one for each step, are too few.

    An edge of position i is its offset 0 to k - 1; `free[i, :left]` are those not used yet.
    """
    result = np.empty((k, n), dtype=np.int64)
    free = np.empty((n, k), dtype=np.int64)
    for i in range(n):
        for s in range(k):
            free[i, s] = s
    post, pre = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)  # the matching under construction, both ways
    child = np.empty(n, dtype=np.int64)  # of a position that is stood for, where the walk went on from it
    used = np.zeros((n, k), dtype=np.bool_)  # walked along in this walk
    seen = np.full(n, -1, dtype=np.int64)  # the walk that last came to a position
    touched = np.empty(n * (k + 1) + 1, dtype=np.int64)
    fresh, old = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    word, walk = 0, 0
    for r in range(k):
        left = k - r
        open_still = np.ones(n, dtype=np.bool_)
        for i in range(n):
            post[i], pre[i] = i, i
        for index in range(n):
            u = starts[r, index]
            if not open_still[u]:
                continue
            goal, at, n_touched = post[u], u, 0
            walk += 1
            while True:
                # a free edge: rather to a position that this walk has not come to
                n_fresh, n_old = 0, 0
                for e in range(left):
                    s = free[at, e]
                    to = (at + s) % n
                    if used[at, s] or (to == post[at] and not open_still[at]):
                        continue  # walked along already, or it stands for that one already
                    if seen[to] != walk or to == goal:
                        fresh[n_fresh] = s
                        n_fresh += 1
                    else:
                        old[n_old] = s
                        n_old += 1
                if word == words.shape[0]:
                    return result[:0]
                if n_fresh > 0:
                    s = fresh[np.int64(words[word] % np.uint64(n_fresh))]
                else:  # there is one: what is left is balanced, so that a walk can only end where it began
                    s = old[np.int64(words[word] % np.uint64(n_old))]
                word += 1
                used[at, s] = True
                touched[n_touched] = at * k + s
                n_touched += 1
                to = (at + s) % n
                child[at] = to
                if to == goal:
                    break
                seen[to] = walk
                at = pre[to]
            # follow the last exits from the start: a simple cycle
            at = u
            path = 0
            while True:
                to = child[at]
                touched[n_touched + path] = at  # positions of the cycle, behind the edges
                path += 1
                if to == goal:
                    break
                at = pre[to]
            for t in range(n_touched):
                used[touched[t] // k, touched[t] % k] = False
            for t in range(path):
                at = touched[n_touched + t]
                open_still[at] = False
                post[at] = child[at]
            for t in range(path):
                at = touched[n_touched + t]
                pre[post[at]] = at
        for i in range(n):
            result[r, i] = post[i]
            s = (post[i] - i) % n
            for e in range(left):
                if free[i, e] == s:
                    free[i, e] = free[i, left - 1]
                    break
    return result
