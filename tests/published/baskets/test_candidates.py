"""Who may stand behind whom, without the owner's edges: against enumeration of all assignments."""

import shutil
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.published.baskets import bits, candidates
from sfumato.published.baskets.candidates import find_candidates
from support.small_baskets import few_kinds, published_with


def some(seed, n=7, m=6, k=3, labels="abcdefg", share=0.4):
    rng = np.random.default_rng(seed)
    given = [labels[i % len(labels)] for i in rng.permutation(n)]
    baskets = Baskets.from_scipy((rng.random((n, m)) < share).astype(int), [f"i{j}" for j in range(m)], given)
    return baskets, sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(k), seed=seed)


def by_enumeration(originals, published):
    """Pairs that some assignment of all originals to all published records holds."""
    n = len(originals)
    allowed = np.array([published.contains(originals, np.full(n, j), np.arange(n)) for j in range(n)])
    pairs = set()
    for chosen in permutations(range(n)):
        if all(allowed[chosen[i], i] for i in range(n)):
            pairs |= {(i, chosen[i]) for i in range(n)}
    return allowed, pairs


def as_published(baskets, published):
    place = [baskets.items.index(name) for name in published.items]
    return Baskets.from_scipy(baskets.to_scipy().toarray()[:, place], published.items, baskets.labels)


@pytest.mark.parametrize("seed", range(25))
def test_pairs_are_those_of_all_assignments(seed):
    baskets, release = some(seed, n=6 + seed % 2, k=2 + seed % 2)
    published, n = release.data, len(baskets)
    originals = as_published(baskets, published)
    _, pairs = by_enumeration(originals, published)
    seen = find_candidates(originals, published)
    assert seen.complete
    assert seen.assignable
    out = [{j for i, j in pairs if i == own} for own in range(n)]
    assert seen.of_originals == min(map(len, out))
    assert seen.of_published == min(len({i for i, j in pairs if j == own}) for own in range(n))
    assert seen.n_labels == min(len({published.labels[j] for j in each}) for each in out)


def test_without_assignments_degrees_count_alone(monkeypatch):
    monkeypatch.setattr(candidates, "_MOST_PAIRS", 5)
    baskets, release = some(3)
    originals = as_published(baskets, release.data)
    allowed, _ = by_enumeration(originals, release.data)
    seen = find_candidates(originals, release.data)
    assert not seen.complete
    assert (seen.of_originals, seen.of_published) == (allowed.sum(axis=0).min(), allowed.sum(axis=1).min())


def test_words_that_items_share_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    records = [rng.choice(2000, 4, replace=False).tolist() for _ in range(125)]
    baskets = Baskets.from_lists(records + [[*record[:-1], int(rng.integers(2000))] for record in records])
    release = sf.publish(baskets, sf.Nonreciprocal(), sf.KAnonymity(3), seed=1)
    originals = as_published(baskets, release.data)
    seen = find_candidates(originals, release.data)
    monkeypatch.setattr(bits, "_ROOM", 0)
    assert bits.pack(originals)[3] is False
    assert find_candidates(originals, release.data) == seen
    assert seen.of_originals >= 3


def test_a_record_that_fits_none_breaks_the_release():
    baskets, release = some(1)
    alone = replace(release, owner=None)
    assert sf.verify(alone, baskets).broken == ()
    data = release.data
    spoiled = replace(alone, data=PublishedBaskets(data.base, data.differs, data.threshold * 0, data.labels))
    verdict = sf.verify(spoiled, baskets)
    assert not verdict
    assert any("no assignment gives every published record an original" in each for each in verdict.broken)
    fewer = replace(some(2, n=6)[1], owner=None)
    assert sf.verify(fewer, baskets).broken == ("6 records are published, and the original has 7",)


def test_by_frequency_the_original_alone_can_only_contradict():
    baskets, release = some(5, n=12, m=8, k=3)
    alone = replace(release, owner=None)
    distinct = sf.verify(alone, baskets, promise=sf.LDiversity(2, kind="distinct"))
    assert distinct
    assert not distinct.undecided
    assert sf.verify(alone, baskets, promise=sf.LDiversity(2)).undecided == ("LDiversity(2)",)
    broken = sf.verify(alone, baskets, promise=sf.LDiversity(8))
    assert not broken
    assert not broken.undecided


def test_records_published_alike_decide_on_the_file_alone():
    rng = np.random.default_rng(4)
    labels = [f"d{i % 6}" for i in range(60)]
    baskets = Baskets.from_scipy((rng.random((60, 10)) < 0.4).astype(int), [f"i{j}" for j in range(10)], labels)
    release = replace(sf.publish(baskets, sf.CAHD(), sf.LDiversity(3), seed=1), owner=None)
    for known in (None, baskets):
        verdict = sf.verify(release, known)
        assert verdict.holds
        assert not verdict.undecided
        assert verdict.reached["LDiversity(3)"] >= 3
        assert sf.verify(release, known, promise=sf.KAnonymity(3)).undecided == ()
    assert sf.verify(release, promise=sf.LDiversity(7)).undecided == ("LDiversity(7)",)
    assert sf.verify(release, promise=sf.KAnonymity(30)).undecided == ("KAnonymity(k=30)",)
    unlabelled = replace(
        release, data=PublishedBaskets(release.data.base, release.data.differs, release.data.threshold)
    )
    assert sf.verify(unlabelled).found == ("no record carries a label",)


def all_assignments(originals, published):
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
    originals, published = few_kinds(seed, n)
    allowed, pairs, truthful = all_assignments(originals, published)
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
    found = [find_candidates(*few_kinds(seed, 3 + seed % 4)) for seed in range(40)]
    assert {(each.assignable, each.truthful) for each in found} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }
    kept = [(seen, few_kinds(seed, 3 + seed % 4)) for seed, seen in enumerate(found)]
    narrowed = [seen for seen, (o, p) in kept if seen.of_originals < all_assignments(o, p)[0].sum(axis=0).min()]
    assert narrowed


def test_many_equal_records_are_compared_at_once():
    n = 50_000
    labels = [f"d{i % 7}" for i in range(n)]
    one = Baskets.from_scipy(np.ones((n, 3), dtype=int), list("abc"), labels)
    seen = find_candidates(one, published_with(one, labels=labels[::-1]))
    assert (seen.of_originals, seen.of_published, seen.n_labels) == (n, n, 7)
    assert (seen.complete, seen.assignable, seen.truthful) == (True, True, True)
    assert not find_candidates(one, published_with(one, labels=["d0", *labels[1:-1], "d0"])).truthful


def test_labels_that_are_told_to_others_are_not_true():
    records = Baskets.from_lists([["a"], ["a"], ["b"], ["b"]], labels=list("xyxx"))
    kept = find_candidates(records, published_with(records, labels=list("yxxx")))
    assert kept.truthful
    moved = find_candidates(records, published_with(records, labels=list("xxxy")))
    assert (moved.assignable, moved.truthful, moved.n_labels) == (True, False, 1)
    assert find_candidates(records, published_with(records)).truthful
    assert not find_candidates(records, published_with(records, labels=list("xyxz"))).truthful
    assert find_candidates(Baskets.from_lists([]), published_with(Baskets.from_lists([]))).truthful


def test_labels_are_counted_where_pairs_are_too_many(monkeypatch):
    monkeypatch.setattr(candidates, "_MOST_PAIRS", 0)
    records = Baskets.from_lists([["a"], ["a"], ["b"], ["b"]], labels=list("xyxx"))
    seen = find_candidates(records, published_with(records, labels=list("xxxy")))
    assert (seen.complete, seen.assignable, seen.truthful) == (False, True, True)
    assert (seen.of_originals, seen.of_published, seen.n_labels) == (2, 2, 1)
    assert not find_candidates(records, published_with(records, labels=list("xxxz"))).truthful


@pytest.mark.parametrize("promise", [sf.KAnonymity(2), sf.KAnonymity(2) & sf.LDiversity(3)], ids=str)
def test_what_links_prove_is_not_held_against_what_equal_records_do(tmp_path, promise):
    """Two groups that are published alike are one to a reader: it hides more than the certificate says of links."""
    words, labels = ["ab", "abc", "ab", "c"] * 3, list("xyzxyzxyzxyz")
    given = Baskets.from_lists([list(word) for word in words], labels=labels)
    for method in (sf.Grouped(), sf.Nonreciprocal()):
        release = sf.publish(given, method, promise, seed=1)
        folder = release.save(tmp_path / type(method).__name__)
        shutil.rmtree(tmp_path / "owner")
        assert sf.verify(sf.load_release(folder)).broken == ()
