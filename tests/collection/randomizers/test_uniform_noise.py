"""Uniform noise promises nothing; its interval is a setting."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.errors import ParameterError


def test_nothing_is_promised_and_said_so():
    noise = collection.UniformNoise(low=0, high=10, margin=5)
    assert noise.privacy.gamma is None
    assert "promises nothing by itself" in noise.in_words()
    assert noise.privacy.answers_within(10.0) == 0


@pytest.mark.parametrize(("c", "width"), [(0.5, 1), (0.95, 1.9), (0.999, 1.998)])
def test_interval_widths(c, width):
    noise = collection.UniformNoise(low=0, high=1, margin=1)
    assert noise.interval_width(c) == pytest.approx(width, abs=1e-12)
    reports = noise.values_of(noise.randomize(np.full(20_000, 0.5), seed=1))
    assert (np.abs(reports - 0.5) <= width / 2).mean() == pytest.approx(c, abs=0.012)


def test_a_level_is_a_width_of_the_interval():
    noise = collection.UniformNoise.of_level(low=20, high=60, level=0.5, confidence=0.9)
    assert noise.interval_width(0.9) == pytest.approx(20)
    for change in ({"level": 0}, {"level": "x"}, {"confidence": 1.0}, {"low": 70}):
        with pytest.raises(ParameterError):
            collection.UniformNoise.of_level(**{"low": 20, "high": 60, "level": 0.5, **change})


def test_moments_are_those_of_the_law_in_whole_steps():
    noise = collection.UniformNoise(low=0, high=1, margin=0.5, steps=1_000)
    second, fourth = noise.moments
    assert second == pytest.approx(0.25 / 3, rel=3e-3)
    assert fourth / second**2 == pytest.approx(9 / 5, rel=1e-3)


@pytest.mark.parametrize("margin", [0, -1, 1e-6, 1e9, "1", None, float("nan")])
def test_margins_that_make_no_noise_are_refused(margin):
    with pytest.raises(ParameterError, match="margin must be"):
        collection.UniformNoise(low=0, high=1, margin=margin)
