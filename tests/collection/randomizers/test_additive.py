"""What is learnt from noise that was added: variances, covariances, densities of one column and of two."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.errors import DataError, ParameterError

NOISES = {
    "LaplaceNoise": collection.LaplaceNoise(low=0, high=10, epsilon=3.0),
    "UniformNoise": collection.UniformNoise(low=0, high=10, margin=5),
    "NormalNoise": collection.NormalNoise(low=0, high=10, sd=3),
    "Staircase": collection.Staircase(low=0, high=10, epsilon=3.0),
}
ANSWERS = np.linspace(0, 10, 42_000)


@pytest.mark.parametrize("population", ["fixed", "sampled"])
@pytest.mark.parametrize("name", NOISES)
def test_variances_and_covariances_of_answers(name, population):
    noise = NOISES[name]
    reports, others = noise.randomize(ANSWERS, seed=1), noise.randomize(ANSWERS, seed=2)
    truth = float(ANSWERS.var(ddof=1))
    for found in (
        noise.estimate_variance(reports, population=population),
        collection.estimate_covariance((noise, noise), (reports, others), population=population),
    ):
        assert abs(found.value - truth) < 4 * found.stderr
        assert found.stderr < truth / 10


@pytest.mark.parametrize("name", NOISES)
def test_reports_are_counted_once_each_in_their_cells(name):
    noise = NOISES[name]
    reports = noise.reports_of(noise.randomize(ANSWERS, seed=1))[:, 0]
    for cells in (1, 3, 7, 64, 200):
        counts, kernel, edges = noise.counted(reports, cells)
        assert counts.sum() == len(ANSWERS)
        assert kernel.shape == (len(counts), cells)
        assert len(edges) == cells + 1
        _, lasts = noise.kernel(cells)
        assert counts.tolist() == np.bincount(np.searchsorted(lasts, reports), minlength=len(counts)).tolist()
        assert np.abs(counts / counts.sum() - kernel.mean(axis=1)).sum() < 0.1, "answers are even"


@pytest.mark.parametrize("name", NOISES)
def test_an_even_density_comes_back(name):
    noise = NOISES[name]
    density = noise.reconstruct(noise.randomize(ANSWERS, seed=4))
    truth = 1 / len(density)
    assert np.abs(density.shares - truth).sum() / 2 < 0.06
    assert ((density.low <= truth * 1.06) & (density.high >= truth * 0.94)).mean() > 0.7


def test_of_laplace_noise_reports_beyond_the_bounds_tell_the_same():
    """No information is lost by counting them in two tails."""
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=1.0, steps=20)
    _, lasts = noise.kernel(5)
    assert (lasts[0], lasts[-1]) == (-1, 20)
    heights = [noise.noise.chances[-noise.noise.least + (r - np.arange(21))] for r in (-1, -5, -30)]
    assert heights[0] / heights[0][0] == pytest.approx(heights[1] / heights[1][0], rel=1e-6)
    assert heights[0] / heights[0][0] == pytest.approx(heights[2] / heights[2][0], rel=1e-6)


def test_what_cannot_be_reconstructed_is_refused():
    noise = NOISES["LaplaceNoise"]
    reports = noise.randomize([1.0, 2.0], seed=1)
    for cells in (0, 201, "7", 2.5, -1):
        with pytest.raises(ParameterError, match="cells must be"):
            noise.reconstruct(reports, cells=cells)
    for smoothing in (-0.1, 100.5, "x"):
        with pytest.raises(ParameterError, match="smoothing must be a number from 0 to 100"):
            noise.reconstruct(reports, smoothing=smoothing)
    with pytest.raises(ParameterError, match="population"):
        noise.reconstruct(reports, population="all")
    with pytest.raises(DataError, match="no reports"):
        noise.reconstruct([])
    with pytest.raises(DataError, match="at least two"):
        noise.estimate_variance([3])
    one = collection.LaplaceNoise(low=0, high=1, epsilon=1.0, steps=1)
    assert one.reconstruct(one.randomize([0.0, 1.0], seed=1)).shares.tolist() == [1.0]


def test_pairs_that_do_not_fit_are_refused():
    noise = NOISES["LaplaceNoise"]
    two, three = noise.randomize([1.0, 2.0], seed=1), noise.randomize([1.0, 2.0, 3.0], seed=1)
    pair = (noise, noise)
    with pytest.raises(DataError, match="have 2 and 3 rows"):
        collection.estimate_covariance(pair, (two, three))
    with pytest.raises(DataError, match="have 2 and 3 rows"):
        collection.reconstruct_pair(pair, (two, three), cells=(2, 2))
    with pytest.raises(ParameterError, match="noises must be two randomizers that add noise"):
        collection.estimate_covariance((noise, collection.Duchi(low=0, high=1, epsilon=1.0)), (two, two))
    with pytest.raises(DataError, match="reports must be two columns"):
        collection.estimate_covariance(pair, two)
    for cells in (4, (2,), (2, 0), (2, "x"), (100, 100)):
        with pytest.raises(ParameterError, match="cells"):
            collection.reconstruct_pair(pair, (two, two), cells=cells)


def test_whole_numbers_have_right_shares_where_edges_lie_between_them():
    noise, held = collection.LaplaceNoise(low=-0.5, high=10.5, epsilon=6.0), []
    answers = np.tile([0] * 10 + [5] * 20 + [10] * 10, 500)
    truth = np.bincount(answers, minlength=11) / len(answers)
    for seed in range(4):
        density = noise.reconstruct(noise.randomize(answers, seed=seed), cells=11)
        held.append((density.low <= truth) & (truth <= density.high))
    assert np.mean(held) > 0.9


def test_entropy_is_that_of_a_density_with_the_same_bounds():
    noise = NOISES["LaplaceNoise"]
    other = collection.LaplaceNoise(low=0, high=1, epsilon=3.0)
    with pytest.raises(ParameterError, match="answers from 0 to 10, as the noise is, got one from 0 to 1"):
        noise.entropy_privacy(other.reconstruct(other.randomize([0.5] * 50, seed=1)))
    with pytest.raises(ParameterError, match="density must be one that reconstruct has found, got None"):
        noise.entropy_privacy(None)


@pytest.mark.filterwarnings("error")
def test_a_few_reports_are_reconstructed_without_warnings():
    noise = collection.UniformNoise(low=0, high=1, margin=0.02)
    assert noise.reconstruct(noise.randomize([0.1, 0.2, 0.3, 0.5, 0.9], seed=1)).shares.sum() == pytest.approx(1.0)
