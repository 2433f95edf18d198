"""Single values as text: two that differ are written differently."""

import datetime as dt

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.values import text


def test_two_moments_of_the_night_when_clocks_change():
    utc = pl.Series([dt.datetime(2024, 10, 27, 0, 30), dt.datetime(2024, 10, 27, 1, 30)] * 2).dt.replace_time_zone(
        "UTC"
    )
    table = sf.Table(pl.DataFrame({"a": utc.dt.convert_time_zone("Europe/Rome")}), sf.Schema(quasi=["a"]))
    assert sf.publish(table, sf.Mondrian(), sf.KAnonymity(4)).verdict


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 10))
@settings(max_examples=60)
def test_text_of_numbers_reads_back(number, whole):
    assert float(text(number)) == number
    assert text(float(whole)) == str(whole) == text(np.float64(whole)) == text(np.int8(whole))
