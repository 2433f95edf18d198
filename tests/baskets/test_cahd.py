"""Groups of records with different labels."""

from collections import Counter

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.cahd import CAHD, cahd_groups
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError


def random_baskets(seed, n=60, m=12, n_labels=6):
    rng = np.random.default_rng(seed)
    weights = rng.random(n_labels) + 0.5
    labels = rng.choice(n_labels, n, p=weights / weights.sum())
    return Baskets.from_scipy((rng.random((n, m)) < 0.3).astype(int), labels=labels.tolist()), labels


@pytest.mark.parametrize("seed", range(40))
def test_groups_carry_l_labels(seed):
    rng = np.random.default_rng(seed)
    l = int(rng.integers(2, 5))
    baskets, labels = random_baskets(seed, n=int(rng.integers(8, 80)))
    order = rng.permutation(len(labels))
    if np.bincount(labels).max() * l > len(labels):
        with pytest.raises(InfeasibleError, match="the best is l="):
            cahd_groups(baskets, labels, order, l, 3)
        return
    group = cahd_groups(baskets, labels, order, l, 3)
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    for g in range(group.max() + 1):
        counts = Counter(labels[group == g].tolist())
        assert max(counts.values()) * l <= sum(counts.values())
    sizes = np.bincount(group)
    assert (sizes[:-1] == l).all()


def test_alike_records_join():
    dense = np.array([[1, 1, 0, 0], [0, 0, 1, 1]] * 6)
    baskets = Baskets.from_scipy(dense, labels=list("aabbcc") * 2)
    group = cahd_groups(baskets, np.array([0, 0, 1, 1, 2, 2] * 2), np.arange(12), 2, 3)
    for g in range(group.max()):
        assert len({tuple(row) for row in dense[group == g]}) == 1


@pytest.mark.parametrize("l", [2, 3])
def test_publish(l):
    baskets, _ = random_baskets(1)
    release = sf.publish(baskets, CAHD(), sf.LDiversity(l), seed=1)
    assert release.verdict.reached[repr(sf.LDiversity(l))] >= l
    assert sf.verify(release, baskets, promise=sf.KAnonymity(l))
    assert not sf.verify(release, baskets, promise=sf.KAnonymity(40))
    assert sorted(release.owner.rows.tolist()) == list(range(60))


def test_each_record_of_a_group_is_as_likely():
    baskets, labels = random_baskets(2, n=12, n_labels=4)
    assert np.bincount(labels).max() <= 6
    ranks = Counter()
    for seed in range(400):
        release = sf.publish(baskets, CAHD(), sf.LDiversity(2), seed=seed)
        edges = release.owner.files["edges"]["original"].to_list()
        j = next(j for j in range(12) if len(edges[j]) == 2)
        ranks[sorted(edges[j]).index(release.owner.rows[j])] += 1
    assert abs(ranks[0] / 400 - 0.5) < 0.1


def test_what_cannot_be_done_is_said():
    baskets, _ = random_baskets(3)
    with pytest.raises(ParameterError, match="CAHD keeps LDiversity alone"):
        sf.publish(baskets, CAHD(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="whole number"):
        sf.publish(baskets, CAHD(), sf.LDiversity(2.5))
    with pytest.raises(ParameterError, match="alpha must be"):
        CAHD(alpha=0)
    bare = Baskets.from_lists([["a"], ["b"]])
    with pytest.raises(DataError, match="no labels"):
        sf.publish(bare, CAHD(), sf.LDiversity(2))
