"""MinSumOfRange: the generalization to nodes of a hierarchy that follows a target with the least sum of ranges.

Koudas, Srivastava, Yu & Zhang, PVLDB 2(1), 2009, algorithm 1. From the root down, as many values are passed on to the
children as their ratio allows; what is left is shown as the node itself. Optimal among generalizations to nodes, for
any arity and any whole-numbered weights. Only nodes that get values are visited: O(values x depth), and for one group
of all values O(values + nodes).

A tolerance lets the values that are passed on be off the ratio, at every node by the same share of them; the largest
share is sought that keeps the group within the total variation asked for. Without one, a target of 51 : 49 would show a
group of 98 values as nothing but its root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.distribution.annotated import AnnotatedTree, TreeArrays

__all__ = ["GroupSubdomains", "Histograms", "generalise", "histograms", "pass_on"]

_ROUNDS = 16


@dataclass(frozen=True, eq=False)
class Histograms:
    """How often each place occurs in each group: entries of group g lie at `starts[g]:starts[g + 1]`, sorted."""

    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]

    def of(self, g: int) -> Histograms:
        """One group alone."""
        part = slice(self.starts[g], self.starts[g + 1])
        return Histograms(np.array([0, self.starts[g + 1] - self.starts[g]]), self.places[part], self.counts[part])


@dataclass(frozen=True, eq=False)
class GroupSubdomains:
    """The subdomains that each group lists: those of group g lie at `starts[g]:starts[g + 1]`.

    Subdomain i covers the places `first[i]` to `last[i]`, and is listed `copies[i]` times.
    """

    starts: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    copies: NDArray[np.int64]
    costs: NDArray[np.float64]
    """For each group, the sum of the ranges of its subdomains."""


def histograms(places: NDArray[np.int64], group: NDArray[np.int64] | None, n_groups: int, m: int) -> Histograms:
    """Count how often each of the `m` places of a domain occurs in every group; without `group`, in all. O(values)."""
    if group is None or n_groups == 1:
        counts = np.bincount(places, minlength=m)
        there = np.flatnonzero(counts)
        return Histograms(np.array([0, len(there)]), there, counts[there])
    if n_groups * m <= 4 * len(places) + 1024:
        table = np.bincount(group * m + places, minlength=n_groups * m)
        keys = np.flatnonzero(table)
        counts = table[keys]
    else:
        keys, counts = np.unique(group * m + places, return_counts=True)
    return Histograms(np.searchsorted(keys // m, np.arange(n_groups + 1)), keys % m, counts.astype(np.int64))


def generalise(given: Histograms, tree: AnnotatedTree, *, within: float = 0.0) -> GroupSubdomains:
    """The subdomains of every group, each a node of the tree, at the least sum of ranges.

    `within` is the total variation that a group may be off the target.
    """
    shape = tree.shape
    total = np.concatenate([[0], np.cumsum(given.counts)]).astype(np.int64)
    sizes = total[given.starts[1:]] - total[given.starts[:-1]]
    room = np.minimum(sizes, len(shape.first))
    out_starts = np.concatenate([[0], np.cumsum(room)]).astype(np.int64)
    chosen = _Chosen(np.empty(out_starts[-1], dtype=np.int64), np.empty(out_starts[-1], dtype=np.int64))
    entries = _Entries(given.starts.astype(np.int64), given.places, total)
    used, costs = _generalise(entries, tree.arrays, float(within), out_starts, chosen)
    keep = np.arange(out_starts[-1]) - np.repeat(out_starts[:-1], room) < np.repeat(used, room)
    node, copies = chosen.node[keep], chosen.copies[keep]
    starts = np.concatenate([[0], np.cumsum(used)]).astype(np.int64)
    return GroupSubdomains(starts, shape.first[node], shape.last[node], copies, costs)


class _Entries(NamedTuple):
    """The `Histograms` of all groups: `total[i]` counts the values of all entries before i."""

    starts: NDArray[np.int64]
    places: NDArray[np.int64]
    total: NDArray[np.int64]


class _Chosen(NamedTuple):
    """Nodes chosen for groups, and how many copies of each."""

    node: NDArray[np.int64]
    copies: NDArray[np.int64]


class _Scratch(NamedTuple):
    """Room to work in: a stack of nodes, the values given to each and their density so far; and one entry a child."""

    node: NDArray[np.int64]
    given: NDArray[np.int64]
    density: NDArray[np.float64]
    counts: NDArray[np.int64]
    out: NDArray[np.int64]


@kernel
def _between(places: NDArray[np.int64], total: NDArray[np.int64], start: int, stop: int, low: int, high: int) -> int:
    """How many values of entries `start` to `stop` lie at places `low` to `high`."""
    a, b = start, stop
    while a < b:
        mid = (a + b) // 2
        if places[mid] < low:
            a = mid + 1
        else:
            b = mid
    c, d = a, stop
    while c < d:
        mid = (c + d) // 2
        if places[mid] <= high:
            c = mid + 1
        else:
            d = mid
    return int(total[c] - total[a])


@kernel
def pass_on(m: int, counts: NDArray[np.int64], ratio: NDArray[np.int64], share: float, out: NDArray[np.int64]) -> int:  # noqa: C901  a kernel
    """How many of `m` values go on to the children, and how many to each (`out`); none gets more than its count.

    With a share of 0 in the exact ratio (the paper's maximum m-bound allocation). Else as many as can go while half the
    sum of what the children are off the ratio is at most that share of them.
    """
    n = counts.shape[0]
    whole = 0
    q = 1 << 62
    for i in range(n):
        whole += int(ratio[i])
        if ratio[i] > 0:
            q = min(q, int(counts[i] // ratio[i]))
    if whole == 0:
        out[:n] = 0
        return 0
    q = min(q, m // whole)
    exact = q * whole
    for i in range(n):
        out[i] = q * ratio[i]
    if share <= 0.0 or exact == m:
        return exact
    low, high = exact, m
    while low < high:  # the most that could go if values were divisible
        mid = (low + high + 1) // 2
        lack, there = 0.0, 0
        for i in range(n):
            lack += max(0.0, mid * (ratio[i] / whole) - counts[i])
            there += int(counts[i]) if ratio[i] > 0 else 0
        if lack <= share * mid + 1e-12 and there >= mid:
            low = mid
        else:
            high = mid - 1
    taken = np.empty(n, dtype=np.int64)
    while low > exact:
        left = low
        for i in range(n):
            taken[i] = min(counts[i], np.int64(np.floor(low * (ratio[i] / whole) + 1e-9))) if ratio[i] > 0 else 0
            left -= int(taken[i])
        while left > 0:
            best, at = -np.inf, -1
            for i in range(n):
                if ratio[i] > 0 and taken[i] < counts[i]:
                    lacks = low * (ratio[i] / whole) - taken[i]
                    if lacks > best:
                        best, at = lacks, i
            if at < 0:
                break
            step = 1
            if best <= 0.0:  # all have their part: the rest goes where there is room
                step = min(left, int(counts[at] - taken[at]))
            taken[at] += step
            left -= step
        off = 0.0
        for i in range(n):
            off += abs(taken[i] - low * (ratio[i] / whole))
        if left == 0 and 0.5 * off <= share * low + 1e-12:
            for i in range(n):
                out[i] = taken[i]
            return low
        low -= 1
    return exact


@kernel
def _descend(
    g: int, entries: _Entries, tree: TreeArrays, share: float, scratch: _Scratch, chosen: _Chosen, at: int
) -> tuple[int, float, float]:  # fmt: skip
    """Write the nodes of group g, and how many copies of each, to `chosen` from `at` on, with a `share` off the ratios.

    Returns where they end, what they cost, and how far the group is off the target.
    """
    start, stop, places, total = entries.starts[g], entries.starts[g + 1], entries.places, entries.total
    first, last, child_starts, children = tree.first, tree.last, tree.child_starts, tree.children
    weight, ratio, ranges = tree.weight, tree.ratio, tree.ranges
    stack, given, density, counts, out = scratch.node, scratch.given, scratch.density, scratch.counts, scratch.out
    node, copies = chosen.node, chosen.copies
    n = total[stop] - total[start]
    cost, off = 0.0, 0.0
    if n == 0:
        return at, cost, off
    even = n / weight[0]
    stack[0], given[0], density[0] = 0, n, 0.0
    top = 1
    while top > 0:
        top -= 1
        v, m, d = stack[top], given[top], density[top]
        a, b = child_starts[v], child_starts[v + 1]
        passed = 0
        for i in range(a, b):
            c = children[i]
            counts[i - a] = _between(places, total, start, stop, first[c], last[c])
        if b > a:
            passed = pass_on(m, counts[: b - a], ratio[children[a:b]], share, out)
        kept = m - passed
        if kept > 0:
            node[at], copies[at] = v, kept
            at += 1
            cost += kept * ranges[v]
            d += kept / weight[v]
        if passed == 0:
            off += weight[v] * abs(d - even)
            continue
        for i in range(a, b):
            c = children[i]
            if out[i - a] > 0:
                stack[top], given[top], density[top] = c, out[i - a], d
                top += 1
            else:
                off += weight[c] * abs(d - even)
    return at, cost, 0.5 * off / n


@kernel
def _generalise(
    entries: _Entries, tree: TreeArrays, within: float, out_starts: NDArray[np.int64], chosen: _Chosen
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Choose nodes for every group, those of group g from `out_starts[g]` on: how many they are, and what they cost.

    Exactly in the ratios, or with the largest share off them that stays `within` the distance.
    """
    child_starts = tree.child_starts
    n_groups, n_nodes = entries.starts.shape[0] - 1, tree.first.shape[0]
    widest = 1
    for v in range(n_nodes):
        widest = max(widest, child_starts[v + 1] - child_starts[v])
    scratch = _Scratch(
        np.empty(n_nodes + widest, dtype=np.int64), np.empty(n_nodes + widest, dtype=np.int64),
        np.empty(n_nodes + widest), np.empty(widest, dtype=np.int64), np.empty(widest, dtype=np.int64),
    )  # fmt: skip
    used, costs = np.empty(n_groups, dtype=np.int64), np.empty(n_groups)
    for g in range(n_groups):
        at = out_starts[g]
        end, cost, _ = _descend(g, entries, tree, 0.0, scratch, chosen, at)
        if within > 0.0 and cost > 0.0:
            low, high, best, least = 0.0, 1.0, 0.0, cost
            for r in range(_ROUNDS):
                share = within if r == 0 else 0.5 * (low + high)
                _, cost, off = _descend(g, entries, tree, share, scratch, chosen, at)
                if off <= within * (1.0 - 1e-9):
                    low = share
                    if cost < least:
                        best, least = share, cost
                else:
                    high = share
            end, cost, _ = _descend(g, entries, tree, best, scratch, chosen, at)
        used[g], costs[g] = end - at, cost
    return used, costs
