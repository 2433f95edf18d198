"""Linking by distance, by rank and by assignment."""

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError


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
