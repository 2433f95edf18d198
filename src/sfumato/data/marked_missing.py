"""Cells that stand for no value, in columns that have types already."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

__all__ = ["without_marks"]


def without_marks(frame: pl.DataFrame, missing: Sequence[str]) -> pl.DataFrame:
    """Return the frame with no value in the cells whose text is one of `missing`; 999 is also the number.

    >>> without_marks(pl.DataFrame({"a": [1, 999], "b": ["n/a", "x"]}), ["999", "n/a"]).rows()
    [(1, None), (None, 'x')]
    """
    numbers = [float(mark) for mark in missing if _is_number(mark)]
    changed = []
    for series in frame.get_columns():
        if series.dtype == pl.String and missing:
            gone = series.is_in(list(missing))
        elif series.dtype.is_numeric() and numbers:
            gone = series.cast(pl.Float64).is_in(numbers)
        else:
            continue
        changed.append(series.set(gone.fill_null(value=False), None))
    return frame.with_columns(changed)


def _is_number(mark: str) -> bool:
    try:
        return float(mark) == float(mark)
    except ValueError:
        return False
