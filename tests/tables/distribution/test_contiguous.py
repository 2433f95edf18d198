"""Any contiguous ranges: what they claim holds, and they are near the best."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sfumato.privacy.p_private import distance_from_target
from sfumato.tables.distribution.contiguous import cut_ranges
from sfumato.tables.distribution.min_sum_of_range import generalise
from support.naive_distribution import (
    can_match,
    cases,
    cut_where_it_saves_most,
    groups_of,
    least_of_ranges,
    random_weights,
    shown,
    total_variation,
    tree_of,
    width,
)


def test_ranges_that_no_tree_has():
    listing = cut_ranges(groups_of([0, 1, 1, 2]), np.ones(4, dtype=np.int64), np.arange(4.0))
    assert shown(listing) == Counter({(0, 0): 1, (1, 3): 3})
    assert float(listing.costs[0]) == 6 == least_of_ranges([0, 1, 1, 2], [1, 1, 1, 1], range(4))


def test_ranges_are_what_they_claim():
    for rng in cases(500):
        m = int(rng.integers(1, 17))
        n = int(rng.integers(1, 41))
        within = rng.choice([0.0, 0.0, 0.05, 0.3]).item()
        weights, group = random_weights(rng, m), np.sort(rng.integers(0, m, n)).tolist()
        positions = np.cumsum(rng.integers(1, 4, m)).astype(np.float64)
        listing = cut_ranges(groups_of(group), weights, positions, within=within)
        subdomains = shown(listing)
        assert sum(subdomains.values()) == n
        assert float(listing.costs[0]) == pytest.approx(sum(width(r, positions) * c for r, c in subdomains.items()))
        off = distance_from_target(listing.first, listing.last, listing.copies, weights)
        assert off == total_variation(subdomains, weights)
        assert off <= Fraction(str(within))
        assert can_match(group, subdomains)
        if within:
            assert listing.costs[0] <= cut_ranges(groups_of(group), weights, positions).costs[0] + 1e-9


def test_every_cut_is_the_one_that_saves_most():
    for rng in cases(300):
        m, n = int(rng.integers(1, 12)), int(rng.integers(1, 30))
        weights, group = random_weights(rng, m).tolist(), rng.integers(0, m, n).tolist()
        positions = np.cumsum(rng.integers(1, 9, m)).astype(np.float64)
        listing = cut_ranges(groups_of(group), np.array(weights), positions)
        assert shown(listing) == cut_where_it_saves_most(group, weights, positions)


def test_many_groups_at_once_are_each_alone():
    rng = np.random.default_rng(4)
    weights, positions = np.array([1, 2, 1, 1, 3, 2]), np.array([0.0, 1, 3, 4, 8, 9])
    groups = [rng.integers(0, 6, rng.integers(1, 20)).tolist() for _ in range(20)]
    for within in (0.0, 0.1):
        together = cut_ranges(groups_of(*groups), weights, positions, within=within)
        for g, group in enumerate(groups):
            alone = cut_ranges(groups_of(group), weights, positions, within=within)
            assert shown(together, g) == shown(alone)
            assert together.costs[g] == alone.costs[0]


@pytest.fixture(scope="module")
def tiny():
    """Costs of the heuristic, of the better of it and the tree, and of the best there is, on tiny groups."""
    rng = np.random.default_rng(11)
    found = []
    for _ in range(150):
        m, n = int(rng.integers(2, 5)), int(rng.integers(1, 6))
        weights, group = random_weights(rng, m), rng.integers(0, m, n).tolist()
        positions = np.arange(m, dtype=np.float64)
        best = least_of_ranges(group, weights.tolist(), positions)
        cut = float(cut_ranges(groups_of(group), weights, positions).costs[0])
        tree = float(generalise(groups_of(group), tree_of(weights)).costs[0])
        found.append((cut, min(cut, tree), best, tree))
    return np.array(found)


def test_never_better_than_the_best_and_mostly_as_good(tiny):
    cut, either, best, tree = tiny.T
    assert (cut >= best - 1e-9).all()
    assert (tree >= best - 1e-9).all()
    assert (np.abs(cut - best) < 1e-9).mean() >= 0.7
    assert (np.abs(either - best) < 1e-9).mean() >= 0.82
    assert ((cut < tree) & (tree > best)).sum() >= 10


def test_values_without_weight_at_the_ends_are_covered():
    listing = cut_ranges(groups_of([0, 4, 4]), np.array([0, 1, 1, 1, 0]), np.arange(5.0))
    subdomains = shown(listing)
    assert can_match([0, 4, 4], subdomains)
    assert total_variation(subdomains, [0, 1, 1, 1, 0]) == 0
