"""Sets of items that are too many to count are refused before counting, and only those."""

import pytest

import sfumato as sf
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.ground.errors import ParameterError
from sfumato.published.baskets import set_work
from sfumato.published.baskets.km_check import check_km
from support.small_baskets import published_with


def test_sets_of_items_that_are_too_many_are_refused_at_once(monkeypatch):
    one = list(range(40))
    assert check_km(published_with(Baskets.from_lists([one, one])), 2, 20).holds  # one kind of record needs no walk
    assert check_km(published_with(Baskets.from_lists([one, one])), 3, 20).worst == 2
    with pytest.raises(ParameterError, match=r"more than 250,000,000 sets of up to 9 items.*choose m=8 or less"):
        check_km(published_with(Baskets.from_lists([one[:36], one])), 2, 20)
    monkeypatch.setattr(set_work, "_MOST_HELD", 2 * (40 + 780))
    baskets = Baskets.from_lists([one, one])
    assert sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 2), seed=1).verdict
    for tree in (None, Hierarchy.flat([str(i) for i in one])):
        with pytest.raises(ParameterError, match="sets of up to 3 items, too many to count; choose m=2 or less"):
            sf.publish(baskets, sf.Apriori(tree), sf.KMAnonymity(2, 20), seed=1)


def test_only_sets_that_are_gone_through_count(monkeypatch):
    monkeypatch.setattr(set_work, "_MOST_HELD", 10)
    alone = Baskets.from_lists([[f"{i} {j}" for j in range(30)] + ["all"] for i in range(3)])
    assert check_km(published_with(alone), 2, 4).worst == 1
    # rare items are withheld first, and then what is left is short
    release = sf.publish(alone, sf.Apriori(), sf.KMAnonymity(2, 30), seed=1)
    assert release.data.items == ("all",)


LONG = [[str(i) for i in range(first, first + 30)] for first in (0, 1, 2, 0)]
"""Four lines of 320 bytes in all, with more than a billion sets of items."""
LEVELS = [[str(i), f"{i // 2} of two", f"{i // 4} of four", f"{i // 8} of eight", "any"] for i in range(32)]


@pytest.mark.parametrize("tree", [None, Hierarchy.from_paths(LEVELS)], ids=["without a tree", "with a tree"])
def test_a_method_is_stopped_by_the_steps_that_it_takes(monkeypatch, tree):
    monkeypatch.setattr(set_work, "_MOST_STEPS", 100_000)
    with pytest.raises(ParameterError, match=r"finding sets of .* takes more than 100,000 steps; choose m="):
        sf.publish(Baskets.from_lists(LONG), sf.Apriori(tree), sf.KMAnonymity(2 if tree is None else 4, 20), seed=1)


@pytest.mark.slow
def test_a_small_file_with_many_sets_is_refused_in_seconds():
    with pytest.raises(ParameterError, match=r"more than 250,000,000 sets of up to 11 items.*choose m=10 or less"):
        sf.publish(Baskets.from_lists(LONG), sf.Apriori(), sf.KMAnonymity(2, 20), seed=1)


@pytest.mark.data
def test_chess_has_too_many_sets_of_five(data_folder):
    baskets = sf.read_baskets(data_folder / "transactions" / "chess.dat.gz")
    with pytest.raises(ParameterError, match=r"sets of up to 5 items.*choose m=4 or less"):
        check_km(published_with(baskets), 5, 5)
