"""Staircase noise: two splits, and the law on a grid beside the closed forms."""

import pytest

from sfumato import collection
from sfumato.collection.randomizers import staircase
from sfumato.collection.randomizers.draws import WHOLE
from sfumato.collection.randomizers.laplace_noise import discrete_laplace_variance
from sfumato.collection.randomizers.staircase import (
    split_for_distance,
    split_for_variance,
    staircase_distance,
    staircase_variance,
)
from sfumato.errors import ParameterError
from support.enumerated_draws import gamma_by_enumeration


def test_vector_h10_the_two_splits():
    assert split_for_distance(1.0) == pytest.approx(0.377540668798, abs=1e-12)
    assert staircase_distance(1.0) == pytest.approx(0.959517375667, abs=1e-12)
    assert split_for_variance(1.0) == pytest.approx(0.416737434929, abs=1e-12)
    assert staircase_variance(1.0) == pytest.approx(1.918103531236, abs=1e-12)


def test_vector_h11_staircase():
    assert staircase_variance(4.0) == pytest.approx(0.064978782485, abs=1e-12)
    assert discrete_laplace_variance(4.0 / 1000) / 1000**2 == pytest.approx(0.125, rel=1e-5)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0, 8.0])
def test_on_a_fine_grid_the_variance_is_the_papers(epsilon):
    asked = collection.Staircase(low=0, high=1, epsilon=epsilon, steps=4_000)
    assert asked.worst_variance == pytest.approx(staircase_variance(epsilon), rel=1e-4)
    assert asked.worst_variance < collection.LaplaceNoise(low=0, high=1, epsilon=epsilon, steps=4_000).worst_variance


@pytest.mark.parametrize("share", [0.05, 0.9])
@pytest.mark.parametrize("n_high", [1, 2])
def test_gamma_is_that_of_the_draws_whatever_the_stairs(share, n_high, monkeypatch):
    """Thresholds that are never made: the high part too high, or lower than the low one."""
    asked = collection.Staircase(low=0, high=1, epsilon=3.0, steps=3)
    stairs = asked.law._replace(high=int(share * WHOLE), n_high=n_high)
    monkeypatch.setattr(staircase, "_law", lambda epsilon, steps: stairs)
    assert gamma_by_enumeration(asked, range(4)) == asked.privacy.gamma


def test_the_law_is_the_same_on_both_sides_of_half_a_step():
    noise = collection.Staircase(low=0, high=1, epsilon=1.0, steps=10).noise
    assert (noise.chances == noise.chances[::-1]).all()
    assert noise.moment(1) == pytest.approx(0, abs=1e-12)
    assert noise.chances.sum() == pytest.approx(1, abs=1e-12)


def test_interval_width_holds_the_answer():
    asked = collection.Staircase(low=0, high=1, epsilon=1.0)
    reports = asked.values_of(asked.randomize([0.5] * 20_000, seed=1))
    for c in (0.5, 0.95):
        assert (abs(reports - 0.5) <= asked.interval_width(c) / 2).mean() == pytest.approx(c, abs=0.012)
    with pytest.raises(ParameterError, match="confidence"):
        asked.interval_width(0)
