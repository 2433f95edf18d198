"""Columns that hang together take each other's noise out, and what is left can be told beforehand."""

import numpy as np
import polars as pl
import pytest

from sfumato import collection
from sfumato.errors import DataError, ParameterError


def equicorrelated(d, rho):
    return np.full((d, d), rho) + np.eye(d) * (1 - rho)


@pytest.mark.parametrize(
    ("d", "rho", "s2", "bayes", "pca", "single"),
    [(2, 4 / 5, 1, 17 / 42, 3 / 5, 1 / 2), (2, 9 / 10, 1, 119 / 319, 11 / 20, 1 / 2), (2, 4 / 5, 1 / 2, 43 / 161, 7 / 20, 1 / 3),
     (20, 1 / 2, 1, 25 / 69, 21 / 40, 1 / 2), (20, 9 / 10, 1, 281 / 2101, 29 / 200, 1 / 2)],
)  # fmt: skip
def test_vectors_n1_and_n2_the_noise_that_is_left(d, rho, s2, bayes, pca, single):
    left = collection.effective_noise(equicorrelated(d, rho), np.sqrt(s2), components=1)
    squares = [left.nominal**2, left.bayes**2, left.pca**2, left.single**2]
    assert squares == pytest.approx([s2, bayes, pca, single], abs=1e-12)
    assert left.by_column == pytest.approx([left.bayes] * d)
    assert f"leaves {left.bayes:.4g}" in str(left)


@pytest.mark.parametrize(("by", "components"), [("bayes", None), ("pca", 1)])
def test_what_is_left_is_what_was_told_beforehand(by, components):
    rng = np.random.default_rng(1)
    signal = equicorrelated(20, 0.9)
    true = rng.multivariate_normal(np.zeros(20), signal, 5_000)
    reports = true + rng.normal(size=true.shape)
    found = collection.NoiseFiltering(noise=1.0, by=by, components=components).run(reports, true)
    told = collection.effective_noise(signal, 1.0, components=1)
    assert found["error"].value == pytest.approx(told.bayes if by == "bayes" else told.pca, rel=0.05)
    assert found["error"].low < found["error"].value < found["error"].high
    assert found["error_reported"].value == pytest.approx(1.0, abs=0.02)
    assert found["error_single"].value == pytest.approx(told.single, abs=0.03)
    assert found["error"].baseline == pytest.approx(1.0, abs=0.08)
    assert found["nearer"].value > 0.7
    assert "without the reports" in str(found)
    assert found.to_dict()["attack"]["name"] == "NoiseFiltering"
    assert "the noise that is left is 3" in found.notes[1]


def test_the_spectral_filter_leaves_the_noise_of_one_direction():
    rng = np.random.default_rng(1)
    true = rng.normal(size=(5_000, 1)) @ np.ones((1, 16))
    found = collection.NoiseFiltering(noise=2.0, by="spectral").run(true + 2 * rng.normal(size=true.shape), true)
    assert found["error"].value == pytest.approx(1 / 4, rel=0.05)


def test_columns_that_do_not_hang_together_are_filtered_as_one_by_one():
    rng = np.random.default_rng(2)
    true = rng.normal(size=(5_000, 3)) * [1.0, 2.0, 3.0]
    reports = pl.DataFrame(true + rng.normal(size=true.shape) * [1.0, 0.5, 2.0])
    found = collection.NoiseFiltering(noise=[1.0, 0.5, 2.0]).run(reports, pl.DataFrame(true).to_pandas())
    assert found["error"].value == pytest.approx(found["error_single"].value, abs=0.01)


def test_reports_of_a_randomizer_of_numbers_are_filtered():
    rng = np.random.default_rng(4)
    true = np.clip(rng.normal(size=(3_000, 1)) + rng.normal(size=(3_000, 6)) * 0.3, -4, 4)
    asked = collection.NormalNoise(low=-4, high=4, sd=1.0)
    drawn = [asked.randomize(column, seed=i) for i, column in enumerate(true.T)]
    reports = np.column_stack([asked.values_of(each) for each in drawn])
    found = collection.NoiseFiltering(noise=1.0).run(reports, true)
    assert found["error_reported"].value == pytest.approx(1.0, abs=0.03)
    assert found["error"].value == pytest.approx(collection.effective_noise(np.cov(true.T), 1.0).bayes, rel=0.05)
    with pytest.raises(DataError, match="values_of"):
        collection.NoiseFiltering(noise=1.0).run(
            pl.concat([each.to_series().to_frame(f"c{i}") for i, each in enumerate(drawn)], how="horizontal"), true
        )


def test_noise_like_the_data_is_left_as_one_by_one():
    """Huang, Du & Chen's remedy: noise with the correlations of the data cannot be filtered by them."""
    signal = equicorrelated(10, 0.8)
    alike = collection.effective_noise(signal, signal)
    assert alike.bayes == pytest.approx(alike.single)
    assert collection.effective_noise(signal, 1.0).bayes < 0.75 * alike.bayes


@pytest.mark.parametrize(
    ("given", "said"),
    [({"noise": 0.0}, "noise must be above 0"), ({"noise": "x"}, "noise must be a standard"), ({"noise": []}, "noise must be"),
     ({"noise": [1.0, -1.0]}, "noise must be"), ({"noise": [[1.0, 2.0], [2.0, 1.0]]}, "positive in every direction"),
     ({"noise": [[1.0, 0.5], [0.2, 1.0]]}, "symmetric"), ({"noise": [[1.0]], "by": "best"}, "by must be one of"),
     ({"noise": 1.0, "components": 2}, "'pca' alone"), ({"noise": 1.0, "by": "pca", "components": 0}, "components must be")],
)  # fmt: skip
def test_parameters_that_cannot_be_are_refused(given, said):
    with pytest.raises(ParameterError, match=said):
        collection.NoiseFiltering(**given)


def test_numbers_that_do_not_go_together_are_refused():
    attack, true = collection.NoiseFiltering(noise=1.0), np.zeros((5, 2))
    for reports, said in (
        (np.zeros((4, 2)), "4 x 2 reports and 5 x 2 answers"), (np.full((5, 2), np.nan), "in row 1"), ("x", "reports"),
        ([["a", "b"]] * 5, "reports are numbers"), (np.zeros((2, 2, 2)), "reports are numbers"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=said):
            attack.run(reports, true)
    with pytest.raises(DataError, match="column 2 are 50 times as far from the answers as the noise that is told"):
        attack.run(np.array([[0.0, 50.0]] * 5), true)
    with pytest.raises(DataError, match="3 reports at least"):
        attack.run(np.zeros((2, 2)), np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="told for 3 columns, and there are 2"):
        collection.NoiseFiltering(noise=[1.0, 1.0, 1.0]).run(true, true)
    with pytest.raises(ParameterError, match="components must be at most 2"):
        collection.effective_noise(np.eye(2), 1.0, components=3)
    with pytest.raises(ParameterError, match="negative in no direction"):
        collection.effective_noise([[1.0, 2.0], [2.0, 1.0]], 1.0)


def test_noise_that_cannot_be_reckoned_with_is_refused():
    for noise in (5e-324, 1e200, [1e-200, 1.0]):
        with pytest.raises(ParameterError, match="noise must be between 1e-60 and 1e"):
            collection.effective_noise([[1, 0.8], [0.8, 1]], noise)
    for signal in (10**400, [[10**400]], [[1e308]]):
        with pytest.raises(ParameterError, match="signal must"):
            collection.effective_noise(signal, 1.0)
    with pytest.raises(ParameterError, match="NoiseFiltering needs 'noise'"):
        collection.NoiseFiltering()
    with pytest.raises(ParameterError, match="Outliers needs 'high' and 'noise'"):
        collection.Outliers(low=1)
