"""Fisher's information on the simplex: vectors, the rule for cells, coverage."""

import numpy as np
import pytest

from sfumato.collection.reconstruction.cells import cell_kernel, laplace_integral, normal_integral, uniform_integral
from sfumato.collection.reconstruction.density import resolved_cells
from sfumato.collection.reconstruction.fisher import fisher_covariance, is_resolved, share_intervals
from sfumato.collection.reconstruction.likeliest import likeliest_weights
from sfumato.collection.reconstruction.mixtures import Laws

WARNER = np.array([[0.8, 0.2], [0.2, 0.8]])
GRR = np.full((4, 4), 1 / 6) + np.eye(4) / 3


def test_vector_l4_warner_and_kary_response():
    found = fisher_covariance(Laws(WARNER), np.array([0.3, 0.7]), 1000, "sampled")
    assert found[0, 0] == pytest.approx(589 / 900000, abs=1e-15)
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    assert fisher_covariance(Laws(GRR), shares, 1000, "sampled")[0, 0] == pytest.approx(0.00189, abs=1e-14)


def test_among_fixed_people_the_variance_is_that_of_the_closed_form():
    """n var at f of k-ary response: q(1-q)/(p-q)^2 + f (1-p-q)/(p-q)."""
    shares = np.array([0.4, 0.3, 0.2, 0.1])
    found = np.diag(fisher_covariance(Laws(GRR), shares, 1, "fixed"))
    assert found == pytest.approx(5 / 4 + shares * 1.0, abs=1e-12)


CONTINUOUS = {
    "normal": (normal_integral, 1.0),
    "laplace": (laplace_integral, 0.5**0.5),
    "uniform": (uniform_integral, 3**0.5),
}


def kernel_of(name, sd):
    integral, scale = CONTINUOUS[name]

    def made(cells):
        beyond = int(np.ceil(8 * sd * cells)) if name != "uniform" else int(np.ceil(2 * sd * cells)) + 1
        return cell_kernel(
            integral(scale * sd * cells), np.arange(cells + 1.0), np.arange(-beyond, cells + beyond + 1.0)
        )

    return made


@pytest.mark.parametrize(
    ("name", "sd", "cells"),
    [("normal", 0.25, (4, 5, 6)), ("laplace", 0.25, (6, 9, 15)), ("uniform", 0.25, (6, 13, 31)),
     ("normal", 0.1, (7, 9, 11)), ("laplace", 0.1, (11, 19, 31)), ("uniform", 0.1, (9, 19, 38))],
)  # fmt: skip
def test_how_many_cells_are_told_apart(name, sd, cells):
    """For 1,000, 10,000 and 100,000 values, with cells of z as wide as those of x."""
    assert tuple(resolved_cells(kernel_of(name, sd), n, 45) for n in (1e3, 1e4, 1e5)) == cells


@pytest.mark.parametrize(
    ("name", "k", "sd", "condition"),
    [("normal", 10, 1, 71.7), ("laplace", 10, 2, 21.1), ("uniform", 20, 3, 52.4), ("laplace", 20, 1, 7.01)],
)
def test_conditions_of_kernels(name, k, sd, condition):
    assert Laws(kernel_of(name, sd / k)(k)).condition == pytest.approx(condition, rel=6e-3)


def test_a_kernel_that_cannot_be_undone_tells_nothing_apart():
    assert not is_resolved(Laws(np.full((3, 2), 1 / 3)), 1e9)
    assert is_resolved(Laws(WARNER), 1000)
    assert not is_resolved(Laws(WARNER), 5)


def test_intervals_begin_at_0_where_a_share_may_be_none():
    low, high = share_intervals(np.array([0.5, 0.1, 0.0, 0.99]), np.array([0.1, 0.06, 0.02, 0.02]))
    assert low == pytest.approx([0.304, 0, 0, 0.9508], abs=1e-4)
    assert high == pytest.approx([0.696, 0.2176, 0.0392, 1], abs=1e-4)


def check_coverage(kernel, truth, *, n, runs, population, seed):
    rng = np.random.default_rng(seed)
    fixed = np.round(truth * n).astype(int)
    held = []
    for _ in range(runs):
        people = fixed if population == "fixed" else rng.multinomial(n, truth)
        counts = sum(rng.multinomial(each, law) for each, law in zip(people, kernel.T, strict=True)).astype(float)
        shares = likeliest_weights(Laws(kernel), counts)
        covariance = fisher_covariance(Laws(kernel), shares, n, population)
        low, high = share_intervals(shares, np.sqrt(np.maximum(np.diag(covariance), 0)))
        held.append((low <= truth + 1e-12) & (truth <= high + 1e-12))
    held, slack = np.mean(held, axis=0), 3.5 * np.sqrt(0.05 * 0.95 / runs)
    assert (held[truth > 0] > 0.93 - slack).all()
    assert (held[truth == 0] > 0.93 - slack).all(), "also where a cell is empty"
    return held


@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_a_few_intervals_hold(population):
    check_coverage(GRR, np.array([0.6, 0.4, 0.0, 0.0]), n=1000, runs=150, population=population, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_many_intervals_hold(population):
    inner = check_coverage(GRR, np.array([0.4, 0.3, 0.2, 0.1]), n=1000, runs=4000, population=population, seed=2)
    assert inner == pytest.approx(np.full(4, 0.95), abs=0.02)
    check_coverage(GRR, np.array([0.6, 0.4, 0.0, 0.0]), n=1000, runs=4000, population=population, seed=3)
    kernel = cell_kernel(normal_integral(1.0), np.arange(7.0), np.arange(-5.0, 12.0))
    wide = check_coverage(kernel, np.array([2, 3, 5, 5, 3, 2]) / 20, n=3000, runs=2000, population=population, seed=4)
    assert wide == pytest.approx(np.full(6, 0.95), abs=0.025)
