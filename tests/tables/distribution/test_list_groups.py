"""The subdomains of all groups: with the fakes that help, and free ranges where they cost less."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.tables.distribution.contiguous import cut_ranges
from sfumato.tables.distribution.list_groups import list_groups
from sfumato.tables.distribution.min_sor_fake import least_costs
from sfumato.tables.distribution.min_sum_of_range import generalise
from support.naive_distribution import (
    cases,
    counts_of,
    groups_of,
    random_weights,
    shown,
    total_variation,
    tree_of,
)


def listing_of(groups, weights, **given):
    options = {"within": 0.0, "fakes": 0, "any_range": False, "least": 1} | given
    positions = np.arange(len(weights), dtype=np.float64)
    return list_groups(groups_of(*groups), [tree_of(weights)], np.zeros(len(groups), dtype=np.int64), positions,
                       [np.array(weights)], **options)  # fmt: skip


def test_groups_get_the_fakes_that_help_and_no_others():
    for rng in cases(200):
        fakes = rng.choice([1, 2, 3, 0.3]).item()
        within = rng.choice([0.0, 0.15]).item()
        m = int(rng.integers(2, 9))
        weights = random_weights(rng, m)
        groups = [rng.integers(0, m, rng.integers(1, 9)).tolist() for _ in range(5)]
        plain = listing_of(groups, weights, within=within)
        found = listing_of(groups, weights, fakes=fakes, within=within)
        for g, group in enumerate(groups):
            subdomains = shown(found, g)
            extra = sum(subdomains.values()) - len(group)
            most = int(fakes) if fakes >= 1 else int(fakes * len(group))
            assert 0 <= extra <= most
            assert total_variation(subdomains, weights) <= within
            assert found.costs[g] <= plain.costs[g]
            if not within:
                best = least_costs(counts_of(group, m), tree_of(weights), most)
                assert found.costs[g] == pytest.approx(best.min())
            if extra:
                assert found.costs[g] < plain.costs[g]


def test_a_tolerance_lets_fakes_help_with_large_ratios():
    weights = [713, 714]
    found = listing_of([[0] * 6 + [1] * 5], weights, fakes=2, within=0.01)
    assert shown(found) == {(0, 0): 6, (1, 1): 6}


def test_groups_of_several_targets_come_back_in_their_order():
    groups = [[0, 1, 2, 3], [0, 0, 0, 3], [0, 1, 2, 3], [0, 0, 0, 3]]
    weights = [np.array([1, 1, 1, 1]), np.array([3, 0, 0, 1])]
    found = list_groups(
        groups_of(*groups), [tree_of(w) for w in weights], np.array([0, 1, 1, 0]), np.arange(4.0), weights,
        within=0.0, fakes=0, any_range=False, least=1,
    )  # fmt: skip
    singles = {(i, i): 1 for i in range(4)}
    assert [shown(found, g) for g in range(4)] == [
        singles, {(0, 0): 3, (3, 3): 1}, {(0, 3): 4}, {(0, 3): 2, (0, 1): 1, (2, 3): 1}
    ]  # fmt: skip
    assert found.costs.tolist() == [0, 0, 12, 8]


def test_ranges_are_taken_only_where_they_are_better():
    rng = np.random.default_rng(6)
    for _ in range(40):
        m = int(rng.integers(2, 12))
        weights, positions = random_weights(rng, m), np.arange(m, dtype=np.float64)
        groups = [rng.integers(0, m, rng.integers(1, 20)).tolist() for _ in range(6)]
        given, tree = groups_of(*groups), tree_of(weights)
        found = list_groups(given, [tree], np.zeros(6, dtype=np.int64), positions, [weights], within=0.0, fakes=0,
                            any_range=True, least=1)  # fmt: skip
        nodes, ranges = generalise(given, tree), cut_ranges(given, weights, positions)
        assert found.costs.tolist() == pytest.approx(np.minimum(nodes.costs, ranges.costs).tolist())
        for g in range(6):
            assert shown(found, g) == shown(nodes if nodes.costs[g] <= ranges.costs[g] else ranges, g)
