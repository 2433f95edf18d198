"""What a review of baskets found: odd input, work without end, and records that are many times the same."""

from contextlib import suppress
from itertools import combinations, permutations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.baskets import nonreciprocal
from sfumato.baskets.itemsets import rare_itemsets
from sfumato.baskets.measures.loss import measure_baskets, measure_recoding
from sfumato.baskets.orders import windowed
from sfumato.baskets.orders.choices import Gray, Windowed
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.data import published_baskets
from sfumato.data.baskets import Baskets
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets import candidates, set_work
from sfumato.published.baskets.candidates import find_candidates
from sfumato.published.baskets.equal_records import alike, kinds
from sfumato.published.baskets.km_check import check_km


def shown(baskets, differs=None, threshold=None, labels=None):
    nothing = Baskets(np.zeros(len(baskets) + 1), np.empty(0, dtype=int), baskets.items)
    differs = nothing if differs is None else differs
    threshold = np.zeros(len(baskets), dtype=int) if threshold is None else threshold
    return PublishedBaskets(baskets, differs, threshold, labels)


def small(seed, n, m, share, labels=None):
    rng = np.random.default_rng(seed)
    given = None if labels is None else rng.choice(list(labels), n).tolist()
    return Baskets.from_scipy((rng.random((n, m)) < share).astype(int), [f"i{j}" for j in range(m)], given)


# -- reading what was published ----------------------------------------------------------------------------------------
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


@pytest.mark.parametrize("seed", range(12))
def test_methods_publish_items_that_are_shown_or_marked(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    baskets = small(seed, n, 6, (0.1, 0.5, 0.9)[seed % 3], "abcdef")
    k, flat = int(rng.integers(1, n + 1)), Hierarchy.flat([f"i{j}" for j in range(6)])
    methods = [(sf.Nonreciprocal(), sf.KAnonymity(k)), (sf.Nonreciprocal(), sf.LDiversity(2))]
    methods += [(sf.Apriori(tree), sf.KMAnonymity(k, m)) for tree in (None, flat) for m in (1, 2)]
    methods += [(sf.CAHD(), sf.LDiversity(2))]
    for method, promise in methods:
        with suppress(InfeasibleError):
            data = sf.publish(baskets, method, promise, seed=seed).data
            assert ((data.base.counts + data.differs.counts) > 0).all()


def test_pairs_are_compared_some_at_a_time(monkeypatch):
    originals, published = several(4, 9)
    record, row = np.divmod(np.arange(81), 9)
    at_once = published.contains(originals, record, row)
    monkeypatch.setattr(published_baskets, "_PAIRS", 7)
    assert (published.contains(originals, record, row) == at_once).all()
    assert 0 < at_once.sum() < 81


# -- sets of items without end -----------------------------------------------------------------------------------------
def test_sets_of_items_that_are_too_many_are_refused_at_once(monkeypatch):
    one = list(range(40))
    assert check_km(shown(Baskets.from_lists([one, one])), 2, 20).holds  # one kind of record needs no walk
    assert check_km(shown(Baskets.from_lists([one, one])), 3, 20).worst == 2
    with pytest.raises(ParameterError, match=r"more than 2,000,000,000 sets of up to 12 items.*choose m=11 or less"):
        check_km(shown(Baskets.from_lists([one[:36], one])), 2, 20)
    monkeypatch.setattr(set_work, "_MOST_HELD", 2 * (40 + 780))
    baskets = Baskets.from_lists([one, one])
    assert sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 2), seed=1).verdict
    for tree in (None, Hierarchy.flat([str(i) for i in one])):
        with pytest.raises(ParameterError, match="sets of up to 3 items, too many to count; choose m=2 or less"):
            sf.publish(baskets, sf.Apriori(tree), sf.KMAnonymity(2, 20), seed=1)


def test_only_sets_that_are_gone_through_count(monkeypatch):
    monkeypatch.setattr(set_work, "_MOST_HELD", 10)
    alone = Baskets.from_lists([[f"{i} {j}" for j in range(30)] + ["all"] for i in range(3)])
    assert check_km(shown(alone), 2, 4).worst == 1
    # rare items are withheld first, and then what is left is short
    release = sf.publish(alone, sf.Apriori(), sf.KMAnonymity(2, 30), seed=1)
    assert release.data.items == ("all",)


def test_an_m_above_all_sizes_is_the_largest_size():
    baskets = small(1, 20, 5, 0.6)
    for tree in (None, Hierarchy.flat([f"i{j}" for j in range(5)])):
        frames = [sf.publish(baskets, sf.Apriori(tree), sf.KMAnonymity(2, m), seed=1).data.frame for m in (5, 10**9)]
        assert sorted(map(str, frames[0].rows())) == sorted(map(str, frames[1].rows()))
    assert rare_itemsets.any_below(baskets, 10**6, 10**9)
    assert not rare_itemsets.any_below(Baskets.from_lists([[], []]), 2, 10**9)


@pytest.mark.parametrize("seed", range(20))
def test_equal_records_count_several_times(seed):
    rng = np.random.default_rng(seed)
    few = small(seed, 4, 6, 0.6)
    baskets = few.rows(rng.integers(0, 4, int(rng.integers(1, 30))))
    for k, m in ((2, 2), (4, 3), (6, 6)):
        counts = {}
        for record in baskets:
            for size in range(1, m + 1):
                for each in combinations(record, size):
                    counts[each] = counts.get(each, 0) + 1
        seen = check_km(shown(baskets), k, m)
        assert seen.n_sets == len(counts)
        assert seen.worst == min([*counts.values(), len(baskets)])
        below = {each for each, count in counts.items() if count < k}
        assert seen.holds == (not below and len(baskets) >= k)
        if below:
            assert seen.broken[0].startswith(f"{len(below):,} sets")
            example = tuple(seen.broken[0].split("{")[1].split("}")[0].split(", "))
            assert counts[example] == min(counts.values())


def test_records_that_are_alike():
    baskets = Baskets.from_lists([["a", "b"], [], ["b"], ["a", "b"], ["a"], []])
    assert alike(baskets).tolist() == [0, 1, 2, 0, 3, 1]
    found = kinds(alike(baskets), np.array([0, 0, 0, 1, 0, 0]))
    assert sorted(zip(found.first.tolist(), found.times.tolist(), strict=True)) == [
        (0, 1), (1, 2), (2, 1), (3, 1), (4, 1),
    ]  # fmt: skip
    assert (found.of[1] == found.of[5]) & (found.of[0] != found.of[3])
    assert (found.of[found.first] == np.arange(5)).all()


# -- measuring with another original -----------------------------------------------------------------------------------
@pytest.mark.parametrize("method", [sf.Nonreciprocal(), sf.Apriori()])
def test_another_original_is_refused(method):
    baskets = small(3, 12, 5, 0.5)
    promise = sf.KMAnonymity(2, 2) if isinstance(method, sf.Apriori) else sf.KAnonymity(2)
    release = sf.publish(baskets, method, promise, seed=1)
    assert len(sf.measure(release, baskets)) > 1
    with pytest.raises(ParameterError, match="12 records are published, and the original has 9"):
        sf.measure(release, baskets.rows(np.arange(9)))


def test_measures_refuse_another_original_too():
    baskets = small(3, 12, 5, 0.5)
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


# -- odd input ---------------------------------------------------------------------------------------------------------
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


@pytest.mark.parametrize("order", [["gray"], None, 3, {}])
def test_an_order_that_is_no_name(order):
    with pytest.raises(ParameterError, match="order must be one of windowed, gray-tsp, gray, got"):
        sf.Nonreciprocal(order=order)


# -- large k -----------------------------------------------------------------------------------------------------------
def test_links_that_are_too_many_are_refused_before_anything_is_done(monkeypatch):
    baskets = Baskets.from_lists([[]] * 20_000)
    with pytest.raises(
        ParameterError,
        match=r"k=20,000 of 20,000 records makes 400,000,000 links, and at most 50,000,000 are kept; "
        r"choose a smaller k, or Grouped\(\)",
    ):
        sf.publish(baskets, sf.Nonreciprocal("gray"), sf.KAnonymity(20_000), seed=1)
    monkeypatch.setattr(nonreciprocal, "MOST_LINKS", 24)
    assert sf.publish(small(1, 8, 4, 0.5), sf.Nonreciprocal(), sf.KAnonymity(3), seed=1).verdict
    with pytest.raises(ParameterError, match="makes 32 links"):
        sf.publish(small(1, 8, 4, 0.5), sf.Nonreciprocal(), sf.KAnonymity(4), seed=1)


@pytest.mark.parametrize("seed", range(6))
def test_with_fewer_lags_the_order_is_still_no_worse(seed, monkeypatch):
    baskets = small(seed, 90, 12, 0.4)
    start = Gray().order(baskets, 30, Randomness(seed))
    whole = windowed_sum(baskets, Windowed().order(baskets, 30, Randomness(seed)), 30)
    for lags in (1, 4, 15):
        monkeypatch.setattr(windowed, "_MOST_LAGS", lags)
        order = Windowed().order(baskets, 30, Randomness(seed))
        assert sorted(order.tolist()) == list(range(90))
        assert windowed_sum(baskets, order, 30) <= windowed_sum(baskets, start, 30)
    assert windowed_sum(baskets, order, 30) <= 1.05 * whole


def test_no_step_looks_at_more_lags_than_that(monkeypatch):
    asked = []
    sweep = windowed._sweep

    def watched(records, path, lags, near, active):
        asked.append(lags)
        return sweep(records, path, lags, near, active)

    monkeypatch.setattr(windowed, "_sweep", watched)
    baskets = small(1, 400, 10, 0.4)
    Windowed().order(baskets, 300, Randomness(1))
    Windowed().order(baskets, 5, Randomness(1))
    assert max(asked) == windowed._MOST_LAGS
    assert min(asked) == 4


# -- records that are many times the same ------------------------------------------------------------------------------
def several(seed, n, labels="abc"):
    """Few kinds of originals, and published records that hold them and more, some many times."""
    rng = np.random.default_rng(seed)
    originals = small(seed, 3, 4, 0.5).rows(rng.integers(0, 3, n))
    given = rng.choice(list(labels), n).tolist()
    own, dense = rng.permutation(n), originals.to_scipy().toarray()
    marks = (rng.random((3, 4)) < 0.5).astype(int)[rng.integers(0, 3, n)]
    base = np.where(marks == 1, (rng.random((2, 4)) < 0.5).astype(int)[rng.integers(0, 2, n)], dense[own])
    threshold = np.minimum(np.maximum(abs(base - dense[own]).sum(axis=1), rng.integers(0, 2, n)), marks.sum(axis=1))
    threshold = threshold * (seed % 7 > 0)  # nobody may be behind some
    names = originals.items
    told = [given[i] for i in (own if seed % 3 else rng.permutation(n))]
    published = PublishedBaskets(
        Baskets.from_scipy(base, names), Baskets.from_scipy(marks, names), threshold, told if seed % 5 else None
    )
    return Baskets(originals.starts, originals.ids, names, given), published


def enumerated(originals, published):
    """What all assignments of originals to published records hold, and whether one of them keeps labels."""
    n = len(originals)
    allowed = np.array([published.contains(originals, np.full(n, j), np.arange(n)) for j in range(n)])
    pairs, truthful = set(), published.labels is None
    for chosen in permutations(range(n)):
        if all(allowed[chosen[i], i] for i in range(n)):
            pairs |= {(i, chosen[i]) for i in range(n)}
            truthful = truthful or all(originals.labels[i] == published.labels[chosen[i]] for i in range(n))
    return allowed, pairs, truthful


@pytest.mark.parametrize("seed", range(40))
def test_candidates_of_equal_records_are_those_of_all_assignments(seed):
    n = 3 + seed % 4
    originals, published = several(seed, n)
    allowed, pairs, truthful = enumerated(originals, published)
    seen = find_candidates(originals, published)
    if not pairs:
        pairs = {(i, j) for i in range(n) for j in range(n) if allowed[j, i]}
        assert (seen.complete, seen.assignable) == (False, False)
    else:
        assert (seen.complete, seen.assignable) == (True, True)
    out = [{j for i, j in pairs if i == own} for own in range(n)]
    assert seen.of_originals == min(map(len, out))
    assert seen.of_published == min(len({i for i, j in pairs if j == own}) for own in range(n))
    assert seen.truthful == truthful
    if published.labels is None:
        assert seen.n_labels is None
    else:
        assert seen.n_labels == min(len({published.labels[j] for j in each}) for each in out)


def test_the_examples_above_are_of_every_kind():
    found = [find_candidates(*several(seed, 3 + seed % 4)) for seed in range(40)]
    assert {(each.assignable, each.truthful) for each in found} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }
    kept = [(seen, several(seed, 3 + seed % 4)) for seed, seen in enumerate(found)]
    narrowed = [seen for seen, (o, p) in kept if seen.of_originals < enumerated(o, p)[0].sum(axis=0).min()]
    assert narrowed


def test_many_equal_records_are_compared_at_once():
    n = 50_000
    labels = [f"d{i % 7}" for i in range(n)]
    one = Baskets.from_scipy(np.ones((n, 3), dtype=int), list("abc"), labels)
    seen = find_candidates(one, shown(one, labels=labels[::-1]))
    assert (seen.of_originals, seen.of_published, seen.n_labels) == (n, n, 7)
    assert (seen.complete, seen.assignable, seen.truthful) == (True, True, True)
    assert not find_candidates(one, shown(one, labels=["d0", *labels[1:-1], "d0"])).truthful


def test_labels_that_are_told_to_others_are_not_true():
    records = Baskets.from_lists([["a"], ["a"], ["b"], ["b"]], labels=list("xyxx"))
    kept = find_candidates(records, shown(records, labels=list("yxxx")))
    assert kept.truthful
    moved = find_candidates(records, shown(records, labels=list("xxxy")))
    assert (moved.assignable, moved.truthful, moved.n_labels) == (True, False, 1)
    assert find_candidates(records, shown(records)).truthful
    assert not find_candidates(records, shown(records, labels=list("xyxz"))).truthful
    assert find_candidates(Baskets.from_lists([]), shown(Baskets.from_lists([]))).truthful


def test_labels_are_counted_where_pairs_are_too_many(monkeypatch):
    monkeypatch.setattr(candidates, "_MOST_PAIRS", 0)
    records = Baskets.from_lists([["a"], ["a"], ["b"], ["b"]], labels=list("xyxx"))
    seen = find_candidates(records, shown(records, labels=list("xxxy")))
    assert (seen.complete, seen.assignable, seen.truthful) == (False, True, True)
    assert (seen.of_originals, seen.of_published, seen.n_labels) == (2, 2, 1)
    assert not find_candidates(records, shown(records, labels=list("xxxz"))).truthful


@pytest.mark.data
def test_chess_has_too_many_sets_of_six(data_folder):
    baskets = sf.read_baskets(data_folder / "transactions" / "chess.dat.gz")
    with pytest.raises(ParameterError, match=r"sets of up to 6 items.*choose m=5 or less"):
        check_km(shown(baskets), 5, 6)
