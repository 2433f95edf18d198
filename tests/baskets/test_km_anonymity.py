"""Sets of up to m items: counted from scratch, and made frequent or impossible."""

from collections import Counter
from itertools import combinations, product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.baskets.apriori import Apriori, shown_items
from sfumato.baskets.itemsets.item_cut import cut_cost, item_cut
from sfumato.baskets.itemsets.rare_itemsets import any_below, hitting, restricted, sets_below
from sfumato.contracts.method import method_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.promise import promise_from_dict
from sfumato.published.baskets.km_check import check_km, check_recoding, km_loss

NAMES = [f"i{j}" for j in range(8)]
PATHS = [[f"i{j}", f"two {j // 2}", f"four {j // 4}", "*"] for j in range(8)]
EIGHT = Hierarchy.from_paths(PATHS)


def as_published(baskets):
    nothing = Baskets(np.zeros(len(baskets) + 1), np.empty(0, dtype=int), baskets.items)
    return PublishedBaskets(baskets, nothing, np.zeros(len(baskets), dtype=int), baskets.labels)


def random_baskets(seed, n=None, labels=False):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 50)) if n is None else n
    dense = (rng.random((n, 8)) < rng.random(8) * 0.5 + 0.05).astype(int)
    baskets = Baskets.from_scipy(dense, NAMES, rng.choice(list("abc"), n).tolist() if labels else None)
    return baskets, int(rng.integers(2, 7)), int(rng.integers(1, 4))


def count_all(records, m):
    """Every set of up to m items that occurs, the empty one too, and in how many records."""
    return Counter(s for record in records for size in range(m + 1) for s in combinations(sorted(set(record)), size))


def run(method, baskets, promise, seed=1):
    return method.run(baskets, promise, Randomness(seed), Progress(9, shown=False))


def published_of(outcome):
    return PublishedBaskets.from_frame(outcome.frame, outcome.public["baskets"]["items"])


def shown_as(outcome):
    return dict(outcome.kept["items"].rows())


# -- the check ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("share", [0.1, 0.3, 0.7, 0.95])
def test_the_check_counts_every_set(share):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, k, m = (int(rng.integers(1, top)) for top in (25, 6, 5))
        baskets = Baskets.from_scipy((rng.random((n, int(rng.integers(1, 8)))) < share).astype(int))
        counts = count_all(baskets, m)
        seen = check_km(as_published(baskets), k, m)
        assert seen.holds == (min(counts.values()) >= k)
        assert seen.worst == min(counts.values())
        assert seen.n_sets == len(counts) - 1
        few = [s for s, count in counts.items() if s and count < k]
        assert bool(few) == any_below(baskets, k, m)
        if few:
            said, example = seen.broken[0].split(" sets of at most "), seen.broken[0].split("{")[1].split("}")[0]
            assert said[0] == f"{len(few):,}"
            assert counts[tuple(sorted(example.split(", ")))] == seen.worst


def test_one_occurrence_less_breaks_it():
    baskets = Baskets.from_lists([["a", "b", "c"]] * 3 + [["a"]] * 2)
    assert check_km(as_published(baskets), 3, 3).holds
    fewer = Baskets.from_lists([["a", "b", "c"]] * 2 + [["a", "b"]] + [["a"]] * 2)
    seen = check_km(as_published(fewer), 3, 2)
    assert (seen.holds, seen.worst) == (False, 2)
    assert seen.broken == ("3 sets of at most 2 items are held by fewer than 3 records, among them {c} by 2",)


def test_what_the_check_refuses_and_what_is_empty():
    baskets = Baskets.from_lists([["a"], ["a"]])
    marked = PublishedBaskets(baskets, baskets, np.array([1, 1]))
    assert check_km(marked, 1, 1).broken == ("2 published records mark items, so sets of items cannot be counted",)
    nothing = Baskets.from_lists([[], []])
    assert check_km(as_published(nothing), 2, 2).holds
    assert check_km(as_published(nothing), 3, 2).broken == ("there are 2 published records, fewer than 3",)
    assert check_km(as_published(Baskets.from_lists([])), 3, 2).holds


def test_long_records_are_counted_without_listing_their_sets():
    baskets = Baskets.from_lists([list(range(300)), [0]])
    seen = check_km(as_published(baskets), 2, 4)
    assert seen.n_sets == 300 + 44_850 + 4_455_100 + 330_791_175
    assert seen.worst == 1


# -- what the method is made of ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(30))
def test_rare_sets_are_found_size_by_size(seed):
    baskets, k, _ = random_baskets(seed)
    baskets = restricted(baskets, baskets.counts >= k)
    for size in (2, 3, 4):
        counts = count_all([[NAMES.index(item) for item in record] for record in baskets], size)
        if any(count < k for s, count in counts.items() if 0 < len(s) < size):
            return
        expected = {s for s, count in counts.items() if len(s) == size and count < k}
        found = [tuple(row) for row in sets_below(baskets, k, size, 10**6).tolist()]
        assert len(found) == len(set(found))
        assert set(found) == expected
        assert len(sets_below(baskets, k, size, 1)) == min(1, len(expected))


def test_hitting_takes_what_is_in_many_sets_and_light():
    sets = np.array([[0, 1], [0, 2], [0, 3], [4, 5]], dtype=np.int32)
    assert hitting(sets, np.array([5, 5, 5, 5, 2, 1, 0])).tolist() == [True, False, False, False, False, True, False]
    assert hitting(sets, np.array([50, 5, 5, 5, 2, 1, 0])).tolist() == [False, True, True, True, False, True, False]


# -- without a hierarchy -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(40))
def test_what_is_shown_keeps_it_and_nothing_else_could_be_shown(seed):
    baskets, k, m = random_baskets(seed)
    shown = shown_items(baskets, k, m)
    assert min(count_all(restricted(baskets, shown), m).values()) >= k
    for item in np.flatnonzero(~shown & (baskets.counts > 0)):
        more = shown.copy()
        more[item] = True
        assert min(count_all(restricted(baskets, more), m).values()) < k


def test_little_more_is_withheld_than_must_be():
    kept = best = 0
    for seed in range(15):
        baskets, k, m = random_baskets(seed)
        kept += int(baskets.counts[shown_items(baskets, k, m)].sum())
        best += max(
            int(baskets.counts[list(mask)].sum())
            for mask in product([False, True], repeat=8)
            if check_km(as_published(restricted(baskets, np.array(mask))), k, m).holds
        )
    assert 0.97 * best <= kept <= best


# -- with a hierarchy --------------------------------------------------------------------------------------------------
def cuts(tree, v=0):
    yield (v,)
    if tree.children(v):
        for parts in product(*(list(cuts(tree, child)) for child in tree.children(v))):
            yield tuple(node for part in parts for node in part)


def as_shown(baskets, tree, node):
    names = {item: None if v < 0 else tree.labels[v] for item, v in zip(baskets.items, node, strict=True)}
    return [{names[item] for item in record} - {None} for record in baskets]


def test_cuts_keep_it_and_cost_little_more_than_the_best():
    ratios, total, total_best = [], 0, 0
    for seed in range(36):
        baskets, k, m = random_baskets(seed)
        tree = EIGHT.tree(NAMES)
        node = item_cut(baskets, tree, k, m)
        assert min(count_all(as_shown(baskets, tree, node), m).values()) >= k
        own = cut_cost(baskets, tree, node)
        root = cut_cost(baskets, tree, np.zeros(8, dtype=int))
        assert own <= root
        best = root
        for cut in cuts(tree):
            trial = np.concatenate([np.full(tree.last[v] - tree.first[v] + 1, v) for v in sorted(cut)])
            cost = cut_cost(baskets, tree, trial)
            if cost < best and min(count_all(as_shown(baskets, tree, trial), m).values()) >= k:
                best = cost
        ratios.append(own / max(best, 1))
        total, total_best = total + own, total_best + best
    assert max(ratios) <= 1.3
    assert sum(ratio > 1 for ratio in ratios) <= 1
    assert total <= 1.01 * total_best


def test_no_item_is_withheld_that_could_be_given_back():
    tree = Hierarchy.from_paths([[f"i{j}", f"two {j // 2}", "*"] for j in range(8)]).tree(NAMES)
    n_withheld = 0
    for seed in range(60):
        baskets, k, m = random_baskets(seed)
        node = item_cut(baskets, tree, k, m)
        assert min(count_all(as_shown(baskets, tree, node), m).values()) >= k
        for item in np.flatnonzero((node < 0) & (baskets.counts > 0)):
            n_withheld += 1
            trial = node.copy()
            above = tree.parent[tree.leaf_node[item]]
            trial[item] = above if above in node else tree.leaf_node[item]
            assert min(count_all(as_shown(baskets, tree, trial), m).values()) < k
    assert n_withheld > 20


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


# -- from end to end ---------------------------------------------------------------------------------------------------
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


def test_a_recoding_that_is_not_the_one_told_is_found():
    baskets = Baskets.from_lists([["a", "b"], ["a"], ["c"], []], labels=list("wxyz"))
    names = {"a": "ab", "b": "ab", "c": None}
    rows = np.array([3, 0, 1, 2])

    def flaws(lists, labels="zwxy", names=names, rows=rows):
        shown = Baskets.from_pairs(*_pairs(lists), len(lists), list(labels) if labels else None)
        base = PublishedBaskets.from_frame(as_published(shown).frame)
        return check_recoding(baskets, base, names, rows)

    right = [[], ["ab"], ["ab"], []]
    assert flaws(right) == ()
    assert flaws([[], ["ab"], [], []]) == ("1 published records lack an item that the original behind them has",)
    assert flaws([[], ["ab"], ["ab"], ["c"]]) == (
        "1 published records show an item that the original behind them lacks",
    )
    assert "carries a label" in flaws(right, labels="wzxy")[0]
    assert "only one have labels" in flaws(right, labels=None)[0]
    assert flaws(right, rows=np.array([3, 0, 1, 1])) == ("not every original stands behind one published record",)
    assert flaws(right, names={"a": "ab"})[0].startswith("of 2 items of the original it is not told")
    assert "lack an item" in flaws(right, names={**names, "c": "see"})[0]


def _pairs(lists):
    record = np.repeat(np.arange(len(lists)), [len(items) for items in lists])
    return record, pl.Series("item", [item for items in lists for item in items], dtype=pl.String)


def test_loss():
    baskets = Baskets.from_lists([["a", "b"], ["a", "c"], ["d"]])
    assert km_loss(baskets, {"a": "a", "b": "b", "c": "c", "d": "d"}, {}, 4) == 0
    assert km_loss(baskets, {"a": "ab", "b": "ab", "c": "c", "d": None}, {"ab": 2}, 4) == pytest.approx((3 / 3 + 1) / 5)
    assert km_loss(baskets, dict.fromkeys("abcd", "*"), {"*": 4}, 4) == 1
    assert km_loss(Baskets.from_lists([[]]), {}, {}, 4) == 0


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


def test_the_promise_is_about_baskets():
    promise = KMAnonymity(5, 2)
    assert promise_from_dict(promise.to_dict()) == promise
    assert promise.min_size() == 5
    assert promise.limit(5, []) is None
    assert "the best is k=4" in promise.limit(4, [])
    with pytest.raises(ParameterError, match="is about baskets"):
        promise.conditions([])
    with pytest.raises(ParameterError, match="is about baskets"):
        promise.check(None)


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
