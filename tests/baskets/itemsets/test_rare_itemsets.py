"""Sets of items that too few records hold, and the items that break them up."""

import numpy as np
import pytest

from sfumato.baskets.itemsets.rare_itemsets import hitting_items, rare_sets, restrict_items
from support.itemset_baskets import NAMES, count_all, random_baskets


@pytest.mark.parametrize("seed", range(30))
def test_rare_sets_are_found_size_by_size(seed):
    baskets, k, _ = random_baskets(seed)
    baskets = restrict_items(baskets, baskets.counts >= k)
    for size in (2, 3, 4):
        counts = count_all([[NAMES.index(item) for item in record] for record in baskets], size)
        if any(count < k for s, count in counts.items() if 0 < len(s) < size):
            return
        expected = {s for s, count in counts.items() if len(s) == size and count < k}
        found = [tuple(row) for row in rare_sets(baskets, k, size, 10**6).tolist()]
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert len(rare_sets(baskets, k, size, 1)) == min(1, len(expected))


def test_hitting_takes_what_is_in_many_sets_and_light():
    sets = np.array([[0, 1], [0, 2], [0, 3], [4, 5]], dtype=np.int32)
    assert hitting_items(sets, np.array([5, 5, 5, 5, 2, 1, 0])).tolist() == [
        True,
        False,
        False,
        False,
        False,
        True,
        False,
    ]
    assert hitting_items(sets, np.array([50, 5, 5, 5, 2, 1, 0])).tolist() == [
        False,
        True,
        True,
        True,
        False,
        True,
        False,
    ]
