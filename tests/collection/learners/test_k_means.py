"""k-means: centres that noise does not move."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.errors import DataError, ParameterError

NOISE = collection.LaplaceNoise(low=0, high=100, epsilon=8.0)
CENTRES = np.array([[20.0, 20.0], [50.0, 80.0], [80.0, 30.0]])


def people(n, seed):
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 3, n)
    return np.clip(rng.normal(CENTRES[which], 5.0), 0, 100), which


def matched(centres):
    """The distance of each true centre from the nearest that was found."""
    return np.sqrt(((CENTRES[:, None] - centres[None]) ** 2).sum(axis=2)).min(axis=1)


def test_centres_are_found_under_noise():
    x, which = people(6_000, 1)
    reports = np.stack([NOISE.randomize(x[:, i], seed=f"1 {i}")["report"].to_numpy() for i in range(2)], axis=1)
    learner = collection.KMeans(3, randomizers=[NOISE, NOISE]).fit(reports)
    assert matched(learner.cluster_centers_).max() < 3.0
    found = learner.predict(x)
    agreed = sum(np.bincount(found[which == c]).max() for c in range(3)) / len(x)
    assert agreed > 0.97, "true values fall to the right centre"


def test_without_noise_clusters_are_found():
    x, which = people(600, 2)
    learner = collection.KMeans(3).fit(x)
    assert matched(learner.cluster_centers_).max() < 1.5
    assert sum(np.bincount(learner.labels_[which == c]).max() for c in range(3)) == 600
    assert (learner.labels_ == collection.KMeans(3).fit_predict(x)).all()


def test_bad_numbers_of_clusters_are_refused():
    with pytest.raises(ParameterError, match="n_clusters must be"):
        collection.KMeans(0).fit([[1.0], [2.0]])
    with pytest.raises(DataError, match="n_samples=2 should be >= n_clusters=8"):
        collection.KMeans().fit([[1.0], [2.0]])
