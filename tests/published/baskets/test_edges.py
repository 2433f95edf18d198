"""Edges of published records: laid by rings and groups, saved, and checked."""

import numpy as np
import pytest

from sfumato.data.published_baskets import PublishedBaskets
from sfumato.published.baskets.edges import Edges, check_edges
from support.published_rings import random_ring


def listed(edges):
    return Edges(np.arange(len(edges) + 1) * edges.shape[1], edges.ravel())


@pytest.mark.parametrize("seed", range(4))
def test_edges_that_hold(seed):
    originals, published, edges, own = random_ring(seed)
    found = check_edges(originals, published, listed(edges), own)
    assert (found.broken, found.k) == ((), 3)
    candidates = [{published.labels[j] for j in range(12) if i in edges[j]} for i in range(12)]
    assert found.n_labels == min(map(len, candidates))
    bare = random_ring(seed, labelled=False)
    assert check_edges(bare[0], bare[1], listed(bare[2]), bare[3]).n_labels is None


def test_edges_that_do_not():
    originals, published, edges, own = random_ring(2)
    swapped = edges.copy()
    swapped[0, 0], swapped[6, 0] = edges[6, 0], edges[0, 0]
    assert check_edges(originals, published, listed(swapped), own).broken
    twice = edges.copy()
    twice[0, 0] = twice[0, 1]
    assert any("twice" in said for said in check_edges(originals, published, listed(twice), own).broken)
    assert any(
        "as many edges as each other" in said for said in check_edges(originals, published, listed(twice), own).broken
    )
    wrong = own.copy()
    wrong[[0, 6]] = own[[6, 0]]
    assert check_edges(originals, published, listed(edges), wrong).broken
    assert check_edges(originals, published, listed(edges[:5]), own).broken
    other = originals.labels.reverse() if not originals.labels.equals(originals.labels.reverse()) else originals.labels
    labelled = PublishedBaskets(published.base, published.differs, published.threshold, other.to_list())
    assert any("label" in said for said in check_edges(originals, labelled, listed(edges), own).broken)
    narrow = PublishedBaskets(published.base, published.differs, np.zeros(12, dtype=int), published.labels)
    assert any("no possible world" in said for said in check_edges(originals, narrow, listed(edges), own).broken)


def test_edges_of_groups_and_back():
    rng = np.random.default_rng(4)
    group = rng.integers(0, 4, 20)
    edges = Edges.of_groups(group)
    for j in range(20):
        own = edges.rows[edges.starts[j] : edges.starts[j + 1]]
        assert sorted(own.tolist()) == np.flatnonzero(group == group[j]).tolist()
    again = Edges.from_frame(edges.frame)
    assert (again.starts.tolist(), again.rows.tolist()) == (edges.starts.tolist(), edges.rows.tolist())
    order = rng.permutation(20)
    moved = edges.reorder(order)
    assert all(
        moved.rows[moved.starts[i] : moved.starts[i + 1]].tolist()
        == edges.rows[edges.starts[j] : edges.starts[j + 1]].tolist()
        for i, j in enumerate(order)
    )
