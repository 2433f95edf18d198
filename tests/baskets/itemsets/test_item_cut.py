"""Cuts of a hierarchy of items: they keep the promise and cost little more than the best."""

from itertools import product

import numpy as np

from sfumato.baskets.itemsets.item_cut import item_cut
from sfumato.data.hierarchy import Hierarchy
from support.itemset_baskets import EIGHT, NAMES, count_all, random_baskets


def cuts(tree, v=0):
    yield (v,)
    if tree.children(v):
        for parts in product(*(list(cuts(tree, child)) for child in tree.children(v))):
            yield tuple(node for part in parts for node in part)


def cut_cost(baskets, tree, shown):
    """How many leaves too many are shown, over all occurrences of items; one withheld counts as the root."""
    above = (tree.last - tree.first).astype(np.int64)
    return int((baskets.counts * np.where(shown < 0, tree.n_leaves - 1, above[shown])).sum())


def as_shown(baskets, tree, node):
    names = {item: None if v < 0 else tree.labels[v] for item, v in zip(baskets.items, node, strict=True)}
    return [{names[item] for item in record} - {None} for record in baskets]


def test_cuts_keep_it_and_cost_little_more_than_the_best():
    ratios, total, total_best = [], 0, 0
    for seed in range(36):
        baskets, k, m = random_baskets(seed)
        tree = EIGHT.tree(NAMES)
        node = item_cut(baskets, tree, k, m)
        assert min(count_all(as_shown(baskets, tree, node), m).values()) >= k
        own = cut_cost(baskets, tree, node)
        root = cut_cost(baskets, tree, np.zeros(8, dtype=int))
        assert own <= root
        best = root
        for cut in cuts(tree):
            trial = np.concatenate([np.full(tree.last[v] - tree.first[v] + 1, v) for v in sorted(cut)])
            cost = cut_cost(baskets, tree, trial)
            if cost < best and min(count_all(as_shown(baskets, tree, trial), m).values()) >= k:
                best = cost
        ratios.append(own / max(best, 1))
        total, total_best = total + own, total_best + best
    assert max(ratios) <= 1.3
    assert sum(ratio > 1 for ratio in ratios) <= 1
    assert total <= 1.01 * total_best


def test_no_item_is_withheld_that_could_be_given_back():
    tree = Hierarchy.from_paths([[f"i{j}", f"two {j // 2}", "*"] for j in range(8)]).tree(NAMES)
    n_withheld = 0
    for seed in range(60):
        baskets, k, m = random_baskets(seed)
        node = item_cut(baskets, tree, k, m)
        assert min(count_all(as_shown(baskets, tree, node), m).values()) >= k
        for item in np.flatnonzero((node < 0) & (baskets.counts > 0)):
            n_withheld += 1
            trial = node.copy()
            above = tree.parent[tree.leaf_node[item]]
            trial[item] = above if above in node else tree.leaf_node[item]
            assert min(count_all(as_shown(baskets, tree, trial), m).values()) < k
    assert n_withheld > 20
