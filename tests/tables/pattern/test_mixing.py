"""Autocorrelation times of walks whose times are known."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.mixing import autocorrelation_time
from sfumato.tables.pattern.substitution import ENOUGH


def autoregressive(rho, n, seed=1):
    noise = Randomness(seed).normal(n)
    x = np.empty(n)
    x[0] = noise[0] / np.sqrt(1 - rho**2)
    for t in range(1, n):
        x[t] = rho * x[t - 1] + noise[t]
    return x[:, None]


def test_white_noise_has_time_one():
    assert autocorrelation_time(Randomness(5).normal(20_000)[:, None]) == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.9])
def test_an_autoregression_has_its_known_time(rho):
    """The sum of rho^|t| is (1 + rho) / (1 - rho)."""
    assert autocorrelation_time(autoregressive(rho, 100_000)) == pytest.approx((1 + rho) / (1 - rho), rel=0.1)


def test_a_walk_that_swings_counts_as_one():
    assert autocorrelation_time(autoregressive(-0.7, 10_000)) == 1.0


def test_the_slowest_column_counts():
    fast, slow = autoregressive(0.2, 40_000, 2), autoregressive(0.8, 40_000, 3)
    assert autocorrelation_time(np.hstack([fast, slow])) == pytest.approx(9.0, rel=0.15)
    assert autocorrelation_time(np.hstack([fast, slow])) == pytest.approx(autocorrelation_time(slow), rel=1e-9)


@pytest.mark.parametrize("value", [0.0, 7.0, 0.1, 1 / 3, -1e-3])
@pytest.mark.parametrize("n", [128, 1000])
def test_a_column_that_never_changes_has_not_mixed(value, n):
    assert autocorrelation_time(np.full((n, 1), value)) == np.inf
    assert autocorrelation_time(np.hstack([np.full((n, 1), value), Randomness(1).normal(n)[:, None]])) == np.inf


def test_too_few_steps_say_nothing():
    assert autocorrelation_time(np.array([[1.0], [2.0], [3.0]])) == np.inf


def test_it_does_not_depend_on_place_or_scale():
    x = autoregressive(0.5, 5_000)
    assert autocorrelation_time(1e-6 * x + 0.5) == pytest.approx(autocorrelation_time(x), rel=1e-6)


@pytest.mark.parametrize("n", [128, 500, 5000])
def test_a_walk_that_only_drifts_has_not_mixed(n):
    assert n / autocorrelation_time(np.linspace(0, 1, n)[:, None]) < ENOUGH
