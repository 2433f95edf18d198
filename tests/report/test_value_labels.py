"""Codes with what they mean: in charts, and where a cell is explained."""

from __future__ import annotations

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.data.schema import Column
from sfumato.report.counting import Bars, value_counts
from sfumato.report.value_labels import labelled, labels_in_words, values_in_order
from support.report_pages import Page, report_page


def coded_table() -> sf.Table:
    random = np.random.default_rng(1)
    frame = pl.DataFrame({
        "sex": random.choice([1, 2, 9], 200), "year": random.integers(1975, 2004, 200),
        "injury": random.choice([0, 3], 200),
    })  # fmt: skip
    labels = {"sex": {"1": "male", "2": "female", "9": "unknown", "7": "nobody’s"}, "injury": {"0": "none", "3": "bad"}}
    return sf.Table(frame, sf.Schema(quasi=["sex", "year"], sensitive=["injury"], labels=labels))


def test_labels_stand_beside_codes():
    column = Column(name="sex", labels={"1": "male", "x": "x"})
    assert [labelled(value, column) for value in ("1", "2", "x")] == ["1 (male)", "2", "x"]
    assert values_in_order(["10", "9", "b", "-1"]) == ["-1", "9", "10", "b"]
    assert labels_in_words(column, ["1", "2"]) == "In sex: 1 is male."
    assert labels_in_words(column, ["2"]) is None
    many = Column(name="c", labels={str(i): f"n{i}" for i in range(20)})
    assert labels_in_words(many, map(str, range(20))).endswith("11 is n11, and 8 more that release.json lists.")


def test_numbers_that_are_codes_are_bars_in_their_order():
    column = Column(name="sex", kind="integer", labels={"1": "male", "2": "female"})
    counts = value_counts(pl.Series([2, 2, 1, 9]), column)
    assert isinstance(counts, Bars)
    assert list(counts.labels) == ["1 (male)", "2 (female)", "9"]
    assert counts.summary == "Of 3 values the most frequent is 2 (female), in 50.0% of rows."


def test_the_report_tells_codes_and_years_without_separators():
    table = coded_table()
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    for audience in ("public", "owner"):
        page = report_page(release, table, audience)
        words = Page(page).words
        assert "In sex: 1 is male, 2 is female, 9 is unknown." in words
        assert "In injury: 0 is none, 3 is bad." in words
        assert "1 (male)" in words
        assert "0 (none)" in words
        assert "nobody’s" not in words
        assert ">1980<" in page
        assert "1,980" not in page
