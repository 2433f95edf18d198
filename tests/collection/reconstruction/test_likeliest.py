"""The likeliest weights: optimal, and where EM leads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.collection.reconstruction.em import em_step, log_likelihood
from sfumato.collection.reconstruction.likeliest import likeliest_weights
from sfumato.collection.reconstruction.mixtures import Laws


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 10**6))
def test_no_direction_makes_the_counts_likelier(n_laws, n_places, seed):
    """The conditions of a maximum: no law has a mean ratio above 1, and those that have a weight have just 1."""
    rng = np.random.default_rng(seed)
    kernel = rng.dirichlet(np.full(n_places, 0.5), size=n_laws).T + 1e-6
    kernel /= kernel.sum(axis=0)
    counts = rng.integers(0, 30, n_places).astype(float) + (np.arange(n_places) == 0)
    weights = likeliest_weights(Laws(kernel), counts)
    slopes = kernel.T @ (counts / counts.sum() / (kernel @ weights))
    assert weights.sum() == pytest.approx(1.0)
    assert slopes.max() < 1 + 1e-4
    assert slopes[weights > 1e-4] == pytest.approx(np.ones((weights > 1e-4).sum()), abs=1e-4)


def test_em_leads_there():
    rng = np.random.default_rng(2)
    kernel = rng.dirichlet(np.full(9, 1.0), size=4).T
    counts = rng.multinomial(5000, kernel @ [0.5, 0.3, 0.2, 0.0]).astype(float)
    weights = np.full(4, 1 / 4)
    for _ in range(20_000):
        weights = em_step(kernel, counts, weights)
    found = likeliest_weights(Laws(kernel), counts)
    assert found == pytest.approx(weights, abs=1e-3)
    assert log_likelihood(kernel, counts, found) >= log_likelihood(kernel, counts, weights) - 1e-9


def test_laws_that_are_the_same_and_places_where_no_law_leads():
    kernel = np.array([[0.5, 0.5, 0.1], [0.5, 0.5, 0.9], [0.0, 0.0, 0.0]])
    weights = likeliest_weights(Laws(kernel), np.array([50.0, 50.0, 3.0]))
    assert weights[:2].sum() == pytest.approx(1.0, abs=1e-4)
