"""Principal axes against a library, and draws along them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground.randomness import Randomness
from sfumato.tables.condensing.axes import principal_axes
from support.condensed_tables import one_group


@given(st.integers(0, 10_000), st.integers(1, 7), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_axes_equal_those_of_a_library(seed, d, n):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(n, d))
    covariance = base.T @ base / n
    scales = 10.0 ** rng.integers(-3, 4, d)
    values, vectors = principal_axes(covariance[None] * np.outer(scales, scales), scales)
    assert (np.diff(values[0]) <= 1e-12).all()
    np.testing.assert_allclose(values[0], np.sort(np.linalg.eigvalsh(covariance))[::-1].clip(0), atol=1e-9)
    np.testing.assert_allclose(vectors[0] @ vectors[0].T, np.eye(d), atol=1e-9)
    np.testing.assert_allclose(vectors[0] * values[0] @ vectors[0].T, covariance, atol=1e-9)


def test_draws_are_uniform_along_the_axes_with_the_group_s_mean_and_covariance():
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(30, 3)) @ np.array([[3.0, 1, 0], [0, 1, 5], [0, 0, 0.1]]) + 100
    group = one_group(numbers)
    scales = np.array([1.0, 1.0, 1.0])
    drawn = group.draw(np.zeros(40_000, dtype=np.int64), scales, Randomness(5))
    np.testing.assert_allclose(drawn.mean(axis=0), numbers.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(np.cov(drawn.T, bias=True), group.covariances[0], rtol=0.05, atol=0.05)
    values, vectors = principal_axes(group.covariances, scales)
    along = (drawn - numbers.mean(axis=0)) @ vectors[0] / np.sqrt(3 * values[0])
    assert np.abs(along).max() <= 1 + 1e-9
    for c in range(3):  # uniform: the quartiles lie where they should
        np.testing.assert_allclose(np.quantile(along[:, c], [0.25, 0.5, 0.75]), [-0.5, 0, 0.5], atol=0.02)


def test_a_group_of_one_value_draws_that_value():
    drawn = one_group(np.full((5, 2), 7.0)).draw(np.zeros(9, dtype=np.int64), np.ones(2), Randomness(1))
    assert (drawn == 7).all()
