"""The most frequent sets of items, and how far a release keeps them, against brute force."""

from itertools import combinations

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.itemsets.top_itemsets import supports, top_itemsets
from sfumato.baskets.measures.loss import measure_baskets, pair_error
from sfumato.baskets.shared import present_items
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import ParameterError


def random_baskets(seed, n=25, m=9, share=0.5):
    rng = np.random.default_rng(seed)
    return Baskets.from_scipy((rng.random((n, m)) < rng.random(m) * 2 * share).astype(int))


def brute(baskets, n, least, most):
    dense = baskets.to_scipy().toarray().astype(bool)
    sets = [each for size in range(least, most + 1) for each in combinations(range(baskets.n_items), size)]
    counted = [(each, int(dense[:, each].all(axis=1).sum())) for each in sets]
    return sorted((each for each in counted if each[1]), key=lambda each: (-each[1], each[0]))[:n]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "least", "most"), [(1, 1, 1), (20, 2, 4), (20, 3, 3), (500, 2, 5), (7, 1, 9)])
def test_the_top_is_that_of_all_sets(seed, n, least, most):
    baskets = random_baskets(seed)
    assert top_itemsets(baskets, n, least, most) == brute(baskets, n, least, most)


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


def test_measures_of_itemsets_against_brute_force():
    original = present_items(random_baskets(4, n=60))
    release = sf.publish(original, sf.Nonreciprocal(), sf.KAnonymity(4), seed=1)
    measures = sf.measure(release)
    best = dict(brute(original, 100, 2, 4))
    dense = release.data.base.to_scipy().toarray().astype(bool)
    off = [abs(int(dense[:, each].all(axis=1).sum()) - true) / true for each, true in best.items()]
    assert measures["itemset_error"] == pytest.approx(np.mean(off))
    kept = best.keys() & dict(brute(release.data.base, 100, 2, 4)).keys()
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
