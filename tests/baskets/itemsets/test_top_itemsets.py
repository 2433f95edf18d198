"""The most frequent sets of items, and how far a release keeps them, against brute force."""

import pytest

from sfumato.baskets.itemsets.top_itemsets import supports, top_itemsets
from sfumato.data.baskets import Baskets
from sfumato.ground.errors import ParameterError
from support.frequent_itemsets import brute_force_top, random_baskets


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "least", "most"), [(1, 1, 1), (20, 2, 4), (20, 3, 3), (500, 2, 5), (7, 1, 9)])
def test_the_top_is_that_of_all_sets(seed, n, least, most):
    baskets = random_baskets(seed)
    assert top_itemsets(baskets, n, least, most) == brute_force_top(baskets, n, least, most)


def test_ties_go_by_the_order_of_items():
    same = Baskets.from_lists([["a", "b", "c"]] * 3)
    assert top_itemsets(same, 3) == [((0, 1), 3), ((0, 1, 2), 3), ((0, 2), 3)]
    assert top_itemsets(Baskets.from_lists([["a"], ["b"], []])) == []


def test_supports_are_counts():
    baskets = random_baskets(3)
    sets = [(0,), (1, 4), (8, 2, 5)]
    dense = baskets.to_scipy().toarray().astype(bool)
    assert supports(baskets, sets).tolist() == [int(dense[:, each].all(axis=1).sum()) for each in sets]


@pytest.mark.parametrize("wrong", [{"n": 0}, {"least": 0}, {"most": 1}, {"n": 2.5}])
def test_wrong_numbers_are_refused(wrong):
    with pytest.raises(ParameterError):
        top_itemsets(random_baskets(0), **wrong)
