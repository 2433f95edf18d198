"""Measures of a condensed table, and whom the nearest rows give away."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.condensed_tables import stays


def test_questions_are_refused_and_measures_are_not():
    table = stays(400)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    with pytest.raises(ParameterError, match="drawn anew"):
        sf.ask(release, "SELECT COUNT(*) FROM release WHERE age > 40")
    with pytest.raises(ParameterError, match="olap_levels"):
        sf.measure(release, olap_levels=(1,))
    found = sf.measure(release)
    assert found["linkage_bound"] == 0.1
    assert found["linkage_nearest"] <= found["linkage_group"] <= 1
    assert found["mean_error"] < 0.05
    assert found["correlation_error"] < 0.1
    assert found.by_column["distribution_error"]["sex"] == 0
    bare = sf.measure(replace(release, owner=None))
    assert "linkage_nearest" not in bare
    assert sf.measure(replace(release, owner=None), table)["mean_error"] == found["mean_error"]


def test_measures_see_what_is_wrong():
    table = stays(200)
    release = sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=1)
    shown = release.data.frame
    moved = replace(release, data=sf.Table(shown.with_columns(pl.col("stay_days") + 40), release.data.schema))
    assert sf.measure(moved)["mean_error"] > sf.measure(release)["mean_error"] + 0.1
    own = table.frame[release.owner.rows].select(shown.columns)
    assert sf.measure(replace(release, data=sf.Table(own, release.data.schema)))["linkage_nearest"] == 1.0


def test_linkage_stays_about_or_below_one_in_k():
    table = stays(400)
    rates = [
        sf.measure(sf.publish(table, sf.Condensation(), sf.KAnonymity(10), seed=seed))["linkage_nearest"]
        for seed in range(3)
    ]
    assert np.mean(rates) < 0.13
