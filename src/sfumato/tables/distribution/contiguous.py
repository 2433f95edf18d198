"""Subdomains that are any contiguous ranges of the domain, where these cost less than nodes of a hierarchy.

The definitions of Koudas, Srivastava, Yu & Zhang (PVLDB 2(1), 2009) allow every range; their algorithm is optimal among
nodes of one hierarchy. Here ranges are cut where that saves most, so that each group has a hierarchy of its own:
with values 1, 2, 2, 3 of a uniform domain 1 to 4 a cut after 1 shows {1} and three times [2, 4], where a balanced tree
shows the whole domain twice. It is a heuristic, and is taken only where it is better. O(ranges x their lengths).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.distribution.min_sum_of_range import GroupSubdomains, Histograms, pass_on

__all__ = ["cut_ranges"]

_ROUNDS = 12


def cut_ranges(
    given: Histograms, weights: NDArray[np.int64], positions: NDArray[np.float64], *, within: float = 0.0
) -> GroupSubdomains:
    """The subdomains of every group; `positions[i]` is where place i of the domain lies.

    `within` is the total variation that a group may be off the target.
    """
    total = np.concatenate([[0], np.cumsum(weights)]).astype(np.int64)
    parts, starts, costs = [], [0], []
    for g in range(len(given.starts) - 1):
        own = given.of(g)
        counts = np.zeros(len(weights) + 1, dtype=np.int64)
        counts[own.places + 1] = own.counts
        below = np.cumsum(counts)
        best, cost, _ = _cut_group(below, total, positions, 0.0)
        low, high = 0.0, 1.0
        for r in range(_ROUNDS if within > 0.0 and cost > 0.0 else 0):
            share = within if r == 0 else 0.5 * (low + high)
            found, least, off = _cut_group(below, total, positions, share)
            low, high = (share, high) if off <= within * (1.0 - 1e-9) else (low, share)
            if off <= within * (1.0 - 1e-9) and least < cost:
                best, cost = found, least
        parts.append(best)
        starts.append(starts[-1] + len(best))
        costs.append(cost)
    joined = np.concatenate(parts) if parts else np.empty((0, 3), dtype=np.int64)
    return GroupSubdomains(np.array(starts), joined[:, 0], joined[:, 1], joined[:, 2], np.array(costs))


@kernel
def _cut_group(
    below: NDArray[np.int64], total: NDArray[np.int64], positions: NDArray[np.float64], share: float
) -> tuple[NDArray[np.int64], float, float]:
    """One group: its ranges (first place, last place, copies), what they cost, and how far they are off the target.

    `below` counts the group's values and `total` the weights before each place.
    """
    m = total.shape[0] - 1
    n = below[m]
    found = np.empty((min(2 * n + 1, 2 * m + 1), 3), dtype=np.int64)
    n_found = 0
    stack, density = np.empty((2 * m + 2, 3), dtype=np.int64), np.empty(2 * m + 2)
    counts, ratio, out = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    cost, off = 0.0, 0.0
    if n == 0:
        return found[:0], cost, off
    even = n / total[m]
    stack[0, 0], stack[0, 1], stack[0, 2], density[0] = 0, m - 1, n, 0.0
    top = 1
    while top > 0:
        top -= 1
        a, b, copies, d = stack[top, 0], stack[top, 1], stack[top, 2], density[top]
        width = positions[b] - positions[a]
        best, at, left, right = 1e-9 * max(1.0, copies * width), -1, 0, 0
        for c in range(a, b):
            one, two = total[c + 1] - total[a], total[b + 1] - total[c + 1]
            if one == 0 or two == 0:
                continue
            common = math.gcd(one, two)
            counts[0], counts[1] = below[c + 1] - below[a], below[b + 1] - below[c + 1]
            ratio[0], ratio[1] = one // common, two // common
            passed = pass_on(copies, counts, ratio, share, out)
            saved = passed * width - out[0] * (positions[c] - positions[a]) - out[1] * (positions[b] - positions[c + 1])
            if saved > best:
                best, at, left, right = saved, c, out[0], out[1]
        kept = copies - left - right
        if kept > 0:
            found[n_found, 0], found[n_found, 1], found[n_found, 2] = a, b, kept
            n_found += 1
            cost += kept * width
            d += kept / (total[b + 1] - total[a])
        if at < 0:
            off += (total[b + 1] - total[a]) * abs(d - even)
            continue
        for side in range(2):
            low, high = (a, at) if side == 0 else (at + 1, b)
            share_of = left if side == 0 else right
            if share_of > 0:
                stack[top, 0], stack[top, 1], stack[top, 2], density[top] = low, high, share_of, d
                top += 1
            else:
                off += (total[high + 1] - total[low]) * abs(d - even)
    return found[:n_found].copy(), cost, 0.5 * off / n
