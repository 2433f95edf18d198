"""How exactly columns are known, against counting row by row."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column
from sfumato.published.shape import shape_of
from sfumato.report.extents import read_extents
from sfumato.report.known import columns_known, sentence_of


def said(cells, form, **column) -> str:
    described = Column(name="x", role="quasi", **column)
    return sentence_of(read_extents(pl.Series("x", cells, dtype=pl.String), form, described))


def test_the_width_that_half_of_the_rows_do_not_exceed():
    cells = ["3"] * 2 + ["[1, 5]"] * 3 + ["[0, 9]"] * 4 + ["[0, 20]"]
    assert said(cells, "range", kind="integer") == (
        "x is known to within 4 in half of the rows, to within 9 in nine of ten; its ranges lie between 0 and 20."
    )


@pytest.mark.parametrize("seed", range(5))
def test_widths_are_those_that_counting_finds(seed):
    random = np.random.default_rng(seed)
    low = random.integers(1900, 2000, 41)
    width = random.integers(0, 9, 41)
    cells = [f"[{a}, {a + w}]" if w else str(a) for a, w in zip(low, width, strict=True)]
    half, most = sorted(width)[20], sorted(width)[36]
    sentence = said(cells, "range", kind="integer")
    assert f"within {half} in half" in sentence
    assert half == most or f"within {most} in nine" in sentence
    assert f"between {low.min()} and {(low + width).max()}." in sentence  # years, without a separator


@pytest.mark.parametrize(
    ("cells", "form", "column", "sentence"),
    [
        (["1", "2"], "range", {"kind": "integer"}, "x is told exactly."),
        (["*", "*", "1"], "range", {"kind": "integer"}, "x is not told in 66.7% of the rows."),
        (["[1, 5]", "[2, 6]", "[2, 6]", "*"], "range", {"kind": "integer"},
         "x is known to within 4 in half of the rows; its ranges lie between 1 and 6; it is not told in 25.0%."),
        (["[0.5, 2.75]", "[0.5, 2.75]", "[0, 9]"], "range", {"kind": "number"},
         "x is known to within 2.25 in half of the rows, to within 9 in nine of ten; its ranges lie between 0 and 9."),
        (["[2024-01-01, 2024-01-31]", "[2023-01-01, 2024-12-31]"], "range", {"kind": "date"},
         "x is known to within 30 days in half of the rows, to within 2 years in nine of ten; its ranges lie between "
         "2023-01-01 and 2024-12-31."),
        (["{a, b}", "{a, b}", "{c, d, e}", None], "set", {"kind": "category"},
         "x is one of 2 values in half of the rows, one of 3 in nine of ten, of 5 that are named in all."),
        (["a", "b or missing"], "set", {"kind": "category"}, "x is told exactly."),
        (["[lo .. mid]", "hi", "[lo .. mid]"], "range", {"order": ("lo", "mid", "hi")},
         "x is one of 2 values in half of the rows, of 3 in its order."),
        (["53***", "53***", "53715"], "node", {"kind": "category", "hierarchy": Hierarchy.prefixes(5)},
         "x is told by the first 2 of its 5 characters in half of the rows."),
        (["2024-03", "2024-Q1", "2024", "2024-Q2"], "node", {"kind": "date", "hierarchy": Hierarchy.calendar()},
         "x is told to the quarter in half of the rows, to the year in nine of ten."),
        (["[20, 30)", "[20, 30)", "[0, 50)"], "node",
         {"kind": "integer", "hierarchy": Hierarchy.intervals([10, 50], low=0, high=50)},
         "x is known to within 9 in half of the rows, to within 49 in nine of ten; its ranges lie between 0 and 49."),
        (["Europe", "Rome", "Europe or missing"], "node",
         {"kind": "category", "hierarchy": Hierarchy.from_paths([["Rome", "Europe", "*"]])},
         "x is told as one of 2 values and headings of its hierarchy, most often Europe (66.7% of the rows)."),
        (["15-19", "15-19", "10-19", "17"], "node",
         {"kind": "integer", "hierarchy": Hierarchy.from_paths([["17", "15-19", "10-19", "*"]])},
         "x is known to within 4 in half of the rows, to within 9 in nine of ten; its ranges lie between 10 and 19."),
        (["34.6", "12"], "value", {"kind": "integer"}, "x is told as the mean of the class."),
        (["a", "b"], "value", {"kind": "category"}, "x is told as the most frequent value of the class."),
        ([], "range", {"kind": "integer"}, "x is told of no row."),
    ],
)  # fmt: skip
def test_sentences(cells, form, column, sentence):
    assert said(cells, form, **column) == sentence


def test_the_days_of_a_part_of_the_calendar():
    column = Column(name="x", kind="date", hierarchy=Hierarchy.calendar())
    cells = ["2024-02", "2024-Q4", "2023", "2020s", "2024-02-29"]
    extents = read_extents(pl.Series("x", cells), "node", column)
    days = {text: (low, high) for text, low, high in zip(extents.texts, extents.low, extents.high, strict=True)}
    epoch = dt.date(1970, 1, 1)
    for text, first, last in (("2024-02", "2024-02-01", "2024-02-29"), ("2024-Q4", "2024-10-01", "2024-12-31"),
                              ("2023", "2023-01-01", "2023-12-31"), ("2020s", "2020-01-01", "2029-12-31"),
                              ("2024-02-29", "2024-02-29", "2024-02-29")):  # fmt: skip
        assert days[text] == tuple((dt.date.fromisoformat(day) - epoch).days for day in (first, last))


def test_columns_with_the_same_to_be_said_are_said_together():
    from sfumato.datasets import hospital

    table = hospital(200)
    means = sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5), seed=1)
    sentences = [each.sentence for each in columns_known(shape_of(means), {})]
    assert sentences[0] == "age and admitted are told as the mean of the class."
    assert sentences[-1].endswith("are published as recorded.")
    apart = sf.publish(table, sf.Mondrian(show="permutation"), sf.LDiversity(2), seed=1)
    sentences = [each.sentence for each in columns_known(shape_of(apart), {})]
    assert len(sentences) == 2
    assert sentences[1] == "diagnosis is told for each group together, not row by row."
    drawn = sf.publish(table, sf.Condensation(), sf.KAnonymity(5), seed=1)
    assert "are drawn anew: no value need be that of the record." in columns_known(shape_of(drawn), {})[0].sentence
