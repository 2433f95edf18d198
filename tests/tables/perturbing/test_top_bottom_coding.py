"""TopBottomCoding: what lies beyond a threshold becomes the threshold."""

import datetime as dt
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import method_from_dict
from sfumato.ground.errors import DataError, ParameterError, SchemaError
from support.changed_tables import numbers, people, saved, with_frame, with_public

FEW = settings(max_examples=60, deadline=None)


def one(values, **given):
    table = sf.Table(pl.DataFrame({"x": values}), sf.Schema(quasi=["x"]))
    release = sf.publish(table, sf.TopBottomCoding(**given), seed=1)
    return sorted(release.data.frame["x"].to_list()), release.public["coding"]["columns"].get("x")


def test_a_share_cuts_above_the_value_that_it_does_not_exceed():
    values = list(range(1, 101))
    assert one(values, top=0.95) == ([*range(1, 95), *[95] * 6], {"high": 95})
    assert one(values, top=0.9, bottom=0.1) == ([*[11] * 11, *range(12, 90), *[90] * 11], {"low": 11, "high": 90})
    assert one(values, top=0.99) == ([*range(1, 96), *[96] * 5], {"high": 96})  # 99 would be shown by two
    assert one(values, top=0.99, least=2)[1] == {"high": 99}
    assert one([0] * 98 + [1] * 7, top=0.99) == ([0] * 98 + [1] * 7, {"high": 1})  # nobody stands out


def test_values_may_be_given():
    values = list(range(1, 101))
    assert one(values, top={"x": 60}) == ([*range(1, 60), *[60] * 41], {"high": 60})
    assert one(values, top={"x": 60.0}, bottom={"x": 50})[1] == {"low": 50, "high": 60}
    assert one(values, top={"x": 1_000}, least=3)[1] == {"high": 98}  # moved inwards
    assert one(values, top=None, bottom={"x": -7})[1] == {"low": 5}
    assert one([0.5 * v for v in values], top={"x": 40.25})[1] == {"high": 40.25}


@FEW
@given(st.integers(5, 80), st.integers(1, 60), st.floats(0.5, 0.99), st.integers(1, 5), st.integers(0, 1000))
def test_at_least_so_many_show_a_threshold_and_the_rest_is_as_recorded(n, values, top, least, seed):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"x": rng.integers(0, values, n), "s": np.arange(n)})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    method = sf.TopBottomCoding(top, 1 - top, least=least)
    sorted_ = sorted(frame["x"].to_list())
    if min(sorted_[-least], sorted_[math.ceil(top * n - 1e-9) - 1]) < max(
        sorted_[least - 1], sorted_[n - math.ceil(top * n - 1e-9)]
    ):
        with pytest.raises(ParameterError, match="leave nothing between them"):
            sf.publish(table, method, seed=seed)
        return
    release = sf.publish(table, method, seed=seed)
    ends = release.public["coding"]["columns"]["x"]
    shown, own = release.data.frame["x"], frame["x"].gather(release.owner.rows)
    assert shown.equals(own.clip(ends["low"], ends["high"]))
    assert min((shown == ends["low"]).sum(), (shown == ends["high"]).sum()) >= least
    assert (own > ends["high"]).sum() <= max((1 - top) * n + 1e-9, least - 1)


@pytest.mark.parametrize("format", ["parquet", "csv", "arrow"])
def test_dates_and_times_survive_the_disk(tmp_path, format):
    moments = [dt.datetime(2020, 1, 1, 8, 30) + dt.timedelta(hours=i) for i in range(200)]
    table = numbers(at=moments)
    release = sf.publish(table, sf.TopBottomCoding(0.9, 0.1), seed=1)
    assert release.public["coding"]["columns"]["at"]["high"] == moments[179].isoformat()
    loaded = saved(release, tmp_path / "out", format)
    assert sf.verify(loaded)
    assert sf.verify(loaded, table)
    assert loaded.data.frame["day"].max() == dt.date.fromisoformat(loaded.public["coding"]["columns"]["day"]["high"])


def test_given_dates_missing_values_and_other_columns():
    table = people(age=[None, *range(1, 200)])
    release = sf.publish(table, sf.TopBottomCoding({"day": "2005-01-01", "age": 150}), seed=1)
    assert release.data.frame["day"].max() == dt.date(2005, 1, 1)
    assert release.data.frame["age"].null_count() == 1
    assert "as recorded: 'income', 'edu', 'sex'" in release.verdict.found
    assert release.method["top"] == "given"  # what was asked for may say that nobody is beyond it
    everywhere = sf.publish(table, sf.TopBottomCoding(0.9), seed=1)
    assert list(everywhere.forms) == ["age", "income", "day"]


def test_what_is_not_cut_is_seen():
    table = numbers()
    release = sf.publish(table, sf.TopBottomCoding(0.9), seed=1)
    frame = release.data.frame
    top = release.public["coding"]["columns"]["age"]["high"]
    over = with_frame(
        release, frame.with_columns(pl.when(pl.col("age") == top).then(top + 1).otherwise("age").alias("age"))
    )
    assert "beyond its threshold" in str(sf.verify(over))
    assert "fewer than 5 records show a threshold" in str(sf.verify(over))
    other = with_frame(release, frame.with_columns(pl.col("age").shift(1).fill_null(20)))
    assert sf.verify(other)
    assert "is not the original, cut off" in str(sf.verify(other, table))
    assert not sf.verify(with_public(release, coding={"least": 5, "columns": {}}))
    assert not sf.verify(
        with_public(release, coding={"least": 5, "columns": {name: {"high": "x"} for name in release.forms}})
    )


def test_bad_parameters():
    for given_parameters, message in (
        ({"top": None}, "give top, bottom or both"),
        ({"top": 1.5}, "top must be a share between 0 and 1, or values by column"),
        ({"bottom": 0}, "bottom must be a share"),
        ({"top": True}, "top must be a share"),
        ({"top": {}}, "top must name a column"),
        ({"least": 0}, "least must be a whole number >= 1"),
    ):
        with pytest.raises(ParameterError, match=message):
            sf.TopBottomCoding(**given_parameters)
    values = list(range(100))
    with pytest.raises(ParameterError, match="leave nothing between them in column 'x'"):
        one(values, top=0.2, bottom=0.8)
    with pytest.raises(
        ParameterError, match=r"the threshold of column 'x' must be a whole number that it can hold, got 3\.5"
    ):
        one(values, top={"x": 3.5})
    with pytest.raises(ParameterError, match="must be a whole number that it can hold, got 'many'"):
        one(values, top={"x": "many"})
    for far in (10**400, 10**5000):
        with pytest.raises(ParameterError, match="top has a number that no column can hold"):
            one(values, top={"x": far})
    for side in ({"top": {"x": 10**20}}, {"top": None, "bottom": {"x": 10**20}}):
        with pytest.raises(ParameterError, match="must be a whole number that it can hold, got 100000000000000000000"):
            one(values, **side)
    with pytest.raises(ParameterError, match="'day' must be a date that it can hold, got 5"):
        sf.publish(people(), sf.TopBottomCoding({"day": 5}), seed=1)
    with pytest.raises(ParameterError, match="of more than 30 digits"):
        one(values, top={"x": 10**100})
    with pytest.raises(SchemaError, match="no column 'y'"):
        one(values, top={"y": 3})
    with pytest.raises(ParameterError, match="'y', which is not among the columns"):
        one(values, top={"y": 3}, columns=["x"])
    with pytest.raises(DataError, match="column 'x' has 3 values, and 5 must show a threshold"):
        one([1, 2, 3], top=0.9)
    method = sf.TopBottomCoding({"age": 90}, 0.1, ["age"])
    assert method_from_dict(method.to_dict()) == method


def test_large_whole_numbers_are_cut_and_compared_in_their_own_type():
    large = [2**60 + i for i in range(12)]
    table = sf.Table(pl.DataFrame({"x": range(12), "w": large}), sf.Schema(quasi=["x"], plain=["w"]))
    release = sf.publish(table, sf.TopBottomCoding(0.8, 0.2, columns=["w"], least=2), seed=1)
    assert sorted(value - 2**60 for value in release.data.frame["w"]) == [2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9]
    assert release.public["coding"]["columns"]["w"] == {"low": 2**60 + 2, "high": 2**60 + 9}
    other = with_frame(release, release.data.frame.with_columns(pl.col("w").replace({2**60 + 5: 2**60 + 6})))
    assert "is not the original, cut off" in str(sf.verify(other, table))
