"""Published baskets: possible worlds, counts that cannot be wrong, and frames that are read back or refused."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from sfumato.data import published_baskets
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError
from support.published_rings import random_ring
from support.small_baskets import few_kinds


def worlds(published, j):
    """Every set of items that may stand behind a published record."""
    base = set(published.base.ids[published.base.starts[j] : published.base.starts[j + 1]].tolist())
    marked = published.differs.ids[published.differs.starts[j] : published.differs.starts[j + 1]].tolist()
    return {frozenset(base ^ set(flip)) for t in range(published.threshold[j] + 1) for flip in combinations(marked, t)}


def sets_of(baskets):
    return [frozenset(baskets.ids[a:b].tolist()) for a, b in zip(baskets.starts[:-1], baskets.starts[1:], strict=True)]


def test_possible_worlds_of_the_example():
    base, differs = Baskets.from_lists([["1", "2"]]), Baskets.from_lists([["3", "4"]])
    items = ["1", "2", "3", "4"]
    published = PublishedBaskets(Baskets([0, 2], [0, 1], items), Baskets([0, 2], [2, 3], items), [1])
    originals = Baskets.from_scipy(
        np.array([[1, 1, 0, 0], [1, 1, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 0, 0]]), items
    )
    inside = published.contains(originals, np.zeros(5, dtype=int), np.arange(5))
    assert inside.tolist() == [True, True, True, False, False]
    assert (len(base), len(differs)) == (1, 1)


@pytest.mark.parametrize("seed", range(6))
def test_contains_is_membership_among_the_worlds(seed):
    originals, published, edges, _ = random_ring(seed)
    sets = sets_of(originals)
    record, row = (each.ravel() for each in np.meshgrid(np.arange(len(published)), np.arange(len(originals))))
    inside = published.contains(originals, record, row)
    assert inside.tolist() == [
        sets[i] in worlds(published, j) for j, i in zip(record.tolist(), row.tolist(), strict=True)
    ]
    assert all(sets[i] in worlds(published, j) for j in range(len(published)) for i in edges[j])


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_never_wrong_and_tight_for_one_record(seed):
    originals, published, _, own = random_ring(seed)
    sets, rng = sets_of(originals), np.random.default_rng(seed)
    for _ in range(60):
        asked = rng.permutation(6)[: rng.integers(1, 4)]
        cut = int(rng.integers(0, len(asked) + 1))
        having, lacking = set(asked[:cut].tolist()), set(asked[cut:].tolist())
        found = published.count([f"i{j}" for j in having], [f"i{j}" for j in lacking])
        meets = [having <= one and not lacking & one for one in sets]
        assert found.low <= sum(meets) <= found.high
        each = [[having <= one and not lacking & one for one in worlds(published, j)] for j in range(len(published))]
        assert found.low == sum(all(one) for one in each)
        assert found.high == sum(any(one) for one in each)
        assert found.low <= found.base <= found.high
    assert sorted(own.tolist()) == list(range(len(originals)))


def test_there_and_back():
    _, published, _, _ = random_ring(1)
    frame = published.frame
    assert frame.columns == ["base", "differs", "threshold", "label"]
    again = PublishedBaskets.from_frame(frame, published.items)
    assert again.frame.equals(frame)
    assert again.items == published.items
    loose = PublishedBaskets.from_frame(frame.drop("label"))
    assert loose.labels is None
    assert repr(again) == "PublishedBaskets(12 records, 6 items)"


def test_without_a_threshold_any_marked_items_may_be_turned_round():
    _, told, _, _ = random_ring(1)
    published = PublishedBaskets(told.base, told.differs, labels=told.labels)
    assert (published.tells_threshold, told.tells_threshold) == (False, True)
    assert published.frame.columns == ["base", "differs", "label"]
    again = PublishedBaskets.from_frame(published.frame, published.items)
    assert again.frame.equals(published.frame)
    assert not again.tells_threshold
    assert (again.threshold == again.differs.sizes).all()
    for having, lacking in ((["i0"], []), (["i1", "i2"], ["i3"]), ([], ["i4"])):
        wide, narrow = again.count(having, lacking), told.count(having, lacking)
        assert wide.low <= narrow.low <= narrow.high <= wide.high
        each = [
            [
                {int(i[1:]) for i in having} <= one and not {int(i[1:]) for i in lacking} & one
                for one in worlds(again, j)
            ]
            for j in range(len(again))
        ]
        assert (wide.low, wide.high) == (sum(all(one) for one in each), sum(any(one) for one in each))


@pytest.mark.parametrize("wrong", [[["b", "a"], []], [["a", "a"], []], [["a", "b", "a"], []]])
def test_the_items_of_a_list_stand_in_order_and_once(wrong):
    for name in ("base", "differs"):
        with pytest.raises(
            DataError, match=f"column '{name}' lists '[ab]' after '[ab]'; every list has its items once"
        ):
            PublishedBaskets.from_frame(FRAME.with_columns(pl.Series(name, wrong)), ["a", "b"])


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda p: PublishedBaskets(p.base, p.differs, p.threshold + 9), "above the number of items"),
        (lambda p: PublishedBaskets(p.base, p.differs, p.threshold[:3]), "do not belong"),
        (lambda p: PublishedBaskets.from_frame(p.frame.drop("differs")), "have a column 'differs'"),
        (lambda p: PublishedBaskets.from_frame(p.frame.with_columns(threshold=pl.lit(0.5))), "whole-numbered"),
        (lambda p: PublishedBaskets.from_frame(p.frame, ["i0"]), "not among the items"),
    ],
)
def test_what_is_wrong_is_said(make, match):
    with pytest.raises(DataError, match=match):
        make(random_ring(3)[1])


def test_items_that_are_asked_for_wrongly():
    published = random_ring(3)[1]
    with pytest.raises(ParameterError, match="no item is called 'i9'"):
        published.count(["i9"])
    with pytest.raises(ParameterError, match="cannot be both"):
        published.count(["i1"], ["i1"])


FRAME = pl.DataFrame({"base": [["a"], []], "differs": [[], ["b"]], "threshold": [0, 1], "label": ["x", "y"]})


def test_published_tables_have_these_columns_and_no_others():
    assert PublishedBaskets.from_frame(FRAME, ["b", "a"]).items == ("b", "a")
    with pytest.raises(DataError, match="no column 'name'"):
        PublishedBaskets.from_frame(FRAME.with_columns(name=pl.lit("Ada")))
    for wrong in (pl.lit(1), pl.lit(None, dtype=pl.String), pl.Series([None, "x"])):
        with pytest.raises(DataError, match="'label' of published baskets holds a text in every row"):
            PublishedBaskets.from_frame(FRAME.with_columns(label=wrong))
    for wrong in (pl.lit("a"), pl.lit(1), pl.Series([[1], [2]])):
        with pytest.raises(DataError, match="'base' of published baskets holds lists of items"):
            PublishedBaskets.from_frame(FRAME.with_columns(base=wrong))


def test_items_that_no_record_shows_are_refused():
    with pytest.raises(DataError, match="lists an item that no record shows: 'c'"):
        PublishedBaskets.from_frame(FRAME, ["a", "b", "c"])
    empty = PublishedBaskets.from_frame(FRAME.with_columns(base=pl.Series([[], []]), differs=pl.Series([[], []]))[:0])
    assert (len(empty), empty.items) == (0, ())


def test_pairs_are_compared_some_at_a_time(monkeypatch):
    originals, published = few_kinds(4, 9)
    record, row = np.divmod(np.arange(81), 9)
    at_once = published.contains(originals, record, row)
    monkeypatch.setattr(published_baskets, "_PAIRS", 7)
    assert (published.contains(originals, record, row) == at_once).all()
    assert 0 < at_once.sum() < 81
