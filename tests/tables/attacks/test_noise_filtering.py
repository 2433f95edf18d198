"""Taking noise out by what the columns have in common."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


def correlated(n=600, d=8, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) @ np.ones((1, d)) * 10 + rng.normal(size=(n, d)) * 0.1
    frame = pl.DataFrame({f"c{i}": values[:, i] for i in range(d)}).with_columns(
        ill=pl.Series(rng.choice(["a", "b"], n))
    )
    return sf.Table(frame, sf.Schema(quasi=[f"c{i}" for i in range(d)], sensitive=["ill"]))


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
