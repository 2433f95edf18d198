"""Duchi's mechanism: the closed forms, and the law on a grid beside them."""

import math

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.randomizers.duchi import duchi_reach, duchi_variance


def test_vector_h7_duchi():
    assert duchi_reach(math.log(4)) == pytest.approx(5 / 3, abs=1e-14)
    asked = collection.Duchi(low=-1, high=1, epsilon=math.log(4))
    for x in (-1.0, 0.0, 0.37, 1.0):
        assert duchi_variance(math.log(4), x) == pytest.approx(25 / 9 - x * x, abs=1e-13)
        assert asked.variance_at(x) == pytest.approx(25 / 9 - x * x, abs=1e-12)
    assert asked.values_of([0, 1]) == pytest.approx([-5 / 3, 5 / 3], abs=1e-12)


def test_vector_h8_duchi():
    assert duchi_reach(1.0) == pytest.approx(2.163953413739, abs=1e-12)
    assert collection.Duchi(low=-1, high=1, epsilon=1.0).values_of([1])[0] == pytest.approx(2.163953413739, abs=1e-11)


@pytest.mark.parametrize("steps", [1, 2, 3, 200, 9_999])
def test_thresholds_rise_evenly_and_both_ends_are_alike(steps):
    first, rise = collection.Duchi(low=0, high=1, epsilon=0.7, steps=steps).thresholds
    assert first + rise * steps == 2**53 - first


@pytest.mark.parametrize(
    ("epsilon", "n", "answer"), [(8.0, 50, 0.01), (8.0, 3, 0.5), (6.0, 200, 0.995), (1.0, 400, 0.5)]
)
def test_intervals_hold_near_the_ends_and_with_few_reports(epsilon, n, answer):
    asked = collection.Duchi(low=0, high=1, epsilon=epsilon)
    reports = asked.reports_of(asked.randomize(np.full(600 * n, answer), seed=1)).reshape(600, n)
    found = [asked.estimate(each) for each in reports]
    assert np.mean([each.low <= answer <= each.high for each in found]) > 0.93
    assert all(0 <= each.low < each.high <= 1 for each in found)
