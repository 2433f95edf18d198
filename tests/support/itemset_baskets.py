"""Baskets of eight items under a hierarchy, all their sets of items counted, and their plain publication."""

from collections import Counter
from itertools import combinations

import numpy as np

from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.published_baskets import PublishedBaskets

NAMES = [f"i{j}" for j in range(8)]
PATHS = [[f"i{j}", f"two {j // 2}", f"four {j // 4}", "*"] for j in range(8)]
EIGHT = Hierarchy.from_paths(PATHS)


def as_published(baskets):
    nothing = Baskets(np.zeros(len(baskets) + 1), np.empty(0, dtype=int), baskets.items)
    return PublishedBaskets(baskets, nothing, np.zeros(len(baskets), dtype=int), baskets.labels)


def random_baskets(seed, n=None, labels=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 50)) if n is None else n
    dense = (rng.random((n, 8)) < rng.random(8) * 0.5 + 0.05).astype(int)
    baskets = Baskets.from_scipy(dense, NAMES, rng.choice(list("abc"), n).tolist() if labels else None)
    return baskets, int(rng.integers(2, 7)), int(rng.integers(1, 4))


def count_all(records, m):
    """Every set of up to m items that occurs, the empty one too, and in how many records."""
    return Counter(s for record in records for size in range(m + 1) for s in combinations(sorted(set(record)), size))
