"""Linear regression: slopes that noise does not shrink."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.errors import InfeasibleError

NOISE = collection.LaplaceNoise(low=-4, high=4, epsilon=8.0)
SLOPES = np.array([2.0, -1.0])


def people(n, seed):
    rng = np.random.default_rng(seed)
    x = np.clip(rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n), -4, 4)
    return x, x @ SLOPES + 3 + rng.normal(0, 0.5, n)


def reports_of(x, seed):
    return np.stack([NOISE.randomize(x[:, i], seed=f"{seed} {i}")["report"].to_numpy() for i in range(2)], axis=1)


def test_slopes_are_not_shrunk_and_their_errors_are_told():
    within, slopes, told = [], [], []
    for seed in range(120):
        x, y = people(4_000, seed)
        learner = collection.LinearRegression([NOISE, NOISE]).fit(reports_of(x, seed), y)
        slopes.append(learner.coef_)
        told.append(learner.stderr_)
        within.append(np.abs(learner.coef_ - SLOPES) < 1.96 * learner.stderr_)
    assert np.mean(slopes, axis=0) == pytest.approx(SLOPES, abs=0.12)
    assert np.std(slopes, axis=0) == pytest.approx(np.median(told, axis=0), rel=0.3)
    assert np.mean(within) > 0.9
    x, y = people(20_000, 1)
    plain = collection.LinearRegression().fit(np.stack([NOISE.values_of(r) for r in reports_of(x, 1).T], axis=1), y)
    assert abs(plain.coef_[0]) < 1.2, "taken for values, reports shrink the slope"


def test_without_noise_it_is_least_squares():
    x, y = people(500, 4)
    learner = collection.LinearRegression().fit(x, y)
    expected = np.linalg.lstsq(np.column_stack([x, np.ones(500)]), y, rcond=None)[0]
    assert [*learner.coef_, learner.intercept_] == pytest.approx(expected.tolist(), abs=1e-9)
    assert learner.score(x, y) > 0.9


def test_columns_that_are_all_noise_are_refused():
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=0.05)
    drawn = (noise.randomize(np.full(100, 0.5), seed=seed) for seed in range(20))
    reports = next(each for each in drawn if noise.estimate_variance(each).value < 0)
    with pytest.raises(InfeasibleError, match="100 reports do not tell the columns from their noise"):
        collection.LinearRegression([noise]).fit(reports, np.arange(100.0))


def test_slopes_are_those_on_the_grid_and_a_coarse_one_is_named():
    rng, noise = np.random.default_rng(1), collection.LaplaceNoise(low=0, high=10, epsilon=8.0, steps=3)
    x = rng.uniform(0, 10, 20_000)
    on_grid = noise.points()[noise.codes_of(x)]
    learner = collection.LinearRegression([noise]).fit(noise.randomize(x, seed=1), 3 * x)
    assert "grid of 3 steps" in learner.notes_[0]
    assert abs(learner.coef_[0] - np.polyfit(on_grid, 3 * x, 1)[0]) < 3 * learner.stderr_[0]
    fine = collection.LaplaceNoise(low=0, high=10, epsilon=8.0)
    learner = collection.LinearRegression([fine]).fit(fine.randomize(x, seed=1), 3 * x)
    assert not learner.notes_
    assert abs(learner.coef_[0] - 3) < 3 * learner.stderr_[0]
