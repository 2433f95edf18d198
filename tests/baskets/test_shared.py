"""What the methods for baskets share: what is asked of them, votes of groups, records dealt, items shown."""

from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.grouped import Grouped
from sfumato.baskets.shared import deal_records, group_votes, required_k_and_l, required_size_and_diversity
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from support.small_baskets import SPORTS, THESIS, dense_baskets, five_labels, run_on_baskets


@pytest.mark.parametrize("seed", range(12))
def test_methods_publish_items_that_are_shown_or_marked(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    baskets = dense_baskets(seed, n, 6, (0.1, 0.5, 0.9)[seed % 3], "abcdef")
    k, flat = int(rng.integers(1, n + 1)), Hierarchy.flat([f"i{j}" for j in range(6)])
    methods = [(sf.Nonreciprocal(), sf.KAnonymity(k)), (sf.Nonreciprocal(), sf.LDiversity(2))]
    methods += [(sf.Apriori(tree), sf.KMAnonymity(k, m)) for tree in (None, flat) for m in (1, 2)]
    methods += [(sf.CAHD(), sf.LDiversity(2))]
    for method, promise in methods:
        with suppress(InfeasibleError):
            data = sf.publish(baskets, method, promise, seed=seed).data
            assert ((data.base.counts + data.differs.counts) > 0).all()


def test_a_group_votes_once():
    """Ties go by a coin; if every record tossed its own, those of a group would not be published alike."""
    baskets = Baskets.from_scipy(np.repeat([[1, 1, 0, 0, 1, 0, 1, 0], [0, 0, 1, 1, 0, 1, 0, 1]], 4, axis=0))
    votes = group_votes(baskets, np.array([0, 1, 0, 1, 0, 1, 0, 1]), Randomness(3))
    rows = [str(row) for row in votes.frame.rows()]
    assert rows == rows[:2] * 4
    assert rows[0] != rows[1]
    plain = group_votes(Baskets.from_scipy(THESIS, SPORTS), np.array([0, 1, 0, 1, 0, 1]), Randomness(1))
    assert [sorted(each) for each in plain.base][:2] == [["jogging", "swimming"], ["soccer", "swimming", "tennis"]]


def test_k_and_l_are_told_apart():
    assert required_k_and_l("Grouped", KAnonymity(10) & LDiversity(2)) == (10, 2)
    assert required_k_and_l("Grouped", KAnonymity(4)) == (4, None)
    assert required_k_and_l("Grouped", LDiversity(3)) == (1, 3)
    assert required_size_and_diversity("Grouped", KAnonymity(10) & LDiversity(2)) == (10, True)
    assert required_size_and_diversity("Grouped", LDiversity(3)) == (3, True)
    assert required_size_and_diversity("Grouped", KAnonymity(4)) == (4, False)
    sizes = Counter(
        map(len, run_on_baskets(Grouped(), five_labels(), KAnonymity(10) & LDiversity(2)).kept["edges"]["original"])
    )
    assert max(sizes) < 20


def test_each_record_of_a_group_is_as_likely_behind_each():
    group = np.array([0, 1, 0, 1, 0])
    behind = Counter()
    for seed in range(600):
        own = deal_records(group, Randomness(seed))
        assert (group[own] == group).all()
        behind.update((j, int(i)) for j, i in enumerate(own))
    for j in range(5):
        share = 1 / int((group == group[j]).sum())
        for i in np.flatnonzero(group == group[j]):
            assert abs(behind[j, int(i)] / 600 - share) < 0.08
