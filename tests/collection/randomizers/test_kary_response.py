"""k-ary response and Warner's: the vectors, and what is likeliest."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.reconstruction.em import converged_em
from sfumato.collection.reconstruction.shares import ShareEstimates
from sfumato.collection.reconstruction.water_filling import likeliest_shares


def test_vector_j5_kary_response():
    asked = collection.KaryResponse(values=tuple("abcd"), epsilon=float(np.log(3)))
    p, q = asked.support[:2]
    assert (float(p), float(q)) == pytest.approx((1 / 2, 1 / 6), abs=1e-15)
    assert [float(asked.variance(f)) for f in (F(0), F(1, 4), F(1))] == pytest.approx([5 / 4, 3 / 2, 9 / 4], abs=1e-12)
    covariance = asked.noise().covariance(np.full(4, 0.25))
    assert covariance[0, 1] == pytest.approx(-1 / 2, abs=1e-12)
    assert covariance.sum() == pytest.approx(0, abs=1e-12)


def test_vector_j6_kary_response():
    asked = collection.KaryResponse(values=tuple(range(10)), epsilon=1.0)
    assert float(asked.support.mine) == pytest.approx(0.231969316684, abs=1e-12)
    assert float(asked.variance(F(1, 10))) / 1e4 == pytest.approx(0.000409583006, abs=1e-12)
    counts = [0.1] * 10
    for population, variance in (("fixed", 0.000409583006), ("sampled", 0.000418583006)):
        found = ShareEstimates(range(10), np.array(counts), 10_000, asked.noise(), population)
        assert found[3].stderr ** 2 == pytest.approx(variance, abs=1e-12)
        assert np.diag(found.covariance()) == pytest.approx([variance] * 10, abs=1e-12)


def test_vector_j13_the_likeliest_shares():
    p, q = 1 / 2, 1 / 6
    assert likeliest_shares(np.array([5, 3, 1, 1]) / 10, p, q) == pytest.approx([3 / 4, 1 / 4, 0, 0], abs=1e-12)
    assert likeliest_shares(np.array([4, 3, 2, 1]) / 10, p, q) == pytest.approx([11 / 18, 1 / 3, 1 / 18, 0], abs=1e-12)


def test_vector_j1_warner():
    asked = collection.Warner(truth=0.75)
    assert asked.privacy.gamma == 3
    noise = asked.noise()
    for population, variance in (("fixed", 3 / 2000), ("sampled", 21 / 12500)):
        found = ShareEstimates(("yes", "no"), np.array([0.1, 0.9]), 500, noise, population)
        assert found["yes"].stderr ** 2 == pytest.approx(variance, abs=1e-15)
    p, q = map(float, asked.support[:2])
    assert p * 0.1 + q * 0.9 == pytest.approx(3 / 10, abs=1e-15)


def test_vector_j2_warner_of_three_people():
    """Every throw of three people, one of whom is a yes; what clamping shares to 0 and 1 would do to the mean."""
    from itertools import product

    asked = collection.Warner(truth=0.8)

    def moments(n_yes, clamp):
        mean = square = 0.0
        for stays in product((0, 1), repeat=3):
            chance = float(np.prod([0.8 if each else 0.2 for each in stays]))
            reports = ["yes" if (i < n_yes) == bool(each) else "no" for i, each in enumerate(stays)]
            share = asked.estimate(reports)["yes"].value
            share = min(max(share, 0.0), 1.0) if clamp else share
            mean, square = mean + chance * share, square + chance * share**2
        return mean, square - mean**2

    assert moments(1, clamp=False) == pytest.approx((1 / 3, 4 / 27), abs=1e-12)
    assert moments(0, clamp=True)[0] == pytest.approx(21 / 125, abs=1e-12)
    assert moments(1, clamp=True)[0] == pytest.approx(137 / 375, abs=1e-12)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=6), st.floats(0.3, 3.0))
def test_the_closed_form_is_the_limit_of_em(counts, epsilon):
    k = len(counts)
    asked = collection.KaryResponse(values=tuple(range(k)), epsilon=epsilon)
    p, q = map(float, asked.support[:2])
    kernel = np.full((k, k), q) + np.eye(k) * (p - q)
    observed = np.array(counts, dtype=float)
    closed = likeliest_shares(observed / observed.sum(), p, q)
    limit = converged_em(kernel, observed)
    assert closed.sum() == pytest.approx(1.0)
    assert (closed >= 0).all()
    assert closed == pytest.approx(limit, abs=2e-3)


def test_the_likeliest_of_reports():
    asked = collection.KaryResponse(values=tuple("abcd"), epsilon=float(np.log(3)))
    found = asked.likeliest(["a"] * 5 + ["b"] * 3 + ["c", "d"])
    assert list(found.values()) == pytest.approx([3 / 4, 1 / 4, 0, 0], abs=1e-9)
