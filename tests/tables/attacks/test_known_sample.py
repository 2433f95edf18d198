"""Undoing a rotation by a few known records."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


def turned(n=200, d=4, seed=0, noise=0.0):
    """A table, and a release of it whose standardised values were rotated."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) * [1, 10, 100, 1000][:d] + 50
    table = sf.Table(
        pl.DataFrame({f"c{i}": values[:, i] for i in range(d)}), sf.Schema(quasi=[f"c{i}" for i in range(d)])
    )
    release = sf.publish(table, sf.AdditiveNoise(scale=1.0), seed=1)
    rotation, _ = np.linalg.qr(rng.normal(size=(d, d)))
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    shown = (standard @ rotation)[release.owner.rows] + noise * rng.normal(size=(n, d))
    frame = pl.DataFrame({f"c{i}": shown[:, i] for i in range(d)})
    return table, replace(release, data=sf.Table(frame, release.data.schema))


@pytest.mark.parametrize(("by", "known"), [("affine", None), ("affine", 5), ("rotation", 4), ("rotation", 10)])
def test_as_many_records_as_columns_undo_a_rotation(by, known):
    table, release = turned()
    found = sf.attack(release, sf.KnownSampleAttack(known=known, by=by), table)
    assert found["recovered"].value == 1
    assert found["error"].value < 1e-6
    assert found["values_published"].value < 0.1
    assert found["recovered"].baseline < 0.05


def test_fewer_records_do_not():
    table, release = turned()
    assert sf.attack(release, sf.KnownSampleAttack(known=2), table)["recovered"].value < 0.1
    assert sf.attack(release, sf.KnownSampleAttack(known=2, by="rotation"), table)["recovered"].value < 0.1


def test_noise_after_the_rotation_is_not_undone():
    table, release = turned(noise=0.3)
    few = sf.attack(release, sf.KnownSampleAttack(known=8), table)
    many = sf.attack(release, sf.KnownSampleAttack(known=100), table)
    assert many["error"].value < few["error"].value
    assert many["recovered"].value < 0.1


def test_the_method_of_the_package_is_undone():
    table, _ = turned()
    release = sf.publish(table, sf.RotationPerturbation(), seed=1)
    assert sf.attack(release, sf.KnownSampleAttack(), table)["recovered"].value == 1
    assert sf.attack(release, sf.DistanceLinkage(), table)["found"].value < 0.2


def test_somebody_must_be_left():
    table, release = turned(n=20)
    with pytest.raises(ParameterError, match="at most 19"):
        sf.attack(release, sf.KnownSampleAttack(known=20), table)
    with pytest.raises(ParameterError, match="within"):
        sf.KnownSampleAttack(within=0)
