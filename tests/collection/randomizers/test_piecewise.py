"""The piecewise mechanism: the closed forms, and the law on a grid beside them."""

import math

import pytest

from sfumato import collection
from sfumato.collection.randomizers.duchi import duchi_variance
from sfumato.collection.randomizers.piecewise import piecewise_density, piecewise_reach, piecewise_variance


def test_vector_h7_piecewise():
    epsilon = math.log(4)
    assert piecewise_reach(epsilon) == pytest.approx(3, abs=1e-14)
    assert piecewise_density(epsilon) == pytest.approx(1 / 3, abs=1e-14)
    for x in (-1.0, 0.0, 0.4):
        assert piecewise_variance(epsilon, x) == pytest.approx(x * x + 5 / 3, abs=1e-13)


def test_vector_h8_piecewise():
    assert piecewise_reach(1.0) == pytest.approx(4.082988165074, abs=1e-12)
    assert [piecewise_variance(1.0, x) for x in (0, 1)] == pytest.approx([3.682103369507, 5.223597452044], abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, math.log(4), 5.0])
def test_on_a_fine_grid_the_law_is_the_papers(epsilon):
    asked = collection.Piecewise(low=-1, high=1, epsilon=epsilon, steps=10_000)
    for x in (-1.0, 0.0, 0.3):
        assert asked.variance_at(x) == pytest.approx(piecewise_variance(epsilon, x), rel=1e-3)
    ends = asked.values_of(list(asked.ends))
    assert ends == pytest.approx([-piecewise_reach(epsilon), piecewise_reach(epsilon)], rel=1e-3)


def test_piecewise_is_better_than_duchi_at_the_worst_above_an_epsilon():
    for epsilon, better in ((1.28, False), (1.3, True)):
        assert (piecewise_variance(epsilon, 1) < duchi_variance(epsilon, 0)) == better
