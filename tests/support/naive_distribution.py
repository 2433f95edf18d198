"""Slow, obvious forms of what is optimised, for comparison in tests."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache
from math import gcd, inf

import numpy as np

from sfumato.tables.distribution.annotated import AnnotatedTree, TreeShape, annotate, balanced_tree
from sfumato.tables.distribution.min_sum_of_range import GroupSubdomains, Histograms


def cases(n):
    """So many generators, the same in every run."""
    return (np.random.default_rng([n, i]) for i in range(n))


# -- building ------------------------------------------------------------------------------------------------------
def positions_of(m, positions=None):
    return np.arange(m, dtype=np.float64) if positions is None else np.array(positions, dtype=np.float64)


def tree_of(weights, *, arity=2, shape=None, positions=None):
    """A hierarchy over the places of `weights`; a node costs the distance between its ends."""
    shape = balanced_tree(len(weights), arity) if shape is None else shape
    at = positions_of(len(weights), positions)
    return annotate(shape, np.array(weights, dtype=np.int64), at[shape.last] - at[shape.first])


def random_shape(rng, m):
    """An owner's tree: any number of children, some of them alone."""
    first, last, parent = [], [], []

    def grow(a, b, above, lone):
        node = len(first)
        first.append(a)
        last.append(b)
        parent.append(above)
        size = b - a + 1
        if size == 1 and (lone or rng.random() < 0.9):
            return
        parts = 1 if size == 1 or (not lone and rng.random() < 0.1) else int(rng.integers(2, min(size, 4) + 1))
        cuts = sorted(rng.choice(np.arange(1, size), parts - 1, replace=False).tolist()) if parts > 1 else []
        edges = [0, *cuts, size]
        for i in range(parts):
            grow(a + edges[i], a + edges[i + 1] - 1, node, parts == 1)

    grow(0, m - 1, -1, False)
    return TreeShape.of_parents(*(np.array(given, dtype=np.int64) for given in (first, last, parent)))


def random_weights(rng, m, zeros=True):
    """Small, skewed, or equal weights, some of them nothing."""
    kind = rng.integers(4)
    if kind == 0:
        return np.ones(m, dtype=np.int64)
    weights = rng.integers(0 if zeros else 1, 4, m) if kind < 3 else rng.choice([0, 1, 1, 2, 2, 6], m)
    weights = np.maximum(weights, 0 if zeros else 1).astype(np.int64)
    weights[rng.integers(m)] += not weights.any()
    return weights


def random_tree(rng, m):
    """Binary, ternary or an owner's tree, over values with gaps between them."""
    which = rng.integers(3)
    shape = random_shape(rng, m) if which == 2 else balanced_tree(m, 2 + int(which))
    positions = np.cumsum(rng.integers(1, 5, m)) if rng.random() < 0.5 else None
    return tree_of(random_weights(rng, m), shape=shape, positions=positions)


def groups_of(*groups):
    """Histograms of groups that are given as lists of places."""
    parts = [np.unique(np.array(group, dtype=np.int64), return_counts=True) for group in groups]
    starts = np.concatenate([[0], np.cumsum([len(places) for places, _ in parts])]).astype(np.int64)
    return Histograms(starts, np.concatenate([p for p, _ in parts]), np.concatenate([c for _, c in parts]))


def counts_of(group, m):
    return np.bincount(np.array(group, dtype=np.int64), minlength=m).astype(np.int64)


def shown(listing: GroupSubdomains, g=0):
    """The subdomains of a group as (first, last): copies."""
    part = slice(listing.starts[g], listing.starts[g + 1])
    found = Counter()
    rows = zip(listing.first[part].tolist(), listing.last[part].tolist(), listing.copies[part].tolist(), strict=True)
    for first, last, copies in rows:
        assert copies > 0
        assert (first, last) not in found
        found[first, last] = copies
    return found


# -- definitions 3.1 and 3.2 ---------------------------------------------------------------------------------------
def probabilities(subdomains, weights):
    """What subdomains say of every value; None where one of them has no weight."""
    weights, n = [int(w) for w in weights], sum(subdomains.values())
    found = [Fraction(0)] * len(weights)
    for (first, last), copies in subdomains.items():
        inside = sum(weights[first : last + 1])
        if not inside:
            return None
        for t in range(first, last + 1):
            found[t] += Fraction(copies * weights[t], n * inside)
    return found


def total_variation(subdomains, weights):
    found, whole = probabilities(subdomains, weights), sum(int(w) for w in weights)
    if found is None:
        return Fraction(1)
    return sum(abs(p - Fraction(int(w), whole)) for p, w in zip(found, weights, strict=True)) / 2


def can_match(group, subdomains):
    """Whether every value can have a subdomain of its own that it lies in: augmenting paths."""
    slots = [ends for ends, copies in subdomains.items() for _ in range(copies)]
    taken = {}

    def place(i, tried):
        for s, (first, last) in enumerate(slots):
            if first <= group[i] <= last and s not in tried:
                tried.add(s)
                if s not in taken or place(taken[s], tried):
                    taken[s] = i
                    return True
        return False

    return all(place(i, set()) for i in range(len(group)))


def width(ends, positions):
    return positions[ends[1]] - positions[ends[0]]


def least_of_any(group, weights, ranges, cost_of):
    """The least sum of ranges over all multisets of `ranges` that are P-private generalizations of the group."""
    ranges = sorted({r for r in ranges if sum(weights[r[0] : r[1] + 1])}, key=cost_of)
    best = inf
    for chosen in itertools.combinations_with_replacement(ranges, len(group)):
        cost = sum(map(cost_of, chosen))
        if cost < best and total_variation(Counter(chosen), weights) == 0 and can_match(group, Counter(chosen)):
            best = cost
    return best


def nodes(tree: AnnotatedTree):
    return list(zip(tree.shape.first.tolist(), tree.shape.last.tolist(), strict=True))


def leaf_weights(tree: AnnotatedTree):
    leaf = np.flatnonzero(np.diff(tree.shape.child_starts) == 0)
    return tree.weight[leaf[np.argsort(tree.shape.first[leaf])]].tolist()


def least_of_nodes(group, tree):
    """Definition 3.2 to the letter, over nodes of the tree. For a handful of values."""
    cost = dict(zip(nodes(tree), tree.ranges.tolist(), strict=True))
    return least_of_any(group, leaf_weights(tree), cost, cost.__getitem__)


def least_of_ranges(group, weights, positions):
    """The same over any contiguous ranges."""
    m = len(weights)
    ranges = [(a, b) for a in range(m) for b in range(a, m)]
    return least_of_any(group, weights, ranges, lambda ends: width(ends, positions))


# -- exhaustive search over what is passed to children --------------------------------------------------------------
def children_of(tree, v):
    return tree.shape.children[tree.shape.child_starts[v] : tree.shape.child_starts[v + 1]].tolist()


def ratio_of(tree, v):
    """The weights of the children in lowest terms."""
    weights = [int(tree.weight[c]) for c in children_of(tree, v)]
    common = gcd(*weights) if weights else 0
    return [w // common for w in weights] if common else [0] * len(weights)


def inside(counts, tree, v):
    return int(sum(counts[tree.shape.first[v] : tree.shape.last[v] + 1]))


def least_sum(counts, tree, copies=None):
    """MinSumOfRange by trying every number of values that may go on at every node, not the largest alone."""

    @cache
    def best(v, n):
        if n > inside(counts, tree, v):
            return inf
        here, ratio = float(tree.ranges[v]), ratio_of(tree, v)
        found = n * here
        if sum(ratio):
            for q in range(1, n // sum(ratio) + 1):
                below = sum(best(c, q * r) for c, r in zip(children_of(tree, v), ratio, strict=True))
                found = min(found, below + (n - q * sum(ratio)) * here)
        return found

    return best(0, inside(counts, tree, 0) if copies is None else copies)


def with_fakes(counts, fakes):
    more = list(counts)
    for place in fakes:
        more[place] += 1
    return more


def least_with_fakes(counts, tree, k):
    """minSORFake: every multiset of k fakes, each with the least sum."""
    places = range(len(counts))
    return min(
        least_sum(with_fakes(counts, fakes), tree) for fakes in itertools.combinations_with_replacement(places, k)
    )


# -- the recursion of section 5.2, set right (erratum D1) -----------------------------------------------------------
def dealt(k, parts):
    """All ways to deal k over so many parts."""
    if parts == 1:
        yield (k,)
        return
    for x in range(k + 1):
        for rest in dealt(k - x, parts - 1):
            yield (x, *rest)


def recursion(counts, tree, k, r, v=0):
    """f(g, k, r, D): k fakes are put into node v and r values taken out; for any arity."""

    @cache
    def f(v, k, r):
        size, below, ratio = inside(counts, tree, v), children_of(tree, v), ratio_of(tree, v)
        if r > size + k:
            return inf
        if not below or not sum(ratio):
            return (size + k - r) * float(tree.ranges[v])
        best = inf
        for xs in dealt(k, len(below)):
            sizes = [inside(counts, tree, c) + x for c, x in zip(below, xs, strict=True)]
            q = min([s // a for s, a in zip(sizes, ratio, strict=True) if a] + [(size + k - r) // sum(ratio)])
            cost = (size + k - q * sum(ratio) - r) * float(tree.ranges[v])
            for c, x, s, a in zip(below, xs, sizes, ratio, strict=True):
                cost += f(c, x, s - q * a)
            best = min(best, cost)
        return best

    return f(v, k, r)


def least_with_removals(counts, tree, k, r):
    """The same by trying every set of k fakes: what is left is what the root may be asked for."""
    places, n = range(len(counts)), sum(counts) + k - r
    return min(
        least_sum(with_fakes(counts, fakes), tree, n) for fakes in itertools.combinations_with_replacement(places, k)
    )


def least_with_named_removals(counts, tree, k, r):
    """And once more by naming the values that are taken out too."""
    best = inf
    for fakes in itertools.combinations_with_replacement(range(len(counts)), k):
        more = with_fakes(counts, fakes)
        group = [place for place, count in enumerate(more) for _ in range(count)]
        for out in set(itertools.combinations(group, r)):
            left = [count - out.count(place) for place, count in enumerate(more)]
            best = min(best, least_sum(left, tree))
    return best


# -- ranges cut where that saves most ---------------------------------------------------------------------------------
def cut_where_it_saves_most(group, weights, positions):
    """The heuristic in words: of all cuts of a range, the leftmost of those that save most, until none saves."""
    found = Counter()

    def cut(a, b, n):
        best, choice = 0, None
        for c in range(a, b):
            one, two = sum(weights[a : c + 1]), sum(weights[c + 1 : b + 1])
            if not one or not two:
                continue
            one, two = one // gcd(one, two), two // gcd(one, two)
            left = sum(a <= value <= c for value in group)
            right = sum(c < value <= b for value in group)
            q = min(left // one, right // two, n // (one + two))
            saved = q * (one + two) * width((a, b), positions)
            saved -= q * one * width((a, c), positions) + q * two * width((c + 1, b), positions)
            if saved > best:
                best, choice = saved, (c, q * one, q * two)
        if choice is not None:
            c, left, right = choice
            cut(a, c, left)
            cut(c + 1, b, right)
            n -= left + right
        if n:
            found[a, b] += n

    cut(0, len(weights) - 1, len(group))
    return found
