"""Entropy privacy: the closed forms, and cells that are halved beside them."""

import math

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.cells import cell_kernel, normal_integral, uniform_integral
from sfumato.collection.reconstruction.entropy import (
    EntropyPrivacy,
    entropy_privacy,
    normal_information,
    refined_entropy_privacy,
    uniform_information,
)


def by_cells(integral, edges, shares, reach):
    """Cells of x as given, and of z as wide."""
    width = float(edges[1] - edges[0])

    def kernel_of(finer):
        z = np.arange(edges[0] - reach, edges[-1] + reach, width / finer)
        return cell_kernel(integral, np.linspace(edges[0], edges[-1], (len(edges) - 1) * finer + 1), z)

    return refined_entropy_privacy(kernel_of, shares, width)


def test_vector_h1_two_halves_that_noise_does_not_hide():
    """Which half is one bit; within each, uniform noise on a unit."""
    information = 1.0 + uniform_information(1.0)
    left = 1.0 - information
    assert left == pytest.approx(-0.360673760222, abs=1e-12)
    assert 2.0**left == pytest.approx(math.exp(-1 / 4), abs=1e-12)
    assert EntropyPrivacy(information, 2.0, 2.0**left, 0.0, 1.0).loss == pytest.approx(0.610599608464, abs=1e-12)
    cells = np.zeros(25)
    cells[:5] = cells[20:] = 1 / 10
    found = by_cells(uniform_integral(1.0), np.linspace(0, 5, 26), cells, 1.5)
    assert math.log2(found.left) == pytest.approx(-0.360673760222, abs=2e-3)
    assert found.prior == pytest.approx(2.0, abs=1e-12)
    assert found.loss == pytest.approx(0.610599608464, abs=2e-3)
    assert found.most_believed == pytest.approx(1.0, abs=0.05), "at an end a report gives the answer away"
    assert found.least_left < 0.06


def test_vector_h2_uniform_on_uniform():
    """Noise from 0 to 1 tells what noise from -1/2 to 1/2 does."""
    information = uniform_information(0.5)
    assert 2.0**-information == pytest.approx(math.exp(-1 / 2), abs=1e-12)
    assert EntropyPrivacy(information, 1, 2.0**-information, 0, 1).loss == pytest.approx(0.393469340287, abs=1e-12)
    found = by_cells(uniform_integral(0.5), np.linspace(0, 1, 21), np.full(20, 0.05), 0.6)
    assert found.left == pytest.approx(0.606530659713, abs=2e-3)
    assert found.loss == pytest.approx(0.393469340287, abs=2e-3)


@pytest.mark.parametrize(
    ("variance", "noise", "left", "loss"),
    [(1, 1, 2.922282365322, 0.292893218813), (1, 4, 3.696427296225, 0.105572809), (4, 1, 3.696427296225, 0.5527864045)],
)
def test_vector_h3_normal_on_normal(variance, noise, left, loss):
    information = normal_information(variance, noise)
    prior = math.sqrt(2 * math.pi * math.e * variance)
    assert prior * 2.0**-information == pytest.approx(left, abs=1e-11)
    assert EntropyPrivacy(information, prior, left, 0, 1).loss == pytest.approx(loss, abs=1e-10)
    sd = math.sqrt(variance)
    edges = np.linspace(-5 * sd, 5 * sd, 101)
    shares = np.exp(-0.5 * ((edges[1:] + edges[:-1]) / 2 / sd) ** 2)
    found = by_cells(normal_integral(math.sqrt(noise)), edges, shares / shares.sum(), 5 * math.sqrt(noise))
    assert found.left == pytest.approx(left, rel=3e-3)
    assert found.loss == pytest.approx(loss, abs=2e-3)


@pytest.mark.parametrize(("reach", "nats"), [(0.25, 0.943147180560), (0.5, 0.5), (1.0, 0.25), (2.0, 0.125)])
def test_vector_h4_uniform_noise(reach, nats):
    assert uniform_information(reach) * math.log(2) == pytest.approx(nats, abs=1e-12)
    found = by_cells(uniform_integral(reach), np.linspace(0, 1, 21), np.full(20, 0.05), reach + 0.1)
    assert found.information * math.log(2) == pytest.approx(nats, abs=2e-3)


def test_coarse_cells_of_reports_flatter_the_privacy():
    edges, shares = np.linspace(0, 1, 21), np.full(20, 0.05)
    told = [
        entropy_privacy(cell_kernel(uniform_integral(0.3), edges, np.linspace(-0.3, 1.3, k)), shares, 0.05).information
        for k in (5, 9, 17, 33, 65)
    ]
    assert (np.diff(told) >= -1e-12).all()


def test_information_is_that_of_the_plain_double_sum():
    rng = np.random.default_rng(1)
    kernel, shares = rng.dirichlet(np.ones(7), size=4).T, np.array([0.5, 0.3, 0.2, 0.0])
    expected = kernel @ shares
    plain = sum(
        shares[i] * kernel[j, i] * math.log2(kernel[j, i] / expected[j]) for i in range(3) for j in range(7)
    )  # fmt: skip
    found = entropy_privacy(kernel, shares, 2.0)
    assert found.information == pytest.approx(plain, abs=1e-12)
    assert found.prior / found.left == pytest.approx(2.0**plain, abs=1e-12)
    assert found.least_left <= found.left <= found.prior


def test_a_randomizer_tells_the_entropy_that_is_left_of_a_density():
    noise = collection.LaplaceNoise(low=0, high=100, epsilon=1.0)
    density = noise.reconstruct(noise.randomize(np.linspace(0, 100, 20_000), seed=1), smoothing=1.0)
    told = noise.entropy_privacy(density)
    assert 0 < told.loss < 0.2
    assert told.prior == pytest.approx(100, rel=0.1), "all widths are in the unit of the answers"
    assert told.most_believed <= noise.privacy.posterior(float(density.shares.max())) + 1e-9
