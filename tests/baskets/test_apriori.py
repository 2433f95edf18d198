"""Apriori from end to end: what is withheld, generalised and told, with a hierarchy and without."""

from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.apriori import Apriori, shown_items
from sfumato.baskets.itemsets import rare_itemsets
from sfumato.baskets.itemsets.rare_itemsets import restrict_items
from sfumato.contracts.method import method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.published.baskets.km_check import check_km, check_recoding, km_loss
from support.itemset_baskets import EIGHT, PATHS, as_published, count_all, random_baskets
from support.small_baskets import dense_baskets


def run(method, baskets, promise, seed=1):
    return method.run(baskets, promise, Randomness(seed), Progress(9, shown=False))


def published_of(outcome):
    return PublishedBaskets.from_frame(outcome.frame, outcome.public["baskets"]["items"])


def shown_as(outcome):
    return dict(outcome.kept["items"].rows())


@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_keeps_it_and_nothing_else_could_be_shown(seed):
    baskets, k, m = random_baskets(seed)
    shown = shown_items(baskets, k, m)
    assert min(count_all(restrict_items(baskets, shown), m).values()) >= k
    for item in np.flatnonzero(~shown & (baskets.counts > 0)):
        more = shown.copy()
        more[item] = True
        assert min(count_all(restrict_items(baskets, more), m).values()) < k


def test_little_more_is_withheld_than_must_be():
    kept = best = 0
    for seed in range(15):
        baskets, k, m = random_baskets(seed)
        kept += int(baskets.counts[shown_items(baskets, k, m)].sum())
        best += max(
            int(baskets.counts[list(mask)].sum())
            for mask in product([False, True], repeat=8)
            if check_km(as_published(restrict_items(baskets, np.array(mask))), k, m).holds
        )
    assert 0.97 * best <= kept <= best


def test_by_hand():
    lists = [["i0", "i2"]] * 3 + [["i1", "i2"]] * 2 + [["i4"]] * 5 + [["i7"]]
    outcome = run(Apriori(EIGHT), Baskets.from_lists(lists), KMAnonymity(3, 2))
    assert shown_as(outcome) == {"i0": "two 0", "i1": "two 0", "i2": "i2", "i4": "four 1", "i7": "four 1"}
    assert outcome.public == {"baskets": {"items": ["two 0", "i2", "four 1"]}}
    assert Counter(published_of(outcome).base) == {("two 0", "i2"): 5, ("four 1",): 6}


def test_where_only_the_root_would_do_items_are_withheld():
    lists = [["i0"]] * 4 + [["i4"]] * 4 + [["i0", "i4"]] + [["i1"]] * 9
    baskets = Baskets.from_lists(lists)
    outcome = run(Apriori(EIGHT), baskets, KMAnonymity(2, 2))
    assert shown_as(outcome) == {"i0": None, "i1": "i1", "i4": "i4"}
    assert "*" not in outcome.public["baskets"]["items"]
    few = run(Apriori(EIGHT), Baskets.from_lists([["i0"], ["i4"], [], []]), KMAnonymity(3, 1))
    assert shown_as(few) == {"i0": None, "i4": None}
    root = run(Apriori(EIGHT), Baskets.from_lists([["i0"], ["i4"], [], []]), KMAnonymity(2, 1))
    assert shown_as(root) == {"i0": "*", "i4": "*"}


@pytest.mark.parametrize("hierarchy", [None, Hierarchy.flat(list("abcef"))])
def test_what_others_make_needless_is_given_back(hierarchy):
    rare = [
        ["a", "b"],
        ["a", "c"],
        ["b", "e"],
        ["c", "f"],
    ]  # a goes first, being rarest, then b and c, and a comes back
    alone = [[item] for item, times in zip("abcef", (8, 9, 9, 19, 19), strict=True) for _ in range(times)]
    outcome = run(Apriori(hierarchy), Baskets.from_lists(rare + alone), KMAnonymity(2, 2))
    assert shown_as(outcome) == {"a": "a", "b": None, "c": None, "e": "e", "f": "f"}


@pytest.mark.parametrize("hierarchy", [None, EIGHT])
@pytest.mark.parametrize("seed", range(8))
def test_outcomes_pass_both_checks_and_tell_no_more(seed, hierarchy):
    baskets, k, m = random_baskets(seed, labels=True)
    outcome = run(Apriori(hierarchy), baskets, KMAnonymity(k, m))
    published, names = published_of(outcome), shown_as(outcome)
    assert check_km(published, k, m).holds
    assert check_recoding(baskets, published, names, outcome.rows) == ()
    assert sorted(outcome.rows.tolist()) == list(range(len(baskets)))
    assert set(outcome.public["baskets"]["items"]) == {item for record in published.base for item in record}
    again = run(Apriori(hierarchy), baskets, KMAnonymity(k, m))
    other = run(Apriori(hierarchy), baskets, KMAnonymity(k, m), seed=2)
    assert again.frame.equals(outcome.frame)
    assert other.rows.tolist() != outcome.rows.tolist()
    assert shown_as(other) == names


def test_records_without_items_and_items_that_nobody_has():
    baskets = Baskets(np.array([0, 1, 2, 2]), np.array([1, 1]), ["nobody's", "milk"])
    outcome = run(Apriori(), baskets, KMAnonymity(2, 2))
    assert outcome.public == {"baskets": {"items": ["milk"]}}
    assert shown_as(outcome) == {"milk": "milk"}
    empty = run(Apriori(), Baskets.from_lists([[], []]), KMAnonymity(2, 2))
    assert check_km(published_of(empty), 2, 2).holds


def test_hierarchies_from_files_and_recipes(tmp_path):
    baskets, k, m = random_baskets(1)
    file = tmp_path / "items.csv"
    file.write_text("".join(";".join(path) + "\n" for path in PATHS))
    frames = [run(Apriori(given), baskets, KMAnonymity(k, m)).frame for given in (EIGHT, str(file), Path(file))]
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])
    for method in (Apriori(), Apriori(str(file)), Apriori(file), Apriori(EIGHT)):
        again = method_from_dict(method.to_dict())
        assert again.to_dict() == method.to_dict()
        assert method.public_parameters() == {"name": "Apriori", "hierarchy": method.hierarchy is not None}
        assert "i0" not in str(method.public_parameters())


def test_what_cannot_be_done_is_said():
    baskets, _, _ = random_baskets(1, n=20)
    with pytest.raises(ParameterError, match="m must be a whole number >= 1, got 0"):
        KMAnonymity(5, 0)
    with pytest.raises(ParameterError, match=r"k must be a whole number >= 1, got 2\.5"):
        KMAnonymity(2.5, 2)
    with pytest.raises(ParameterError, match="m must be a whole number >= 1, got True"):
        KMAnonymity(5, True)
    for promise in (None, KAnonymity(2), KMAnonymity(2, 2) & KAnonymity(2)):
        with pytest.raises(ParameterError, match="Apriori keeps KMAnonymity alone"):
            run(Apriori(), baskets, promise)
    with pytest.raises(InfeasibleError, match="the best is k=20"):
        run(Apriori(), baskets, KMAnonymity(21, 2))
    with pytest.raises(ParameterError, match=r"'tea'.*add a line"):
        run(Apriori(EIGHT), Baskets.from_lists([["tea"], ["i0"]]), KMAnonymity(1, 1))
    with pytest.raises(ParameterError, match="hierarchy must be a Hierarchy or the path"):
        Apriori(5)
    with pytest.raises(SchemaError, match="does not exist"):
        run(Apriori("nowhere.csv"), baskets, KMAnonymity(2, 2))


@pytest.mark.data
@pytest.mark.parametrize("m", [2, 3])
def test_webview(m, data_folder):
    baskets = sf.read_baskets(data_folder / "transactions" / "bms_webview1.dat.gz")
    ranked = sorted(baskets.items, key=int)
    tens = Hierarchy.from_paths([[item, f"t{j // 10}", f"h{j // 100}", "*"] for j, item in enumerate(ranked)])
    raw = check_km(as_published(baskets), 5, m)
    assert (raw.worst, raw.n_sets) == (1, {2: 64_470, 3: 4_860_881}[m])
    for hierarchy, most in ((None, {2: 0.41, 3: 0.62}[m]), (tens, {2: 0.05, 3: 0.21}[m])):
        outcome = run(Apriori(hierarchy), baskets, KMAnonymity(5, m))
        assert check_km(published_of(outcome), 5, m).holds
        tree = None if hierarchy is None else hierarchy.tree(baskets.items)
        leaves = {} if tree is None else dict(zip(tree.labels, (tree.last - tree.first + 1).tolist(), strict=True))
        assert km_loss(baskets, shown_as(outcome), leaves, 497) < most


def test_an_m_above_all_sizes_is_the_largest_size():
    baskets = dense_baskets(1, 20, 5, 0.6)
    for tree in (None, Hierarchy.flat([f"i{j}" for j in range(5)])):
        frames = [sf.publish(baskets, sf.Apriori(tree), sf.KMAnonymity(2, m), seed=1).data.frame for m in (5, 10**9)]
        assert sorted(map(str, frames[0].rows())) == sorted(map(str, frames[1].rows()))
    assert rare_itemsets.has_rare_set(baskets, 10**6, 10**9)
    assert not rare_itemsets.has_rare_set(Baskets.from_lists([[], []]), 2, 10**9)


@pytest.mark.parametrize("tree", [False, True])
def test_one_record_of_very_many_items_takes_no_longer_than_its_items(tree):
    items = [str(i) for i in range(5_000 if tree else 20_000)]
    hierarchy = Hierarchy.from_paths([[item, f"{item[-1]} last", "any"] for item in items]) if tree else None
    release = sf.publish(
        Baskets.from_lists([items, ["0"], ["0"]]), sf.Apriori(hierarchy), sf.KMAnonymity(2, 20_000), seed=1
    )
    assert release.verdict.holds
