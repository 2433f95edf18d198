"""Laplace noise on a grid: gamma by walking through the law, and the closed forms."""

import math
from fractions import Fraction as F
from types import SimpleNamespace

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.randomizers.draws import WHOLE
from sfumato.collection.randomizers.laplace_noise import _gamma, discrete_laplace_variance
from sfumato.errors import ParameterError


def gamma_by_walking(noise):
    """The largest ratio of any report under any two answers, from every probability of the law."""
    size, up, reach = noise.law
    heights = [size.height(m) for m in range(size.most * size.period)]
    first = (1 - F(size.again, WHOLE)) * math.prod((1 - F(each, WHOLE) for each in size.digits), start=F(1))
    worst, share = F(1), F(up, WHOLE)
    for report in range(-reach + 1, noise.steps + reach):
        moved = [report - code for code in range(noise.steps + 1)]
        under = [share * heights[y] if y >= 0 else (1 - share) * heights[-y - 1] for y in moved]
        worst = max(worst, max(under) / min(under))
    beyond = [1 - first * sum(heights[: reach - 1 + code]) for code in range(noise.steps + 1)]
    above = [1 - first * sum(heights[: reach + code]) for code in range(noise.steps + 1)]
    return max(worst, max(beyond) / min(beyond), max(above) / min(above))


@pytest.mark.parametrize(("steps", "epsilon"), [(1, 0.2), (5, 1.0), (12, 0.7), (12, 9.0)])
def test_gamma_is_the_largest_ratio_of_the_law(steps, epsilon):
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=epsilon, steps=steps)
    assert noise.privacy.gamma == gamma_by_walking(noise)


@pytest.mark.parametrize("up", [WHOLE // 2, WHOLE * 2 // 3, WHOLE * 9 // 10])
def test_gamma_is_right_also_where_sides_are_not_alike(up):
    """Thresholds that are never made: one side is much likelier than the other."""
    law = collection.LaplaceNoise(low=0, high=1, epsilon=1.0, steps=5).law._replace(up=up)
    assert _gamma(law, 5) == gamma_by_walking(SimpleNamespace(law=law, steps=5))


def test_vector_h11_discrete_laplace():
    assert discrete_laplace_variance(math.log(2)) == pytest.approx(4, abs=1e-12)
    assert discrete_laplace_variance(1.0) == pytest.approx(1.841347188416, abs=1e-12)
    for epsilon in (math.log(2), 1.0):
        noise = collection.LaplaceNoise(low=0, high=1, epsilon=epsilon, steps=1)
        assert noise.worst_variance == pytest.approx(discrete_laplace_variance(epsilon), rel=1e-6)


def test_on_a_fine_grid_the_variance_and_the_fourth_moment_are_those_of_laplace_noise():
    noise = collection.LaplaceNoise(low=-1, high=1, epsilon=2.0, steps=2_000)
    assert noise.worst_variance == pytest.approx(8 / 2.0**2, rel=1e-5)
    second, fourth = noise.moments
    assert fourth / second**2 == pytest.approx(6, rel=1e-4)


@pytest.mark.parametrize(("c", "width"), [(0.5, 1.386294361120), (0.95, 5.991464547108), (0.999, 13.815510557964)])
def test_interval_widths(c, width):
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=1.0)
    assert noise.interval_width(c) == pytest.approx(width, abs=1e-11)
    reports = noise.values_of(noise.randomize(np.full(20_000, 0.5), seed=1))
    assert (np.abs(reports - 0.5) <= width / 2).mean() == pytest.approx(c, abs=0.012)
    with pytest.raises(ParameterError, match="confidence must be"):
        noise.interval_width(1.0)


def test_what_is_cut_off_does_not_count():
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=0.5)
    outside = noise.noise.chances[np.abs(noise.noise.least + np.arange(len(noise.noise.chances))) > noise.reach].sum()
    assert outside < 3e-9
    assert noise.noise.moment(1) == pytest.approx(0, abs=1e-7 * noise.steps)


def test_noise_wider_than_any_grid_is_refused_with_the_way_out():
    with pytest.raises(ParameterError, match="give steps of 65 at the most, or a larger epsilon"):
        collection.LaplaceNoise(low=0, high=1, epsilon=0.001)
    assert collection.LaplaceNoise(low=0, high=1, epsilon=0.001, steps=65).privacy.epsilon <= 0.001
