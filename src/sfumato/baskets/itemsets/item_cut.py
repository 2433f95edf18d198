"""A cut of the tree of items under which no set of at most m items that occurs is held by fewer than k records.

Every item is shown as the node of the cut above it. From sets of one item to sets of m, each set that occurs in too few
records is repaired by the cheapest nodes above its items; raising a node lowers no count, so what was repaired stays
so. Where nothing below the root would do, items are withheld instead, which costs their own occurrences and not those
of all. At the end nodes go back to those below them, and items are given back, wherever nothing breaks. What a node
costs is how many other leaves it stands for, for every time that one of its items occurs: whole numbers.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.baskets.itemsets.rare_itemsets import has_rare_set, hitting_items, rare_sets, restrict_items
from sfumato.data.baskets import Baskets
from sfumato.data.tree import Tree
from sfumato.ground.kernels import kernel
from sfumato.ground.progress import Share, portion, tell_nobody
from sfumato.published.baskets.set_work import SetWork

__all__ = ["item_cut", "recode_items"]

_MOST_SETS = 2_000_000


def item_cut(baskets: Baskets, tree: Tree, k: int, m: int, share: Share = tell_nobody) -> NDArray[np.int64]:
    """The node of the tree that each item is shown as, or -1 where it is withheld."""
    leaf = np.array([tree.leaf_of[item] for item in baskets.items], dtype=np.int64)
    lowest = tree.leaf_node[leaf].astype(np.int64)
    shown, nodes, work = lowest, _Nodes.of(baskets, tree, lowest), SetWork()
    levels = portion(share, 0.1, 0.4)
    for size in range(1, m + 1):
        levels((size - 1) / m)
        if size > _recode_to_cut(baskets, shown)[0].sizes.max(initial=0):  # no record shows so many nodes
            break
        while len(sets := _rare_node_sets(baskets, shown, k, size, work)):
            levels((size - 1) / m)  # how often this must be done is not known
            shown, left = _raise_cut(sets, nodes, shown, k, work)
            levels((size - 1) / m)
            if len(left):
                shown = _withhold_nodes(left, baskets, shown, len(nodes.parent))
                nodes = _Nodes.of(restrict_items(baskets, shown >= 0), tree, lowest)
    if (shown < 0).all() and int((baskets.sizes > 0).sum()) >= k:  # that somebody has something can be shown at least
        shown, nodes = np.zeros_like(shown), _Nodes.of(baskets, tree, lowest)
    shown = _lower_cut(baskets, tree, nodes, leaf, shown, k, m, work, portion(share, 0.4, 0.8))
    return _give_back(baskets, nodes, lowest, shown, k, m, work, portion(share, 0.8, 1.0))


def recode_items(baskets: Baskets, number: NDArray[np.int64], names: list[str]) -> Baskets:
    """The records with item i replaced by `names[number[i]]`, each name once; items whose number is below 0 go."""
    width = max(len(names), 1)
    own = number[baskets.ids]
    keys = np.unique((np.repeat(np.arange(len(baskets)), baskets.sizes) * width + own)[own >= 0])
    return Baskets(np.searchsorted(keys, np.arange(len(baskets) + 1) * width), keys % width, names)


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The tree of items as arrays over its nodes, with what each costs and who has items below it."""

    parent: NDArray[np.int64]
    end: NDArray[np.int64]
    """One past the last node below each; nodes are numbered depth first."""
    price: NDArray[np.int64]
    """What it costs to show all items below a node as that node."""
    starts: NDArray[np.int64]
    records: NDArray[np.int64]
    """The records that have an item below node v, rising: `records[starts[v]:starts[v + 1]]`."""

    @classmethod
    def of(cls, baskets: Baskets, tree: Tree, lowest: NDArray[np.int64]) -> _Nodes:
        """The nodes for these records; `lowest` is the leaf node of each item."""
        parent, n = tree.parent.astype(np.int64), len(baskets)
        end = np.arange(1, len(parent) + 1)
        for v in range(len(parent) - 1, 0, -1):
            end[parent[v]] = max(end[parent[v]], end[v])
        keys = np.unique(lowest[baskets.ids] * n + np.repeat(np.arange(n), baskets.sizes))
        times = np.bincount(lowest[baskets.ids], minlength=len(parent))
        total = np.concatenate([[0], np.cumsum(times)])
        level, found = keys, [keys]
        while len(level := level[level >= n]):  # the root, node 0, has none above it
            level = np.unique(parent[level // n] * n + level % n)
            found.append(level)
        keys = np.unique(np.concatenate(found))
        starts = np.searchsorted(keys, np.arange(len(parent) + 1) * n)
        price = (total[end] - total[:-1]) * (tree.last - tree.first)
        return cls(parent, end, price.astype(np.int64), starts.astype(np.int64), keys % n)

    def records_below(self, v: int) -> NDArray[np.int64]:
        """The records that have an item below node v."""
        return self.records[self.starts[v] : self.starts[v + 1]]


def _recode_to_cut(baskets: Baskets, shown: NDArray[np.int64]) -> tuple[Baskets, NDArray[np.int64]]:
    """The records recoded to the nodes of the cut, and the node that each of their items stands for."""
    cut = np.unique(shown[shown >= 0])
    number = np.where(shown < 0, -1, np.searchsorted(cut, shown))
    return recode_items(baskets, number, [str(v) for v in cut.tolist()]), cut


def _rare_node_sets(baskets: Baskets, shown: NDArray[np.int64], k: int, size: int, work: SetWork) -> NDArray[np.int64]:
    """Sets of `size` nodes of the cut that occur, in fewer than k records."""
    seen, cut = _recode_to_cut(baskets, shown)
    return cut[rare_sets(seen, k, size, _MOST_SETS, work)]


def _raise_cut(
    sets: NDArray[np.int64], nodes: _Nodes, shown: NDArray[np.int64], k: int, work: SetWork
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cut with nodes raised until k records hold each set, and the sets for which only the root would do."""
    up = np.arange(len(nodes.parent))  # what a node of the cut is shown as by now
    spent = np.zeros(len(nodes.parent), dtype=np.int64)  # what the cut costs below each node
    for v in np.unique(shown[shown >= 0]).tolist():
        above = v
        while above >= 0:
            spent[above] += nodes.price[v]
            above = int(nodes.parent[above])
    stuck, steps = _raise_nodes(
        sets, k, nodes.parent, nodes.end, nodes.price, nodes.starts, nodes.records, up, spent, work.left
    )
    work.spend(steps, sets.shape[1])
    return np.where(shown < 0, -1, up[shown]), up[sets[stuck]]


def _withhold_nodes(
    sets: NDArray[np.int64], baskets: Baskets, shown: NDArray[np.int64], n_nodes: int
) -> NDArray[np.int64]:
    """The cut with some nodes withheld that hit all of the sets, rather those that occur seldom."""
    times = np.zeros(n_nodes, dtype=np.int64)
    np.add.at(times, shown[shown >= 0], baskets.counts[shown >= 0])
    out = hitting_items(sets.astype(np.int32), times)
    return np.where((shown >= 0) & out[shown], -1, shown)


def _lower_cut(
    baskets: Baskets, tree: Tree, nodes: _Nodes, leaf: NDArray[np.int64], shown: NDArray[np.int64],
    k: int, m: int, work: SetWork, share: Share,
) -> NDArray[np.int64]:  # fmt: skip
    """The cut with nodes replaced by those below them wherever that makes no rare set, the largest gain first.

    A step down that fails once fails after any other step down too, so that each node is tried once.
    """
    waiting: list[tuple[int, int]] = []

    def wait(v: int) -> None:
        below = tree.children(v)
        if below:
            heapq.heappush(waiting, (int(nodes.price[below].sum() - nodes.price[v]), v))

    for v in np.unique(shown[shown >= 0]).tolist():
        wait(v)
    n_tried, n_nodes = 0, len(nodes.parent)
    while waiting:
        _, v = heapq.heappop(waiting)
        share(n_tried / n_nodes)
        n_tried += 1
        below = np.array(tree.children(v), dtype=np.int64)
        own = shown == v
        trial = shown.copy()
        trial[own] = below[np.searchsorted(tree.first[below], leaf[own], side="right") - 1]
        new = np.unique(trial[own]).tolist()
        if all(_has_no_rare_set(baskets, nodes.records_below(c), trial, c, k, m, work) for c in new):
            shown = trial
            for c in new:
                wait(c)
    return shown


def _give_back(
    baskets: Baskets, nodes: _Nodes, lowest: NDArray[np.int64], shown: NDArray[np.int64],
    k: int, m: int, work: SetWork, share: Share,
) -> NDArray[np.int64]:  # fmt: skip
    """The cut with withheld items shown again, as the node above them or as they are, the most frequent first."""
    record = np.repeat(np.arange(len(baskets)), baskets.sizes)
    by_item, ends = np.argsort(baskets.ids, kind="stable"), np.cumsum(baskets.counts)
    for done, item in enumerate(np.argsort(-baskets.counts, kind="stable").tolist()):
        if shown[item] >= 0:
            continue
        share(done / len(shown))
        cut, v = set(shown.tolist()), int(lowest[item])
        while v >= 0 and v not in cut:
            v = int(nodes.parent[v])
        trial = shown.copy()
        trial[item] = v = v if v >= 0 else int(lowest[item])
        if v in cut:
            holding = np.unique(record[trial[baskets.ids] == v])
        else:
            holding = record[by_item[ends[item] - baskets.counts[item] : ends[item]]]
        if _has_no_rare_set(baskets, holding, trial, v, k, m, work):
            shown = trial
    return shown


def _has_no_rare_set(
    baskets: Baskets, holding: NDArray[np.int64], shown: NDArray[np.int64], v: int, k: int, m: int, work: SetWork
) -> bool:
    """Whether every set with node v that occurs is held by k records; `holding` are the records that have v."""
    if len(holding) < k:
        return False
    others, _ = _recode_to_cut(baskets.rows(holding), np.where(shown == v, -1, shown))
    return not has_rare_set(others, k, m - 1, work)


@kernel
def _raise_nodes(
    sets: NDArray[np.int64], k: int, parent: NDArray[np.int64], end: NDArray[np.int64], price: NDArray[np.int64],
    starts: NDArray[np.int64], records: NDArray[np.int64], up: NDArray[np.int64], spent: NDArray[np.int64],
    most_steps: int,
) -> tuple[NDArray[np.bool_], int]:  # fmt: skip
    """Raise nodes, in `up` and `spent`, until k records hold each set; returns the sets that need the root.

    And the steps taken; where these are more than `most_steps`, it has stopped before the end.
    """
    size, steps = sets.shape[1], 0
    tried, best = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    own = np.empty(size, dtype=np.int64)
    stuck = np.zeros(sets.shape[0], dtype=np.bool_)
    for s in range(sets.shape[0]):
        for j in range(size):
            own[j] = up[sets[s, j]]
        if _has_k_records(_highest(own, end), starts, records, k):
            continue
        for j in range(size):  # as high as can be without the root, more records have them than anywhere below
            tried[j] = own[j]
            while parent[tried[j]] > 0:
                tried[j] = parent[tried[j]]
        if not _has_k_records(_highest(tried, end), starts, records, k):
            stuck[s] = True
            continue
        tried[:] = own
        least = np.int64(2**62)
        while True:
            j = size - 1  # the next choice of a node above each
            while j >= 0 and tried[j] == 0:
                tried[j] = own[j]
                j -= 1
            if j < 0:
                break
            tried[j] = parent[tried[j]]
            highest = _highest(tried, end)
            steps += 8 * size * size
            if steps > most_steps:
                return stuck, steps
            cost = np.int64(0)
            for v in highest:
                cost += price[v] - spent[v]
            if cost < least and highest[0] != 0 and _has_k_records(highest, starts, records, k):
                least = cost
                best[:] = tried
        for v in _highest(best, end):
            more = price[v] - spent[v]
            up[v : end[v]] = v
            while v >= 0:
                spent[v] += more
                v = parent[v]
    return stuck, steps


@kernel
def _highest(nodes: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """The nodes without those that lie below another one, each once."""
    stay = np.ones(nodes.shape[0], dtype=np.bool_)
    for i in range(nodes.shape[0]):
        for j in range(nodes.shape[0]):
            if i != j and nodes[i] <= nodes[j] < end[nodes[i]] and (nodes[i] != nodes[j] or i < j):
                stay[j] = False
    return nodes[stay]


@kernel
def _has_k_records(nodes: NDArray[np.int64], starts: NDArray[np.int64], records: NDArray[np.int64], k: int) -> bool:
    """Whether k records have something below each of the nodes."""
    smallest = nodes[0]
    for v in nodes:
        if starts[v + 1] - starts[v] < starts[smallest + 1] - starts[smallest]:
            smallest = v
    n = 0
    for t in range(starts[smallest], starts[smallest + 1]):
        inside = True
        for v in nodes:
            low, high = starts[v], starts[v + 1]
            while low < high:
                middle = (low + high) // 2
                if records[middle] < records[t]:
                    low = middle + 1
                else:
                    high = middle
            if low == starts[v + 1] or records[low] != records[t]:
                inside = False
                break
        n += inside
        if n >= k:
            return True
    return False
