"""Densities on cells: what they tell, how near they come, and that their intervals hold."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.density import spread_within
from sfumato.errors import ParameterError

NOISE = collection.LaplaceNoise(low=0, high=100, epsilon=4.0)


def two_humps(n, seed):
    rng = np.random.default_rng(seed)
    return np.clip(np.where(rng.random(n) < 0.6, rng.normal(30, 8, n), rng.normal(70, 10, n)), 0, 100)


@pytest.fixture(scope="module")
def density():
    return NOISE.reconstruct(NOISE.randomize(two_humps(20_000, 1), seed=2))


def test_a_density_is_cells_with_answers(density):
    assert len(density.edges) == len(density) + 1 == len(density.shares) + 1
    assert density.shares.sum() == pytest.approx(1.0)
    assert (density.low <= density.high).all()
    first = density[0]
    assert (first.value, first.low, first.high) == (density.shares[0], density.low[0], density.high[0])
    assert first.label == f"share from 0 to {density.edges[1]:.6g}"
    assert [each.value for each in density] == density.shares.tolist()
    assert density[-1].value == density.shares[-1]
    whole = density.between(0, 100)
    assert whole.value == pytest.approx(1.0)
    assert whole.stderr == pytest.approx(0.0, abs=1e-7)
    one = density.between(0, density.edges[1])
    assert (one.value, one.low, one.high) == pytest.approx((first.value, first.low, first.high)), "the same interval"
    half = density.between(density.edges[1], density.edges[4])
    assert half.value == pytest.approx(density.shares[1:4].sum())
    table = density.to_polars()
    assert table.columns == ["from", "to", "share", "low", "high"]
    assert density.to_dict() == table.to_dicts()
    assert "from 20,000 reports" in repr(density)
    assert "95% interval" in density._repr_html_()
    for bad in (len(density), -99, "0", 0.5, None):
        with pytest.raises(ParameterError, match="there are cells 0 to"):
            density[bad]
    for ends in ((3.3, 50), (100, 0), (0, 0), ("a", 100), (None, 100), (0, float("nan"))):
        with pytest.raises(ParameterError, match="from one edge of cells to another"):
            density.between(*ends)


def test_more_cells_than_are_told_apart_have_no_intervals():
    density = NOISE.reconstruct(NOISE.randomize(two_humps(5_000, 1), seed=2), cells=100)
    assert density.low is None
    assert density.high is None
    assert "5,000 reports cannot tell 100 cells apart" in density.notes[0]
    assert (density[3].low, density[3].high, density[3].stderr) == (0.0, 1.0, None)
    assert density.between(0, 50).stderr is None
    assert density.to_polars()["low"].null_count() == 100
    assert "none" in density._repr_html_()


def test_shares_are_nearer_than_the_reports_themselves_and_than_the_likeliest():
    answers = two_humps(50_000, 3)
    reports = NOISE.randomize(answers, seed=4)
    values = np.clip(NOISE.values_of(reports), 0, 100)
    truth = np.histogram(answers, np.linspace(0, 100, 51))[0] / 50_000
    naive = np.histogram(values, np.linspace(0, 100, 51))[0] / 50_000
    errors = {
        smoothing: np.abs(NOISE.reconstruct(reports, cells=50, smoothing=smoothing).shares - truth).sum() / 2
        for smoothing in (None, 0.0, 1.0)
    }
    assert errors[None] < 0.12
    assert errors[None] < errors[1.0]
    assert errors[None] < errors[0.0]
    assert errors[None] < np.abs(naive - truth).sum() / 2 / 3


def test_without_smoothing_shares_are_the_likeliest():
    reports = NOISE.randomize(two_humps(20_000, 1), seed=2)
    plain = NOISE.reconstruct(reports, cells=8, smoothing=0)
    assert plain.smoothing == 0
    assert plain.notes == ()
    assert ((plain.low <= plain.shares) & (plain.shares <= plain.high)).all()


def test_values_lie_within_cells_as_they_are_told_to():
    fine = np.eye(6)
    spread = spread_within(fine, np.array([0.3, 0.1, 0, 0, 0.2, 0.4]), 2)
    expected = np.array([[9, 3, 0, 0, 0, 0], [0, 0, 6, 6, 0, 0], [0, 0, 0, 0, 4, 8]]) / 12
    assert pytest.approx(expected) == spread.T


def check_coverage(noise, *, n, cells, runs, population, seed):
    """Answers that are not even within cells, with two cells that are empty."""
    rng = np.random.default_rng(seed)

    def people():
        return rng.triangular(0, 45, 70, n)

    answers, held = people(), []
    edges = np.linspace(0, 100, cells + 1)
    for run in range(runs):
        if population == "sampled":
            answers = people()
        points = noise.points()[noise.codes_of(answers)]
        if population == "fixed":
            truth = np.histogram(answers, edges)[0] / n
        else:
            at = np.clip(edges, 0, 70)
            below = np.where(at < 45, at**2 / (45 * 70), 1 - (70 - at) ** 2 / (70 * 25))
            truth = np.diff(below)
        found = noise.reconstruct(noise.randomize(points, seed=f"{seed} {run}"), cells=cells, population=population)
        held.append((found.low <= truth) & (truth <= found.high))
    return np.mean(held, axis=0)


@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_a_few_intervals_hold_where_values_are_not_even_within_cells(population):
    held = check_coverage(NOISE, n=5_000, cells=6, runs=25, population=population, seed=1)
    assert held.mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_many_intervals_hold_where_values_are_not_even_within_cells(population):
    held = check_coverage(NOISE, n=5_000, cells=6, runs=600, population=population, seed=2)
    assert (held > 0.93 - 3.5 * np.sqrt(0.05 * 0.95 / 600)).all()


@pytest.mark.parametrize("smoothing", [0, 100])
def test_intervals_hold_with_any_smoothing_as_shapes_within_cells_are_found_with_their_own(smoothing):
    rng, noise, held = np.random.default_rng(1), collection.LaplaceNoise(low=0, high=1, epsilon=4.0), []
    for run in range(8):
        answers = np.clip(rng.normal(0.35, 0.12, 20_000), 0, 1)
        found = noise.reconstruct(noise.randomize(answers, seed=run), cells=4, smoothing=smoothing)
        truth = np.histogram(answers, found.edges)[0] / 20_000
        held.append((found.low <= truth) & (truth <= found.high))
    assert np.mean(held) > 0.8
