"""Voting: the base vector, the marked items and the threshold of a list of original records.

A published record stands for several originals (Xue's thesis, section 3.5). Its base vector has an item if most of them
have it; ties are settled by a coin, which does not know whose record it is. By a rule such as how frequent an item is
in all, rare items would lose all their ties, and counts be far off wherever k is even. The bitmap marks the items on
which not all of them agree, and the threshold is the largest Hamming distance from the base to one of them: the
original is among the vectors that differ from the base in marked items only, and in no more than the threshold. Methods
do not publish the threshold, which tells of the farthest original that there is one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, tell_nobody
from sfumato.ground.randomness import Randomness
from sfumato.ground.sorting import sort_in_place
from sfumato.published.baskets.edges import Edges

__all__ = ["vote", "vote_edges"]


def vote(baskets: Baskets, order: NDArray[np.int64], k: int, random: Randomness) -> PublishedBaskets:
    """The published records of a ring, by position: the one at j stands for the originals at j - k + 1 to j."""
    return vote_edges(baskets, Edges.of_ring(order, k), random)


def vote_edges(baskets: Baskets, edges: Edges, random: Randomness, share: Share = tell_nobody) -> PublishedBaskets:
    """The published record of every list of originals. O(edges x items of a record)."""
    coins = np.empty(0, dtype=np.uint64)
    while True:
        base_starts, base, differs_starts, differs, threshold, n_ties = _vote(
            edges.starts, edges.rows, baskets.starts, baskets.ids, baskets.n_items, coins
        )
        if n_ties <= 64 * len(coins):
            break
        coins = random.spawn("ties").words(-(-n_ties // 64))
        share(0.5)
    return PublishedBaskets(
        Baskets(base_starts, base, baskets.items), Baskets(differs_starts, differs, baskets.items), threshold
    )


@kernel
def _vote(
    edge_starts: NDArray[np.int64],
    rows: NDArray[np.int64],
    starts: NDArray[np.int64],
    ids: NDArray[np.int32],
    n_items: int,
    coins: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], int]:
    """The published records in arrays, a tie decided by a bit of `coins`, and the number of ties.

    Where there are fewer coins than ties, only that number is right.
    """
    n = edge_starts.shape[0] - 1
    counts = np.zeros(n_items, dtype=np.int64)
    base_starts, differs_starts = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    threshold = np.zeros(n, dtype=np.int64)
    base, differs = np.empty(ids.shape[0] + 16, dtype=np.int32), np.empty(ids.shape[0] + 16, dtype=np.int32)
    in_base = np.zeros(n_items, dtype=np.bool_)
    met = np.empty(n_items, dtype=np.int32)
    n_ties, n_coins = 0, 64 * coins.shape[0]
    for j in range(n):
        n_met = 0
        k = edge_starts[j + 1] - edge_starts[j]
        for t in range(edge_starts[j], edge_starts[j + 1]):
            i = rows[t]
            for e in range(starts[i], starts[i + 1]):
                if counts[ids[e]] == 0:
                    met[n_met] = ids[e]
                    n_met += 1
                counts[ids[e]] += 1
        sort_in_place(met, n_met)
        b, d = base_starts[j], differs_starts[j]
        while b + n_met > base.shape[0]:
            base = np.concatenate((base, np.empty(base.shape[0], dtype=np.int32)))
        while d + n_met > differs.shape[0]:
            differs = np.concatenate((differs, np.empty(differs.shape[0], dtype=np.int32)))
        n_base = 0
        for t in range(n_met):
            item = met[t]
            yes = 2 * counts[item]
            won = yes > k
            if yes == k:
                if n_ties < n_coins:
                    won = (coins[n_ties >> 6] >> np.uint64(n_ties & 63)) & np.uint64(1) == np.uint64(1)
                n_ties += 1
            if won:
                base[b + n_base] = item
                n_base += 1
                in_base[item] = True
            if counts[item] < k:
                differs[d] = item
                d += 1
        for t in range(edge_starts[j], edge_starts[j + 1]):
            i = rows[t]
            common = 0
            for e in range(starts[i], starts[i + 1]):
                common += in_base[ids[e]]
            threshold[j] = max(threshold[j], starts[i + 1] - starts[i] + n_base - 2 * common)
        for t in range(n_met):
            counts[met[t]] = 0
            in_base[met[t]] = False
        base_starts[j + 1], differs_starts[j + 1] = b + n_base, d
    return base_starts, base[: base_starts[n]], differs_starts, differs[: differs_starts[n]], threshold, n_ties
