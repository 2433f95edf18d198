"""The discrete Laplace law against its definition, summed up number by number."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.ground import discrete_laplace
from sfumato.ground.discrete_laplace import half_width, mean_size, standard_deviation, upper_tail


def law(scale, far=None):
    """P(z) for z from -far to far, by the definition."""
    far = far or math.ceil(60 * scale) + 5
    weights = np.exp(-np.abs(np.arange(-far, far + 1)) / scale)
    return weights / weights.sum(), far


def law_of_sum(scale, n):
    """The law of a sum of n draws, by adding one draw after the other."""
    one, far = law(scale)
    found = one
    for _ in range(n - 1):
        found = np.convolve(found, one)
    return found, n * far


def least_margin(scale, n, confidence):
    """The least t with P(|sum| > t) <= 1 - confidence, by trying all."""
    found, far = law_of_sum(scale, n)
    size = np.abs(np.arange(-far, far + 1))
    return next(t for t in range(far) if found[size > t].sum() <= 1 - confidence + 1e-12)


@pytest.mark.parametrize("scale", [0.1, 0.5, 1.0, 2.0, 7.3])
def test_tails_and_moments_are_those_of_the_definition(scale):
    p, far = law(scale)
    z = np.arange(-far, far + 1)
    for least in (0, 1, 2, 5, 11):
        assert upper_tail(scale, least) == pytest.approx(p[z >= least].sum(), abs=1e-12)
    assert mean_size(scale) == pytest.approx((p * np.abs(z)).sum())
    assert standard_deviation(scale) ** 2 == pytest.approx((p * z**2).sum())
    assert standard_deviation(scale, 9) == pytest.approx(3 * standard_deviation(scale))


def test_the_closed_interval_is_right_and_an_open_one_is_not():
    """Section P3: at scale 2 the margin 6 is exceeded with probability .0376, and reached or exceeded with .0620."""
    assert half_width(2.0) == 6
    assert 2 * upper_tail(2.0, 7) == pytest.approx(0.0376, abs=5e-5)
    assert 2 * upper_tail(2.0, 6) == pytest.approx(0.0620, abs=5e-5)
    assert 2 * upper_tail(1.0, half_width(1.0) + 1) == pytest.approx(0.0268, abs=5e-5)


@given(st.floats(0.2, 5), st.integers(1, 6), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=60, deadline=None)
def test_margins_of_sums_are_the_least_that_cover(scale, n, confidence):
    assert half_width(scale, n, confidence) == least_margin(scale, n, confidence)


def test_a_sum_of_none_has_no_noise():
    assert half_width(3.0, 0) == 0


@pytest.mark.parametrize(("scale", "n"), [(1.0, 2), (4.0, 7), (30.0, 50)])
def test_what_is_too_large_to_transform_gets_a_margin_that_is_wide_enough(scale, n, monkeypatch):
    exact = half_width(scale, n)
    monkeypatch.setattr(discrete_laplace, "_MOST_POINTS", 1)
    assert exact <= half_width(scale, n) <= 2 * exact


def test_many_draws_are_nearly_normal():
    assert half_width(10.0, 10_000) == pytest.approx(1.96 * standard_deviation(10.0, 10_000), rel=0.002)
