"""Groups cut from a ring on which labels differ."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.rings.ring_groups import ring_groups, turned_bits
from sfumato.data.baskets import Baskets


def some(seed, n, m, labels):
    rng = np.random.default_rng(seed)
    return Baskets.from_scipy((rng.random((n, m)) < 0.4).astype(int)), rng.permutation(np.arange(n) % labels)


@pytest.mark.parametrize("seed", range(40))
def test_every_group_has_labels_that_differ(seed):
    rng = np.random.default_rng(seed)
    l = int(rng.integers(2, 7))
    n_labels, n = int(rng.integers(l, 3 * l)), int(rng.integers(2 * l, 80))
    baskets, labels = some(seed, n, 9, n_labels)
    if np.bincount(labels).max() * l > n:
        labels = np.arange(n)
    group = ring_groups(baskets, labels, rng.permutation(n), l)
    sizes = np.bincount(group)
    assert len(sizes) == n // l
    assert sizes.min() >= l
    for g in range(len(sizes)):
        own = labels[group == g]
        assert len(set(own.tolist())) == len(own)


def test_bits_turned_round_by_counting():
    baskets, _ = some(1, 30, 7, 3)
    group = np.random.default_rng(1).integers(0, 6, 30)
    group[:6] = np.arange(6)
    dense = baskets.to_scipy().toarray()
    expected = sum(
        min((dense[group == g][:, j] == 1).sum(), (dense[group == g][:, j] == 0).sum())
        for g in range(6)
        for j in range(7)
    )
    assert turned_bits(baskets, group) == expected


def test_the_better_groups_are_taken():
    for seed, n_labels in ((1, 5), (2, 5), (3, 30)):
        baskets, labels = some(seed, 300, 14, n_labels)
        labelled = Baskets(baskets.starts, baskets.ids, baskets.items, [f"d{i}" for i in labels])
        release = sf.publish(labelled, sf.Grouped(), sf.LDiversity(4), seed=1)
        edges = release.owner.files["edges"]["original"].to_list()
        group = np.unique([min(each) for each in edges], return_inverse=True)[1]
        by_original = np.empty(300, dtype=np.int64)
        by_original[release.owner.rows] = group
        for order in (np.arange(300), np.random.default_rng(seed).permutation(300)):
            assert turned_bits(baskets, by_original) <= turned_bits(baskets, cahd_groups(baskets, labels, order, 4, 3))
