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
    with pytest.raises(ParameterError, match=r"more than 2,000,000,000 sets of up to 12 items.*choose m=11 or less"):
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


@pytest.mark.data
def test_chess_has_too_many_sets_of_six(data_folder):
    baskets = sf.read_baskets(data_folder / "transactions" / "chess.dat.gz")
    with pytest.raises(ParameterError, match=r"sets of up to 6 items.*choose m=5 or less"):
        check_km(published_with(baskets), 5, 6)
