"""Anatomy: dealing sensitive values into groups, against the paper's properties and a slow, obvious dealer."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.published.tables.two_tables import read_two_tables
from sfumato.tables.grouping.anatomy import deal
from sfumato.tables.grouping.job import Job
from support.tables_strategies import tables


def table_of(values, **schema):
    frame = pl.DataFrame({"x": range(len(values)), "s": values}, schema_overrides={"s": pl.String}, strict=False)
    return sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"], **schema))


def groups_of(table, l, kind="frequency", seed=1, method=None):
    """The sensitive values of every group, of a release that was verified."""
    release = sf.publish(table, method or sf.Anatomy(), sf.LDiversity(l, kind=kind), seed=seed)
    assert sf.verify(release, table)
    of_row = dict(zip(release.owner.rows.tolist(), release.data.frame["group"].to_list(), strict=True))
    found = {}
    for row, value in enumerate(table.frame["s"].to_list()):
        found.setdefault(of_row[row], []).append(value)
    return list(found.values())


def dealt(table, l, seed):
    """The groups of a run that nobody verifies, in the order in which they were formed."""
    quasi, secret = encode(table, ["x"]), encode(table, ["s"])
    return sf.Anatomy().groups(Job(quasi, secret, sf.LDiversity(l), Randomness(seed)))


def eligible(values, l):
    return max(Counter(values).values()) * l <= len(values)


# -- what the paper promises ---------------------------------------------------------------------------------------
@settings(max_examples=200)
@given(st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), min_size=1, max_size=24), st.integers(1, 5),
       st.integers(0, 3))  # fmt: skip
def test_groups_have_l_records_or_a_few_more_and_no_value_twice(values, l, seed):
    if all(value is None for value in values):
        return
    table = table_of(values)
    if not eligible(values, l):
        with pytest.raises(InfeasibleError, match="the best is l="):
            sf.publish(table, sf.Anatomy(), sf.LDiversity(l))
        return
    groups = groups_of(table, l, seed=seed)
    assert len(groups) == len(values) // l
    assert sum(map(len, groups)) == len(values)
    for group in groups:
        assert l <= len(group) <= 2 * l - 1
        assert len(set(group)) == len(group)
    assert sum(len(group) - l for group in groups) == len(values) % l


@settings(max_examples=100)
@given(st.lists(st.sampled_from("aaaabcde"), min_size=1, max_size=20), st.integers(1, 4), st.integers(0, 3))
def test_distinct_values_need_no_even_spread(values, l, seed):
    if len(set(values)) < l:
        with pytest.raises(InfeasibleError):
            sf.publish(table_of(values), sf.Anatomy(), sf.LDiversity(l, kind="distinct"))
        return
    groups = groups_of(table_of(values), l, kind="distinct", seed=seed)
    assert all(len(set(group)) >= l for group in groups)
    assert sum(map(len, groups)) == len(values)
    if eligible(values, l):
        assert all(len(set(group)) == len(group) for group in groups)
    tops = [Counter(group).most_common(1)[0][1] for group in groups]
    assert max(tops) - min(tops) <= 1  # what is left of a frequent value is dealt evenly


@settings(max_examples=40)
@given(tables(min_rows=2), st.integers(1, 3))
def test_any_table_that_can_be_published_is(table, l):
    promise = sf.LDiversity(l, columns=("disease",))
    if not eligible(table.frame["disease"].to_list(), l):
        return
    release = sf.publish(table, sf.Anatomy(), promise, seed=4)
    assert sf.verify(release, table)
    assert release.files["sensitive"].columns == ["group", "disease", "score", "count"]
    assert read_two_tables(release.data.frame, release.files, release.public).n_groups == len(table) // l
    ranges = sf.publish(table, sf.Anatomy(show="ranges"), promise, seed=4)
    assert sf.verify(ranges, table)


@pytest.mark.parametrize("l", [2, 3, 7])
def test_exactly_eligible_tables(l):
    values = ["a"] * 30 + [f"v{i}" for i in range(30 * (l - 1))]
    groups = groups_of(table_of(values), l)
    assert len(groups) == 30
    assert all(group.count("a") == 1 and len(group) == l for group in groups)
    values = [value for value in "abcdefgh"[:l] for _ in range(11)]
    assert sorted(map(sorted, groups_of(table_of(values), l))) == [sorted("abcdefgh"[:l])] * 11


def test_l_of_one_and_a_single_value():
    assert groups_of(table_of(["a", "a", "a"]), 1) == [["a"]] * 3
    with pytest.raises(InfeasibleError, match="the best is l=1"):
        sf.publish(table_of(["a", "a", "a"]), sf.Anatomy(), sf.LDiversity(2))


# -- the kernel ----------------------------------------------------------------------------------------------------
@settings(max_examples=200)
@given(st.lists(st.integers(1, 9), min_size=0, max_size=12), st.integers(1, 5), st.integers(0, 5))
def test_the_dealer_takes_the_largest_buckets(counts, l, seed):
    """Every group takes from l buckets none of which was smaller than one left out."""
    counts = np.array(counts, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)])
    bucket = np.repeat(np.arange(len(counts)), counts)
    words = Randomness(seed).words(len(bucket))
    group, left = deal(starts, np.argsort(-counts, kind="stable"), l, words)
    now = counts.copy()
    for g in range(group.max(initial=-1) + 1):
        taken = bucket[group == g]
        assert len(set(taken.tolist())) == len(taken) == l
        others = np.delete(now, taken)
        assert now[taken].min() >= others.max(initial=0)
        now[taken] -= 1
    assert (now == left).all()
    assert (now > 0).sum() < l
    assert [int((group[a:b] < 0).sum()) for a, b in itertools.pairwise(starts)] == left.tolist()


def test_ties_and_records_are_chosen_evenly():
    """Four equal buckets, groups of two: every pair of buckets, and every record of one, comes first as often."""
    values = list("aaabbbcccddd")
    pairs = Counter()
    n = 1_200
    for seed in range(n):
        words = Randomness(seed).spawn("ties").words(12)
        group, _ = deal(np.arange(0, 13, 3), np.arange(4), 2, words)
        pairs["".join(values[i] for i in np.flatnonzero(group == 0))] += 1
    assert set(pairs) == {"ab", "ac", "ad", "bc", "bd", "cd"}
    assert all(abs(times - n / 6) < 4.5 * np.sqrt(n * 5 / 36) for times in pairs.values())
    table = table_of(list("aaaabbbb"))
    partner, number = Counter(), Counter()
    for seed in range(400):
        group = dealt(table, 2, seed).of_row
        partner[group[4:].tolist().index(group[0])] += 1
        number[int(group[0])] += 1
    for found in (partner, number):
        assert set(found) == {0, 1, 2, 3}
        assert all(abs(times - 100) < 4.5 * np.sqrt(75) for times in found.values())


def test_records_left_over_join_any_group_that_lacks_their_value():
    table = table_of(list("aabbc"))  # two groups of two, and one record left
    where = Counter()
    for seed in range(40):
        groups = groups_of(table, 2, seed=seed)
        assert sorted(map(len, groups)) == [2, 3]
        (large,) = (group for group in groups if len(group) == 3)
        where["".join(sorted(large))] += 1
        assert len(set(large)) == 3
    assert set(where) == {"abc"}
    table, homes = table_of([f"v{i}" for i in range(9)]), Counter()
    for seed in range(400):  # four groups, all of which lack the value of the record that is left
        groups = dealt(table, 2, seed)
        homes[groups.sizes.tolist().index(3)] += 1
    assert set(homes) == {0, 1, 2, 3}
    assert all(abs(times - 100) < 4.5 * np.sqrt(75) for times in homes.values())


def test_the_order_of_the_records_is_no_matter():
    """Who is dealt together does not follow the rows: neighbours are together as often as chance has it."""
    values = [v for i in range(30) for v in (f"a{i % 3}", f"b{i % 3}")]
    together = 0
    for seed in range(60):
        group = dealt(table_of(values), 2, seed).of_row
        together += int((group[::2] == group[1::2]).sum())
    assert together < 60 * 30 * 0.1  # a pair in order would be always together; by chance it is 1 in 50


def test_a_seed_repeats_it():
    table = table_of(list("abcd") * 10)
    one, two = (sf.publish(table, sf.Anatomy(), sf.LDiversity(3), seed=9) for _ in range(2))
    assert one.data.frame.equals(two.data.frame)
    assert one.files["sensitive"].equals(two.files["sensitive"])


# -- what is refused -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("promise", "message"),
    [
        (sf.TCloseness(0.5), r"Anatomy keeps l-diversity only, not TCloseness\(0.5\)"),
        (sf.LDiversity(2) & sf.TCloseness(0.5), "Anatomy keeps l-diversity only"),
        (sf.LDiversity(2) & sf.LDiversity(2, kind="distinct"), "one promise at a time"),
        (sf.LDiversity(1.5), r"l must be a whole number, got 1.5; promise LDiversity\(2\)"),
        (sf.LDiversity(2, kind="entropy"), "by frequency or distinct values, not"),
        (sf.LDiversity(2, kind="recursive", c=2), "by frequency or distinct values, not"),
        (sf.LDiversity(2), r"one sensitive column, .* speaks of s, t; name one, as in LDiversity\(2, columns=\('s',\)\)"),
        (sf.LDiversity(2, columns=("u",)), "names 'u', which is not sensitive"),
    ],
)  # fmt: skip
def test_other_promises_are_refused(promise, message):
    frame = pl.DataFrame({"x": range(8), "s": list("abcdabcd"), "t": list("efghefgh")})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s", "t"]))
    with pytest.raises(ParameterError, match=message):
        sf.publish(table, sf.Anatomy(), promise)


def test_it_is_found_by_its_name():
    assert method_from_dict({"name": "anatomy"}) == sf.Anatomy()
    assert sf.Anatomy().to_dict() == {"name": "Anatomy", "show": "permutation"}
    with pytest.raises(
        ParameterError, match="show must be one of ranges, means, permutation, condensed, got 'permuted'"
    ):
        sf.Anatomy(show="permuted")
    with pytest.raises(ParameterError, match="nobody hides among k"):
        sf.publish(table_of(list("abab")), sf.Anatomy(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="Anatomy keeps l-diversity only, not KAnonymity"):
        sf.publish(table_of(list("abab")), sf.Anatomy(show="ranges"), sf.KAnonymity(2))
