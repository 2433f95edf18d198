"""Two columns whose kernel is never formed, beside the kernel formed."""

import numpy as np
import pytest

from sfumato.collection.reconstruction.mixtures import Laws, PairedLaws, quotients


def test_products_that_are_never_formed_do_what_products_do():
    rng = np.random.default_rng(1)
    first, second = rng.dirichlet(np.ones(5), size=3).T, rng.dirichlet(np.ones(4), size=2).T
    paired, formed = PairedLaws(first, second), Laws(np.kron(first, second))
    assert paired.n == formed.n == 6
    weights, ratios, places = rng.random(6), rng.random(20), rng.random(20)
    assert paired.expected(weights) == pytest.approx(formed.expected(weights))
    assert paired.back(ratios) == pytest.approx(formed.back(ratios))
    assert paired.curvature(places) == pytest.approx(formed.curvature(places))
    assert paired.condition == pytest.approx(formed.condition)
    even = np.full(6, 1 / 6)
    assert paired.smoother(0.3) @ even == pytest.approx(even)


def test_quotients_are_nothing_where_nothing_was_counted():
    assert quotients(np.array([0.0, 1.0, 1.0]), np.array([1.0, 2.0, 0.0])).tolist() == [0.0, 0.5, 0.0]
