"""Simpler ratios are near the true ones."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.tables.distribution.snapping import snap_ratios
from support.naive_distribution import (
    tree_of,
)


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1])
def test_simpler_ratios_are_near_the_true_ones(share):
    rng = np.random.default_rng(5)
    for _ in range(20):
        tree = tree_of(rng.integers(1, 1000, 9), arity=3)
        found = snap_ratios(tree, share)
        for v in range(len(tree.ranges)):
            own = tree.shape.children[tree.shape.child_starts[v] : tree.shape.child_starts[v + 1]]
            if len(own):
                true, now = (given[own] / given[own].sum() for given in (tree.ratio, found.ratio))
                assert np.abs(true - now).sum() / 2 <= share + 1e-12
                assert found.ratio[own].sum() <= tree.ratio[own].sum()
    assert snap_ratios(tree_of([713, 714]), share).ratio.tolist() == [1, 1, 1]
