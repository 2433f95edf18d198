"""Bounds: the numbers beside a range agree with it, and go away again."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.data.bounds import add_bounds, drop_bounds
from sfumato.data.schema import Schema
from sfumato.data.shown import show_range, with_missing
from sfumato.ground.errors import DataError, ReleaseError

MOMENTS = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, 12), dt.datetime(2024, 7, 1, 0, 0, 1)]


def schema(**kinds):
    return Schema(quasi=list(kinds), kinds=kinds)


def roundtrip(frame, forms, given_schema):
    wide, names = add_bounds(frame, forms, given_schema)
    assert drop_bounds(wide, names, forms, given_schema).equals(frame, null_equal=True)
    return wide, names


ranges = {
    "integer": st.integers(-(10**6), 10**6),
    "number": st.floats(-1e9, 1e9),
    "date": st.dates() | st.sampled_from(MOMENTS),
}


def comparable(value):
    date_only = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return dt.datetime.combine(value, dt.time()) if date_only else value


@given(st.data(), st.sampled_from(["integer", "number", "date"]))
@settings(max_examples=80)
def test_bounds_are_those_of_the_text(data, kind):
    pair = st.tuples(ranges[kind], ranges[kind]).map(lambda ends: sorted(ends, key=comparable))
    rows = data.draw(st.lists(st.none() | st.just("*") | st.tuples(pair, st.booleans()), max_size=8))
    cells = [
        row if row is None or row == "*" else (with_missing if row[1] else str)(show_range(*row[0])) for row in rows
    ]
    frame = pl.DataFrame({"x": pl.Series(cells, dtype=pl.String), "other": pl.Series(range(len(rows)), dtype=pl.Int64)})
    wide, names = roundtrip(frame, {"x": "range"}, schema(x=kind))
    assert names == {"x": ["x_low", "x_high"]}
    assert wide.columns == ["x", "other", "x_low", "x_high"]
    for i, row in enumerate(rows):
        expected = (None, None) if row is None or row == "*" else tuple(map(comparable, row[0]))
        got = tuple(value if value is None else comparable(value) for value in wide.row(i)[2:])
        assert got == expected


def test_types():
    frame = pl.DataFrame({"a": ["[1, 2]"], "b": ["[1, 2.5]"], "c": ["2024-01-01"], "d": ["{x, y}"], "e": ["[u .. v]"]})
    kinds = {"a": "integer", "b": "number", "c": "date", "d": "category"}
    given_schema = Schema(quasi=list("abcde"), kinds=kinds, orders={"e": ["u", "v"]})
    forms = {"a": "range", "b": "range", "c": "range", "d": "set", "e": "range"}
    wide, names = roundtrip(frame, forms, given_schema)
    assert list(names) == ["a", "b", "c"]  # neither sets nor ordinals have numbers
    assert wide.select("a_low", "b_high", "c_low").dtypes == [pl.Int64, pl.Float64, pl.Date]


def test_dates_and_times_of_day_together():
    frame = pl.DataFrame({"d": ["[2024-01-01, 2024-01-02 10:00:00]", "2024-01-05", None]})
    wide, _ = roundtrip(frame, {"d": "range"}, schema(d="date"))
    assert wide["d_high"].to_list() == [dt.datetime(2024, 1, 2, 10), dt.datetime(2024, 1, 5), None]


def test_times_with_a_zone_are_in_utc():
    frame = pl.DataFrame({"d": ["[2024-01-01 00:00:00+01:00, 2024-07-02 10:00:00+02:00]"]})
    wide, _ = roundtrip(frame, {"d": "range"}, schema(d="date"))
    assert wide["d_low"][0] == dt.datetime(2023, 12, 31, 23, tzinfo=dt.UTC)
    assert wide["d_high"][0] == dt.datetime(2024, 7, 2, 8, tzinfo=dt.UTC)


@pytest.mark.parametrize("kind", ["integer", "number", "date"])
def test_frames_without_rows_or_values(kind):
    for cells in ([], [None, None], ["*"]):
        wide, _ = roundtrip(pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}), {"x": "range"}, schema(x=kind))
        assert wide["x_low"].null_count() == len(cells)
        assert wide["x_low"].dtype == {"integer": pl.Int64, "number": pl.Float64, "date": pl.Date}[kind]


def test_names_that_are_taken():
    frame = pl.DataFrame({"x": ["[1, 2]"], "x_low": ["[3, 4]"], "x_low_high": ["a"], "shown": ["b"]})
    wide, names = roundtrip(frame, {"x": "range", "x_low": "range"}, schema(x="integer", x_low="integer"))
    assert names == {"x": ["x_low_", "x_high_"], "x_low": ["x_low_low_", "x_low_high_"]}
    assert wide.row(0)[4:] == (1, 2, 3, 4)


@pytest.mark.parametrize("column", ["x_low", "x_high"])
@pytest.mark.parametrize("value", [99, None])
def test_numbers_that_disagree_are_refused(column, value):
    frame = pl.DataFrame({"x": ["[1, 2]", "[3, 4]"]})
    wide, names = add_bounds(frame, {"x": "range"}, schema(x="integer"))
    changed = wide.with_columns(pl.Series(column, [wide[column][0], value], dtype=pl.Int64))
    with pytest.raises(ReleaseError, match=f"the numbers in column '{column}' do not agree with the ranges in 'x'"):
        drop_bounds(changed, names, {"x": "range"}, schema(x="integer"))


def test_a_certificate_that_names_other_columns_is_refused():
    wide, _ = add_bounds(pl.DataFrame({"x": ["[1, 2]"]}), {"x": "range"}, schema(x="integer"))
    with pytest.raises(ReleaseError, match="was the certificate edited by hand"):
        drop_bounds(wide, {"x": ["x_low"]}, {"x": "range"}, schema(x="integer"))
    with pytest.raises(ReleaseError, match="was the certificate edited by hand"):
        drop_bounds(wide, {"x": ["x_low", "x_high"]}, {"x": "set"}, schema(x="integer"))


def test_text_that_is_no_number_is_refused():
    with pytest.raises(DataError, match="the published bound 'b' is no integer"):
        add_bounds(pl.DataFrame({"x": ["[1, b]"]}), {"x": "range"}, schema(x="integer"))
