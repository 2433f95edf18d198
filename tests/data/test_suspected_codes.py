"""Values that may stand for none: found by how they lie beside the others, and nothing else is."""

from __future__ import annotations

import datetime as dt
import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.suspected_codes import find_suspected

rng = random.Random(1)
AGES = [rng.randint(0, 97) for _ in range(500)]
DAYS = [dt.date(1950, 1, 1) + dt.timedelta(days=rng.randint(0, 20_000)) for _ in range(200)]


def values_of(cells, labels=None):
    found, _ = find_suspected(pl.Series("x", cells, strict=False), labels)
    return list(found.values) if found is not None else []


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([*AGES, 998, 999, 999], [998, 999]),
        ([*AGES, *[999] * 5], [999]),
        ([*AGES, 999], [999]),  # one is enough where it is very far
        ([*range(1924, 2013)] * 3 + [9999] * 4, [9999]),
        ([1, 2, 9] * 20, [9]),
        ([1, 2, 3, 8, 9] * 20, [8, 9]),
        ([*range(1, 13)] * 9 + [98, 99] * 5, [98, 99]),
        ([*range(50)] * 3 + [-1] * 9, [-1]),
        ([*range(50)] * 3 + [-9, -9, -8], [-9, -8]),
        ([*range(5)] * 9 + [-9] * 5, [-9]),
        ([*range(1930, 2000)] * 3 + [0] * 12, [0]),
        ([170.5, 181.25, 165.0, 177.7, 190.0, 158.5] * 9 + [999.0] * 3, [999]),
        ([*AGES] + [*range(98, 99)] * 2 + [99] * 60, [99]),  # far more often than 94 to 98
        ([*DAYS, *[dt.date(1900, 1, 1)] * 4], ["1900-01-01"]),
        ([*DAYS, *[dt.date(9999, 12, 31)] * 4], ["9999-12-31"]),
        (["71.5", "80", "n/a", "66", "N/A", "n/a", *map(str, range(60, 90))], ["n/a", "N/A"]),
        (["71,5", "80,25", "k.A.", "66,0", *(f"{i},5" for i in range(60, 90))], ["k.A."]),
        (["1.957,70", "80,25", "-", "66,10", *(f"{i}.100,50" for i in range(1, 30))], ["-"]),
        (["12", "999", "n/a", *map(str, range(60, 90))] * 4, ["n/a", "999"]),
        (["31.12.2024", "unbekannt", *(f"{i:02}.01.2020" for i in range(1, 29))], ["unbekannt"]),
        (["red", "green", "NA-code", "blue", "unknown?"] * 5, ["NA-code", "unknown?"]),
        (["02139", "10001", "99999", "53715", "60601", "94103", "99999"], ["99999"]),
    ],
    ids=str,
)
def test_codes_are_found(cells, wanted):
    assert values_of(cells) == wanted


@pytest.mark.parametrize(
    "cells",
    [
        AGES, [*AGES, 98, 99, 100], [*range(10)] * 9, [1, 2, 3, 4, 5, 6, 7, 8, 9] * 5, [0, 1] * 30, [1, 2, 3] * 30,
        [*range(-20, 30)] * 3, [-1.5, -0.2, 0.4, 1.7] * 20, [100, 250, 999, 1200, 1500, 4000] * 9, [7] * 20, [], [None] * 5,
        [10, 20, 30, 99], DAYS, ["02139", "10001", "53715"] * 5, ["a", "b", "none", "x"] * 9, ["12 kg", "13 kg"] * 9,
        [88_731, 88_731, 3, 4] * 9, ["yes", "no"] * 9, ["-50000"] * 30 + ["50000+"],
        [*map(str, range(90)), "90+"], [-3, -2, -1, 0, 1, 2, 3] * 9,
    ],
    ids=str,
)  # fmt: skip
def test_what_is_a_value_is_left_alone(cells):
    found, series = find_suspected(pl.Series("x", cells, strict=False))
    assert found is None
    assert series.to_list() == cells


def test_the_column_is_given_back_without_them():
    found, series = find_suspected(pl.Series("x", ["70.5", "n/a", " 80 ", None, *map(str, range(30))]))
    assert found.read_as == "number"
    assert found.n_rows == 1
    assert found.share == pytest.approx(32 / 33)
    assert series.dtype == pl.Float64
    assert series.head(4).to_list() == [70.5, None, 80.0, None]
    assert found.why == "in a column of 97% numbers"


def test_values_that_are_labelled_as_unknown_need_no_gap():
    labels = {"1": "male", "2": "female", "3": "unknown", "4": "never met"}
    assert values_of([1, 2, 3, 1, 2, 2], labels) == [3]
    assert values_of(["1", "2", "3", "1"], labels) == ["3"]
    assert values_of([1, 2, 1, 2], labels) == []


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.integers(-(2**60), 2**60) | st.none(), max_size=40)
    | st.lists(st.floats() | st.none(), max_size=40)
    | st.lists(st.text(max_size=6) | st.sampled_from(["1", "2,5", "n/a", "01.02.2020"]) | st.none(), max_size=40)
    | st.lists(st.dates() | st.none(), max_size=40)
)
def test_any_column_can_be_looked_at(cells):
    series = pl.Series("x", cells, strict=False)
    found, rest = find_suspected(series)
    assert len(rest) == len(series)
    if found is None:
        assert rest.equals(series, null_equal=True) or series.dtype.is_float()
    else:
        assert 0 < found.n_rows <= len(series) - series.null_count()
        assert rest.null_count() == series.null_count() + found.n_rows
