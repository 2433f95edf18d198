"""Measures of published baskets: against brute force, and refused for another original."""

from itertools import combinations

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.measures.loss import error_rate, measure_baskets, measure_recoding, pair_error, query_errors
from sfumato.baskets.shared import present_items
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness
from support.frequent_itemsets import brute_force_top, random_baskets
from support.small_baskets import dense_baskets


@pytest.mark.parametrize("method", [sf.Nonreciprocal(), sf.Apriori()])
def test_another_original_is_refused(method):
    baskets = dense_baskets(3, 12, 5, 0.5)
    promise = sf.KMAnonymity(2, 2) if isinstance(method, sf.Apriori) else sf.KAnonymity(2)
    release = sf.publish(baskets, method, promise, seed=1)
    assert len(sf.measure(release, baskets)) > 1
    with pytest.raises(ParameterError, match="12 records are published, and the original has 9"):
        sf.measure(release, baskets.rows(np.arange(9)))


def test_measures_refuse_another_original_too():
    baskets = dense_baskets(3, 12, 5, 0.5)
    release = sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)
    with pytest.raises(ParameterError, match="12 records are published, and the original has 9"):
        measure_baskets(release.data, baskets.rows(np.arange(9)), None)
    with pytest.raises(ParameterError, match="does not tell how item 'tea' of the original is shown"):
        measure_recoding(Baskets.from_lists([["milk"], ["tea"]]), {"milk": "milk"})
    unused = Baskets(np.array([0, 1]), np.array([0]), ["milk", "tea"])
    assert measure_recoding(unused, {"milk": "milk"})["item_loss"] == 0


def test_items_that_the_owner_never_saw_are_refused():
    baskets = Baskets.from_lists([["milk"], ["milk"], ["tea"], ["tea"]])
    release = sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 1), seed=1)
    with pytest.raises(ParameterError, match="how item 'beer' of the original is shown"):
        sf.measure(release, Baskets.from_lists([["milk"], ["milk"], ["tea"], ["beer"]]))


@pytest.mark.parametrize("block", [1, 4, 1024])
def test_pair_error_is_the_sum_over_pairs(monkeypatch, block):
    monkeypatch.setattr("sfumato.baskets.measures.loss._ITEMS", block)
    shown, own = random_baskets(1), random_baskets(2)
    a, b = (each.to_scipy().toarray().astype(int) for each in (shown, own))
    pairs = list(combinations(range(9), 2))
    off = sum(abs((a[:, i] * a[:, j]).sum() - (b[:, i] * b[:, j]).sum()) for i, j in pairs)
    assert pair_error(shown, own) == pytest.approx(off / sum((b[:, i] * b[:, j]).sum() for i, j in pairs))
    many = Baskets.from_scipy(np.ones((300, 3), dtype=int))  # more records than a byte counts
    none = Baskets(np.zeros(301), [], many.items)
    assert (pair_error(many, many), pair_error(none, many), pair_error(many, none)) == (0.0, 1.0, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_error_rate_is_the_bits_turned_round_over_the_items(seed):
    original = present_items(random_baskets(seed, n=40))
    release = sf.publish(original, sf.Grouped(), sf.KAnonymity(3), seed=seed)
    total = 0.0
    for base, i in zip(release.data.base, release.owner.rows.tolist(), strict=True):
        own = set(list(original)[i])
        total += len(set(base) ^ own) / max(len(own), 1)
    assert error_rate(release.data, original, release.owner.rows) == pytest.approx(total / 40)
    assert sf.measure(release)["error_rate"] == pytest.approx(total / 40)


def test_the_error_rate_by_hand():
    own = Baskets.from_lists([["a", "b"], ["a"], [], ["a", "b", "c"]])
    shown = Baskets.from_scipy(np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0], [1, 1, 1]]), own.items)
    published = PublishedBaskets(shown, shown)
    # rows 1, 0, 3, 2 stand behind: {a} by {a}, {a b} by {a b}, {a b c} by {a}, nothing by {a b c}
    assert error_rate(published, own, np.array([1, 0, 3, 2])) == pytest.approx((0 + 0 + 2 / 3 + 3) / 4)


@pytest.mark.parametrize("having", [True, False])
@pytest.mark.parametrize("size", [1, 2, 3, 99])
def test_query_errors_are_the_mean_over_all_sets_that_are_asked(having, size):
    """Random sets are drawn: with every set of that size once in their place, the mean is over all of them."""
    shown, own = random_baskets(1), random_baskets(2)
    published = PublishedBaskets(shown, Baskets(np.zeros(len(shown) + 1), [], shown.items))
    asked = list(combinations(range(own.n_items), min(size, own.n_items)))

    def count(baskets, items):
        names = {baskets.items[i] for i in items}
        return sum(names <= set(one) if having else not names & set(one) for one in baskets)

    off = [abs(count(shown, items) - count(own, items)) / len(own) for items in asked]
    found = query_errors(published, own, n_queries=len(asked), size=size, having=having, random=_Listed(asked))
    assert found == pytest.approx(np.mean(off))
    assert size == 99 or found > 0
    drawn = query_errors(published, own, n_queries=2000, size=size, having=having, random=Randomness(1))
    assert drawn == pytest.approx(np.mean(off), abs=4 * np.std(off) / np.sqrt(2000) + 1e-12)


class _Listed:
    """A source of randomness that draws these sets, one after another."""

    def __init__(self, asked):
        self.left = list(asked)

    def spawn(self, name):
        return self

    def permutation(self, n):
        first = self.left.pop(0)
        return np.array([*first, *sorted(set(range(n)) - set(first))])


def test_a_threshold_is_measured_only_where_there_is_one():
    release = sf.publish(random_baskets(4), sf.Grouped(), sf.KAnonymity(3), seed=1)
    assert "threshold" not in sf.measure(release)
    data = release.data
    told = PublishedBaskets(data.base, data.differs, data.differs.sizes)
    assert measure_baskets(told, None, None)["threshold"] == pytest.approx(data.differs.sizes.mean())


def test_measures_of_itemsets_against_brute_force():
    original = present_items(random_baskets(4, n=60))
    release = sf.publish(original, sf.Nonreciprocal(), sf.KAnonymity(4), seed=1)
    measures = sf.measure(release)
    best = dict(brute_force_top(original, 100, 2, 4))
    dense = release.data.base.to_scipy().toarray().astype(bool)
    off = [abs(int(dense[:, each].all(axis=1).sum()) - true) / true for each, true in best.items()]
    assert measures["itemset_error"] == pytest.approx(np.mean(off))
    kept = best.keys() & dict(brute_force_top(release.data.base, 100, 2, 4)).keys()
    assert measures["itemsets_kept"] == pytest.approx(len(kept) / len(best))
    assert measures["pair_error"] == pytest.approx(pair_error(release.data.base, original))
    assert measures.figure("itemsets_kept").smaller_is_better is False


def test_measures_of_itemsets_need_the_original_and_pairs(tmp_path):
    original = random_baskets(4, n=60)
    release = sf.publish(original, sf.Nonreciprocal(), sf.KAnonymity(4), seed=1)
    names = {"itemset_error", "itemsets_kept", "pair_error"}
    assert names <= set(sf.measure(release))
    assert not names & set(measure_baskets(release.data, None, None))
    release.save(tmp_path / "out")
    public = (tmp_path / "out" / "release.json").read_text()
    assert not any(name in public for name in names)
    alone = Baskets.from_lists([["a"], ["b"], []])
    published = PublishedBaskets(alone, Baskets([0, 0, 0, 0], [], alone.items), [0, 0, 0])
    assert not names & set(measure_baskets(published, alone, np.arange(3)))
