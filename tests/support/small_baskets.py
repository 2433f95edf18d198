"""The thesis' example of six records, and small baskets with what is plainly computed of them."""

import numpy as np

from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness

BITS = ["1100", "0110", "1101", "0111", "1110", "1011"]
THESIS = np.array([[int(bit) for bit in row] for row in BITS])
EXAMPLE = Baskets.from_scipy(THESIS)
SPORTS = ["jogging", "swimming", "tennis", "soccer"]
TSP = np.array([2, 4, 3, 1, 5, 6]) - 1
"""A short path through the example, as the thesis gives it."""


def baskets_of_kinds(seed, n, m, share=0.3):
    rng = np.random.default_rng(seed)
    kinds = rng.random((max(2, n // 8), m)) < share
    dense = kinds[rng.integers(len(kinds), size=n)] ^ (rng.random((n, m)) < 0.08)
    return Baskets.from_scipy(dense.astype(int))


def published_with(baskets, labels=None):
    nothing = Baskets(np.zeros(len(baskets) + 1), np.empty(0, dtype=int), baskets.items)
    return PublishedBaskets(baskets, nothing, np.zeros(len(baskets), dtype=int), labels)


def dense_baskets(seed, n, m, share, labels=None):
    rng = np.random.default_rng(seed)
    given = None if labels is None else rng.choice(list(labels), n).tolist()
    return Baskets.from_scipy((rng.random((n, m)) < share).astype(int), [f"i{j}" for j in range(m)], given)


def few_kinds(seed, n, labels="abc"):
    """Few kinds of originals, and published records that hold them and more, some many times."""
    rng = np.random.default_rng(seed)
    originals = dense_baskets(seed, 3, 4, 0.5).rows(rng.integers(0, 3, n))
    given = rng.choice(list(labels), n).tolist()
    own, dense = rng.permutation(n), originals.to_scipy().toarray()
    marks = (rng.random((3, 4)) < 0.5).astype(int)[rng.integers(0, 3, n)]
    base = np.where(marks == 1, (rng.random((2, 4)) < 0.5).astype(int)[rng.integers(0, 2, n)], dense[own])
    threshold = np.minimum(np.maximum(abs(base - dense[own]).sum(axis=1), rng.integers(0, 2, n)), marks.sum(axis=1))
    threshold = threshold * (seed % 7 > 0)  # nobody may be behind some
    names = originals.items
    told = [given[i] for i in (own if seed % 3 else rng.permutation(n))]
    published = PublishedBaskets(
        Baskets.from_scipy(base, names), Baskets.from_scipy(marks, names), threshold, told if seed % 5 else None
    )
    return Baskets(originals.starts, originals.ids, names, given), published


def disjoint_permutations(found, n, k):
    assert found.shape == (k, n)
    for row in found:
        assert sorted(row.tolist()) == list(range(n))
    for i in range(n):
        assert sorted(((found[:, i] - i) % n).tolist()) == list(range(k))


def five_labels(n=100, n_labels=5):
    rng = np.random.default_rng(9)
    return Baskets.from_scipy((rng.random((n, 12)) < 0.4).astype(int), labels=[f"d{i % n_labels}" for i in range(n)])


def run_on_baskets(method, baskets, promise, seed=1):
    return method.run(baskets, promise, Randomness(seed), Progress(9, shown=False))
