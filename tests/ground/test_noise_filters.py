"""Taking noise out by what the columns have in common, and what is left of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.ground.noise_filters import filter_noise, left_by_filter, noise_variances, share_nearer


@pytest.mark.parametrize("by", ["bayes", "pca", "spectral"])
def test_a_filter_leaves_the_noise_of_one_direction(by):
    rng = np.random.default_rng(1)
    n, d = 20_000, 9
    signal = rng.normal(size=(n, 1)) * 30 @ np.ones((1, d))
    estimate = filter_noise(signal + rng.normal(size=(n, d)), by, np.eye(d))
    assert np.sqrt(np.mean((estimate - signal) ** 2)) == pytest.approx(np.sqrt(1 / d), rel=0.05)


def test_the_bayes_filter_is_the_wiener_filter():
    rng = np.random.default_rng(2)
    n, d = 50_000, 3
    mix = rng.normal(size=(d, d))
    signal = rng.normal(size=(n, d)) @ mix
    shown = signal + rng.normal(size=(n, d))
    cov = mix.T @ mix
    best = shown @ np.linalg.inv(cov + np.eye(d)) @ cov
    assert np.abs(filter_noise(shown, "bayes", np.eye(d)) - best).mean() < 0.05


def equicorrelated(d, rho):
    return np.full((d, d), rho) + np.eye(d) * (1 - rho)


def mean_left(signal, noise, by, components=None):
    return np.trace(left_by_filter(signal, noise, by, components)) / len(signal)


@pytest.mark.parametrize(
    ("rho", "s2", "bayes", "pca"),
    [(4 / 5, 1, 17 / 42, 3 / 5), (9 / 10, 1, 119 / 319, 11 / 20), (4 / 5, 1 / 2, 43 / 161, 7 / 20)],
)
def test_vector_n1_two_columns(rho, s2, bayes, pca):
    signal, noise = equicorrelated(2, rho), np.eye(2) * s2
    assert mean_left(signal, noise, "bayes") == pytest.approx(bayes, abs=1e-12)
    assert mean_left(signal, noise, "pca", 1) == pytest.approx(pca, abs=1e-12)


@pytest.mark.parametrize(("rho", "bayes", "pca"), [(1 / 2, 25 / 69, 21 / 40), (9 / 10, 281 / 2101, 29 / 200)])
def test_vector_n2_twenty_columns(rho, bayes, pca):
    signal = equicorrelated(20, rho)
    assert mean_left(signal, np.eye(20), "bayes") == pytest.approx(bayes, abs=1e-12)
    assert mean_left(signal, np.eye(20), "pca", 1) == pytest.approx(pca, abs=1e-12)


def test_vector_n3_how_far_the_variances_of_noise_reach():
    assert noise_variances(1000, 20) == pytest.approx((0.737157287525, 1.302842712475), abs=1e-11)
    assert noise_variances(4, 9)[0] == 0.0
    noise = np.random.default_rng(1).normal(size=(1000, 20))
    seen = np.linalg.eigvalsh(np.cov(noise.T))
    assert 0.70 < seen.min() < seen.max() < 1.34


matrices = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=(2, 3, 3)))


@given(matrices)
def test_what_is_left_is_that_of_the_formula_for_any_noise(parts):
    """Sx - Sx (Sx + Sy)^-1 Sx; no other filter leaves less."""
    signal, noise = parts[0] @ parts[0].T, parts[1] @ parts[1].T + np.eye(3) * 0.1
    left = left_by_filter(signal, noise, "bayes")
    assert left == pytest.approx(signal - signal @ np.linalg.inv(signal + noise) @ signal, abs=1e-8)
    single = np.diag(signal) * np.diag(noise) / (np.diag(signal) + np.diag(noise))
    assert (np.diag(left) <= single + 1e-9).all()
    for components in (1, 2, 3):
        assert np.trace(left) <= np.trace(left_by_filter(signal, noise, "pca", components)) + 1e-9
    assert left_by_filter(signal, noise, "pca", 3) == pytest.approx(noise, abs=1e-8)


def test_filters_leave_what_is_told_where_noise_hangs_together():
    rng = np.random.default_rng(3)
    signal, noise = equicorrelated(4, 0.9) * 4, equicorrelated(4, 0.5) * [1, 1, 1, 1]
    true = rng.multivariate_normal(np.arange(4), signal, 40_000)
    shown = true + rng.multivariate_normal(np.zeros(4), noise, 40_000)
    for by, components in (("bayes", None), ("pca", 1), ("pca", 2)):
        off = filter_noise(shown, by, noise, components) - true
        assert np.cov(off.T) == pytest.approx(left_by_filter(signal, noise, by, components), abs=0.06)


def test_nearer_is_counted_by_record():
    zero = np.zeros((2, 2))
    assert share_nearer(np.array([[0.0, 2.0], [1.0, 1.0]]), zero + 1.0, zero).tolist() == [0.5, 0.0]
