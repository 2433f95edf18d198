"""Baskets: from lists, frames and matrices, back again, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from sfumato.data.baskets import Baskets
from sfumato.ground.errors import DataError

RECORDS = [["milk", "bread"], [], ["tea", "milk", "milk"]]


def test_records_as_sparse_rows():
    baskets = Baskets.from_lists(RECORDS, labels=["a", "b", 3])
    assert baskets.items == ("bread", "milk", "tea")
    assert (baskets.starts.tolist(), baskets.ids.tolist()) == ([0, 2, 2, 4], [0, 1, 1, 2])
    assert list(baskets) == [("bread", "milk"), (), ("milk", "tea")]
    assert (len(baskets), baskets.n_items, baskets.sizes.tolist(), baskets.counts.tolist()) == (
        3,
        3,
        [2, 0, 2],
        [1, 2, 1],
    )
    assert baskets.labels.to_list() == ["a", "b", "3"]
    assert repr(baskets) == "Baskets(3 records, 3 items, 4 present, 3 labels)"


def test_numbers_are_ordered_as_numbers():
    assert Baskets.from_lists([[10, 2], [1]]).items == ("1", "2", "10")
    assert Baskets.from_lists([["10", "2"], ["1"]]).items == ("1", "10", "2")


def test_there_and_back():
    rng = np.random.default_rng(1)
    dense = rng.random((30, 12)) < 0.3
    baskets = Baskets.from_scipy(dense.astype(int), [f"i{j}" for j in range(12)])
    assert (baskets.to_scipy().toarray() == dense).all()
    for frame in (
        pl.DataFrame(dense, schema=list(baskets.items)),
        pd.DataFrame(dense.astype(int), columns=baskets.items),
    ):
        again = Baskets.from_one_hot(frame)
        assert (again.to_scipy().toarray() == dense).all()
        assert again.items == baskets.items
    kept = baskets.rows(np.array([5, 5, 0]))
    assert (kept.to_scipy().toarray() == dense[[5, 5, 0]]).all()
    assert isinstance(baskets.to_scipy(), csr_array)


def test_labels_in_a_frame():
    frame = pl.DataFrame({"a": [1, 0], "b": [True, True], "disease": ["flu", "cold"]})
    baskets = Baskets.from_one_hot(frame, labels="disease")
    assert (baskets.items, baskets.labels.to_list()) == (("a", "b"), ["flu", "cold"])


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Baskets([0, 2], [1, 0], ["a", "b"]), "in rising order"),
        (lambda: Baskets([0, 2], [0, 0], ["a", "b"]), "each once"),
        (lambda: Baskets([0, 1], [5], ["a", "b"]), "numbered 5, and there are 2 names"),
        (lambda: Baskets([0, 2], [0], ["a"]), "must rise from 0"),
        (lambda: Baskets([0, 1], [0], ["a", "a"]), "two items have the same name"),
        (lambda: Baskets([0, 1], [0], ["a"], labels=["x", "y"]), "2 labels for 1 records"),
        (lambda: Baskets([0, 1], [0], ["a"], labels=[None]), "1 records have no label"),
        (lambda: Baskets.from_lists([["a", None]]), "1 items are missing"),
        (lambda: Baskets.from_one_hot(pl.DataFrame({"a": [0, 2]})), "column 'a' must hold true and false"),
        (lambda: Baskets.from_one_hot(pl.DataFrame({"a": [0]}), labels="b"), "no column 'b'"),
    ],
)
def test_what_is_wrong_is_said(make, match):
    with pytest.raises(DataError, match=match):
        make()


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Baskets.from_lists(None), "takes a list with the items of every record, got None"),
        (lambda: Baskets.from_lists("milk"), "takes a list with the items of every record, got 'milk'"),
        (lambda: Baskets.from_lists([["milk"], 1]), "record 2 is 1, and not a list"),
        (lambda: Baskets.from_lists([["milk"], "tea"]), "record 2 is 'tea', and not a list"),
        (lambda: Baskets.from_lists([["milk"], None]), "record 2 is None, and not a list"),
        (lambda: Baskets.from_lists([["milk"]], labels=5), "labels must be a list .*, got 5"),
        (lambda: Baskets.from_lists([["milk"]], labels="x"), "labels must be a list .*, got 'x'"),
        (lambda: Baskets.from_scipy([[1, 0, 1]], items=[1, 2, 3]), "item 1 has a name that is not text"),
        (lambda: Baskets.from_scipy([[1, 0, 1]], items=[["a"], "b", "c"]), "has a name that is not text"),
        (lambda: Baskets.from_scipy([[1, 0, 1]], items=7), "items must be a list of names, got 7"),
        (lambda: Baskets.from_scipy([[1, 0, 0]], items=["a", "b"]), "2 names for 3 columns"),
        (lambda: Baskets.from_scipy("milk"), "takes a matrix of records by items, got str"),
        (lambda: Baskets.from_scipy(None), "takes a matrix of records by items, got NoneType"),
        (lambda: Baskets.from_scipy([1, 0, 1]), "give it two dimensions"),
    ],
)
def test_odd_baskets_are_refused_in_a_sentence(make, match):
    with pytest.raises(DataError, match=match):
        make()
