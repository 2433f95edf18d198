"""Dates outside the calendar."""

import datetime as dt

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.dates import check_dates
from sfumato.ground.errors import DataError


def test_the_first_and_the_last_day_will_do():
    days = [dt.date.min, None, dt.date.max]
    moments = [dt.datetime.min, None, dt.datetime.max]
    check_dates(pl.DataFrame({"d": days, "t": moments, "l": [[dt.date.min], None, [dt.date.max]]}))


@pytest.mark.parametrize("days", [-719_163, 2_932_897, 10**8, -(10**8)])
@pytest.mark.parametrize("kind", [pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("us", "UTC")])
def test_a_day_before_or_after_is_refused(days, kind):
    per_day = {pl.Date: 1}.get(kind, 86_400_000 * (1 if getattr(kind, "time_unit", "") == "ms" else 1_000))
    numbers = pl.Series("d", [None, 0, days * per_day], dtype=pl.Int64)
    frame = numbers.cast(pl.Int32).cast(kind).to_frame() if kind == pl.Date else numbers.cast(kind).to_frame()
    with pytest.raises(DataError, match="'d' holds a date outside the years 1 to 9999 at row 3"):
        check_dates(frame)
    with pytest.raises(DataError, match="outside the years"):
        sf.Table(frame, sf.Schema(quasi=["d"], kinds={"d": "category"}))


def test_text_that_is_declared_a_date():
    frame = pl.DataFrame({"d": ["0000-01-01", "2020-01-01"]})
    with pytest.raises(DataError, match="outside the years"):
        sf.Table(frame, sf.Schema(quasi=["d"], kinds={"d": "date"}))
