"""The check of sets of up to m items and of recodings, against counting every set."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from sfumato.baskets.itemsets.rare_itemsets import has_rare_set
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.published.baskets.km_check import check_km, check_recoding, km_loss
from support.itemset_baskets import as_published, count_all
from support.small_baskets import dense_baskets, published_with


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
        assert bool(few) == has_rare_set(baskets, k, m)
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


def test_more_sets_than_a_number_can_tell_are_counted_as_many():
    for n in (2_000, 30_000):
        seen = check_km(as_published(Baskets.from_lists([list(range(n)), [0], [0]])), 2, n)
        assert (seen.holds, seen.worst) == (False, 1)
        assert seen.broken[0].startswith("more than 1,000,000,000,000,000,000 sets of at most")


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


@pytest.mark.parametrize("seed", range(20))
def test_equal_records_count_several_times(seed):
    rng = np.random.default_rng(seed)
    few = dense_baskets(seed, 4, 6, 0.6)
    baskets = few.rows(rng.integers(0, 4, int(rng.integers(1, 30))))
    for k, m in ((2, 2), (4, 3), (6, 6)):
        counts = {}
        for record in baskets:
            for size in range(1, m + 1):
                for each in combinations(record, size):
                    counts[each] = counts.get(each, 0) + 1
        seen = check_km(published_with(baskets), k, m)
        assert seen.n_sets == len(counts)
        assert seen.worst == min([*counts.values(), len(baskets)])
        below = {each for each, count in counts.items() if count < k}
        assert seen.holds == (not below and len(baskets) >= k)
        if below:
            assert seen.broken[0].startswith(f"{len(below):,} sets")
            example = tuple(seen.broken[0].split("{")[1].split("}")[0].split(", "))
            assert counts[example] == min(counts.values())
