"""What groups tell of labels to whoever knows every basket and the method."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import comb

import numpy as np
import pytest

from sfumato.baskets.cahd import cahd_groups
from sfumato.baskets.rings.dealt_groups import deal_stretches, dealt_groups, stretch_length
from sfumato.baskets.rings.diverse_ring import diverse_ring, polish_ring
from sfumato.data.baskets import Baskets
from sfumato.ground.randomness import Randomness


class Scripted:
    """Permutations as they are given, instead of random ones."""

    def __init__(self, *given):
        self.given = [np.array(each) for each in given]

    def permutation(self, n):
        assert len(self.given[0]) == n
        return self.given.pop(0)


def labellings(counts):
    return sorted(set(permutations([q for q, times in enumerate(counts) for _ in range(times)])))


def seen_by_an_adversary(group, labels):
    """Who is in which group, which whoever knows all items may find, and the labels that are published of each."""
    members = defaultdict(list)
    for record, g in enumerate(group):
        members[g].append(record)
    return frozenset((tuple(each), tuple(sorted(labels[i] for i in each))) for each in members.values())


def check_posterior(draws_of, counts, k, l):
    """All labellings of one stretch, all draws: a record's label is likely as it is frequent in its group, exactly."""
    n = sum(counts)
    seen = defaultdict(Counter)
    for labels in labellings(counts):
        for draw in draws_of(labels):
            group = deal_stretches(np.array(labels), np.array([0, n]), k, l, Scripted(*draw))
            seen[seen_by_an_adversary(group.tolist(), labels)][labels] += 1
    for groups, posterior in seen.items():
        total = sum(posterior.values())
        assert len(set(posterior.values())) == 1
        for members, labels in groups:
            assert len(members) >= max(k, l)
            for record in members:
                likely = Counter()
                for world, weight in posterior.items():
                    likely[world[record]] += weight
                for label, times in Counter(labels).items():
                    assert Fraction(likely[label], total) == Fraction(times, len(members))
                    assert times * l <= len(members)
    return len(seen)


@pytest.mark.parametrize(("l", "counts"), [(2, (2, 1, 1)), (2, (2, 2, 1)), (1, (2, 1, 1)), (2, (1, 1, 1, 1, 1))])
def test_every_label_is_as_likely_as_it_is_frequent_in_the_group(l, counts):
    draws = [(each,) for each in permutations(range(sum(counts)))]
    assert check_posterior(lambda _: draws, counts, 1, l) >= 6


@pytest.mark.parametrize(("l", "counts"), [(2, (3, 2, 1)), (3, (2, 2, 2)), (2, (3, 2, 2)), (3, (2, 2, 1, 1, 1))])
def test_six_and_seven_records(l, counts):
    """Only the order of records with the same label has a part in it, so that others need not be tried."""

    def draws_of(labels):
        members = [[i for i, label in enumerate(labels) if label == q] for q in range(len(counts))]
        return [(sum(each, ()),) for each in product(*map(permutations, members))]

    assert check_posterior(draws_of, counts, 1, l) >= 10


def test_groups_that_are_joined():
    draws = [(each, joined) for each in permutations(range(4)) for joined in permutations(range(4))]
    assert check_posterior(lambda _: draws, (2, 1, 1), 2, 1) >= 3


def test_how_labels_are_dealt():
    """Those that most carry first, then by number, in turn to the groups of a stretch; groups are joined as drawn."""
    own = np.array([0, 1, 1, 1, 2, 2, 3, 0, 1, 2])
    ends = np.array([0, 6, 10])
    assert deal_stretches(own, ends, 1, 2, Scripted(range(10))).tolist() == [2, 0, 1, 2, 0, 1, 4, 3, 4, 3]
    assert deal_stretches(own, ends, 1, 2, Scripted(range(10)[::-1])).tolist() == [2, 2, 1, 0, 1, 0, 4, 3, 4, 3]
    eight = np.array([0, 1, 2, 3] * 2)
    joined = deal_stretches(eight, np.array([0, 8]), 3, 2, Scripted(range(8), [2, 0, 3, 1]))
    assert joined.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]  # groups 0 and 2, and 1 and 3


def test_groups_formed_by_labels_tell_of_them():
    """Why groups are dealt: under some labellings that a release of CAHD leaves open it would have been another."""
    baskets = Baskets.from_scipy((np.random.default_rng(1).random((8, 5)) < 0.5).astype(int))
    order = np.arange(8)
    worlds = labellings((3, 3, 2))
    seen = defaultdict(set)
    for labels in worlds:
        group = cahd_groups(baskets, np.array(labels), order, 2, 3)
        seen[seen_by_an_adversary(group.tolist(), labels)].add(labels)
    certain = sum(any(len({world[i] for world in left}) == 1 for i in range(8)) for left in seen.values())
    assert certain > 0.1 * len(seen)


def test_a_ring_laid_by_labels_gives_them_away():
    """The shift of a ring that was drawn closer together: under wrong ones, further swaps would have paid."""
    right = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = rng.permutation(200) % 5
        baskets = Baskets.from_scipy((rng.random((200, 10)) < 0.4).astype(int))
        ring = polish_ring(baskets, labels, diverse_ring(labels, np.arange(200), 4))
        assert ring.window == 4
        own, shift = labels[ring.order], seed % 4
        published = np.roll(own, shift)
        left = []
        for guess in range(4):
            guessed = np.empty(200, dtype=np.int64)
            guessed[ring.order] = np.roll(published, -guess)
            again = polish_ring(baskets, guessed, ring, sweeps=1)
            left.append(int((again.order != ring.order).sum()))
        right += int(np.argmin(left)) == shift
    assert right >= 9


# -- stretches ---------------------------------------------------------------------------------------------------------
def naive_length(counts, k, l):
    """Every multiple of l in turn, by counting arrangements."""
    n = sum(counts)

    def too_many(count, size):
        ways = sum(comb(count, x) * comb(n - count, size - x) for x in range(size // l + 1, min(count, size) + 1))
        return Fraction(ways, comb(n, size))

    length = l
    while True:
        n_stretches = max(n // length, 1)
        sizes = np.diff(np.arange(n_stretches + 1) * n // n_stretches)
        risk = sum(times * sum(too_many(count, size) for count in counts) for size, times in
                   Counter(sizes.tolist()).items())  # fmt: skip
        if length >= max(2 * l, k) and (n_stretches == 1 or risk <= Fraction(1, 100)):
            return n_stretches
        length += l


@pytest.mark.parametrize(
    ("counts", "k", "l"),
    [
        ([20] * 5, 1, 2), ([20] * 5, 1, 4), ([20] * 5, 1, 5), ([20] * 5, 10, 2), ([40] + [3] * 20, 1, 2),
        ([1] * 60, 1, 3), ([7, 6, 5, 5, 4, 2, 1], 1, 3), ([30] * 10, 60, 4), ([9, 1], 1, 1), ([3, 3], 1, 2),
    ],
)  # fmt: skip
def test_the_length_is_the_least_that_most_probably_does(counts, k, l):
    length = stretch_length(np.array(counts), k, l)
    assert length % l == 0
    assert length >= max(2 * l, k)
    assert max(sum(counts) // length, 1) == naive_length(counts, k, l)


def test_stretches_are_short_for_nearly_all_ways_to_give_labels():
    rng = np.random.default_rng(4)
    labels, order = np.repeat(np.arange(20), 20), np.arange(400)
    assert stretch_length(np.bincount(labels), 1, 2) <= 40
    spread = Counter()
    for seed in range(40):
        group = dealt_groups(rng.permutation(labels), order, 1, 2, Randomness(seed))
        spread[max(int(np.ptp(np.flatnonzero(group == g))) for g in range(group.max() + 1)) <= 40] += 1
    assert spread[True] >= 38


@pytest.mark.parametrize("seed", range(40))
def test_groups_keep_k_and_l_inside_stretches_of_the_row(seed):
    rng = np.random.default_rng(seed)
    n, l = int(rng.integers(8, 400)), int(rng.integers(1, 5))
    k = int(rng.integers(1, min(n, 30) + 1))
    labels = np.sort(np.arange(n) % int(rng.integers(l, 4 * l + 1)))
    if rng.random() < 0.7:
        labels = rng.permutation(labels)
    if np.bincount(labels).max() * l > n:
        return
    order = rng.permutation(n)
    length = stretch_length(np.bincount(labels), k, l)
    while True:
        ends = np.linspace(0, n, max(n // length, 1) + 1).round(6).astype(int)
        if all(np.bincount(labels[order[a:b]]).max() * l <= b - a for a, b in pairwise(ends)):
            break
        length *= 2
    group = dealt_groups(labels, order, k, l, Randomness(seed))
    assert sorted(set(group.tolist())) == list(range(group.max() + 1))
    for g in range(group.max() + 1):
        counts = np.bincount(labels[group == g])
        assert counts.sum() >= max(k, l)
        assert counts.max() * l <= counts.sum()
        if k <= l:
            assert counts.max() == 1
    where = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    assert all(len(set(where[group[order] == g].tolist())) == 1 for g in range(group.max() + 1))


def test_where_a_stretch_is_not_diverse_the_length_is_doubled():
    rng = np.random.default_rng(8)
    labels = np.repeat(np.arange(20), 20)
    length = stretch_length(np.bincount(labels), 1, 2)
    few = length // 2 + 1
    row = np.concatenate([labels[:few], rng.permutation(labels[few:])])
    group = dealt_groups(row, np.arange(400), 1, 2, Randomness(1))
    ends = np.arange(400 // (2 * length) + 1) * 400 // (400 // (2 * length))
    assert len(ends) > 8
    stretch = np.searchsorted(ends, np.arange(400), side="right")
    assert all(len(set(stretch[group == g].tolist())) == 1 for g in range(group.max() + 1))


def test_labels_that_lie_together_need_longer_stretches():
    """A row sorted by labels: no stretch but the whole is diverse."""
    labels = np.repeat(np.arange(4), 25)
    group = dealt_groups(labels, np.arange(100), 1, 4, Randomness(1))
    assert all(sorted(labels[group == g].tolist()) == [0, 1, 2, 3] for g in range(25))
