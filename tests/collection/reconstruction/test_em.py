"""EM and its smoothed form: vectors, likelihood, limits."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.collection.reconstruction.cells import cell_kernel, normal_integral, uniform_integral
from sfumato.collection.reconstruction.em import (
    SMOOTHINGS,
    chosen_smoothing,
    converged_em,
    em_step,
    log_likelihood,
    smoothed,
)
from sfumato.collection.reconstruction.mixtures import Laws
from sfumato.errors import ParameterError

KERNEL = cell_kernel(uniform_integral(1.0), np.arange(5.0), np.arange(-1.0, 6.0))[1:-1]
COUNTS = np.array([1.0, 3, 5, 6, 4, 1])
EVEN = np.full(4, 1 / 4)


def test_vector_l1_two_steps_of_em():
    """In exact fractions too: the kernel of the vector holds quarters."""
    first = em_step(KERNEL, COUNTS, EVEN)
    assert first == pytest.approx([17 / 80, 1 / 4, 67 / 240, 31 / 120], abs=1e-15)
    second = em_step(KERNEL, COUNTS, first)
    assert second == pytest.approx([499 / 2520, 34535 / 137088, 8657137 / 29093120, 61731 / 244480], abs=1e-14)
    kernel = [[F(each).limit_denominator(4) for each in row] for row in KERNEL]

    def step(pi):
        expected = [sum(a * b for a, b in zip(row, pi, strict=True)) for row in kernel]
        ratio = [F(int(y)) / q for y, q in zip(COUNTS, expected, strict=True)]
        return [p * sum(row[i] * r for row, r in zip(kernel, ratio, strict=True)) / 20 for i, p in enumerate(pi)]

    exact = step(step([F(1, 4)] * 4))
    assert exact == [F(499, 2520), F(34535, 137088), F(8657137, 29093120), F(61731, 244480)]


def test_vector_l2_the_limit_the_condition_and_a_smoothed_step():
    assert converged_em(KERNEL, COUNTS) == pytest.approx([0.2, 0.2, 0.4, 0.2], abs=1e-9)
    assert Laws(KERNEL).condition == pytest.approx(5.825277025493, abs=1e-11)
    stepped = smoothed(em_step(KERNEL, COUNTS, EVEN), 1.0)
    assert stepped == pytest.approx([71 / 320, 119 / 480, 4 / 15, 253 / 960], abs=1e-15)


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
    limit = converged_em(kernel, counts)
    assert log_likelihood(kernel, counts, limit) >= before - 1e-6, "the limit is a maximum"


def normal_counts(cells, n, sd, seed):
    rng = np.random.default_rng(seed)
    kernel = cell_kernel(normal_integral(sd), np.arange(cells + 1.0), np.arange(-4.0 * sd, cells + 4.0 * sd))
    truth = rng.dirichlet(np.full(cells, 2.0))
    return kernel, rng.multinomial(n, kernel @ truth).astype(float), truth


@pytest.mark.parametrize("smoothing", [1.0, 0.3, 0.05, 0.01, 0.001])
@pytest.mark.parametrize(("cells", "n", "sd"), [(6, 500, 1.0), (20, 10_000, 2.0), (20, 1_000, 5.0)])
def test_the_limit_of_ems_is_where_its_steps_stay(cells, n, sd, smoothing):
    kernel, counts, _ = normal_counts(cells, n, sd, 1)
    limit = converged_em(kernel, counts, smoothing)
    assert smoothed(em_step(kernel, counts, limit), smoothing) == pytest.approx(limit, abs=1e-9)
    assert limit.sum() == pytest.approx(1.0)
    if smoothing >= 0.05:
        weights = np.full(cells, 1 / cells)
        for _ in range(4000):
            weights = smoothed(em_step(kernel, counts, weights), smoothing)
        assert limit == pytest.approx(weights, abs=1e-6), "which is where they lead"


def test_smoothing_keeps_the_sum_and_what_is_even():
    weights = np.array([0.5, 0.0, 0.3, 0.2])
    assert smoothed(weights, 1.0) == pytest.approx([0.375, 0.2, 0.2, 0.225])
    assert smoothed(weights, 0.3).sum() == pytest.approx(1.0)
    assert smoothed(np.full(5, 0.2), 0.7) == pytest.approx(np.full(5, 0.2))


def test_smooth_truths_are_smoothed_more():
    kernel = cell_kernel(normal_integral(2.0), np.arange(21.0), np.arange(-8.0, 29.0))
    rng = np.random.default_rng(1)
    chosen = {}
    for name, truth in {"even": np.full(20, 1 / 20), "spikes": np.eye(20)[3] / 2 + np.eye(20)[12] / 2}.items():
        counts = rng.multinomial(20_000, kernel @ truth).astype(float)
        chosen[name] = chosen_smoothing(Laws(kernel), counts)
        assert chosen[name] == chosen_smoothing(Laws(kernel), counts), "the same counts are dealt in the same way"
    assert chosen["even"] == SMOOTHINGS[0]
    assert chosen["spikes"] <= 0.01


def test_few_counts_are_smoothed_too():
    assert chosen_smoothing(Laws(KERNEL), np.array([0.0, 0, 1, 0, 0, 0])) in SMOOTHINGS


def test_nothing_is_reconstructed_of_nothing():
    with pytest.raises(ParameterError, match="no counts"):
        converged_em(np.eye(3), np.zeros(3))
