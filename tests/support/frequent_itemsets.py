"""Random baskets and their most frequent sets of items by brute force."""

from itertools import combinations

import numpy as np

from sfumato.data.baskets import Baskets


def random_baskets(seed, n=25, m=9, share=0.5):
    rng = np.random.default_rng(seed)
    return Baskets.from_scipy((rng.random((n, m)) < rng.random(m) * 2 * share).astype(int))


def brute_force_top(baskets, n, least, most):
    dense = baskets.to_scipy().toarray().astype(bool)
    sets = [each for size in range(least, most + 1) for each in combinations(range(baskets.n_items), size)]
    counted = [(each, int(dense[:, each].all(axis=1).sum())) for each in sets]
    return sorted((each for each in counted if each[1]), key=lambda each: (-each[1], each[0]))[:n]
