"""Duchi's mechanism: the closed forms, and the law on a grid beside them."""

import math

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
