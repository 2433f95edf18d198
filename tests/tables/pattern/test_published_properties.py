"""Published properties tell nothing of the order of the original, and of all records that are tied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from support.pattern_tables import sorted_table

KEPT = [sf.Blocks(5), sf.Means(), sf.Sums(by="s"), sf.Order(), sf.Localities(0.3), sf.PoI("age[3] <= age[90]")]


@pytest.mark.parametrize("keep", KEPT, ids=repr)
def test_properties_do_not_follow_the_order_of_the_original(keep):
    table = sorted_table()
    promise = sf.Exchangeable(5) if isinstance(keep, sf.Blocks) else None
    correlations = []
    for seed in range(6):
        release = sf.publish(table, sf.PatternPreserving(keep), promise, seed=seed)
        rows = release.owner.rows
        for listed in release.files["properties"]["rows"].to_list():
            columns = release.files["properties"]["columns"][0]
            assert len(columns)
            own = rows[listed]
            if len(own) > 20:
                correlations.append(np.corrcoef(own, np.arange(len(own)))[0, 1])
        heads = [rows[listed[0]] for listed in release.files["properties"]["rows"].to_list()]
        if len(heads) > 20:
            correlations.append(np.corrcoef(heads, np.arange(len(heads)))[0, 1])
    assert not correlations or np.mean(np.abs(correlations)) < 0.35


def test_entries_stand_in_published_order():
    release = sf.publish(sorted_table(), sf.PatternPreserving(sf.Means()), seed=3)
    for row in release.files["properties"].iter_rows(named=True):
        cells = list(zip(row["columns"], row["rows"], strict=True))
        assert cells == sorted(cells)


def test_ties_are_published_and_checked():
    table = sf.Table(pl.DataFrame({"x": [1, 1, 2, 2, 2, 7, 9, 9]}), sf.Schema(quasi=["x"]))
    release = sf.publish(table, sf.PatternPreserving(sf.Order()), seed=1)
    seen = set(release.files["properties"]["rows"].explode().to_list())
    assert seen == set(range(8))
    x = release.data.frame["x"]
    tied = table.frame["x"].gather(release.owner.rows).is_duplicated().arg_true().to_list()
    assert len(tied) == 7
    for i in tied:
        spoiled = x.cast(pl.Float64).to_list()
        spoiled[i] += 0.5
        data = sf.Table(pl.DataFrame({"x": spoiled}), sf.Schema(quasi=["x"]))
        assert sf.verify(replace(release, data=data)).word == "broken"
