"""Mining from randomized sets: what is truly frequent is found, and what cannot be judged is said."""

from itertools import combinations

import numpy as np
import pytest

import sfumato as sf
from sfumato import collection
from sfumato.errors import ParameterError

ITEMS = tuple("abcdefgh")
ASKED = collection.SelectASize(items=ITEMS, keep=[[0.1, 0.2, 0.7], [0.1, 0.1, 0.2, 0.6]], rho=0.1, itemset_size=3)


@pytest.fixture(scope="module")
def answers():
    rng = np.random.default_rng(1)
    weights = np.array([8, 6, 5, 2, 1, 1, 0.5, 0.5]) / 24
    return [rng.choice(ITEMS, size=rng.integers(2, 4), replace=False, p=weights).tolist() for _ in range(20_000)]


@pytest.fixture(scope="module")
def found(answers):
    return ASKED.estimate(ASKED.randomize(answers, seed=1))


def true_supports(answers, most):
    """Every itemset's support by counting."""
    counts = {}
    for answer in answers:
        for size in range(1, most + 1):
            for itemset in combinations(sorted(answer), size):
                counts[itemset] = counts.get(itemset, 0) + 1
    return {itemset: count / len(answers) for itemset, count in counts.items()}


def test_what_is_truly_frequent_is_found(answers, found):
    truth, mined = true_supports(answers, 3), found.frequent(support=0.1)
    frequent = {itemset for itemset, support in truth.items() if support >= 0.1}
    far = {itemset for itemset in frequent if truth[itemset] >= 0.12}
    assert far <= set(mined.likely())
    assert set(mined.surely()) <= set(mined.likely()) <= set(mined)
    assert all(truth.get(itemset, 0.0) >= 0.08 for itemset in mined)
    held = [answer.low <= truth[itemset] <= answer.high for itemset, answer in mined.items()]
    assert np.mean(held) > 0.8
    assert mined.to_polars().columns == ["items", "support", "stderr", "low", "high"]
    assert "itemsets that may have a support of 0.1" in repr(mined)


def test_what_may_be_frequent_is_kept_below_the_threshold(found):
    """With the threshold half a standard error above an item's estimate, the item may reach it, and likely does not."""
    item = found.support(["d"])
    mined = found.frequent(support=item.value + item.stderr / 2, most=1)
    assert ("d",) in mined
    assert ("d",) not in mined.likely()
    assert ("d",) not in found.frequent(support=item.value + 3 * item.stderr, most=1)


def test_rules_that_truly_hold_are_found(answers, found):
    truth, mined = true_supports(answers, 3), found.rules(support=0.1, confidence=0.4)
    for antecedent, consequent in mined.surely():
        both = tuple(sorted((*antecedent, *consequent)))
        assert truth[both] / truth[antecedent] > 0.35
    strong = {
        (first, tuple(sorted(set(itemset) - set(first))))
        for itemset, support in truth.items() if len(itemset) > 1 and support >= 0.12
        for size in range(1, len(itemset)) for first in combinations(itemset, size)
        if support / truth[first] >= 0.45
    }  # fmt: skip
    assert strong
    assert strong <= set(mined)
    assert mined.to_polars().columns == [
        "antecedent", "consequent", "support", "confidence", "stderr", "low", "high"
    ]  # fmt: skip
    assert "rules that may have a confidence of 0.4" in repr(mined)
    one = next(iter(mined))
    assert mined[one].confidence.high >= 0.4


def test_supports_below_three_standard_errors_are_told_as_not_to_be_mined():
    few = ASKED.estimate(ASKED.randomize([["a", "b"]] * 30 + [["c", "d", "e"]] * 30, seed=2))
    mined = few.frequent(support=0.05)
    assert not mined
    assert mined.noisy == {1: 8}
    assert "three standard errors are more than the support of 0.05" in mined.notes[0]
    assert few.rules(support=0.05, confidence=0.5).notes == mined.notes


def test_larger_itemsets_than_promised_are_not_mined(found):
    assert max(map(len, found.frequent(support=0.2, most=1))) == 1
    with pytest.raises(ParameterError, match="most must be at most 3"):
        found.frequent(support=0.2, most=4)
    with pytest.raises(ParameterError, match="support must be above 0"):
        found.frequent(support=0.0)
    with pytest.raises(ParameterError, match="confidence must be above 0"):
        found.rules(support=0.1, confidence=2.0)


@pytest.mark.data
def test_frequent_items_of_a_web_shop_are_found(data_folder):
    """Visits to a web shop (BMS WebView 1) of at most five items, padded, so that their number stays unknown."""
    visits = sf.read_baskets(data_folder / "transactions" / "bms_webview1.dat.gz")
    visits = visits.rows(np.flatnonzero(visits.sizes <= 5))
    asked = collection.SelectASize(items=visits.items, keep=[0.05, 0.05, 0.1, 0.1, 0.2, 0.5], rho=0.02, padded=True)
    mined = asked.estimate(asked.randomize(visits, seed=1)).frequent(support=0.03, most=1)
    truth = visits.counts / len(visits)
    frequent = {visits.items[i] for i in np.flatnonzero(truth >= 0.03)}
    assert len(frequent) >= 5
    assert frequent <= {item for (item,) in mined}
    assert all(truth[visits.items.index(item)] > 0.025 for (item,) in mined.likely())
