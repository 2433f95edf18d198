"""Select-a-size: its parameters, and what they forbid to learn."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.errors import ParameterError

SIX = tuple("abcdef")


def test_vector_k6_pairs_that_cannot_be_learnt_are_refused():
    keep, rho = [3 / 16, 5 / 8, 3 / 16], 0.25
    with pytest.raises(
        ParameterError, match=r"sets of 2 items tell nothing of itemsets of 2 items .* itemset_size to 1"
    ):
        collection.SelectASize(items=SIX, keep=keep, rho=rho)
    items_alone = collection.SelectASize(items=SIX, keep=keep, rho=rho, itemset_size=1)
    assert items_alone.eigenvalues == {2: (1.0, 0.25)}


def test_nearly_singular_is_refused_as_well():
    near = [3 / 16 - 1e-7, 5 / 8 + 2e-7, 3 / 16 - 1e-7]
    with pytest.raises(ParameterError, match="tell nothing of itemsets of 2"):
        collection.SelectASize(items=SIX, keep=near, rho=0.25)


def test_items_that_come_in_as_often_as_they_stay_tell_nothing():
    with pytest.raises(ParameterError, match="tell nothing of itemsets of 1 items"):
        collection.SelectASize(items=SIX, keep=[0.5, 0.5], rho=0.5, itemset_size=1)


def test_lists_are_put_in_the_order_of_sizes():
    asked = collection.SelectASize(items=SIX, keep=[[0.2, 0.3, 0.5], [0.4, 0.6]], rho=0.1)
    assert asked.sizes == (1, 2)
    assert set(asked.eigenvalues) == {1, 2}
    assert asked == collection.SelectASize(items=list(SIX), keep=((0.4, 0.6), (0.2, 0.3, 0.5)), rho=0.1)


def test_one_list_may_be_an_array():
    asked = collection.SelectASize(items=SIX, keep=np.array([0.4, 0.6]), rho=0.1, itemset_size=1)
    assert asked.keep == ((0.4, 0.6),)


@pytest.mark.parametrize(
    ("keep", "said"),
    [([0.5, 0.4], "sets of 1 items must sum to 1"), ([], "keep must be a list"), ("ab", "keep must be a list"),
     ([[0.5, 0.5], [0.1, 0.9]], "two have the same size"), ([[0.5, 0.5], 3], "keep must have"), ([-0.5, 1.5], "keep must have"),
     ([[]], "keep must have"), ([float("nan"), 1.0], "keep must have")],
)  # fmt: skip
def test_probabilities_that_are_none_are_refused(keep, said):
    with pytest.raises(ParameterError, match=said):
        collection.SelectASize(items=SIX, keep=keep, rho=0.1, itemset_size=1)
