"""Taking noise out by what the columns have in common, and linking by distance."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.tables.attacks.noise_filtering import filtered


def correlated(n=600, d=8, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) @ np.ones((1, d)) * 10 + rng.normal(size=(n, d)) * 0.1
    frame = pl.DataFrame({f"c{i}": values[:, i] for i in range(d)}).with_columns(
        ill=pl.Series(rng.choice(["a", "b"], n))
    )
    return sf.Table(frame, sf.Schema(quasi=[f"c{i}" for i in range(d)], sensitive=["ill"]))


@pytest.mark.parametrize("by", ["bayes", "pca", "spectral"])
def test_a_filter_leaves_the_noise_of_one_direction(by):
    rng = np.random.default_rng(1)
    n, d = 20_000, 9
    signal = rng.normal(size=(n, 1)) * 30 @ np.ones((1, d))
    estimate = filtered(signal + rng.normal(size=(n, d)), by)
    assert np.sqrt(np.mean((estimate - signal) ** 2)) == pytest.approx(np.sqrt(1 / d), rel=0.05)


def test_the_bayes_filter_is_the_wiener_filter():
    rng = np.random.default_rng(2)
    n, d = 50_000, 3
    mix = rng.normal(size=(d, d))
    signal = rng.normal(size=(n, d)) @ mix
    shown = signal + rng.normal(size=(n, d))
    cov = mix.T @ mix
    best = shown @ np.linalg.inv(cov + np.eye(d)) @ cov
    assert np.abs(filtered(shown, "bayes") - best).mean() < 0.05


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_noise_on_columns_that_hang_together_hides_little(distribution):
    table = correlated()
    release = sf.publish(table, sf.AdditiveNoise(scale=0.1, distribution=distribution), seed=1)
    found = sf.attack(release, sf.NoiseFilteringAttack(), table)
    assert found["error_published"].value == pytest.approx(1.0, abs=0.05)
    assert found["error"].value < 0.5
    assert found["error"].high < found["error_published"].low
    assert found["error"].value < found["error"].baseline


def test_noise_on_columns_that_do_not_is_left():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({f"c{i}": rng.uniform(size=500) for i in range(4)})
    table = sf.Table(frame, sf.Schema(quasi=frame.columns))
    release = sf.publish(table, sf.AdditiveNoise(scale=0.05, distribution="normal"), seed=1)
    found = sf.attack(release, sf.NoiseFilteringAttack(), table)
    assert found["error"].value > 0.9


def test_other_releases_are_refused():
    table = correlated(60)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    with pytest.raises(ParameterError, match="tells the noise"):
        sf.attack(release, sf.NoiseFilteringAttack(), table)
    with pytest.raises(ParameterError, match="use LinkageAttack"):
        sf.attack(release, sf.DistanceLinkage(), table)
    with pytest.raises(ParameterError, match="use LinkageAttack"):
        sf.attack(release, sf.KnownSampleAttack(), table)


# -- by distance -------------------------------------------------------------------------------------------------------


def test_distances_by_hand():
    rng = np.random.default_rng(4)
    n = 50
    frame = pl.DataFrame({"x": rng.normal(size=n), "y": rng.normal(size=n)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"]))
    release = sf.publish(table, sf.AdditiveNoise(scale=0.1), seed=1)
    shown, true = release.data.frame.to_numpy(), frame.to_numpy()
    span = np.ptp(shown, axis=0)
    apart = (((true[:, None, :] - shown[None, :, :]) / span) ** 2).sum(axis=2)
    own = np.argsort(release.owner.rows)
    share = (apart.argmin(axis=1) == own).mean()
    found = sf.attack(release, sf.DistanceLinkage(), table)
    assert found["found"].value == pytest.approx(share)
    assert found["found"].baseline == pytest.approx(1 / n)
    assert found["found_before"].value == 1
    moved = np.abs(shown - true[release.owner.rows]) / np.ptp(true, axis=0)
    assert found["moved"].value == pytest.approx(moved.mean())
    from sfumato.published.tables.linkage import by_assignment, by_rank

    ranked = sf.attack(release, sf.DistanceLinkage("rank"), table)
    assert ranked["found"].value == pytest.approx(by_rank(true.T, shown.T, release.owner.rows).mean())
    matched = sf.attack(release, sf.DistanceLinkage("assignment"), table)
    assert matched["found"].value == pytest.approx(by_assignment(true.T, shown.T, release.owner.rows).mean())


def test_ranks_see_through_what_keeps_the_order():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"x": rng.lognormal(size=120), "y": rng.lognormal(size=120)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "y"]))
    release = sf.publish(table, sf.PatternPreserving(sf.Order()), seed=1)
    assert sf.attack(release, sf.DistanceLinkage("rank"), table)["found"].value == 1
    assert sf.attack(release, sf.DistanceLinkage(), table)["found"].value < 0.5


def test_means_of_mixed_columns_hide_among_k():
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"x": rng.normal(size=90), "job": rng.choice(list("abc"), 90)})
    table = sf.Table(frame, sf.Schema(quasi=["x", "job"]))
    release = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5), seed=1)
    found = sf.attack(release, sf.DistanceLinkage(), table)
    assert 0 < found["found"].value <= 0.2
    assert found["alone"].value == 0
    with pytest.raises(ParameterError, match="'job' shows none"):
        sf.attack(release, sf.DistanceLinkage("assignment"), table)
