"""Norm-sub is the projection on the simplex, and less biased than clipping."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.collection.reconstruction.norm_sub import norm_sub


def test_vector_j15_shares_below_0():
    assert norm_sub(np.array([0.9, 0.3, -0.1, -0.3])) == pytest.approx([4 / 5, 1 / 5, 0, 0], abs=1e-12)
    assert norm_sub(np.array([6, 5, 1, -2]) / 10) == pytest.approx(np.array([16, 13, 1, 0]) / 30, abs=1e-12)


@given(st.lists(st.floats(-2, 2), min_size=1, max_size=6), st.integers(0, 1000))
def test_no_point_of_the_simplex_is_nearer(shares, seed):
    given_shares = np.array(shares)
    found = norm_sub(given_shares)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0).all()
    for other in np.random.default_rng(seed).dirichlet(np.ones(len(shares)), size=20):
        assert ((found - given_shares) ** 2).sum() <= ((other - given_shares) ** 2).sum() + 1e-12
