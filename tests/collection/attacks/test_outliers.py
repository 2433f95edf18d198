"""Tails: who lies far out is recognized, and reports beyond the bounds narrow the answer down."""

from math import erfc, sqrt

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.attacks.outliers import likely_width, possible_width
from sfumato.errors import DataError, ParameterError

UNIFORM = collection.Outliers(low=0, high=1, noise=1 / sqrt(3))


def simple_width(report, density, low=0.0, high=1.0):
    """The narrowest 95% by a fine grid: the likeliest cells until they are enough."""
    cells = np.linspace(low, high, 20_001)
    cells = (cells[1:] + cells[:-1]) / 2
    weights = np.sort(density(report - cells))[::-1]
    enough = np.searchsorted(np.cumsum(weights) / weights.sum(), 0.95) + 1
    return enough * (high - low) / len(cells)


DENSITIES = {
    "uniform": lambda u: (np.abs(u) <= 1).astype(float), "normal": lambda u: np.exp(-(u**2) * 3 / 2),
    "laplace": lambda u: np.exp(-np.abs(u) * sqrt(6)),
}  # fmt: skip
"""Each of standard deviation 1/sqrt(3)."""


def test_uniform_noise_leaves_a_tenth_of_the_answers():
    """A report of 1.9 with noise from -1 to 1 is of an answer from 0.9 to 1."""
    assert possible_width(1.9, UNIFORM) == pytest.approx(0.1)
    assert likely_width(1.9, UNIFORM) == pytest.approx(0.095)
    assert possible_width(0.5, UNIFORM) == 1.0


@pytest.mark.parametrize("report", [-0.9, 0.3, 0.5, 1.0, 1.2, 1.9])
@pytest.mark.parametrize("distribution", DENSITIES)
def test_likely_answers_are_those_of_a_fine_grid(distribution, report):
    known = collection.Outliers(low=0, high=1, noise=1 / sqrt(3), distribution=distribution)
    assert likely_width(report, known) == pytest.approx(simple_width(report, DENSITIES[distribution]), abs=3e-4)


@pytest.mark.parametrize("distribution", ["normal", "laplace"])
def test_farther_reports_never_leave_more(distribution):
    known = collection.Outliers(low=-1, high=2, noise=0.7, distribution=distribution)
    widths = [likely_width(0.5 + step, known) for step in np.linspace(0, 9, 40)]
    assert (np.diff(widths) <= 1e-9).all()
    assert possible_width(9.0, known) == 3.0


def test_one_far_out_is_certain_among_ten_thousand():
    """The bulk is N(0, 1), noise N(0, 4): a report above 14 is of the bulk with 1.913e-10."""
    assert erfc(14 / sqrt(5) / sqrt(2)) / 2 == pytest.approx(1.913e-10, rel=1e-3)
    rng = np.random.default_rng(1)
    true = np.append(rng.normal(size=9_999), 20.0)
    attack = collection.Outliers(low=-4, high=4, noise=2.0, distribution="normal")
    found = attack.run(true + 2 * rng.normal(size=10_000), true)
    assert found["recognized"].value == 1.0
    assert found["recognized"].baseline == 1e-4
    assert found["beyond"].value == pytest.approx(0.074, abs=0.01)
    assert found["likely_width"].value < found["likely_width"].baseline
    assert any("answers lie beyond the bounds" in note for note in found.notes)


def test_clipped_answers_are_not_recognized():
    rng = np.random.default_rng(1)
    true = np.clip(np.append(rng.normal(size=9_999), 20.0), -2, 2)
    attack = collection.Outliers(low=-2, high=2, noise=2.0, distribution="normal", people=50)
    found = attack.run(true + 2 * rng.normal(size=10_000), true)
    assert found["recognized"].value < 0.2
    assert found.notes == found.notes[:1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [({"low": 1.0}, "low must be below high"), ({"noise": 0.0}, "noise must be"), ({"people": 0}, "people must be"),
     ({"distribution": "cauchy"}, "distribution must be one of"), ({"low": float("nan")}, "low must be")],
)  # fmt: skip
def test_parameters_that_cannot_be_are_refused(changed, said):
    with pytest.raises(ParameterError, match=said):
        collection.Outliers(**({"low": 0.0, "high": 1.0, "noise": 1.0} | changed))


def test_reports_in_another_unit_are_refused():
    rng = np.random.default_rng(1)
    true = rng.uniform(size=100)
    with pytest.raises(DataError, match=r"column 1 are .* times as far from the answers"):
        UNIFORM.run(100 * true, true)


def test_widths_far_out_are_told_as_at_the_most():
    known = collection.Outliers(low=0, high=1, noise=0.01, distribution="normal")
    assert 0 < likely_width(50.0, known) == likely_width(1.3, known) < likely_width(1.2, known)


def test_one_column_is_looked_at():
    with pytest.raises(DataError, match="one column, got 2"):
        UNIFORM.run(np.zeros((3, 2)), np.zeros((3, 2)))
    with pytest.raises(ParameterError, match="people must be at most 3"):
        collection.Outliers(low=0, high=1, noise=1.0, people=4).run(np.zeros(3), np.zeros(3))
