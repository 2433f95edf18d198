"""Kernels by integrated cells: the vectors, and the law of reports on a grid beside them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.reconstruction.cells import (
    GridNoise,
    cell_kernel,
    grid_integral,
    laplace_integral,
    normal_integral,
    uniform_integral,
)
from support.enumerated_draws import report_law

EDGES = np.arange(5.0)


def test_vector_l1_the_kernel_of_uniform_noise():
    kernel = cell_kernel(uniform_integral(1.0), EDGES, np.arange(-1.0, 6.0))
    assert kernel[0].tolist() == kernel[-1].tolist() == [0.0] * 4
    assert kernel[1:-1, 0].tolist() == [1 / 4, 1 / 2, 1 / 4, 0, 0, 0]


def test_vector_l3_noise_of_half_a_cell():
    kernel = cell_kernel(uniform_integral(0.5), EDGES, np.arange(-1.0, 6.0))
    assert kernel[1:4, 0].tolist() == [1 / 8, 3 / 4, 1 / 8]


def test_normal_noise_as_wide_as_a_cell():
    kernel = cell_kernel(normal_integral(1.0), np.arange(2.0), np.arange(-5.0, 7.0))
    assert kernel[6:10, 0] == pytest.approx([0.368746380373, 0.240802041843, 0.066716219671, 0.007733539241], abs=1e-12)


INTEGRALS = {"normal": normal_integral, "uniform": uniform_integral, "laplace": laplace_integral}


@pytest.mark.parametrize("name", INTEGRALS)
@given(st.floats(0.05, 20), st.integers(1, 6), st.lists(st.floats(-30, 30), min_size=1, max_size=8, unique=True))
def test_columns_sum_to_one_whatever_the_cells(name, size, n_cells, z_edges):
    kernel = cell_kernel(INTEGRALS[name](size), np.linspace(-1, 2, n_cells + 1), np.sort(z_edges))
    assert kernel.sum(axis=0) == pytest.approx(np.ones(n_cells), abs=1e-12)
    assert (kernel >= 0).all()


@pytest.mark.parametrize("name", INTEGRALS)
def test_kernels_are_what_is_drawn(name):
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, 200_000)
    noise = {
        "normal": rng.normal(0, 0.7, x.size),
        "uniform": rng.uniform(-0.7, 0.7, x.size),
        "laplace": rng.laplace(0, 0.7, x.size),
    }
    z_edges = np.array([-1.0, 0.0, 0.4, 1.0, 1.5])
    seen = np.bincount(np.searchsorted(z_edges, x + noise[name]), minlength=6) / x.size
    assert cell_kernel(INTEGRALS[name](0.7), np.array([0.0, 1.0]), z_edges)[:, 0] == pytest.approx(seen, abs=0.006)


@pytest.mark.parametrize("noise", [
    collection.LaplaceNoise(low=0, high=1, epsilon=4.0, steps=4), collection.UniformNoise(low=0, high=1, margin=0.5, steps=4),
    collection.NormalNoise(low=0, high=1, sd=0.2, steps=4), collection.Staircase(low=0, high=1, epsilon=4.0, steps=4),
], ids=lambda each: type(each).__name__)  # fmt: skip
def test_kernels_of_grid_noise_are_those_of_the_exact_law_of_reports(noise):
    """Answers uniform on a cell are grid points with chances by their share of it; then every draw is enumerated."""
    laws = [report_law(noise, code) for code in range(5)]
    for cells in (1, 2, 3, 4):
        kernel, lasts = noise.kernel(cells)
        edges = np.linspace(0, 4, cells + 1)
        expected = np.zeros_like(kernel)
        for i in range(cells):
            for code, law in enumerate(laws):
                share = max(min(edges[i + 1], code + 0.5) - max(edges[i], code - 0.5), 0) / (edges[i + 1] - edges[i])
                for (report,), chance in law.items():
                    expected[np.searchsorted(lasts, report), i] += share * float(chance)
        assert kernel == pytest.approx(expected, abs=1e-9)
        assert kernel.sum(axis=0) == pytest.approx(np.ones(cells), abs=1e-12)


def test_noise_on_a_fine_grid_has_the_kernel_without_one():
    noise = collection.NormalNoise(low=0, high=5, sd=0.5, steps=1_000)
    coarse = cell_kernel(grid_integral(noise.noise), np.linspace(0, 1000, 6), np.arange(-200.0, 1201.0, 200.0))
    assert coarse == pytest.approx(cell_kernel(normal_integral(0.5), np.arange(6.0), np.arange(-1.0, 7.0)), abs=1e-5)


def test_no_noise_on_a_grid_leaves_cells_as_they_are():
    kernel = cell_kernel(
        grid_integral(GridNoise(0, np.ones(1))), np.array([-0.5, 1.5, 3.5]), np.array([-0.5, 1.5, 3.5])
    )
    assert kernel.tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]
