"""Answers and reports as they are given: frames of pandas, polars and pyarrow, columns, lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from sfumato.ground.errors import DataError
from sfumato.ground.validate import told

__all__ = ["given_column", "given_frame"]


def given_frame(value: Any) -> pl.DataFrame:
    """A frame of any library as one of polars."""
    if isinstance(value, pl.DataFrame):
        return value
    import narwhals as nw

    try:
        frame: pl.DataFrame = nw.from_native(value, eager_only=True).to_polars()
        return frame
    except TypeError:
        raise DataError(f"reports are a table, as randomize returns them, got {told(value)}") from None


def given_column(value: Any, what: str) -> pl.Series:
    """A column, an array or a list of values as a series of polars; `what` names it in messages."""
    if isinstance(value, pl.Series):
        return value
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        raise DataError(f"{what} are given as a list or a column, got {told(value)}")
    if isinstance(value, np.ndarray):
        if value.ndim != 1:
            raise DataError(f"{what} are given as one column, got an array of {value.ndim} dimensions")
        return pl.Series(value)
    import narwhals as nw

    try:
        series: pl.Series = nw.from_native(value, series_only=True, eager_only=True).to_polars()
        return series
    except TypeError:
        pass
    try:
        return pl.Series(list(value))
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        raise DataError(f"{what} are of several kinds; give texts alone, or numbers alone") from None
