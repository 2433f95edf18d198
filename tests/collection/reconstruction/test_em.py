"""EM and its smoothed form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.collection.reconstruction.em import converged_em, em_step, log_likelihood, smoothed
from sfumato.errors import ParameterError


@settings(max_examples=60)
@given(st.integers(2, 6), st.integers(2, 8), st.randoms(use_true_random=False))
def test_the_likelihood_of_plain_em_never_falls(n_laws, n_places, chance):
    kernel = np.array([[chance.random() for _ in range(n_laws)] for _ in range(n_places)]) + 1e-3
    kernel /= kernel.sum(axis=0)
    counts = np.array([float(chance.randrange(0, 20)) for _ in range(n_places)]) + (np.arange(n_places) == 0)
    weights = np.full(n_laws, 1 / n_laws)
    before = log_likelihood(kernel, counts, weights)
    for _ in range(40):
        weights = em_step(kernel, counts, weights)
        after = log_likelihood(kernel, counts, weights)
        assert after >= before - 1e-12
        before = after
    assert weights.sum() == pytest.approx(1.0)


def test_smoothing_keeps_the_sum_and_what_is_even():
    weights = np.array([0.5, 0.0, 0.3, 0.2])
    assert smoothed(weights, 1.0) == pytest.approx([0.375, 0.2, 0.2, 0.225])
    assert smoothed(weights, 0.3).sum() == pytest.approx(1.0)
    assert smoothed(np.full(5, 0.2), 0.7) == pytest.approx(np.full(5, 0.2))


def test_nothing_is_reconstructed_of_nothing():
    with pytest.raises(ParameterError, match="no counts"):
        converged_em(np.eye(3), np.zeros(3))
