"""Naive Bayes on reports learns nearly what it would learn from the values."""

import numpy as np
import pytest

from sfumato import collection

NOISE = collection.UniformNoise.of_level(low=0, high=100, level=1.0)


def people(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 100, n)
    return x, ((x > 35) & (x < 65)).astype(int)


def test_it_is_nearly_as_good_as_on_the_values():
    x, y = people(30_000, 1)
    asked, truth = people(4_000, 2)
    reports = NOISE.randomize(x, seed=3)
    on_reports = collection.NaiveBayes([NOISE], cells=20).fit(reports, y)
    on_values = collection.NaiveBayes(cells=20).fit(x[:, None], y)
    taken_for_values = collection.NaiveBayes(cells=20).fit(NOISE.values_of(reports)[:, None], y)
    scores = [each.score(asked[:, None], truth) for each in (on_reports, on_values, taken_for_values)]
    assert scores[0] > scores[1] - 0.03
    assert scores[0] > scores[2] + 0.1


def test_probabilities_are_those_of_bayes_on_a_tiny_table():
    """Two cells, no noise: shares with one more of each cell."""
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [0.0]])
    y = np.array(["a", "a", "a", "a", "b", "b"])
    learner = collection.NaiveBayes(cells=2).fit(X, y)
    a, b = 4 / 6 * (3 + 1) / (4 + 2), 2 / 6 * (1 + 1) / (2 + 2)
    assert learner.predict_proba([[0.0]])[0] == pytest.approx([a / (a + b), b / (a + b)])
    assert learner.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(("parameter", "value"), [("cells", 0), ("smoothing", -1), ("smoothing", 2), ("cells", "x")])
def test_bad_parameters_are_refused_when_taught(parameter, value):
    with pytest.raises(ValueError, match=f"{parameter} must be"):
        collection.NaiveBayes(**{parameter: value}).fit([[1.0], [2.0]], [0, 1])
