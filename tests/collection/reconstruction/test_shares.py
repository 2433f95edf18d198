"""Estimated shares: unbiased, with the variance that is told, and intervals that hold."""

import numpy as np
import polars as pl
import pytest

from sfumato import collection
from sfumato.collection.randomizers.categories import PureRandomizer
from sfumato.collection.reconstruction.shares import ShareEstimates
from sfumato.errors import ParameterError, UnknownNameError

FIVE = tuple("abcde")
TRUTH = np.array([0.5, 0.3, 0.2, 0.0, 0.0])
ASKED = {
    "KaryResponse": collection.KaryResponse(values=FIVE, epsilon=2.0),
    "SymmetricUnaryEncoding": collection.SymmetricUnaryEncoding(values=FIVE, epsilon=2.0),
    "OptimalUnaryEncoding": collection.OptimalUnaryEncoding(values=FIVE, epsilon=2.0),
    "LocalHashing": collection.LocalHashing(values=FIVE, epsilon=2.0),
    "HadamardResponse": collection.HadamardResponse(values=FIVE, epsilon=2.0),
    "SubsetSelection": collection.SubsetSelection(values=FIVE, epsilon=2.0),
    "Rappor": collection.Rappor(values=FIVE, f=0.1, p=0.1, q=0.9),
    "BloomRappor": collection.BloomRappor(values=FIVE, bits=8, hashes=2, cohorts=4, f=0.1, p=0.1, q=0.9),
    "MatrixResponse": collection.MatrixResponse(values=FIVE, matrix=np.full((5, 5), 0.1) + np.eye(5) * 0.5),
}


def estimates_of(asked, population, *, n, runs, seed):
    """Estimates of many runs, each of `n` answers: those of a fixed set of people, or drawn anew each time."""
    rng = np.random.default_rng(seed)
    if population == "fixed":
        codes = np.tile(np.repeat(np.arange(5), np.round(TRUTH * n).astype(int)), (runs, 1))
    else:
        codes = rng.choice(5, p=TRUTH, size=(runs, n))
    reports = asked.randomize([FIVE[code] for code in codes.ravel()], seed=seed)
    read = asked.reports_of(reports).reshape(runs, n, -1)
    for each in read:
        if isinstance(asked, PureRandomizer):
            p, q = float(asked.support.mine), float(asked.support.other)
            shares = (asked.support_counts(each) / n - q) / (p - q)
            yield ShareEstimates(FIVE, shares, n, asked.noise(), population)
        else:
            yield asked.estimate(asked.report_frame(each), population=population)


def check_many(asked, population, *, n, runs, seed):
    shares, errors, covered = [], [], []
    for found in estimates_of(asked, population, n=n, runs=runs, seed=seed):
        answers = list(found.values())
        shares.append(found.shares)
        errors.append([answer.stderr for answer in answers])
        covered.append([answer.low <= f <= answer.high for answer, f in zip(answers, TRUTH, strict=True)])
    shares, covered = np.array(shares), np.array(covered)
    noise = found._noise.covariance(TRUTH) + (np.diag(TRUTH) - np.outer(TRUTH, TRUTH)) * (population == "sampled")
    spread = np.sqrt(np.diag(noise) / n)
    assert np.abs(shares.mean(axis=0) - TRUTH).max() < 4.5 * spread.max() / np.sqrt(runs), "unbiased"
    assert shares.std(axis=0) / spread == pytest.approx(np.ones(5), abs=5 / np.sqrt(2 * runs)), "as exact as is told"
    assert np.median(errors, axis=0) == pytest.approx(spread, rel=0.15)
    slack = 0.02 + 3 * np.sqrt(0.05 * 0.95 / runs) * (runs < 5000)
    assert (covered[:, :3].mean(axis=0) > 0.95 - slack).all()
    assert (covered[:, :3].mean(axis=0) < 0.95 + slack).all()
    assert (covered[:, 3:].mean(axis=0) > 0.93 - (slack - 0.02)).all(), "also of values that nobody has"


@pytest.mark.parametrize("name", ["KaryResponse", "LocalHashing", "MatrixResponse"])
def test_a_few_runs_are_unbiased_and_their_intervals_hold(name):
    check_many(ASKED[name], "fixed", n=400, runs=600, seed=11)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
@pytest.mark.parametrize("name", ASKED)
def test_ten_thousand_runs_are_unbiased_and_their_intervals_hold(name, population):
    check_many(ASKED[name], population, n=200, runs=10_000, seed=12)


@pytest.mark.parametrize("n", [20, 60])
def test_intervals_hold_where_reports_are_few(n):
    asked = collection.KaryResponse(values=FIVE, epsilon=1.0)
    held = [
        [answer.low <= f <= answer.high for answer, f in zip(found.values(), TRUTH, strict=True)]
        for found in estimates_of(asked, "fixed", n=n, runs=2_000, seed=5)
    ]
    assert np.mean(held, axis=0).min() > 0.92


def test_clipping_and_dividing_is_biased_by_a_fifth_and_norm_sub_is_not():
    """Optimal unary encoding, 20 values of which three hold everything; the means of the first share."""
    asked = collection.OptimalUnaryEncoding(values=tuple(range(20)), epsilon=1.0)
    answers = [0] * 1000 + [1] * 600 + [2] * 400
    clipped, projected, unbiased = [], [], []
    for seed in range(150):
        found = asked.estimate(asked.randomize(answers, seed=seed))
        cut = np.maximum(found.shares, 0)
        clipped.append(cut[0] / cut.sum())
        projected.append(found.distribution()[0])
        unbiased.append(found[0].value)
    assert np.mean(clipped) == pytest.approx(0.390, abs=0.012)
    assert np.mean(projected) == pytest.approx(0.468, abs=0.012)
    assert np.mean(unbiased) == pytest.approx(0.500, abs=0.012)


def test_estimates_are_a_mapping_a_table_and_plain_data():
    asked = ASKED["KaryResponse"]
    found = asked.estimate(asked.randomize(["a"] * 800 + ["b"] * 200, seed=1))
    assert list(found) == list(FIVE)
    assert len(found) == 5
    assert found["a"].value == found.shares[0]
    assert found["a"].stderr == found["a"].spread
    table = found.to_polars()
    assert table.columns == ["value", "share", "stderr", "low", "high", "shown"]
    assert found.to_dict() == table.to_dicts()
    assert table["shown"].sum() == pytest.approx(1.0)
    assert sum(found.distribution().values()) == pytest.approx(1.0)
    assert "share of a" in repr(found)
    assert "1,000 reports" in repr(found)
    assert "share" in found._repr_html_()
    with pytest.raises(UnknownNameError, match="no value is called 'z'"):
        found["z"]
    with pytest.raises(ParameterError, match="population must be one of fixed, sampled"):
        asked.estimate(pl.DataFrame({"answer": ["a"]}), population="all")


def test_covariances_sum_to_nothing_where_shares_sum_to_1():
    asked = ASKED["KaryResponse"]
    found = asked.estimate(asked.randomize(list("aabbc") * 100, seed=1))
    assert found.covariance().sum() == pytest.approx(0.0, abs=1e-12)
    sampled = asked.estimate(asked.randomize(list("aabbc") * 100, seed=1), population="sampled")
    assert (np.diag(sampled.covariance()) >= np.diag(found.covariance())).all()


def test_an_interval_is_never_without_width():
    """Three standard errors below 0 a share may still be above 0."""
    noise = ASKED["KaryResponse"].noise()
    found = ShareEstimates(FIVE, np.array([1.4, 0.2, -0.1, -0.2, -0.3]), 500, noise)
    assert found["e"].low == 0.0
    assert found["e"].high == pytest.approx(found["d"].high)
    assert found["e"].high > 0.03
    assert found["a"].high == 1.0
    assert found["a"].low < 0.95


@pytest.mark.parametrize("population", ["fixed", "sampled"])
def test_what_nobody_or_everybody_reports_is_held_with_hardly_any_noise(population):
    found = collection.KaryResponse(values=["yes", "no"], epsilon=8.0).estimate(["no"] * 100, population=population)
    assert found["yes"].low == 0.0
    assert found["no"].high == 1.0
