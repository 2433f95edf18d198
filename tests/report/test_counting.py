"""Distributions for charts: every row is counted, and spread over what its cell covers."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.data.schema import Column
from sfumato.datasets import hospital
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.published.tables.cells import place_cells
from sfumato.report.counting import before_and_after, class_sizes
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.verbs.publish import publish


@pytest.mark.parametrize("sizes", [[5], [5, 5, 6, 9], [5, 5_000], [1, 1_000_000], list(range(5, 400)), [700, 712]])
@pytest.mark.parametrize("k", [None, 1, 5, 600])
def test_class_sizes_are_all_counted_and_a_bin_begins_at_k(sizes, k):
    steps = class_sizes(np.array(sizes), k)
    assert sum(steps.before) == len(sizes)
    assert len(steps.before) <= 41
    assert steps.domain[0] <= steps.edges[0]
    assert steps.edges[-1] <= steps.domain[1]
    if k is not None and k <= min(sizes):
        assert steps.edges[0] == k - 0.5
    assert not steps.logarithmic or steps.domain[0] > 0


def naive_after(cells: list[list[object]], values: list[object]) -> list[float]:
    return [sum(1 / len(cell) for cell in cells if value in cell) for value in values]


def test_after_is_spread_over_what_cells_cover():
    original = pl.Series("x", ["a", "b", "c", "a", "b", None])
    published = pl.Series("x", ["{a, b}", "{a, b}", "c", "*", "*", "{a, b} or missing"])
    column = Column(name="x", role="quasi", kind="category")
    bars = before_and_after(place_cells(published, "set", original, column), original, column)
    everything = ["a", "b", "c", "(no value)"]
    cells = [["a", "b"], ["a", "b"], ["c"], everything, everything, ["a", "b", "(no value)"]]
    assert bars.labels == everything
    assert bars.before == [2, 2, 1, 1]
    assert bars.after == pytest.approx(naive_after(cells, everything))


def test_after_of_ranges_of_whole_numbers():
    original = pl.Series("x", [1, 2, 3, 4, 5, 6])
    published = pl.Series("x", ["[1, 3]", "[1, 3]", "[1, 3]", "[4, 5]", "[4, 5]", "6"])
    column = Column(name="x", role="quasi", kind="integer")
    steps = before_and_after(place_cells(published, "range", original, column), original, column)
    assert steps.edges == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert steps.before == [1] * 6
    assert steps.after == pytest.approx([1] * 6)


def test_after_of_means_is_where_the_means_are():
    original = pl.Series("x", [1, 2, 9, 10])
    published = pl.Series("x", [1.5, 1.5, 9.6, 9.6])
    column = Column(name="x", role="quasi", kind="integer")
    steps = before_and_after(place_cells(published, "value", original, column), original, column)
    assert sum(steps.after) == pytest.approx(4)
    assert steps.after[9] == pytest.approx(2)


@pytest.mark.parametrize("show", ["ranges", "means"])
def test_before_and_after_count_every_row(show):
    table = hospital(500)
    release = publish(table, Mondrian(show=show), KAnonymity(5), seed=1)
    for name in release.schema.quasi:
        column = table.schema.column(name)
        shown = place_cells(release.data.frame[name], release.forms[name], table.frame[name], column)
        counts = before_and_after(shown, table.frame[name], column)
        outside = getattr(counts, "missing", None) or (0, 0)
        rest = getattr(counts, "rest", (0, 0))
        assert sum(counts.before) + rest[0] + outside[0] == pytest.approx(500)
        assert sum(counts.after) + rest[1] + outside[1] == pytest.approx(500)
