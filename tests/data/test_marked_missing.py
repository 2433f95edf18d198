"""Cells that mean no value, in columns that have types."""

import datetime as dt

import polars as pl

from sfumato.data.marked_missing import without_marks


def test_texts_and_numbers_lose_them():
    frame = pl.DataFrame(
        {"n": [1, 999, None], "x": [0.5, 999.0, 1.0], "t": ["999", "n/a", ""], "d": [dt.date(2024, 1, 1)] * 3}
    )
    assert without_marks(frame, ["", "999", "n/a", "nan"]).drop("d").rows() == [
        (1, 0.5, None),
        (None, None, None),
        (None, 1.0, None),
    ]
    assert without_marks(frame, []).equals(frame)
