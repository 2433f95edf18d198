"""Distributions drawn from published cells alone, against spreading every row by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column
from sfumato.datasets import hospital
from sfumato.published.shape import shape_of
from sfumato.report.counting import Bars, Steps
from sfumato.report.published_counts import published_charts, published_counts


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_spread_evenly_over_the_whole_numbers_of_their_range(seed):
    random = np.random.default_rng(seed)
    low = random.integers(0, 12, 30)
    high = low + random.integers(0, 8, 30)
    cells = [f"[{a}, {b}]" if b > a else str(a) for a, b in zip(low, high, strict=True)] + ["*", None]
    counts, hidden = published_counts(pl.Series("x", cells), "range", Column(name="x", kind="integer"))
    by_hand = np.zeros(int(high.max() - low.min()) + 1)
    for a, b in zip(low - low.min(), high - low.min(), strict=True):
        by_hand[a : b + 1] += 1 / (b - a + 1)
    assert isinstance(counts, Steps)
    assert hidden == 1
    assert counts.missing == (1.0, 1.0)
    np.testing.assert_allclose(counts.before, by_hand, atol=1e-6)


def test_sets_are_spread_over_their_members_and_headings_stand_for_themselves():
    sets = pl.Series("x", ["{1, 2}", "1", "{1, 2, 9}", "*"])
    labels = {"1": "male", "2": "female", "9": "unknown"}
    counts, hidden = published_counts(sets, "set", Column(name="x", kind="category", labels=labels))
    assert isinstance(counts, Bars)
    assert list(counts.labels) == ["1 (male)", "2 (female)", "9 (unknown)"]
    np.testing.assert_allclose(counts.before, [11 / 6, 5 / 6, 1 / 3])
    assert hidden == 1
    paths = Hierarchy.from_paths([["Rome", "Europe", "*"], ["Lima", "America", "*"]])
    nodes = pl.Series("x", ["Europe", "Europe or missing", "Lima"])
    counts, _ = published_counts(nodes, "node", Column(name="x", kind="category", hierarchy=paths))
    assert dict(zip(counts.labels, counts.before, strict=True)) == {"Europe": 2, "Lima": 1}


def test_nothing_is_drawn_of_a_column_that_tells_nothing():
    assert published_counts(pl.Series("x", ["*", "*"]), "range", Column(name="x", kind="integer")) is None


def test_charts_do_not_change_where_the_original_does():
    """Two originals that give the same published rows give the same charts: nothing else is read."""
    release = sf.publish(hospital(300), sf.LocalRecoding(), sf.KAnonymity(5), seed=1)
    first, _ = published_charts(shape_of(release), "quasi")
    from dataclasses import replace

    bare = replace(release, owner=None)
    assert published_charts(shape_of(bare), "quasi")[0] == first
    assert [each.name for each in first] == release.schema.quasi
