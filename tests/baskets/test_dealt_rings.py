"""What rings tell of labels to whoever knows every basket and the method."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

import sfumato as sf
from sfumato.baskets.dealt_rings import dealt_rings
from sfumato.baskets.diverse_ring import closer, diverse_ring, row_deal
from sfumato.data.baskets import Baskets
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.randomness import Randomness


def some(n=48, m=10, n_labels=6, seed=0):
    rng = np.random.default_rng(seed)
    labels = [f"d{i % n_labels}" for i in rng.permutation(n)]
    return Baskets.from_scipy((rng.random((n, m)) < 0.4).astype(int), [f"i{j}" for j in range(m)], labels)


@pytest.mark.parametrize("l", [2, 3, 4])
def test_dealt_releases_are_diverse(l):
    baskets = some()
    for seed in range(5):
        release = sf.publish(baskets, sf.Nonreciprocal(dealt=True), sf.LDiversity(l), seed=seed)
        assert release.verdict.reached[f"LDiversity({l})"] >= l
        assert release.method["dealt"] is True
    again = sf.publish(baskets, sf.Nonreciprocal(dealt=True), sf.LDiversity(l), seed=4)
    assert again.data.frame.equals(release.data.frame)
    assert sf.publish(baskets, sf.Nonreciprocal(dealt=True), sf.KAnonymity(6) & sf.LDiversity(l), seed=1).verdict
    assert sf.publish(baskets, sf.Nonreciprocal(dealt=True), sf.KAnonymity(6), seed=1).verdict


def test_stretches_are_cut_by_position_and_windows_are_distinct():
    rng = np.random.default_rng(2)
    for seed in range(60):
        n, l = int(rng.integers(8, 60)), int(rng.integers(2, 5))
        labels = rng.permutation(np.arange(n) % int(rng.integers(l, 9)))
        if np.bincount(labels).max() * l > n:
            continue
        order = rng.permutation(n)
        rings = dealt_rings(labels, order, l, Randomness(seed))
        at = 0
        for ring in rings:
            assert sorted(ring) == sorted(order[at : at + len(ring)])
            at += len(ring)
            for i in range(len(ring)):
                assert len({int(labels[ring[(i + s) % len(ring)]]) for s in range(l)}) == l
        assert at == n
        assert max(map(len, rings)) - min(map(len, rings)) <= 1


def seen_by_an_adversary(rings, labels, shifts):
    """Rings, which whoever knows all items can find, and the label published at each place."""
    return tuple(
        (tuple(ring), tuple(labels[ring[(i - c) % len(ring)]] for i in range(len(ring))))
        for ring, c in zip(rings, shifts, strict=True)
    )


@pytest.mark.parametrize(("l", "counts"), [(2, (2, 2, 1)), (2, (3, 2, 1)), (3, (2, 2, 2))])
def test_every_label_is_as_likely_for_whoever_knows_all_items(l, counts):
    """All labellings of the records of a stretch, turns and shifts: what is seen leaves l labels equally likely."""
    n = sum(counts)
    order = np.arange(n)
    worlds = set(permutations([q for q, times in enumerate(counts) for _ in range(times)]))
    seen = defaultdict(Counter)
    for labels in worlds:
        own = np.array(labels)
        for draw, weight in all_draws(own, order, l):
            for shift in range(l):
                (ring,) = draw
                seen[seen_by_an_adversary([ring], own, [shift])][labels] += weight / l
    assert len(seen) >= 30
    for posterior in seen.values():
        total = sum(posterior.values())
        for record in range(n):
            likely = Counter()
            for labels, weight in posterior.items():
                likely[labels[record]] += weight
            assert max(likely.values()) / total <= Fraction(1, l)


def all_draws(own, order, l):
    """Every ring that may be drawn for one stretch, and how likely it is; stretches of four are not diverse here."""
    n = len(order)
    rings = Counter()
    members = [np.flatnonzero(own == q) for q in np.unique(own)]
    laid = own[row_deal(own, l)]
    dealt = [list(permutations(each.tolist())) for each in members]
    for chosen in product(*dealt):
        place = [iter(each) for each in chosen]
        ring = [next(place[q]) for q in laid]
        for turn in range(n):
            rings[tuple(np.roll(ring, turn).tolist())] += 1
    total = sum(rings.values())
    return [([np.array(ring)], Fraction(times, total)) for ring, times in rings.items()]


def test_what_is_drawn_is_what_the_oracle_lists():
    own, order = np.array([0, 0, 0, 1, 1, 1, 2, 2]), np.arange(8)
    listed = {tuple(ring.tolist()): float(p) for (ring,), p in all_draws(own, order, 2)}
    drawn = Counter()
    for seed in range(3_000):
        rings = dealt_rings(own, order, 2, Randomness(seed))
        assert len(rings) == 1
        drawn[tuple(rings[0].tolist())] += 1
    assert set(drawn) <= set(listed)
    starts = Counter(ring[0] for ring in drawn.elements())
    assert all(abs(starts[i] / 3_000 - 1 / 8) < 0.03 for i in range(8))


def test_a_ring_laid_by_labels_gives_them_away():
    """The shift of a ring that was drawn closer together: under wrong ones, further swaps would have paid."""
    right = 0
    for seed in range(10):
        baskets = some(n=200, n_labels=5, seed=seed)
        labels = baskets.labels.rank("dense").to_numpy().astype(np.int64) - 1
        ring = closer(baskets, labels, diverse_ring(labels, np.arange(200), 4))
        assert ring.window == 4
        own, shift = labels[ring.order], seed % 4
        published = np.roll(own, shift)
        left = []
        for guess in range(4):
            guessed = np.empty(200, dtype=np.int64)
            guessed[ring.order] = np.roll(published, -guess)
            again = closer(baskets, guessed, ring, sweeps=1)
            left.append(int((again.order != ring.order).sum()))
        right += int(np.argmin(left)) == shift
    assert right >= 9


def test_mistakes():
    with pytest.raises(ParameterError, match="dealt must be true or false, got 'yes'"):
        sf.Nonreciprocal(dealt="yes")
    with pytest.raises(InfeasibleError, match="label 'a' is carried by 6 of 8 records"):
        sf.publish(Baskets.from_lists([["x"]] * 8, labels=["a"] * 6 + ["b"] * 2), sf.Nonreciprocal(dealt=True),
                   sf.LDiversity(2))  # fmt: skip
