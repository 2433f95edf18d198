"""Two columns together: the vector, and what per-column reconstruction loses."""

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.reconstruction.em import em_limit
from sfumato.collection.reconstruction.fisher import fisher_covariance
from sfumato.collection.reconstruction.joint import reconstructed_joint
from sfumato.collection.reconstruction.mixtures import PairedLaws
from sfumato.errors import ParameterError

WARNER = [np.array([[p, 1 - p], [1 - p, p]]) for p in (4 / 5, 3 / 4)]
TRUTH = np.array([[0.4, 0.1], [0.1, 0.4]])


def test_vector_l5_two_warner_columns():
    mixture = PairedLaws(*WARNER)
    seen = mixture.expected(TRUTH.ravel()).reshape(2, 2)
    assert seen == pytest.approx(np.array([[59, 41], [41, 59]]) / 200, abs=1e-15)

    def covariance(shares):
        return shares[1, 1] - shares[1].sum() * shares[:, 1].sum()

    assert covariance(TRUTH) == pytest.approx(3 / 20, abs=1e-15)
    assert covariance(seen) == pytest.approx(9 / 200, abs=1e-15)
    assert covariance(seen) == pytest.approx(covariance(TRUTH) * (2 * 4 / 5 - 1) * (2 * 3 / 4 - 1), abs=1e-15)
    for population, variance in (("fixed", 67 / 72), ("sampled", 2107 / 1800)):
        found = fisher_covariance(mixture, TRUTH, 1, population)
        assert found[0, 0] == pytest.approx(variance, abs=1e-12)
    assert em_limit(mixture, seen * 1e6) == pytest.approx(TRUTH.ravel(), abs=1e-8)


def test_the_joint_density_behind_counts():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(20_000, PairedLaws(*WARNER).expected(TRUTH.ravel())).reshape(2, 2).astype(float)
    edges = np.array([0.0, 1.0, 2.0])
    found = reconstructed_joint(PairedLaws(*WARNER), counts, (edges, edges), 1, None, "fixed")
    assert found.smoothing == 0.0
    assert ((found.low < TRUTH) & (found.high > TRUTH)).all()
    answer = found[0, 1]
    assert answer.value == found.shares[0, 1]
    assert answer.label == "share from 0 to 1 and 1 to 2"
    assert answer.stderr == pytest.approx(
        np.sqrt(fisher_covariance(PairedLaws(*WARNER), found.shares, 20_000, "fixed")[1, 1])
    )
    assert found.to_polars()["share"].to_list() == found.shares.ravel().tolist()
    assert "joint density from 20,000 reports: 2 x 2 cells" in repr(found)
    for bad in ((0, 2), (0,), 0, (-1, 0), (0.5, 0), ("a", 0), (True, 0), (None, 0)):
        with pytest.raises(ParameterError, match="a pair of cells"):
            found[bad]


def test_cells_that_are_not_told_apart_have_no_intervals():
    found = reconstructed_joint(PairedLaws(*WARNER), np.ones((2, 2)), (np.arange(3.0),) * 2, 1, None, "fixed")
    assert found.low is None
    assert found.smoothing > 0
    assert (found[0, 0].low, found[0, 0].high, found[0, 0].stderr) == (0.0, 1.0, None)
    assert "cannot tell" in found.notes[0]
    assert found.to_polars()["low"].null_count() == 4


def test_dependence_is_kept():
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, 40_000)
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=4.0)
    reports = noise.randomize(x, seed=1), noise.randomize(1 - x, seed=2)
    joint = collection.reconstruct_pair((noise, noise), reports, cells=(3, 3))
    truth = np.fliplr(np.eye(3)) / 3
    assert np.abs(joint.shares - truth).sum() / 2 < 0.12
    alone = np.outer(joint.shares.sum(axis=1), joint.shares.sum(axis=0))
    assert np.abs(alone - truth).sum() / 2 > 0.6, "two columns by themselves lose it"


@pytest.mark.parametrize("seed", [8, 9])
def test_intervals_hold_where_values_are_not_even_within_cells(seed):
    rng, n = np.random.default_rng(seed), 20_000
    noise = collection.LaplaceNoise(low=0, high=1, epsilon=4.0)
    x, y = rng.beta(2, 5, n), rng.beta(2, 5, n)
    joint = collection.reconstruct_pair(
        (noise, noise), (noise.randomize(x, seed=seed), noise.randomize(y, seed=seed + 1)), cells=(2, 2)
    )
    truth = np.histogram2d(x, y, joint.edges)[0] / n
    assert ((joint.low <= truth) & (truth <= joint.high)).all()
