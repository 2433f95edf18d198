"""Codes: they decode to the values, follow their order, and know what is missing."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data import encoding
from sfumato.data.encoding import encode, encode_series
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.data.values import as_number, text

names = st.sampled_from(["x", "code", "value", "count", ""])


def decoded(coded):
    values = [*coded.values.to_list(), None]
    return [values[code] for code in coded.codes.tolist()]


def assert_codes(coded, given_values):
    assert coded.codes.dtype == np.int32
    assert decoded(coded) == given_values
    assert coded.n_codes == len(coded.values)
    assert coded.has_missing == (None in given_values)
    assert [code == -1 for code in coded.codes] == [value is None for value in given_values]


numbers = {
    "narrow integers": (pl.Int64, st.integers(-3, 12)),
    "integers far apart": (pl.Int64, st.sampled_from([-3, 0, 1, 7, 10**6, 2**62])),
    "wide integers": (pl.Int64, st.integers(-(2**63), 2**63 - 1)),
    "small integers": (pl.Int8, st.integers(-128, 127)),
    "unsigned integers": (pl.UInt8, st.integers(0, 255)),
    "floats": (pl.Float64, st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda x: x + 0.0)),
    "dates": (pl.Date, st.dates()),
    "times": (pl.Datetime("us"), st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1))),
}


@pytest.mark.parametrize("what", numbers)
def test_numbers_and_dates(what):
    dtype, values = numbers[what]
    kind = {pl.Float64: "number", pl.Date: "date", pl.Datetime("us"): "date"}.get(dtype, "integer")

    @given(st.lists(values | st.none(), max_size=30), names)
    @settings(max_examples=40)
    def check(drawn, name):
        coded = encode_series(pl.Series(name, drawn, dtype=dtype), Column(name=name, kind=kind))
        assert_codes(coded, drawn)
        present = sorted({value for value in drawn if value is not None})
        assert coded.values.to_list() == present
        assert coded.values.dtype == dtype
        assert coded.shape == "range"
        assert coded.numbers.tolist() == [as_number(value) for value in present]
        if len(present) > 1 and as_number(present[0]) < as_number(present[-1]):
            assert coded.position[0] == 0
            assert coded.position[-1] == 1
            assert (np.diff(coded.position) >= 0).all()

    check()


def test_both_paths_are_taken_and_agree(monkeypatch):
    counted = []
    real = encoding._dense_ranks_by_counting
    monkeypatch.setattr(encoding, "_dense_ranks_by_counting", lambda *given: counted.append(1) or real(*given))
    column = Column(name="x", kind="integer")
    near = encode_series(pl.Series("x", [5, None, 1, 5, 1028]), column)
    assert len(counted) == 1
    far = encode_series(pl.Series("x", [5, None, 1, 5, 10**9]), column)
    assert len(counted) == 1
    assert near.codes.tolist() == far.codes.tolist() == [1, -1, 0, 1, 2]


def test_counting_reaches_the_ends_of_the_range():
    ends = [2**63 - 1, 2**63 - 5, -(2**63), None]
    for values in (ends[:2], [ends[2], ends[2] + 3], [0], [None, 7, None]):
        assert_codes(encode_series(pl.Series("x", values, dtype=pl.Int64), Column(name="x", kind="integer")), values)


@given(st.lists(st.text(max_size=4) | st.none(), max_size=25), names)
@settings(max_examples=60)
def test_categories_are_alphabetical(drawn, name):
    coded = encode_series(pl.Series(name, drawn, dtype=pl.String), Column(name=name, kind="category"))
    assert_codes(coded, drawn)
    present = {value for value in drawn if value is not None}
    assert coded.values.to_list() == sorted(present, key=str.encode)
    assert coded.shape == "set"


@given(st.permutations(["low", "middle", "high", "never seen"]), st.data())
@settings(max_examples=40)
def test_ordinals_follow_the_given_order(order, data):
    drawn = data.draw(st.lists(st.sampled_from(order[:3]) | st.none(), max_size=15))
    coded = encode_series(pl.Series("x", drawn, dtype=pl.String), Column(name="x", kind="ordinal", order=tuple(order)))
    assert_codes(coded, drawn)
    assert coded.values.to_list() == list(order)
    assert coded.shape == "range"
    assert coded.position.tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=20),
    st.integers(1, 30) | st.none(),
    st.integers(1, 30) | st.none(),
)
@settings(max_examples=60)
def test_positions_with_bounds(drawn, below, above):
    low = min(drawn) - below if below else None
    high = max(drawn) + above if above else None
    coded = encode_series(pl.Series("x", drawn), Column(name="x", kind="integer", low=low, high=high))
    start, stop = (low if low is not None else min(drawn)), (high if high is not None else max(drawn))
    expected = [(value - start) / (stop - start) if stop > start else 0.0 for value in sorted(set(drawn))]
    assert coded.position.tolist() == pytest.approx(expected)


def test_positions_of_dates_with_bounds():
    column = Column(name="x", kind="date", low=dt.date(2024, 1, 1), high=dt.date(2024, 1, 11))
    coded = encode_series(pl.Series("x", [dt.date(2024, 1, 2), dt.date(2024, 1, 6)]), column)
    assert coded.position.tolist() == pytest.approx([0.1, 0.5])


def test_positions_with_a_time_zone_stay_within_the_bounds():
    column = Column(name="x", kind="date", low=dt.date(2024, 1, 1), high=dt.date(2024, 1, 3))
    late = pl.Series("x", [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2, 12)]).dt.replace_time_zone("America/Lima")
    assert encode_series(late, column).position.tolist() == pytest.approx([0, 0.75])


def test_moments_are_ordered_even_where_clocks_go_back():
    moments = pl.Series("x", [dt.datetime(2024, 10, 27, 0, 30), dt.datetime(2024, 10, 27, 1, 10)])
    moments = moments.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Rome")
    coded = encode_series(moments, Column(name="x", kind="date"))
    assert coded.codes.tolist() == [0, 1]
    assert coded.position.tolist() == [0, 1]


trees = {
    "paths": (Hierarchy.from_paths([("b", "x", "*"), ("a", "x", "*"), ("c", "*")]), "category", pl.String, list("abc")),
    "intervals": (Hierarchy.intervals([5, 10], low=0, high=20), "number", pl.Float64, [0.0, 2.5, 7.0, 19.0]),
    "prefixes of numbers": (Hierarchy.prefixes(3), "integer", pl.Int64, [7, 12, 120, 999]),
    "calendar": (Hierarchy.calendar(), "date", pl.Date, [dt.date(2024, 1, 31), dt.date(2020, 5, 5), dt.date(2024, 2, 1)]),
    "flat": (Hierarchy.flat([3, 1, 2]), "integer", pl.Int64, [1, 2, 3]),
    "an ordinal": (Hierarchy.flat(["hi", "lo"]), "ordinal", pl.String, ["lo", "hi"]),
}  # fmt: skip


@pytest.mark.parametrize("what", trees)
def test_trees(what):
    hierarchy, kind, dtype, domain = trees[what]
    order = tuple(domain) if kind == "ordinal" else None

    @given(st.lists(st.sampled_from(domain) | st.none(), max_size=15), names)
    @settings(max_examples=25)
    def check(drawn, name):
        series = pl.Series(name, drawn, dtype=dtype)
        coded = encode_series(series, Column(name=name, kind=kind, hierarchy=hierarchy, order=order))
        assert coded.shape == "tree"
        assert_codes(coded, [None if value is None else text(value) for value in drawn])
        tree = hierarchy.tree(sorted({value for value in drawn if value is not None}))
        assert tuple(coded.values.to_list()) == coded.tree.leaves == tree.leaves

    check()


def test_encode_takes_the_named_columns_of_a_table():
    frame = pl.DataFrame({"name": ["x", "y"], "age": [30, 20], "sex": ["m", "f"]})
    table = Table(frame, Schema(identifier=["name"], quasi=["age", "sex"], weights={"sex": 2.5}))
    coded = encode(table, ["sex", "age"])
    assert [column.name for column in coded] == ["sex", "age"]
    assert [column.weight for column in coded] == [2.5, 1.0]
    assert [column.codes.tolist() for column in coded] == [[1, 0], [1, 0]]


@pytest.mark.parametrize(("dtype", "kind"), [(pl.Int64, "integer"), (pl.String, "category"), (pl.Date, "date")])
def test_columns_without_rows(dtype, kind):
    coded = encode_series(pl.Series("x", [], dtype=dtype), Column(name="x", kind=kind))
    assert coded.n_codes == len(coded.codes) == 0
    assert not coded.has_missing


def test_zeros_of_either_sign_are_one_value():
    coded = encode_series(pl.Series("x", [0.0, -0.0, 1.0]), Column(name="x", kind="number"))
    assert coded.codes.tolist() == [0, 0, 1]
