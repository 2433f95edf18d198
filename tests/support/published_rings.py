"""A ring of records as votes publish it, with its edges and who stands behind whom."""

import numpy as np

from sfumato.baskets.rings.ring import random_assignments
from sfumato.baskets.voting import vote
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.edges import Edges


def random_ring(seed, n=12, m=6, k=3, labelled=True):
    rng = np.random.default_rng(seed)
    labels = rng.choice(list("abcd"), n).tolist() if labelled else None
    originals = Baskets.from_scipy((rng.random((n, m)) < 0.5).astype(int), [f"i{j}" for j in range(m)], labels)
    order = rng.permutation(n)
    shown = vote(originals, order, k, Randomness(seed))
    edges = np.stack([[order[(j - s) % n] for s in range(k)] for j in range(n)])
    assert Edges.of_ring(order, k).rows.tolist() == edges.ravel().tolist()
    drawn = random_assignments(n, k, Randomness(seed))[int(rng.integers(k))]
    own = np.empty(n, dtype=np.int64)
    own[drawn] = order  # position i stands for the published record drawn[i]
    published = PublishedBaskets(
        shown.base, shown.differs, shown.threshold, None if labels is None else [labels[i] for i in own]
    )
    return originals, published, edges, own
