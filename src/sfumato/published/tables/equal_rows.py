"""Which rows of two tables are equal."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.published.equivalence import AS_RECORDED, PublishedClasses

__all__ = ["equal_row_numbers", "number_distinct_rows"]


def equal_row_numbers(shown: pl.DataFrame, other: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the rows of both frames so that equal rows have equal numbers; `other` is read in the types of `shown`."""
    alike = other.select(pl.col(name).cast(dtype, strict=False) for name, dtype in shown.schema.items())
    of_row, _ = number_distinct_rows(pl.concat([shown, alike]))
    return of_row[: shown.height], of_row[shown.height :]


def number_distinct_rows(frame: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the distinct rows; return the number of every row, and the first row of each number."""
    if not frame.width:
        return np.zeros(frame.height, dtype=np.int64), np.zeros(min(frame.height, 1), dtype=np.int64)
    classes = PublishedClasses(frame, frame.columns, cells=AS_RECORDED)
    of_row = classes.of_row
    first = np.empty(classes.n_classes, dtype=np.int64)
    first[of_row[::-1]] = np.arange(len(of_row))[::-1]
    return of_row, first
