"""Statistics of groups against numpy, and values dealt by them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.statistics import deal_members, deal_values, statistics_of
from support.condensed_tables import one_group


def test_covariance_of_large_numbers_is_centred():
    found = one_group((1e8 + np.arange(4.0)).reshape(4, 1))
    assert found.covariances[0, 0, 0] == pytest.approx(1.25, abs=1e-6)
    assert found.means[0, 0] == 1e8 + 1.5


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_moments_equal_those_of_numpy_group_by_group(seed, d, n_groups):
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(n_groups * 7, d)) * 10.0 ** rng.integers(-3, 4, d)
    order = rng.permutation(len(numbers))
    cuts = np.sort(rng.choice(np.arange(1, len(numbers)), n_groups - 1, replace=False))
    starts = np.concatenate([[0], cuts, [len(numbers)]])
    found = statistics_of(numbers, order, starts)
    for g in range(n_groups):
        here = numbers[order[starts[g] : starts[g + 1]]]
        np.testing.assert_allclose(found.means[g], here.mean(axis=0), rtol=1e-9, atol=1e-12)
        wanted = np.atleast_2d(np.cov(here.T, bias=True))
        np.testing.assert_allclose(found.covariances[g], wanted, rtol=1e-9, atol=1e-9 * wanted.max() + 1e-300)


def test_missing_values_leave_exact_variances_and_a_covariance_matrix():
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(12, 4)) @ rng.normal(size=(4, 4))
    numbers[rng.random(numbers.shape) < 0.3] = np.nan
    numbers[:, 3] = np.nan
    found = one_group(numbers)
    np.testing.assert_allclose(np.diag(found.covariances[0])[:3], np.nanvar(numbers[:, :3], axis=0))
    np.testing.assert_allclose(found.means[0, :3], np.nanmean(numbers[:, :3], axis=0))
    assert found.counts[0, 3] == 0
    assert not found.covariances[0, 3].any()
    assert np.linalg.eigvalsh(found.covariances[0]).min() > -1e-12


@given(st.integers(0, 10_000), st.sampled_from([0.3, 1.0, 2.0, 2.7]))
@settings(max_examples=30, deadline=None)
def test_members_are_dealt_as_evenly_as_can_be(seed, alpha):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, 4)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    order = rng.permutation(starts[-1])
    n_rows = np.maximum(1, np.rint(alpha * sizes)).astype(int)
    group = rng.permutation(np.repeat(np.arange(4), n_rows))
    taken = deal_members(order, starts, group, Randomness(seed))
    for g in range(4):
        often = np.array([(taken[group == g] == member).sum() for member in order[starts[g] : starts[g + 1]]])
        assert often.sum() == n_rows[g]
        assert often.max() - often.min() <= 1


def test_values_are_dealt_by_share_and_exactly_where_shares_are_whole():
    shares = np.array([[2.0, 1.0, 1.0], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
    starts = np.array([0, 8, 11, 12])
    order = np.random.default_rng(0).permutation(12)
    seen = []
    for seed in range(200):
        values = deal_values(shares, order, starts, Randomness(seed))
        assert np.bincount(values[order[:8]], minlength=3).tolist() == [4, 2, 2]
        assert values[order[11]] == 0
        seen.append(np.bincount(values[order[8:11]], minlength=3).tolist())
    assert {tuple(each) for each in seen} == {(0, 1, 2), (0, 2, 1)}
    assert np.mean([each[1] for each in seen]) == pytest.approx(1.5, abs=0.15)
