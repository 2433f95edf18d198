"""Moments without reconstruction: unbiased, with the variances of the formulas, by enumeration."""

from itertools import product

import numpy as np
import pytest

from sfumato.collection.reconstruction.moments import (
    NoiseMoments,
    covariance_answer,
    variance_answer,
    variance_of_variance,
)

COIN = NoiseMoments(1.0, 1.0)
"""Noise of +1 or -1."""


def test_variances_of_three_people_under_every_noise():
    x = np.array([0.0, 1.0, 3.0])
    found = [variance_answer(x + y, COIN, "fixed").value for y in map(np.array, product((-1, 1), repeat=3))]
    assert np.var(x, ddof=1) + 1 == pytest.approx(10 / 3), "the mean of the sample variance of z"
    assert np.mean(found) == pytest.approx(np.var(x, ddof=1), abs=1e-12)
    assert np.var(found) == pytest.approx(5, abs=1e-12)
    assert variance_of_variance(3, float(np.var(x, ddof=1)), COIN) == pytest.approx(5, abs=1e-12)


@pytest.mark.parametrize("x", [(0.0, 1.0, 3.0, 7.0), (2.0, 2.0, 2.0, 2.0, 5.0), (1.0, 4.0)])
def test_variances_of_a_few_people_under_every_noise(x):
    """Noise of -2, 0, 0 or 2: second moment 2, fourth 8."""
    noise = NoiseMoments(2.0, 8.0)
    found = [variance_answer(np.array(x) + y, noise, "fixed").value for y in product((-2, 0, 0, 2), repeat=len(x))]
    own = float(np.var(x, ddof=1))
    assert np.mean(found) == pytest.approx(own, abs=1e-12)
    assert np.var(found) == pytest.approx(variance_of_variance(len(x), own, noise), abs=1e-10)


def test_covariances_of_three_people_under_every_noise():
    x, w = np.array([0.0, 1.0, 3.0]), np.array([1.0, -1.0, 2.0])
    noises = [np.array(each) for each in product((-1.0, 1.0), repeat=3)]
    found = [
        covariance_answer(x + a, w + 2 * b, (COIN, NoiseMoments(4, 16)), "fixed").value for a in noises for b in noises
    ]
    own = np.cov(x, w)
    assert np.mean(found) == pytest.approx(own[0, 1], abs=1e-12)
    assert np.var(found) == pytest.approx((4 * own[0, 0] + 1 * own[1, 1] + 4) / 2, abs=1e-12)


def test_an_estimate_below_0_stays_and_is_told():
    answer = variance_answer(np.array([0.0, 0.1, 0.05]), COIN, "fixed")
    assert answer.value < 0
    assert (answer.low, answer.high >= 0) == (0.0, True)
    assert "below 0" in answer.notes[0]
    assert not variance_answer(np.array([0.0, 9.0, 3.0]), COIN, "fixed").notes


def check_moments(*, n, runs, seed, population):
    """Normal noise on two columns that go together; how often intervals hold the truth."""
    rng = np.random.default_rng(seed)

    def people():
        x = rng.gamma(2.0, 1.0, n)
        return x, 0.5 * x + rng.normal(0, 1, n)

    x, w = people()
    truth = (np.var(x, ddof=1), np.cov(x, w)[0, 1]) if population == "fixed" else (2.0, 1.0)
    noise, held = NoiseMoments(1.5**2, 3 * 1.5**4), []
    for _ in range(runs):
        if population == "sampled":
            x, w = people()
        z, v = x + rng.normal(0, 1.5, n), w + rng.normal(0, 1.5, n)
        answers = variance_answer(z, noise, population), covariance_answer(z, v, (noise, noise), population)
        held.append([each.low <= t <= each.high for each, t in zip(answers, truth, strict=True)])
    slack = 0.02 + 3 * np.sqrt(0.05 * 0.95 / runs) * (runs < 3000)
    assert np.mean(held, axis=0) == pytest.approx([0.95, 0.95], abs=slack)


@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_a_few_intervals_hold(population):
    check_moments(n=600, runs=300, seed=1, population=population)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_many_intervals_hold(population):
    check_moments(n=1500, runs=4000, seed=2, population=population)


@pytest.mark.parametrize("population", ["fixed", "sampled"])
@pytest.mark.parametrize("n", [3, 5, 10, 50])
def test_intervals_of_variances_hold_for_few_reports(n, population):
    """Laplace noise of scale 1/2 on answers that are even from 0 to 1."""
    rng, held, noise = np.random.default_rng(n), [], NoiseMoments(2 * 0.25, 24 * 0.0625)
    for _ in range(500):
        x = rng.random(n)
        truth = 1 / 12 if population == "sampled" else x.var(ddof=1)
        found = variance_answer(x + rng.laplace(0, 0.5, n), noise, population)
        held.append(found.low <= truth <= found.high)
        assert np.isfinite(found.high) or "no upper end" in found.notes[-1]
    assert np.mean(held) > 0.91
